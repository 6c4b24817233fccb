//! Receipts, reports, decisions and what follows from them.

use super::lifecycle::{attempt_of, close_turn, keep};
use crate::event::{Entry, Event};
use crate::fact::{
    ArtifactKind, Charge, Disposition, Ending, Hindrance, Reason, Receipt, Resolution, Waivable,
};
use crate::feedback::Feedback;
use crate::state::{Dependency, Escalation, Merge, Notice, Rollback, Said, StageRun, Task, Waiver};

pub(super) fn apply(task: &mut Task, entry: &Entry) -> bool {
    match &entry.event {
        Event::TreeObserved { tree, definition } => {
            task.tree = Some(tree.clone());
            if definition.is_some() {
                task.definition.clone_from(definition);
            }
        }
        Event::ReceiptRecorded { receipt } => {
            keep_receipt(task, receipt);
            task.definition.clone_from(&receipt.definition);
            task.run.receipt = Some(receipt.clone());
        }
        Event::VerdictReported { report, .. } => {
            let tree = Some(report.tree_before.clone());
            keep(task, &report.document, ArtifactKind::VerificationReport, tree);
            task.run.report = Some(report.clone());
            close_turn(task, entry.at, None);
        }
        Event::VerdictVoided { turn, report, why } => {
            let tree = Some(report.tree_before.clone());
            keep(task, &report.document, ArtifactKind::VerificationReport, tree);
            task.run.verifications_lost = task.run.verifications_lost.saturating_add(1);
            close_turn(task, entry.at, None);
            if let Some(attempt) = attempt_of(task, turn) {
                attempt.why = Some(why.clone());
            }
        }
        Event::DecisionMade { .. } => decided(task, entry),
        Event::StageAdvanced { to, handoff, .. } => {
            if let Some(index) = task.workflow.stages.iter().position(|stage| stage.name == *to) {
                task.stage_index = index;
            }
            task.run = StageRun { inbound: Some(handoff.clone()), ..StageRun::default() };
            task.gates.retain(|_, gate| gate.turn.is_some());
        }
        Event::EscalationResolved { resolution, words } => resolved(task, *resolution, (entry, words)),
        Event::Waived { what, reason, until } => {
            let waiver = Waiver { reason: reason.clone(), until: *until, by: entry.actor.name.clone() };
            if let Waivable::Dependency(on) = what {
                task.dependencies
                    .retain(|known, state| known != on || matches!(state, Dependency::Released(_)));
                task.leaned_on_waiver = true;
            }
            // What a person let pass is judged further; all else that stood in its way still does.
            if matches!(what, Waivable::Violations { .. }) {
                task.escalation =
                    task.escalation.take().filter(|standing| standing.reason != Reason::PolicyConflict);
            }
            task.waivers.insert(what.clone(), waiver);
        }
        Event::RollbackRecorded { applied, remediation, .. } => {
            task.rollback = Rollback::None;
            if *applied {
                task.tree = task.snapshot_good.as_ref().map(|snapshot| snapshot.tree.clone());
            } else {
                let (reason, since) = (Reason::RollbackFailed, entry.at);
                let (remediation, details) = (remediation.clone(), String::new());
                task.escalation = Some(Escalation { reason, since, remediation, details });
            }
        }
        Event::MergeRecorded { merged, details, receipt, .. } => {
            task.merge = Merge::None;
            if let Some(receipt) = receipt {
                keep_receipt(task, receipt);
            }
            if !merged {
                task.run.merge_conflict = Some(details.clone());
            }
        }
        Event::NoticeSent { notice } => {
            let index = usize::try_from(*notice).unwrap_or(usize::MAX);
            if let Some(owed) = task.notices.get_mut(index) {
                owed.sent = true;
            }
        }
        _ => return false,
    }
    true
}

fn keep_receipt(task: &mut Task, receipt: &Receipt) {
    let tree = Some(receipt.tree_before.clone());
    keep(task, &receipt.document, ArtifactKind::ChecklistReceipt, tree);
    for output in receipt.outputs() {
        keep(task, output, ArtifactKind::CheckOutput, None);
    }
}

