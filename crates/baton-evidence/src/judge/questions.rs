//! Open questions that block, beside the claim that nothing does.

use baton_handoff::rule::audit;

use super::Case;
use crate::finding::{Against, Finding, Provenance, Said};

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let claims = case.claims;
    let Some(open) = claims.blocking.first() else { return };
    let claim = claims.no_open_blockers();
    let status = claim.and_then(|claim| claim.status.as_ref());
    let denial = |said: &Said| {
        Finding::of_rule(&audit::BLOCKER_DENIED, "checkpoint", said, "the handoff itself names what blocks")
            .contradicted()
            .from(Provenance::Asserted)
            .against(Against::file(claims.source.as_str(), Some(open.place.line), &open.text))
            .fix("Take the claim back until the question is answered.")
    };
    findings.extend(status.into_iter().chain(&claims.says_nothing_open).map(denial));
}
