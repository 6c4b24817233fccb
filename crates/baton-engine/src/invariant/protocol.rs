//! The nine rules of the protocol.

use std::collections::BTreeSet;

use super::walk::{acceptances, handoff, stage, tree};
use crate::envelope::ActorKind;
use crate::event::{Entry, Event};
use crate::fact::{AnswerSource, Disposition, End, Reason, Waivable};
use crate::verdict::Verdict;
use crate::word::{ArtifactId, CriterionId};
use crate::workflow::{Review, Role};

pub(super) fn single_authority(log: &[Entry]) -> Result<(), String> {
    use ActorKind::{Agent, Host, Orchestrator, Person};
    for entry in log {
        let allowed: &[ActorKind] = match &entry.event {
            Event::TurnStarted { .. }
            | Event::GuidanceIssued { .. }
            | Event::DecisionMade { .. }
            | Event::StageAdvanced { .. }
            | Event::DependencyReleased { .. }
            | Event::DependencyFailed { .. }
            | Event::DelegationReturned { .. } => &[Orchestrator],
            Event::GateAnswered { .. }
            | Event::Waived { .. }
            | Event::EscalationResolved { .. }
            | Event::CancelRequested { .. } => &[Person],
            Event::ReceiptRecorded { .. }
            | Event::SnapshotTaken { .. }
            | Event::TurnLaunched { .. }
            | Event::TreeObserved { .. }
            | Event::MergeRecorded { .. }
            | Event::RollbackRecorded { .. } => &[Host],
            Event::HandoffReceived { .. }
            | Event::VerdictReported { .. }
            | Event::HandoffAcknowledged { .. }
            | Event::PlanReceived { .. } => &[Agent, Person],
            Event::ClarificationAnswered { .. } => &[Person, Orchestrator],
            _ => continue,
        };
        if !allowed.contains(&entry.actor.kind) {
            let (kind, who) = (entry.event.kind(), entry.actor.kind.name());
            return Err(format!("version {}: {kind} by the {who} {}", entry.version, entry.actor.name));
        }
    }
    ended_by_decision(log)
}

/// A task is done only because the orchestrator accepted it last.
fn ended_by_decision(log: &[Entry]) -> Result<(), String> {
    let ends = log.iter().enumerate().filter(|(_, entry)| {
        matches!(&entry.event, Event::TaskEnded { end: End::Done | End::DoneUnverified })
    });
    for (index, entry) in ends {
        let last = log[..index].iter().rev().find_map(|entry| match &entry.event {
            Event::DecisionMade { disposition, .. } => Some(*disposition),
            _ => None,
        });
        if last != Some(Disposition::Accept) {
            return Err(format!("version {}: done without an acceptance", entry.version));
        }
    }
    Ok(())
}

pub(super) fn verifier_cannot_write(log: &[Entry]) -> Result<(), String> {
    for entry in log {
        if let Event::VerdictReported { turn, report } = &entry.event
            && report.tree_before != report.tree_after
        {
            return Err(format!("version {}: the verdict of {turn} changed the tree", entry.version));
        }
    }
    Ok(())
}

pub(super) fn criterion_has_evidence(log: &[Entry]) -> Result<(), String> {
    for (index, entry) in acceptances(log) {
        let before = &log[..index];
        let Some(stage) = stage(before).filter(|stage| stage.review != Review::None) else { continue };
        let report = before.iter().rev().find_map(|entry| match &entry.event {
            Event::VerdictReported { report, .. } => Some(report),
            _ => None,
        });
        let Some(report) = report else { return Err(format!("version {}: no report", entry.version)) };
        for criterion in criteria(before).iter().chain(&stage.criteria) {
            let waived = matches!(&entry.event, Event::DecisionMade { waived, .. }
                if waived.contains(&Waivable::Criterion(criterion.clone())));
            let passes = report.criteria.iter().any(|said| {
                said.criterion == *criterion
                    && said.verdict == Verdict::Pass
                    && !said.evidence.is_empty()
                    && said.evidence.iter().all(|id| is_receipt(before, id))
            });
            if !waived && !passes {
                return Err(format!("version {}: nothing shows {criterion}", entry.version));
            }
        }
        if tree(before) != Some(&report.tree_before) {
            return Err(format!("version {}: the verifier examined another tree", entry.version));
        }
    }
    Ok(())
}

