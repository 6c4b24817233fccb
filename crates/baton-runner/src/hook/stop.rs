//! An agent wants to end. When a handoff is owed it is read, held against the files, checked and decided about; a bad one
//! goes back, so often and no more, and then a person is asked.
//!
//! A handoff is owed when files changed while the agent had its turn, when one came back and was not repaired, or when the
//! agent hands over by itself. Whoever only answers a question owes nothing.

use std::fmt::Write as _;

use baton_engine::context::quoted;
use baton_engine::fact::{Disposition, Ending, Reason};
use baton_engine::feedback::ITEMS_MAX;
use baton_engine::state::{Status, Turn};
use baton_engine::word::TaskId;
use baton_handoff::document;
use baton_handoff::project::Project;

use super::call::{Answer, Call, Moment, Trouble};
use super::session::{Session, TASKS_MAX};
use super::{Place, SENT_BACK_MAX, TOLD_CHARS_MAX, held, teach};
use crate::desk::decision::Decided;
use crate::desk::failure::{Changes, Failure};
use crate::desk::guest::Carried;
use crate::desk::handover::{Brought, Trees};
use crate::desk::program::{NotTaken, Over};
use crate::desk::taken::AlreadyTaken;
use crate::desk::{Desk, DeskError};

/// Most changed files that are named to an agent.
const CHANGES_NAMED_MAX: usize = 20;

pub(super) fn answer(place: &Place<'_>, call: &Call, session: &mut Session) -> Result<Answer, Trouble> {
    if call.is_paused {
        return Ok(Answer::Silent);
    }
    let now = session.look()?;
    let changes = match call.moment {
        // Whoever gave the work answers for the files: several may have worked at once.
        Moment::SubagentStop => Changes::default(),
        _ => session.changes(&now),
    };
    let document = handed(call, session);
    if !session.record.owes && changes.is_empty() && document.is_none() {
        session.record.before.get_or_insert(now);
        session.keep()?;
        return Ok(Answer::Silent);
    }
    let service = place.service()?;
    let mut desk = place.desk()?;
    // Whoever has tools for it may have handed over before it stops.
    if document.is_none() && desk.has_handed_over(place.dialect.name, session.id(), session.since())? {
        return let_go(session, now, Answer::Silent);
    }
    if let Some(bytes) = document.as_ref().filter(|_| changes.is_empty() && !session.record.owes)
        && let Some(taken) = desk.taken_in_session(session.id(), bytes)?.filter(AlreadyTaken::is_settled)
    {
        return let_go(session, now, Answer::Tell(format!("{}: {}.", taken.task, taken.words())));
    }
    let Some((id, turn)) = seat(&mut desk, place, session)? else {
        // It is paused, or somebody else has the turn. What changed is owed until it can be judged.
        session.record.owes |= !changes.is_empty();
        session.keep()?;
        return Ok(Answer::Silent);
    };
    let work = Work { document, changes: &changes, call };
    let is_blocked = hand_over(&mut desk, (&id, &turn), &work, &service.project)?;
    let mut carried = desk.carry_on(&id)?;
    if is_blocked && matches!(&carried, Carried::Decided(decided) if decided.reason == Reason::WorkIncomplete)
    {
        let turn = desk.seat(&id, session.id())?;
        desk.escalate_for(&id, &turn, "its agent handed it over as blocked")?;
        carried = desk.carry_on(&id)?;
    }
    match carried {
        Carried::Decided(decided) => decided_answer(&mut desk, &id, &decided, (session, now, &changes)),
        Carried::Unchecked(names) => {
            let words = format!(
                "Baton took the handoff of {id}, but ran nothing: nobody trusts the commands for {}. A person can \
                 run `baton trust`, then `baton task check {id}` and `baton decide {id}`.",
                names.join(", ")
            );
            let_go(session, now, Answer::Tell(words))
        }
        Carried::Waits => let_go(session, now, Answer::Silent),
    }
}

/// Work that an agent brings, with a handoff or without.
struct Work<'a> {
    document: Option<Vec<u8>>,
    changes: &'a Changes,
    call: &'a Call,
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
    if let Some(task) = &place.around.task {
        let id = TaskId::new(task.as_str()).map_err(|error| Trouble::new(format!("BATON_TASK: {error}")))?;
        return match desk.seat(&id, session.id()) {
            Ok(turn) => Ok(Some((id, turn))),
            Err(DeskError::Refused(_)) => Ok(None),
            Err(error) => Err(error.into()),
        };
    }
    for serial in session.record.serial.max(1)..TASKS_MAX {
        let id = session.task(serial)?;
        match &desk.state(id.as_str())?.task {
            None => desk.open_session(&id, &session.guest())?,
            // It has ended, or a person has it: what comes now is something else.
            Some(task) if !matches!(task.status(), Status::Ready | Status::Working) => continue,
            Some(_) => {}
        }
        session.record.serial = serial;
        return match desk.seat(&id, session.id()) {
            Ok(turn) => Ok(Some((id, turn))),
            Err(DeskError::Refused(_)) => Ok(None),
            Err(error) => Err(error.into()),
        };
    }
    Err(Trouble::new(format!("the session has had {TASKS_MAX} tasks")))
}

