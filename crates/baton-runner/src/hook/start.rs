//! A session begins: its agent is told what was handed over before it, by whomever.

use std::fmt::Write as _;

use baton_engine::context::quoted;
use baton_engine::word::TaskId;

use super::call::{Answer, Call, Trouble};
use super::session::Session;
use super::{Place, TOLD_CHARS_MAX, teach};

/// Takes note of how the files are, and brings the context.
pub(super) fn answer(place: &Place<'_>, session: &mut Session) -> Result<Answer, Trouble> {
    session.begin_turn()?;
    if let Some(task) = &place.around.task {
        return on_task(place, task, session);
    }
    if !place.has_log()? {
        return Ok(Answer::Silent);
    }
    let desk = place.desk()?;
    let Some(told) = desk.context_of_session(&session.guest())? else { return Ok(Answer::Silent) };
    let mut text = format!("Baton keeps the handoffs of this project.\n\n{}", told.packet);
    if !told.open.is_empty() {
        let _ = writeln!(text, "Open, by whomever:\n{}", quoted(&told.open.join("\n"), TOLD_CHARS_MAX));
        if told.open_beyond > 0 {
            let _ = writeln!(text, "and {} more: `baton status`", told.open_beyond);
        }
    }
    let _ = write!(text, "\nIf you change files, end your last message with:\n{}", teach::FORM);
    Ok(Answer::Context(text))
}

/// Somebody asks for something: a turn begins.
pub(super) fn prompt(call: &Call, session: &mut Session) -> Result<Answer, Trouble> {
    // What was sent back comes as a prompt too, and is no new turn.
    if !session.record.owes {
        call.prompt.iter().for_each(|prompt| session.name(prompt));
        session.record.heard = None;
    }
    let untold = std::mem::take(&mut session.record.untold);
    session.begin_turn()?;
    Ok(if untold.is_empty() { Answer::Silent } else { Answer::Context(untold) })
}

/// Whoever started the agent named a task: the agent takes its turn.
fn on_task(place: &Place<'_>, task: &str, session: &mut Session) -> Result<Answer, Trouble> {
    let id = TaskId::new(task).map_err(|error| Trouble::new(format!("BATON_TASK: {error}")))?;
    let mut desk = place.desk()?;
    desk.seat(&id, session.id(), None)?;
    let received = desk.received(&id)?;
    let mut text = format!("You take the turn on task {id}.\n\n{}", received.context);
    if let Some(feedback) = received.feedback {
        let _ = writeln!(text, "\nThe last attempt came back:\n{}", quoted(&feedback, TOLD_CHARS_MAX));
    }
    text.push_str(&crate::drive::handoff_form(
        &received.task,
        received.turn.role,
        crate::drive::IN_LAST_MESSAGE,
    ));
    Ok(Answer::Context(text))
}