fn criteria(before: &[Entry]) -> BTreeSet<CriterionId> {
    let added = before.iter().find_map(|entry| match &entry.event {
        Event::TaskAdded { criteria, .. } => Some(criteria.clone()),
        _ => None,
    });
    added.unwrap_or_default()
}

/// Says whether an id is a receipt of the host for the tree at hand.
fn is_receipt(before: &[Entry], id: &ArtifactId) -> bool {
    before.iter().any(|entry| {
        matches!(&entry.event, Event::ReceiptRecorded { receipt }
            if receipt.document.id == *id
                && entry.actor.kind == ActorKind::Host
                && Some(&receipt.tree_before) == tree(before))
    })
}

pub(super) fn rollback_has_remediation(log: &[Entry]) -> Result<(), String> {
    for entry in log {
        if let Event::RollbackRecorded { applied: false, remediation, .. } = &entry.event
            && remediation.iter().all(|step| step.trim().is_empty())
        {
            return Err(format!("version {}: a failed rollback without steps by hand", entry.version));
        }
    }
    Ok(())
}

pub(super) fn completion_claim_is_not_the_end(log: &[Entry]) -> Result<(), String> {
    for (index, entry) in acceptances(log) {
        let before = &log[..index];
        let wrong = |how: &str| Err(format!("version {}: accepted {how}", entry.version));
        let Some(handed) = handoff(before) else { return wrong("without a handoff") };
        let seen = before[handed..].iter().rev().find_map(|entry| match &entry.event {
            Event::ReceiptRecorded { receipt } => Some(receipt),
            _ => None,
        });
        let Some(receipt) = seen else { return wrong("without a receipt") };
        if Some(&receipt.tree_before) != tree(before) {
            return wrong("with a receipt for another tree");
        }
        let waived = |what: &Waivable| matches!(&entry.event, Event::DecisionMade { waived, .. } if waived.contains(what));
        if receipt.waivable().is_some_and(|seen| !waived(&seen)) {
            return wrong("though what was seen in it was not let pass");
        }
        let Some(stage) = stage(before) else { return wrong("without a stage") };
        for name in stage.host_checkpoints() {
            if receipt.verdict(name) != Verdict::Pass && !waived(&Waivable::Checkpoint(name.clone())) {
                return wrong(&format!("though {name} does not pass"));
            }
        }
        if stage.review != Review::None {
            judged_by_another(before, entry)?;
        }
    }
    Ok(())
}

fn judged_by_another(before: &[Entry], entry: &Entry) -> Result<(), String> {
    let turns = |wanted: fn(Role) -> bool| {
        before.iter().filter_map(move |entry| match &entry.event {
            Event::TurnStarted { turn, role, agent, session, .. } if wanted(*role) => {
                Some((turn, agent, session))
            }
            _ => None,
        })
    };
    let judged = before.iter().rev().find_map(|entry| match &entry.event {
        Event::VerdictReported { turn, .. } => Some(turn),
        _ => None,
    });
    let verifier =
        judged.and_then(|judged| turns(|role| role == Role::Verifier).find(|(turn, ..)| *turn == judged));
    let Some((_, agent, session)) = verifier else {
        return Err(format!("version {}: accepted without a verifier's turn", entry.version));
    };
    match turns(|role| role != Role::Verifier).find(|(_, built, by)| *built == agent || *by == session) {
        Some(_) => Err(format!("version {}: @{agent} judged its own work", entry.version)),
        None => Ok(()),
    }
}