/// Brings what there is under the name of the agent, or records that there is nothing. Says whether the agent is blocked.
fn hand_over(
    desk: &mut Desk,
    (id, turn): (&TaskId, &Turn),
    work: &Work<'_>,
    project: &Project,
) -> Result<bool, Trouble> {
    let brought = work.document.as_ref().and_then(|bytes| {
        let mut brought = Brought::read(bytes, project).ok()?;
        if work.call.moment == Moment::Stop {
            brought.blame(held::problems(bytes, work.changes, desk.root()));
        }
        Some(brought)
    });
    let Some(brought) = brought else {
        without_handoff(desk, (id, turn), work, (Ending::NoHandoff, "its last message holds no handoff"))?;
        return Ok(false);
    };
    let is_blocked = brought.is_blocked();
    let after = desk.keep(id)?;
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
    (session, now, changes): (&mut Session, super::manifest::Manifest, &Changes),
) -> Result<Answer, Trouble> {
    match decided.disposition {
        Disposition::Accept => {
            let status = crate::desk::tell::status(&desk.task(id)?);
            let_go(session, now, Answer::Tell(format!("Baton accepted the handoff of {id}: {status}.")))
        }
        // Whoever says honestly that work is left may go: the task lies there for whoever comes next.
        Disposition::Rework if decided.reason == Reason::WorkIncomplete => {
            let words = format!("Baton keeps {id} open: its handoff says that work is left.");
            let_go(session, now, Answer::Tell(words))
        }
        Disposition::Rework => {
            desk.seat(id, session.id())?;
            session.record.owes = true;
            session.keep()?;
            Ok(Answer::SendBack(feedback(&desk.task(id)?, decided, changes)))
        }
        Disposition::Escalate | Disposition::Rollback => {
            let words = format!(
                "Baton handed {id} to a person: {}. `baton inbox` shows it, `baton why {id}` says why.",
                decided.reason.name()
            );
            let_go(session, now, Answer::Tell(words))
        }
    }
}

/// The turn is over: whatever changes from now on belongs to the next one.
fn let_go(session: &mut Session, now: super::manifest::Manifest, answer: Answer) -> Result<Answer, Trouble> {
    session.record.owes = false;
    session.record.before = Some(now);
    session.keep()?;
    Ok(answer)
}

/// Says what is wrong, how often it came back, and how a handoff is written. What others wrote stands between marks.
fn feedback(task: &baton_engine::state::Task, decided: &Decided, changes: &Changes) -> String {
    let mut text = String::new();
    let count = task.run.failures.min(SENT_BACK_MAX);
    let _ = writeln!(
        text,
        "Baton sent your work on {} back: {}. Attempt {count} of {SENT_BACK_MAX} to repair it; then a person has to look.",
        task.id,
        decided.reason.name()
    );
    if decided.reason == Reason::TurnLost {
        text.push_str("Files changed, and your last message holds no handoff.\n");
    } else {
        text.push_str(
            "Mend each of these and hand over again; the words after the names quote documents and tools:\n",
        );
        let items = task.run.feedback.iter().flat_map(|feedback| &feedback.items).take(ITEMS_MAX);
        let told = items.map(|item| format!("{}: {}: {}", item.subject, item.verdict.name(), item.details));
        let _ = writeln!(text, "{}", quoted(&told.collect::<Vec<_>>().join("\n"), TOLD_CHARS_MAX));
    }
    if !changes.is_empty() {
        let named: Vec<String> = changes
            .iter()
            .take(CHANGES_NAMED_MAX)
            .map(|(path, change)| format!("{} {path}", change.word()))
            .collect();
        let more = changes.len().saturating_sub(CHANGES_NAMED_MAX);
        let more = if more == 0 { String::new() } else { format!("\nand {more} more") };
        let _ = writeln!(
            text,
            "What changed since your turn began:\n{}",
            quoted(&format!("{}{more}", named.join("\n")), TOLD_CHARS_MAX)
        );
    }
    let _ = write!(
        text,
        "End your next message with one block of this form, true in every line:\n{}",
        teach::FORM
    );
    text
}
