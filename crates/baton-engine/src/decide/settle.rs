//! Decisions, what a person makes of them, and what the host did about them.

use super::{Decided, graph, unused};
use crate::command::{Act, Command};
use crate::event::Event;
use crate::fact::{Account, CheckResult, Disposition, End, Reason, Receipt, Resolution, Waivable};
use crate::policy::{Ruling, consider, is_verified};
use crate::rejection::{Refusal, Rejection};
use crate::state::{Dependency, Freshness, Merge, Rollback, Task};
use crate::verdict::Verdict;
use crate::word::{TreeHash, TurnId};
use crate::workflow::ROUNDS_MAX;

pub(super) fn decide(task: &Task, command: &Command) -> Decided {
    let Act::Decide { document, disposition, reason, refs } = &command.act else {
        return Err(Refusal::NotNow.into());
    };
    let ruling = consider(task, command.at)
        .map_err(|missing| Rejection::new(Refusal::DecisionNotPossible, missing.words()))?;
    if (ruling.disposition, ruling.reason) != (*disposition, *reason) {
        let details = format!("{} because of {}", ruling.disposition.name(), ruling.reason.name());
        return Err(Rejection::new(Refusal::DecisionAgainstPolicy, details));
    }
    if refs.is_empty() {
        return Err(Refusal::NoReferences.into());
    }
    if let Some(id) = refs.iter().find(|id| !task.artifacts.contains_key(id)) {
        return Err(Rejection::new(Refusal::UnknownReference, id.as_str()));
    }
    unused(task, document)?;
    let notify = match disposition {
        Disposition::Accept => None,
        Disposition::Rework | Disposition::Rollback | Disposition::Escalate => {
            task.allowance().and_then(|allowance| allowance.notify)
        }
    };
    let follow = follow(task, &ruling);
    let Ruling { charge, next, feedback, fingerprint, waived, .. } = ruling;
    let made = Event::DecisionMade {
        document: document.clone(),
        disposition: *disposition,
        reason: *reason,
        refs: refs.clone(),
        charge,
        next,
        feedback,
        fingerprint,
        waived,
        notify,
    };
    Ok(std::iter::once(made).chain(follow).collect())
}

/// Returns what an acceptance does to the task at once: on to the next stage, or the end.
fn follow(task: &Task, ruling: &Ruling) -> Vec<Event> {
    if ruling.disposition != Disposition::Accept {
        return Vec::new();
    }
    let next = task.workflow.stage(task.stage_index + 1);
    match (task.stage(), next, &task.run.submission) {
        (Some(stage), Some(next), Some(submission)) => vec![Event::StageAdvanced {
            from: stage.name.clone(),
            to: next.name.clone(),
            handoff: submission.document.clone(),
        }],
        _ if task.merges() => Vec::new(),
        _ => {
            let verified = is_verified(task) && ruling.waived.is_empty();
            graph::ended(task, if verified { End::Done } else { End::DoneUnverified })
        }
    }
}

pub(super) fn resolve(task: &Task, resolution: Resolution, words: &str) -> Decided {
    let Some(escalation) = &task.escalation else { return Err(Refusal::NotNow.into()) };
    if words.trim().is_empty() {
        return Err(Refusal::ReasonMissing.into());
    }
    let refuse = |details: &str| Err(Rejection::new(Refusal::ResolutionNotPossible, details));
    let resolved = Event::EscalationResolved { resolution, words: words.to_owned() };
    let by_hand = escalation.reason == Reason::RollbackFailed;
    Ok(match resolution {
        Resolution::Again if task.rounds >= ROUNDS_MAX => return refuse("it went round too often"),
        Resolution::Again if by_hand => return refuse("the workspace has to be put right first"),
        Resolution::Again if escalation.reason == Reason::BudgetExhausted => {
            return refuse("the budget is used up");
        }
        Resolution::Again if task.open_clarifications().next().is_some() => {
            return refuse("a question is open");
        }
        Resolution::Again => vec![resolved],
        Resolution::Rollback if by_hand => return refuse("it could not be rolled back"),
        Resolution::Rollback if task.snapshot_good.is_none() => return refuse("there is no good snapshot"),
        Resolution::Rollback => vec![resolved],
        Resolution::RolledBackByHand if !by_hand => return refuse("no rollback has failed"),
        Resolution::RolledBackByHand => with_end(task, resolved, End::RolledBack),
        Resolution::Fail => with_end(task, resolved, End::Failed),
    })
}