pub(super) fn guidance_with_every_turn(log: &[Entry]) -> Result<(), String> {
    for (index, entry) in log.iter().enumerate() {
        let Event::TurnStarted { turn, .. } = &entry.event else { continue };
        let before = index.checked_sub(1).and_then(|index| log.get(index)).map(|entry| &entry.event);
        if !matches!(before, Some(Event::GuidanceIssued { turn: guided, .. }) if guided == turn) {
            return Err(format!("version {}: {turn} without guidance", entry.version));
        }
    }
    Ok(())
}

pub(super) fn doubt_is_answered_by_authority(log: &[Entry]) -> Result<(), String> {
    for entry in log {
        let Event::ClarificationAnswered { clarification, source, covenant_place, .. } = &entry.event else {
            continue;
        };
        let founded = match source {
            AnswerSource::Person => entry.actor.kind == ActorKind::Person,
            AnswerSource::Covenant => covenant_place.as_ref().is_some_and(|place| !place.is_empty()),
        };
        if !founded {
            return Err(format!("version {}: nobody answered {clarification}", entry.version));
        }
    }
    Ok(())
}

pub(super) fn decision_has_reason_and_references(log: &[Entry]) -> Result<(), String> {
    let mut known = BTreeSet::new();
    for entry in log {
        if let Event::DecisionMade { disposition, reason, refs, .. } = &entry.event {
            if refs.is_empty() || !refs.iter().all(|id| known.contains(id)) {
                return Err(format!("version {}: the decision refers to nothing known", entry.version));
            }
            if !fits(*disposition, *reason) {
                let (what, why) = (disposition.name(), reason.name());
                return Err(format!("version {}: {what} because of {why}", entry.version));
            }
        }
        known.extend(super::bound::documents(&entry.event).into_iter().map(|document| document.id.clone()));
    }
    Ok(())
}

/// The closed list of which reason belongs to which decision.
fn fits(disposition: Disposition, reason: Reason) -> bool {
    use Reason::*;
    match reason {
        AllCriteriaPass | StageChecksPass | SelfChecked | AcceptedWithWaiver => {
            disposition == Disposition::Accept
        }
        ChecksFailed
        | ClaimContradicted
        | CriteriaFailed
        | InsufficientEvidence
        | HandoffInvalid
        | PlanInvalid
        | WorkIncomplete
        | TurnLost
        | ProviderFault
        | TurnStopped
        | GateRejected
        | GateQuestioned
        | MergeConflict
        | ClarificationAnswered
        | DelegationReturned => disposition == Disposition::Rework,
        Safety | Regression => disposition == Disposition::Rollback,
        CheckUnavailable
        | FailedBefore
        | ClarificationUnresolved
        | ClarificationExhausted
        | PolicyConflict
        | RetriesExhausted
        | NoProgress
        | BudgetExhausted
        | VerificationExhausted
        | ProviderUnavailable
        | RollbackUnavailable
        | RollbackFailed
        | NeedsHumanInput
        | ExternalDependency
        | ScopeChange
        | AccessRefused => disposition == Disposition::Escalate,
    }
}

pub(super) fn open_clarification_forbids(log: &[Entry]) -> Result<(), String> {
    let mut open = BTreeSet::new();
    for entry in log {
        match &entry.event {
            Event::ClarificationAsked { clarification, .. } => {
                open.insert(clarification);
            }
            Event::ClarificationAnswered { clarification, .. } => {
                open.remove(clarification);
            }
            Event::TurnStarted { .. }
            | Event::DecisionMade { disposition: Disposition::Accept, .. }
            | Event::TaskEnded { end: End::Done | End::DoneUnverified }
                if !open.is_empty() =>
            {
                return Err(format!(
                    "version {}: {} over an open question",
                    entry.version,
                    entry.event.kind()
                ));
            }
            _ => {}
        }
    }
    Ok(())
}
