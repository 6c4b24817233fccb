//! Questions to a person that block or inform, bound to exactly what was shown.

use super::{Decided, holder, lease_end, unused};
use crate::command::{Act, Command};
use crate::envelope::ActorKind;
use crate::event::Event;
use crate::fact::Shown;
use crate::policy::{NotYet, consider};
use crate::rejection::{Refusal, Rejection};
use crate::state::Task;
use crate::word::{GateName, TurnId};
use crate::workflow::GateRule;

pub(super) fn ask(task: &Task, command: &Command) -> Decided {
    let Act::AskGate { gate, weight, items, shown, document, lease } = &command.act else {
        return Err(Refusal::NotNow.into());
    };
    unused(task, document)?;
    let (weight, items, turn) = match lease {
        Some(lease) => {
            let turn = holder(task, command, lease)?;
            in_turn(task, gate)?;
            (*weight, items.clone(), Some(turn.id.clone()))
        }
        None if command.actor.kind == ActorKind::Agent => {
            return Err(Rejection::new(Refusal::NotAllowed, "an agent asks from its own turn"));
        }
        None => {
            let rule = due(task, command.at, gate, shown)?;
            (rule.weight, rule.items, None::<TurnId>)
        }
    };
    Ok(vec![Event::GateAsked {
        gate: gate.clone(),
        weight,
        items,
        shown: shown.clone(),
        document: document.clone(),
        turn,
    }])
}

/// An agent's own gate has a new name: it cannot stand in for one that the stage defines.
fn in_turn(task: &Task, gate: &GateName) -> Result<(), Rejection> {
    let defined = task.workflow.stages.iter().flat_map(|stage| &stage.gates).any(|rule| rule.name == *gate);
    if defined || task.gates.contains_key(gate) {
        return Err(Rejection::new(Refusal::UnknownGate, format!("the name {gate} is taken")));
    }
    match task.open_gate().is_some() || task.open_delegation().is_some() || task.cancel_requested_at.is_some()
    {
        true => Err(Refusal::NotNow.into()),
        false => Ok(()),
    }
}

fn due(task: &Task, now: i64, gate: &GateName, shown: &Shown) -> Result<GateRule, Rejection> {
    let rule = task.gate_rules().into_iter().find(|rule| rule.name == *gate);
    let Some(rule) = rule else { return Err(Rejection::new(Refusal::UnknownGate, gate.as_str())) };
    match consider(task, now) {
        Err(NotYet::Gate(due)) if due == *gate => {}
        Err(other) => return Err(Rejection::new(Refusal::NotNow, other.words())),
        Ok(ruling) => {
            return Err(Rejection::new(Refusal::NotNow, format!("first decide: {}", ruling.reason.name())));
        }
    }
    match task.shown().as_ref() == Some(shown) {
        true => Ok(rule),
        false => Err(Refusal::GateVersionChanged.into()),
    }
}

pub(super) fn answer(task: &Task, command: &Command) -> Decided {
    let Act::AnswerGate { gate, choice, shown, words } = &command.act else {
        return Err(Refusal::NotNow.into());
    };
    let Some(asked) = task.gates.get(gate) else {
        return Err(Rejection::new(Refusal::UnknownGate, gate.as_str()));
    };
    if asked.answer.is_some() {
        return Err(Rejection::new(Refusal::GateAnswered, gate.as_str()));
    }
    if asked.shown != *shown || !task.is_current(asked) {
        return Err(Rejection::new(Refusal::GateVersionChanged, gate.as_str()));
    }
    if *choice != crate::fact::GateChoice::Approve && words.trim().is_empty() {
        return Err(Rejection::new(Refusal::ReasonMissing, "say what is wrong, or what the question is"));
    }
    Ok(vec![Event::GateAnswered {
        gate: gate.clone(),
        choice: *choice,
        shown: shown.clone(),
        words: words.clone(),
        expires_at: lease_end(task, command.at),
    }])
}
