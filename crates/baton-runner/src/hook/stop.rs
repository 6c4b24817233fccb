//! An agent wants to end. When a handoff is owed it is read, its claims are compared with the files around the work, the checks
//! are run and it is decided about; a bad one goes back, so often and no more, and then a person is asked.
//!
//! A handoff is owed when files changed while the agent had its turn, when one came back and was not repaired, or when the
//! agent hands over by itself. An agent that only answers a question owes nothing.

use baton_engine::fact::{Disposition, Ending, Reason};
use baton_engine::state::{Status, Turn};
use baton_engine::word::TaskId;
use baton_handoff::document;
use baton_handoff::project::Project;

use super::Place;
use super::call::{Answer, Call, Moment, Trouble};
use super::feedback::feedback;
use super::manifest::Manifest;
use super::session::{Session, TASKS_MAX};
use crate::desk::decision::Decided;
use crate::desk::failure::{Changes, Failure};
use crate::desk::guest::{Carried, Itself};
use crate::desk::handover::{Brought, Trees};
use crate::desk::program::{NotTaken, Over};
use crate::desk::taken::AlreadyTaken;
use crate::desk::why::of_waiting;
use crate::desk::{Desk, DeskError, tell};

pub(super) fn answer(place: &Place<'_>, call: &Call, session: &mut Session) -> Result<Answer, Trouble> {
    if call.is_paused {
        return Ok(Answer::Silent);
    }
    let now = session.look()?;
    let changes = match call.moment {
        // Whoever gave the work answers for the files: several may have worked at once.
        Moment::SubagentStop => Changes::default(),
        _ => session.changes(&now)?,
    };
    let document = handed(call, session);
    if !session.record.owes && changes.is_empty() && document.is_none() {
        session.record.before.get_or_insert(now);
        session.keep()?;
        return Ok(Answer::Silent);
    }
    let service = place.service()?;
    let mut desk = place.desk()?;
    let is_repeat = document.as_ref().filter(|_| changes.is_empty() && !session.record.owes);
    if let Some(bytes) = is_repeat
        && let Some(taken) = desk.taken_in_session(session.id(), bytes)?.filter(AlreadyTaken::is_settled)
    {
        let is_accepted = taken.decided.as_ref().is_some_and(|last| last.disposition == Disposition::Accept);
        let words = format!("{}: {}.", taken.task, taken.words());
        return match desk.accepted_tree(&taken.task)?.filter(|_| is_accepted) {
            Some(_) => session.keep().map(|()| Answer::Tell(words)),
            None => session.left_open(now).map(|()| Answer::Tell(words)),
        };
    }
    if document.is_none() && owes_nothing_more(&desk, place, session, &now)? {
        return Ok(Answer::Silent);
    }
    let Some((id, turn)) = seat(&mut desk, place, session)? else {
        session.record.owes |= !changes.is_empty();
        session.keep()?;
        // The project is paused, or somebody else has the turn.
        let words = "Baton judges this work later: the project is paused, or somebody else has the turn. Nothing is accepted yet.";
        return Ok(Answer::Tell(words.to_owned()));
    };
    let work = Work { document, changes: &changes };
    let is_blocked = hand_over(&mut desk, (&id, &turn), &work, &service.project)?;
    let mut carried = desk.carry_on(&id)?;
    if is_blocked && matches!(&carried, Carried::Decided(decided) if decided.reason == Reason::WorkIncomplete)
    {
        let base = session.base()?;
        let turn = desk.seat(&id, session.id(), Some(&base))?;
        desk.escalate_for(&id, &turn, "its agent handed it over as blocked")?;
        carried = desk.carry_on(&id)?;
    }
    match carried {
        Carried::Decided(decided) => decided_answer(&mut desk, &id, &decided, (session, now, &changes)),
        Carried::Waits => {
            let task = desk.task(&id)?;
            let seen = of_waiting(&task).into_iter().map(|line| format!("\n{line}"));
            let words = format!(
                "Baton took the handoff of {id}: {}.{}",
                tell::status(&task),
                seen.collect::<String>()
            );
            session.left_open(now).map(|()| Answer::Tell(words))
        }
    }
}

