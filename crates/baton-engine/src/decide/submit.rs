//! What the holder of a turn brings: an acknowledgment, a plan, the work, or the wish for a person.

use super::{Decided, clarify, holder, unused};
use crate::command::{Act, Command};
use crate::event::Event;
use crate::fact::{Document, LeaseToken, Submission, Understanding};
use crate::rejection::{Refusal, Rejection};
use crate::state::Task;
use crate::workflow::Role;

pub(super) fn acknowledge(task: &Task, command: &Command) -> Decided {
    let Act::Acknowledge { lease, document, handoff, understanding, blockers, missing } = &command.act else {
        return Err(Refusal::NotNow.into());
    };
    let turn = holder(task, command, lease)?;
    if !turn.launched {
        return Err(Rejection::new(Refusal::StaleLease, "the turn was not launched"));
    }
    if !task.owes_acknowledgment() {
        return Err(Refusal::AlreadySo.into());
    }
    if task.run.inbound.as_ref() != Some(handoff) {
        return Err(Rejection::new(Refusal::AcknowledgmentWrong, "it names another handoff"));
    }
    unused(task, document)?;
    let understood = *understanding == Understanding::Understood;
    if understood && !missing.is_empty() {
        return Err(Rejection::new(Refusal::AcknowledgmentWrong, format!("missing: {}", missing.join(", "))));
    }
    if !understood && blockers.is_empty() {
        return Err(Rejection::new(Refusal::AcknowledgmentWrong, "it names no blocker"));
    }
    let mut events = vec![Event::HandoffAcknowledged {
        turn: turn.id.clone(),
        document: document.clone(),
        handoff: handoff.clone(),
        understanding: *understanding,
        blockers: blockers.clone(),
    }];
    if !understood {
        events.push(clarify::of_acknowledgment(task, turn, (document, blockers)));
    }
    Ok(events)
}

pub(super) fn plan(task: &Task, command: &Command, lease: &LeaseToken, document: &Document) -> Decided {
    let turn = holder(task, command, lease)?;
    if turn.role == Role::Verifier {
        return Err(Rejection::new(Refusal::NotAllowed, "a verifier hands in a report, not a plan"));
    }
    if !turn.launched {
        return Err(Rejection::new(Refusal::StaleLease, "the turn was not launched"));
    }
    if task.run.plan.as_ref().is_some_and(|taken| taken.turn == turn.id) {
        return Err(Rejection::new(Refusal::AlreadySo, "this turn has handed in its plan"));
    }
    unused(task, document)?;
    Ok(vec![Event::PlanReceived { turn: turn.id.clone(), document: document.clone() }])
}

pub(super) fn submit(task: &Task, command: &Command, lease: &LeaseToken, submission: &Submission) -> Decided {
    let turn = holder(task, command, lease)?;
    if turn.role == Role::Verifier {
        return Err(Rejection::new(Refusal::NotAllowed, "a verifier hands in a report, not work"));
    }
    if !turn.launched {
        return Err(Rejection::new(Refusal::StaleLease, "the turn was not launched"));
    }
    if task.cancel_requested_at.is_some() {
        return Err(Rejection::new(Refusal::StaleLease, "the task is being cancelled"));
    }
    unused(task, &submission.document)?;
    submission.files.iter().try_for_each(|files| unused(task, files))?;
    if task.artifacts.contains_key(&submission.document.id) {
        return Err(Rejection::new(Refusal::ArtifactConflict, "it was handed over in an earlier turn"));
    }
    if task.owes_acknowledgment() {
        return Err(Refusal::AcknowledgmentMissing.into());
    }
    if task.open_delegation().is_some() {
        return Err(Rejection::new(Refusal::NotNow, "delegated work has not returned"));
    }
    if task.open_gate().is_some() {
        return Err(Rejection::new(Refusal::NotNow, "a gate is open"));
    }
    if task.owes_plan() && submission.block.is_none() {
        return Err(Refusal::PlanMissing.into());
    }
    let mut events = vec![Event::HandoffReceived {
        turn: turn.id.clone(),
        attempt: turn.attempt,
        submission: submission.clone(),
    }];
    if let Some(question) = &submission.question {
        events.push(clarify::of_handoff(task, turn, (&submission.document, question))?);
    }
    Ok(events)
}

/// Raises what the orchestrator then has to decide as an escalation.
pub(super) fn escalate(task: &Task, command: &Command) -> Decided {
    let Act::Escalate { lease, document, reason, details } = &command.act else {
        return Err(Refusal::NotNow.into());
    };
    unused(task, document)?;
    if details.trim().is_empty() {
        return Err(Refusal::ReasonMissing.into());
    }
    if task.escalation.is_some() || task.raised.is_some() || task.cancel_requested_at.is_some() {
        return Err(Refusal::AlreadySo.into());
    }
    let turn = match lease {
        Some(lease) => Some(holder(task, command, lease)?),
        None if command.actor.kind == crate::envelope::ActorKind::Agent => {
            return Err(Rejection::new(Refusal::NotAllowed, "an agent escalates from its own turn"));
        }
        None if task.turn.is_some() => {
            return Err(Rejection::new(Refusal::NotNow, "a turn is being taken: cancel it, or wait"));
        }
        None => None,
    };
    if task.open_delegation().is_some() {
        return Err(Rejection::new(Refusal::NotNow, "delegated work has not returned"));
    }
    Ok(vec![Event::EscalationRaised {
        turn: turn.map(|turn| turn.id.clone()),
        document: document.clone(),
        reason: Event::block_reason(*reason),
        details: details.clone(),
    }])
}
