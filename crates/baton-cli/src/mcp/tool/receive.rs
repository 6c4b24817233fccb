//! `receive`: take the turn that is due.

use baton_runner::desk::turn::Received;
use baton_runner::desk::{Desk, DeskError, Id, Session, tell};
use baton_runner::drive::{WITH_TOOL, handoff_form, plan_form};

use super::{Call, Changes, Outcome, Tool, failure, optional};
use crate::failure::Failure;

/// Most missing files that are named.
const MISSING_MAX: usize = 10;

pub(super) const TOOL: Tool = Tool {
    name: "receive",
    about: "Take your turn on a task: what to do, context, the last handoff. Call before working.",
    parameters: &[optional("task", "id; default: what is due")],
    changes: Changes::Record,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Failure> {
    let mut desk = call.desk()?;
    let id = call.task_or_next(&desk)?;
    let received = desk.receive(&id).map_err(failure)?;
    let note = acknowledge(&mut desk, &received)?;
    Ok(Outcome::Told(told(&received, note.as_deref())))
}

/// Notes that the handoff was given. What it names and is not there was not: a person is asked about that.
fn acknowledge(desk: &mut Desk, received: &Received) -> Result<Option<String>, Failure> {
    if !received.task.owes_acknowledgment() {
        return Ok(None);
    }
    let id = &received.task.id;
    let missing = desk.missing_in_handoff(id).map_err(failure)?;
    let blockers: Vec<String> = missing
        .iter()
        .take(MISSING_MAX)
        .map(|path| format!("the handoff names {path}, which is not there"))
        .collect();
    desk.acknowledge(id, &blockers).map_err(failure)?;
    Ok((!blockers.is_empty())
        .then(|| format!("{}; a person is asked. Wait for the answer: `status`", blockers.join("; "))))
}

fn told(received: &Received, note: Option<&str>) -> String {
    let Received { task, turn, .. } = received;
    let stage = task.stage().map_or("", |stage| stage.name.as_str());
    let until = tell::time(turn.expires_at);
    let mut text = format!(
        "{} {} as @{} ({}), stage {stage}, attempt {}, until {until}\n",
        task.id,
        turn.id,
        turn.agent,
        turn.role.name(),
        turn.attempt
    );
    if let Some(feedback) = &received.feedback {
        text.push_str(&format!("\n{}\n", feedback.trim()));
    }
    text.push_str(&format!("\n{}\n", received.context.trim_end()));
    let owes_plan = task.owes_plan();
    let form = match owes_plan {
        true => {
            plan_form(received, "Before you change any file, hand in one block of this form with `submit`")
        }
        false => handoff_form(task, turn.role, WITH_TOOL),
    };
    text.push_str(&format!("\n{form}"));
    let verb = match task.lineage.last() {
        Some(above) => {
            text.push_str(&format!("\nDelegated by @{} of {}, who waits for it.\n", above.agent, above.task));
            "return"
        }
        None => "submit",
    };
    let ground = received.ground();
    if !ground.is_empty() {
        text.push_str(&format!("\n{}\n", ground.join("\n")));
    }
    text.push_str(&match note {
        Some(note) => format!("\nnote: {note}"),
        None if owes_plan => format!("\nnext: `submit` the plan, then work, then `{verb}`"),
        None => format!("\nnext: work, then `{verb}`"),
    });
    text
}

/// Returns the task whose turn a session has, or the first that waits for somebody like it.
pub(super) fn next(desk: &Desk, session: &Session) -> Result<Option<Id>, Failure> {
    let (mut ready, mut to_judge) = (None, None);
    for line in desk.board().map_err(failure)?.into_iter().filter(|line| !line.has_ended) {
        let id = Id::new(line.task.as_str()).map_err(|error| failure(DeskError::from(error)))?;
        let task = desk.task(&id).map_err(failure)?;
        let has_built = task.writers.iter().any(|writer| writer.session == *session);
        match &task.turn {
            Some(turn) if turn.session == *session => return Ok(Some(id)),
            Some(_) => {}
            None if line.status == "ready" => ready = ready.or(Some(id)),
            None if line.status == "verifying" && !has_built => to_judge = to_judge.or(Some(id)),
            None => {}
        }
    }
    Ok(ready.or(to_judge))
}