/// Says whether an agent with tools for it has handed over before it stops, and changed nothing since.
fn owes_nothing_more(
    desk: &Desk,
    place: &Place<'_>,
    session: &mut Session,
    now: &Manifest,
) -> Result<bool, Trouble> {
    match desk.handed_over_itself(place.dialect.name, session.id(), session.since())? {
        Some(Itself::Accepted(tree)) => {
            if session.differs_from(&tree)? {
                session.record.base = Some(tree.to_string());
                return Ok(false);
            }
            session.accepted(&tree, now.clone()).map(|()| true)
        }
        Some(Itself::Waits(tree)) => {
            if tree.map_or(Ok(false), |tree| session.differs_from(&tree))? {
                return Ok(false);
            }
            session.left_open(now.clone()).map(|()| true)
        }
        Some(Itself::CameBack) | None => Ok(false),
    }
}

/// Work that an agent brings, with a handoff or without.
struct Work<'a> {
    document: Option<Vec<u8>>,
    changes: &'a Changes,
}

/// Returns what the agent hands over: in its last message, or in the file for it.
fn handed(call: &Call, session: &mut Session) -> Option<Vec<u8>> {
    let message = match (&call.message, call.accumulates) {
        (Some(message), true) => Some(session.unheard(message)),
        (message, _) => message.clone(),
    };
    let said = message.filter(|message| !document::read(message).handoffs.is_empty());
    let file = if call.moment == Moment::SubagentStop { None } else { session.new_file() };
    said.map(String::into_bytes).or(file)
}

/// Finds the task of the session, or opens one, and gives it the turn. Nothing when its task lies with somebody else.
fn seat(
    desk: &mut Desk,
    place: &Place<'_>,
    session: &mut Session,
) -> Result<Option<(TaskId, Turn)>, Trouble> {
    if let Some(id) = place.task()? {
        let base = session.base()?;
        return seated(desk.seat(&id, session.id(), Some(&base)), id);
    }
    let mut serial = session.record.serial.max(1);
    while serial < TASKS_MAX {
        let id = session.task(serial)?;
        let status = desk.state(id.as_str())?.task.as_ref().map(baton_engine::state::Task::status);
        match status {
            None => desk.open_session(&id, &session.guest())?,
            Some(Status::Ready | Status::Working) => {}
            // It was handed over, and what came in between kept it from being judged.
            Some(Status::Checking) if serial == session.record.serial && resumed(desk, &id)? => continue,
            // It has ended, or a person has it: what comes now is something else.
            Some(_) => {
                if let Some(tree) = desk.accepted_tree(&id)?.filter(|_| session.record.is_open) {
                    session.record.base = Some(tree.to_string());
                }
                serial += 1;
                continue;
            }
        }
        session.record.serial = serial;
        let base = session.base()?;
        return seated(desk.seat(&id, session.id(), Some(&base)), id);
    }
    Err(Trouble::new(format!("the session has had {TASKS_MAX} tasks")))
}

