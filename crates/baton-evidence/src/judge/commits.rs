//! Commits that a handoff names.

use baton_handoff::rule::audit;

use super::Case;
use crate::facts::CommitFact;
use crate::finding::{Finding, Said};

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    findings.extend(case.claims.commits.iter().map(|said| finding(case, said)));
}

fn finding(case: &Case<'_>, said: &Said) -> Finding {
    let unknown = |reason: &str| Finding::not_checkable(&audit::COMMIT_UNKNOWN, "commit", said, reason);
    let Some(fact) = case.facts.commits.get(said.text.trim()) else {
        return unknown("there is no git history to ask");
    };
    match fact {
        CommitFact::OnBranch => Finding::holds("commit", said, "the commit is in the history"),
        CommitFact::OnNoBranch => Finding::holds("commit", said, "the commit is there, on no branch"),
        CommitFact::NotACommit => {
            let reason = "the id names something that is not a commit";
            Finding::of_rule(&audit::COMMIT_UNKNOWN, "commit", said, reason).contradicted()
        }
        CommitFact::Ambiguous => unknown("several objects begin like it"),
        CommitFact::Unknown { is_own: true, .. } => {
            let reason = "there is no such commit in this repository or in the workspace of the task";
            let finding = Finding::of_rule(&audit::COMMIT_UNKNOWN, "commit", said, reason);
            finding.contradicted().fix("Leave the id out: Baton records the files itself.")
        }
        CommitFact::Unknown { is_complete: true, .. } => {
            let reason = "there is no such commit here: it was rewritten, never pushed, or never made";
            Finding::of_rule(&audit::COMMIT_UNKNOWN, "commit", said, reason)
        }
        CommitFact::Unknown { is_complete: false, .. } => unknown("the history is not complete"),
    }
}
