//! Open questions that block, beside the claim that nothing does.

use baton_handoff::rule::audit;

use super::Case;
use crate::finding::{Against, Finding, Provenance, Said};

/// The checkpoint that says that nothing blocks.
const NO_BLOCKERS: &str = "no_open_blockers";

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let claims = case.claims;
    let Some(open) = claims.blocking.first() else { return };
    let claim = claims.checkpoints.iter().find(|one| one.passes && one.name.text.trim() == NO_BLOCKERS);
    let status = claim.and_then(|claim| claim.status.as_ref());
    let denial = |said: &Said| {
        Finding::finding(&audit::BLOCKER_DENIED, "checkpoint", said, "the handoff itself names what blocks")
            .contradicted()
            .from(Provenance::Asserted)
            .against(Against::file(claims.source.as_str(), Some(open.place.line), &open.text))
            .fix("Take the claim back until the question is answered.")
    };
    findings.extend(status.into_iter().chain(&claims.says_nothing_open).map(denial));
}