fn seated(seat: Result<Turn, DeskError>, id: TaskId) -> Result<Option<(TaskId, Turn)>, Trouble> {
    match seat {
        Ok(turn) => Ok(Some((id, turn))),
        Err(DeskError::Refused(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn resumed(desk: &mut Desk, id: &TaskId) -> Result<bool, Trouble> {
    Ok(matches!(desk.carry_on(id)?, Carried::Decided(_)))
}

/// Brings what there is under the name of the agent, or records that there is nothing. Says whether the agent is blocked.
fn hand_over(
    desk: &mut Desk,
    (id, turn): (&TaskId, &Turn),
    work: &Work<'_>,
    project: &Project,
) -> Result<bool, Trouble> {
    let Some(bytes) = &work.document else {
        let why = "Files changed, and your last message holds no handoff";
        without_handoff(desk, (id, turn), work, (Ending::NoHandoff, why))?;
        return Ok(false);
    };
    let brought = match Brought::read(bytes, project) {
        Ok(brought) => brought,
        Err(DeskError::Document { what, .. }) => {
            without_handoff(desk, (id, turn), work, (Ending::HandoffRefused, &what))?;
            return Ok(false);
        }
        Err(error) => return Err(error.into()),
    };
    if brought.asked.is_some() {
        desk.ask_for(id, turn, brought, Over::of(Ending::Asked, Some(0)))?;
        return Ok(false);
    }
    let is_blocked = brought.is_blocked();
    let after = match desk.keep(id) {
        Ok(after) => after,
        // Files that no snapshot holds can be taken away, or named in `.gitignore`.
        Err(DeskError::Document { what, next }) => {
            let why = format!("{what}; {next}");
            without_handoff(desk, (id, turn), work, (Ending::HandoffRefused, &why))?;
            return Ok(false);
        }
        Err(error) => return Err(error.into()),
    };
    let before = desk.task(id)?.tree.unwrap_or_else(|| after.clone());
    match desk.submit_for(id, turn, brought, Trees::around(before, after)) {
        Ok(()) => Ok(is_blocked),
        Err(NotTaken::Refused(why)) => {
            without_handoff(desk, (id, turn), work, (Ending::HandoffRefused, &why))?;
            Ok(false)
        }
        Err(NotTaken::Failed(error)) => Err(error.into()),
    }
}

fn without_handoff(
    desk: &mut Desk,
    (id, turn): (&TaskId, &Turn),
    work: &Work<'_>,
    (ending, why): (Ending, &str),
) -> Result<(), Trouble> {
    let changes = Some(work.changes.clone());
    let failure = Failure { task: id, turn, ending, why: why.to_owned(), changes };
    Ok(desk.end_turn(id, turn, Over::of(ending, Some(0)), &failure)?)
}

fn decided_answer(
    desk: &mut Desk,
    id: &TaskId,
    decided: &Decided,
    (session, now, changes): (&mut Session, Manifest, &Changes),
) -> Result<Answer, Trouble> {
    let task = desk.task(id)?;
    match decided.disposition {
        Disposition::Accept => {
            let words = format!("Baton accepted the handoff of {id}: {}.", tell::status(&task));
            match &task.run.submission {
                // Work of a stage that is not the last is accepted too, and another stage follows.
                None => session.left_open(now)?,
                Some(submission) => session.accepted(&submission.tree, now)?,
            }
            Ok(Answer::Tell(words))
        }
        // An agent that says honestly that work is left may go: the task is open for the next one.
        Disposition::Rework if decided.reason == Reason::WorkIncomplete => {
            session.left_open(now)?;
            Ok(Answer::Tell(format!("Baton keeps {id} open: its handoff says that work is left.")))
        }
        Disposition::Rework => {
            let base = session.base()?;
            desk.seat(id, session.id(), Some(&base))?;
            session.record.owes = true;
            session.record.is_open = true;
            session.keep()?;
            Ok(Answer::SendBack(feedback(&desk.task(id)?, decided, changes)))
        }
        Disposition::Escalate | Disposition::Rollback => {
            let (reason, why) = (decided.reason.name(), unavailable(&task, decided));
            let words = format!(
                "Baton handed {id} to a person: {reason}{why}. It is not accepted. `baton inbox` shows it, `baton why {id}` says why."
            );
            if decided.reason == Reason::CheckUnavailable {
                session.record.untold.clone_from(&words);
            }
            session.left_open(now)?;
            Ok(Answer::Tell(words))
        }
    }
}

/// Says which checks could not be run, where that is why a person is asked.
fn unavailable(task: &baton_engine::state::Task, decided: &Decided) -> String {
    let checks = task.run.receipt.iter().flat_map(|receipt| &receipt.checks);
    let hindered = checks.filter(|check| check.hindrance.is_some()).map(|check| {
        let first = check.detail.lines().next().unwrap_or_default();
        format!("{}: {first}", check.checkpoint)
    });
    let hindered: Vec<String> = hindered.filter(|_| decided.reason == Reason::CheckUnavailable).collect();
    if hindered.is_empty() { String::new() } else { format!(" ({})", hindered.join("; ")) }
}