fn with_end(task: &Task, first: Event, end: End) -> Vec<Event> {
    std::iter::once(first).chain(graph::ended(task, end)).collect()
}

pub(super) fn waive(
    task: &Task,
    command: &Command,
    what: &Waivable,
    (reason, until): (&str, i64),
) -> Decided {
    if reason.trim().is_empty() {
        return Err(Refusal::ReasonMissing.into());
    }
    if until <= command.at {
        return Err(Refusal::WaiverEnded.into());
    }
    let known = match what {
        Waivable::Checkpoint(name) => {
            let mut all = task.workflow.stages.iter().flat_map(|stage| &stage.checkpoints);
            all.any(|checkpoint| checkpoint.name == *name)
        }
        Waivable::Criterion(id) => {
            let mut all = task.workflow.stages.iter().flat_map(|stage| &stage.criteria);
            task.criteria.contains(id) || all.any(|own| own == id)
        }
        Waivable::Dependency(on) => {
            matches!(task.dependencies.get(on), Some(Dependency::Waiting | Dependency::Failed(_)))
        }
        Waivable::Violations { .. } => {
            let receipt = task.run.receipt.as_ref();
            let seen = receipt.filter(|_| task.receipt_freshness() == Freshness::Fresh);
            seen.and_then(Receipt::waivable).as_ref() == Some(what)
        }
    };
    match known {
        true => Ok(vec![Event::Waived { what: what.clone(), reason: reason.to_owned(), until }]),
        false => Err(Refusal::UnknownSubject.into()),
    }
}

pub(super) fn rollback(
    task: &Task,
    applied: bool,
    rescue: Option<&String>,
    remediation: &[String],
) -> Decided {
    if task.rollback == Rollback::None {
        return Err(Refusal::AlreadySo.into());
    }
    if !applied && remediation.iter().all(|step| step.trim().is_empty()) {
        return Err(Refusal::RemediationMissing.into());
    }
    let recorded =
        Event::RollbackRecorded { applied, rescue: rescue.cloned(), remediation: remediation.to_vec() };
    Ok(match applied {
        true => with_end(task, recorded, End::RolledBack),
        false => vec![recorded],
    })
}

pub(super) fn merge(
    task: &Task,
    tree: &TreeHash,
    (merged, details): (bool, &str),
    receipt: Option<&Receipt>,
) -> Decided {
    match &task.merge {
        Merge::None => return Err(Refusal::AlreadySo.into()),
        Merge::Owed(accepted, _) if accepted != tree => {
            return Err(Rejection::new(Refusal::StaleTree, tree.as_str()));
        }
        Merge::Owed(..) => {}
    }
    if let Some(receipt) = receipt {
        receipt.documents().try_for_each(|document| unused(task, document))?;
        let settles_nothing = |check: &&CheckResult| check.verdict != Verdict::Pass;
        if let Some(check) = receipt.checks.iter().find(settles_nothing).filter(|_| merged) {
            let details = format!("{} is {} with what is there", check.checkpoint, check.verdict.name());
            return Err(Rejection::new(Refusal::DecisionAgainstPolicy, details));
        }
    }
    let (tree, details, receipt) = (tree.clone(), details.to_owned(), receipt.cloned());
    let recorded = Event::MergeRecorded { tree, merged, details, receipt };
    let end = if is_verified(task) { End::Done } else { End::DoneUnverified };
    Ok(match merged {
        true => with_end(task, recorded, end),
        false => vec![recorded],
    })
}

pub(super) fn spend(task: &Task, turn: &TurnId, tokens: u64, account: Option<&Account>) -> Decided {
    if let Some(output) = account.and_then(|account| account.output.as_ref()) {
        unused(task, output)?;
    }
    let live = task.turn.as_ref().is_some_and(|live| live.id == *turn);
    match task.budget.reserved_tokens.contains_key(turn.as_str()) && !live {
        true => Ok(vec![Event::Spent { turn: turn.clone(), tokens, account: account.cloned() }]),
        false => Err(Rejection::new(Refusal::NothingReserved, turn.as_str())),
    }
}

pub(super) fn notice(task: &Task, notice: u64) -> Decided {
    let owed = usize::try_from(notice).ok().and_then(|index| task.notices.get(index));
    match owed.is_some_and(|owed| !owed.sent) {
        true => Ok(vec![Event::NoticeSent { notice }]),
        false => Err(Refusal::UnknownNotice.into()),
    }
}
