//! What the host saw, and what the verifier made of it.

use std::collections::BTreeSet;

use super::{Decided, holder, unused};
use crate::command::Command;
use crate::event::Event;
use crate::fact::{ArtifactKind, CriterionVerdict, LeaseToken, Receipt, Report};
use crate::rejection::{Refusal, Rejection};
use crate::state::{Freshness, Task};
use crate::verdict::Verdict;
use crate::word::{BlobId, CriterionId, TreeHash};
use crate::workflow::Role;

/// A tree that changed makes receipts, reports and approvals stale by itself: they name the tree they speak of. So do checks
/// that are defined anew, for the receipt that was made by the old ones.
pub(super) fn observe(task: &Task, tree: &TreeHash, definition: Option<&BlobId>) -> Decided {
    let was = task.run.receipt.as_ref().and(task.definition.as_ref());
    let definition = definition.filter(|now| was.is_some_and(|was| was != *now)).cloned();
    match task.tree.as_ref() == Some(tree) && definition.is_none() {
        true => Err(Refusal::AlreadySo.into()),
        false => Ok(vec![Event::TreeObserved { tree: tree.clone(), definition }]),
    }
}

pub(super) fn receipt(task: &Task, receipt: &Receipt) -> Decided {
    if task.turn.is_some() || task.run.submission.is_none() {
        return Err(Rejection::new(Refusal::NotNow, "no work was handed over"));
    }
    if task.tree.as_ref() != Some(&receipt.tree_before) {
        return Err(Rejection::new(Refusal::StaleTree, receipt.tree_before.as_str()));
    }
    if task.receipt_freshness() == Freshness::Fresh {
        return Err(Refusal::AlreadySo.into());
    }
    receipt.documents().try_for_each(|document| unused(task, document))?;
    Ok(vec![Event::ReceiptRecorded { receipt: receipt.clone() }])
}

pub(super) fn verdict(task: &Task, command: &Command, lease: &LeaseToken, report: &Report) -> Decided {
    let turn = holder(task, command, lease)?;
    if turn.role != Role::Verifier {
        return Err(Rejection::new(Refusal::NotAllowed, "only a verifier's turn ends with a report"));
    }
    if !turn.launched || task.cancel_requested_at.is_some() {
        return Err(Rejection::new(Refusal::StaleLease, "the turn is not running"));
    }
    if task.open_delegation().is_some() || task.open_gate().is_some() {
        return Err(Refusal::NotNow.into());
    }
    unused(task, &report.document)?;
    if task.artifacts.contains_key(&report.document.id) {
        return Err(Rejection::new(Refusal::ArtifactConflict, "it was handed in before"));
    }
    let turn = turn.id.clone();
    Ok(vec![match fault(task, report) {
        None => Event::VerdictReported { turn, report: report.clone() },
        Some(why) => Event::VerdictVoided { turn, report: report.clone(), why },
    }])
}

/// Returns why a report counts for nothing.
fn fault(task: &Task, report: &Report) -> Option<String> {
    if report.tree_before != report.tree_after {
        return Some("verifier_wrote: the tree changed under the verifier".to_owned());
    }
    if report.put_back {
        return Some("verifier_wrote: files were written under the verifier, and put back".to_owned());
    }
    if task.tree.as_ref() != Some(&report.tree_before) {
        return Some("stale_tree: the report speaks of another tree".to_owned());
    }
    let wanted = task.criteria_in_force();
    let judged: BTreeSet<_> = report.criteria.iter().map(|said| said.criterion.clone()).collect();
    if judged.is_empty() && !wanted.is_empty() {
        return Some("no_report: this is no verification report, for it judges no criterion".to_owned());
    }
    if judged != wanted || judged.len() != report.criteria.len() {
        return Some(format!(
            "criteria: each one is judged once, and no other{}",
            differing(&judged, &wanted)
        ));
    }
    unfounded(task, report)
        .map(|said| format!("evidence: {} passes without a receipt for this tree", said.criterion))
}

/// Returns a verdict of a report that passes a criterion without a receipt of these files.
pub fn unfounded<'r>(task: &Task, report: &'r Report) -> Option<&'r CriterionVerdict> {
    report.criteria.iter().find(|said| said.verdict == Verdict::Pass && !founded(task, said))
}

/// Names what was left out, and what nobody asked for.
fn differing(judged: &BTreeSet<CriterionId>, wanted: &BTreeSet<CriterionId>) -> String {
    let named = |words: &str, of: &BTreeSet<CriterionId>, but: &BTreeSet<CriterionId>| {
        let names: Vec<&str> = of.difference(but).map(CriterionId::as_str).collect();
        if names.is_empty() { String::new() } else { format!("; {words}: {}", names.join(", ")) }
    };
    format!("{}{}", named("not judged", wanted, judged), named("not asked for", judged, wanted))
}

/// Evidence is made by the host and speaks of this tree; the builder's own words are none.
fn founded(task: &Task, said: &CriterionVerdict) -> bool {
    let is_evidence = |id| {
        task.artifacts
            .get(id)
            .is_some_and(|known| known.kind == ArtifactKind::ChecklistReceipt && known.tree == task.tree)
    };
    !said.evidence.is_empty() && said.evidence.iter().all(is_evidence)
}
