//! Questions of a role in doubt, and their answers. Nobody picks the first option.

use super::{Decided, holder, lease_end, unused};
use crate::command::{Act, Command};
use crate::envelope::ActorKind;
use crate::event::Event;
use crate::fact::{AnswerSource, Document, Question, Reason};
use crate::rejection::{Refusal, Rejection};
use crate::state::{Task, Turn};
use crate::word::ClarificationId;

pub(super) fn ask(task: &Task, command: &Command) -> Decided {
    let Act::Ask { lease, clarification, document, question, options } = &command.act else {
        return Err(Refusal::NotNow.into());
    };
    let turn = holder(task, command, lease)?;
    if task.clarifications.contains_key(clarification) {
        return Err(Rejection::new(Refusal::ClarificationExists, clarification.as_str()));
    }
    if question.trim().is_empty() {
        return Err(Refusal::ReasonMissing.into());
    }
    if task.cancel_requested_at.is_some() || task.open_delegation().is_some() {
        return Err(Refusal::NotNow.into());
    }
    unused(task, document)?;
    Ok(vec![within_bound(
        task,
        (Some(turn), document),
        Event::ClarificationAsked {
            turn: turn.id.clone(),
            clarification: clarification.clone(),
            document: document.clone(),
            question: question.clone(),
            options: options.clone(),
        },
    )])
}

/// Asks what a handoff leaves open. Its turn is over by then.
pub(super) fn of_handoff(
    task: &Task,
    turn: &Turn,
    (document, asked): (&Document, &Question),
) -> Result<Event, Rejection> {
    if task.clarifications.contains_key(&asked.id) {
        return Err(Rejection::new(Refusal::ClarificationExists, asked.id.as_str()));
    }
    if asked.question.trim().is_empty() {
        return Err(Refusal::ReasonMissing.into());
    }
    let asked = Event::ClarificationAsked {
        turn: turn.id.clone(),
        clarification: asked.id.clone(),
        document: document.clone(),
        question: asked.question.clone(),
        options: asked.options.clone(),
    };
    Ok(within_bound(task, (None, document), asked))
}

/// A receiver that did not understand asks by acknowledging so; the question has a name of its own.
pub(super) fn of_acknowledgment(
    task: &Task,
    turn: &Turn,
    (document, blockers): (&Document, &[String]),
) -> Event {
    let number = task.clarifications.len();
    within_bound(
        task,
        (Some(turn), document),
        Event::ClarificationAsked {
            turn: turn.id.clone(),
            clarification: ClarificationId::fixed(format!("{}-{number}", turn.id)),
            document: document.clone(),
            question: blockers.join("\n"),
            options: Vec::new(),
        },
    )
}

/// One question too many becomes an escalation: somebody has to look at the task itself.
fn within_bound(task: &Task, (turn, document): (Option<&Turn>, &Document), asked: Event) -> Event {
    if task.clarification_rounds < task.workflow.clarification_rounds_max {
        return asked;
    }
    let question = match &asked {
        Event::ClarificationAsked { question, .. } => question.as_str(),
        _ => "",
    };
    let details =
        format!("{} questions were answered, and there is another: {question}", task.clarification_rounds);
    Event::EscalationRaised {
        turn: turn.map(|turn| turn.id.clone()),
        document: document.clone(),
        reason: Reason::ClarificationExhausted,
        details,
    }
}

pub(super) fn answer(task: &Task, command: &Command) -> Decided {
    let Act::Answer { clarification, document, answer, source, covenant_place } = &command.act else {
        return Err(Refusal::NotNow.into());
    };
    let open = task.clarifications.get(clarification).filter(|asked| asked.answer.is_none());
    if open.is_none() {
        return Err(Rejection::new(Refusal::UnknownClarification, clarification.as_str()));
    }
    if answer.trim().is_empty() {
        return Err(Refusal::ReasonMissing.into());
    }
    let founded = match (source, command.actor.kind) {
        (AnswerSource::Person, ActorKind::Person) => true,
        (AnswerSource::Covenant, ActorKind::Orchestrator | ActorKind::Person) => {
            covenant_place.as_ref().is_some_and(|place| !place.trim().is_empty())
        }
        (AnswerSource::Person, ActorKind::Orchestrator | ActorKind::Agent | ActorKind::Host)
        | (AnswerSource::Covenant, ActorKind::Agent | ActorKind::Host) => false,
    };
    if !founded {
        return Err(Refusal::AnswerUnfounded.into());
    }
    unused(task, document)?;
    Ok(vec![Event::ClarificationAnswered {
        clarification: clarification.clone(),
        document: document.clone(),
        answer: answer.clone(),
        source: *source,
        covenant_place: covenant_place.clone(),
        expires_at: lease_end(task, command.at),
    }])
}
