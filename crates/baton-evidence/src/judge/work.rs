//! Whether completed work changed anything.

use baton_handoff::rule::audit;

use super::Case;
use crate::finding::{Finding, Provenance, Said};

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let claims = case.claims;
    if !claims.finishes || claims.is_report {
        return;
    }
    let said = Said::new("completed", claims.origin);
    let Some(turn) = &case.facts.turn else { return };
    if !turn.must_change {
        return;
    }
    findings.push(match turn.has_changed {
        true => Finding::holds("work", &said, "the work changed files").from(Provenance::Observed),
        false => {
            let reason = "it says that the work is completed, and no file differs from before the work";
            Finding::of_rule(&audit::NOTHING_CHANGED, "work", &said, reason)
                .contradicted()
                .from(Provenance::Observed)
                .fix("Do the work, or hand over as `blocked` or `failed` and say why.")
        }
    });
}