fn decided(task: &mut Task, entry: &Entry) {
    let Event::DecisionMade {
        document,
        disposition,
        reason,
        charge,
        next,
        feedback,
        fingerprint,
        waived,
        notify,
        ..
    } = &entry.event
    else {
        return;
    };
    keep(task, document, ArtifactKind::OrchestratorDecision, None);
    if let Some(to) = notify {
        task.notices.push(Notice { to: to.clone(), about: *reason, sent: false });
    }
    task.leaned_on_waiver |= !waived.is_empty();
    match disposition {
        Disposition::Accept => {
            let merges = task.is_last_stage() && task.merges();
            if let Some(tree) = task.tree.clone().filter(|_| merges) {
                task.merge = Merge::Owed(tree, entry.at);
            }
        }
        Disposition::Rework => {
            let repeated = fingerprint.is_some() && task.run.last_failure == *fingerprint;
            task.run.repetitions = if repeated { task.run.repetitions.saturating_add(1) } else { 0 };
            if fingerprint.is_some() {
                task.run.last_failure.clone_from(fingerprint);
            }
            if *charge == Charge::Attempt {
                task.run.failures = task.run.failures.saturating_add(1);
            }
            if task.run.lost.is_some_and(Ending::is_provider_fault) {
                task.run.provider_faults = task.run.provider_faults.saturating_add(1);
            }
            task.run.next.clone_from(next);
            task.run.feedback.clone_from(feedback);
            task.run.verifications_lost = 0;
            let receipt = task.run.receipt.as_ref();
            task.run.told_of_before |= receipt.is_some_and(|receipt| receipt.has(Hindrance::FailedBefore));
            task.run.told_of_timeout |= is_told_of_timeout(receipt, feedback.as_ref());
            task.run.clear_attempt();
            task.gates.retain(|_, gate| gate.turn.is_some());
        }
        Disposition::Rollback => task.rollback = Rollback::Owed(entry.at),
        Disposition::Escalate => {
            let raised = task.raised.take().map(|raised| raised.details);
            let blocked = task.run.submission.as_ref().and_then(|work| work.block.as_ref());
            let details = raised.or_else(|| blocked.map(|block| block.details.clone())).unwrap_or_default();
            let (since, remediation) = (entry.at, Vec::new());
            task.escalation = Some(Escalation { reason: *reason, since, remediation, details });
        }
    }
}

fn resolved(task: &mut Task, resolution: Resolution, (entry, words): (&Entry, &str)) {
    let escalation = task.escalation.take();
    match resolution {
        Resolution::Again => {
            task.rounds = task.rounds.saturating_add(1);
            let mut run = std::mem::take(&mut task.run);
            // Nothing was wrong with the work: it is the checks that are run again, or the verifier that is asked again.
            let (submission, receipt) = match escalation.as_ref().map(|escalation| escalation.reason) {
                Some(Reason::VerificationExhausted) => (run.submission, run.receipt),
                Some(Reason::CheckUnavailable) => (run.submission, None),
                Some(Reason::FailedBefore) if is_let_pass(task, run.receipt.as_ref(), entry.at) => {
                    (run.submission, None)
                }
                _ => (None, None),
            };
            run.said.extend(escalation.map(|escalation| Said {
                person: entry.actor.name.clone(),
                about: escalation.reason,
                asked: escalation.details,
                words: words.to_owned(),
            }));
            task.run = StageRun {
                submission,
                receipt,
                inbound: run.inbound,
                acknowledged_by: run.acknowledged_by,
                tightened: run.tightened,
                feedback: run.feedback,
                touched: run.touched,
                said: run.said,
                ..StageRun::default()
            };
            task.gates.retain(|_, gate| gate.turn.is_some());
        }
        Resolution::Rollback => task.rollback = Rollback::Owed(entry.at),
        Resolution::RolledBackByHand | Resolution::Fail => {}
    }
}

/// Says whether an agent hears of a check that did not end in time. One that was waived, or that had passed on to a gate, is no
/// part of what it is told.
fn is_told_of_timeout(receipt: Option<&Receipt>, feedback: Option<&Feedback>) -> bool {
    let checks = receipt.into_iter().flat_map(|receipt| &receipt.checks);
    let mut late = checks.filter(|check| check.hindrance == Some(Hindrance::TimedOut));
    let told: Vec<&str> =
        feedback.into_iter().flat_map(|feedback| &feedback.items).map(|item| item.subject.as_str()).collect();
    late.any(|check| told.contains(&check.checkpoint.as_str()))
}

/// Says whether a person waived all that failed before the work as it does after it.
fn is_let_pass(task: &Task, receipt: Option<&Receipt>, at: i64) -> bool {
    let checks = receipt.into_iter().flat_map(|receipt| &receipt.checks);
    let mut failed = checks.filter(|check| check.hindrance == Some(Hindrance::FailedBefore));
    failed.all(|check| task.is_waived(&Waivable::Checkpoint(check.checkpoint.clone()), at))
}
