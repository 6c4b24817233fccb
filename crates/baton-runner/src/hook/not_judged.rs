//! Work that Baton could not judge. It is not accepted and still owed; it lies with a person at once wherever the log can say
//! so, and its agent and its person hear why.

use baton_engine::state::Status;
use baton_engine::word::TaskId;

use super::Place;
use super::call::Trouble;
use super::session::{Session, TASKS_MAX};
use crate::desk::{Desk, DeskError};

/// Hands the work over to a person, and returns what everybody is told.
pub(super) fn words(place: &Place<'_>, session: &mut Session, trouble: &Trouble) -> String {
    session.record.owes = true;
    session.record.is_open = true;
    let (words, next) = match waits(place, session, trouble) {
        Ok(id) => (
            format!("It waits for a person as {id}"),
            format!("`baton why {id}` says more, `baton doctor` what to repair"),
        ),
        Err(worse) => (
            format!("A person could not be asked in the log: {worse}"),
            "`baton doctor` says what to repair".to_owned(),
        ),
    };
    let words = format!(
        "Baton could not judge this work: {}. It is not accepted. {words}; {next}. Then hand it over again.",
        trouble.words
    );
    session.record.untold.clone_from(&words);
    // Where this fails too, what was remembered before still says that the files changed.
    let _ = session.keep();
    words
}

fn waits(place: &Place<'_>, session: &mut Session, trouble: &Trouble) -> Result<TaskId, Trouble> {
    // The configuration may be what is wrong, and is not needed for this.
    let mut desk = place.desk().or_else(|_| place.bare_desk())?;
    if let Some(id) = place.task()? {
        return lies_with_person(&mut desk, session, id, trouble);
    }
    for serial in session.record.serial.max(1)..TASKS_MAX {
        let id = session.task(serial)?;
        match desk.state(id.as_str())?.task.as_ref().map(baton_engine::state::Task::status) {
            None => desk.open_session(&id, &session.guest())?,
            Some(
                Status::Done
                | Status::DoneUnverified
                | Status::Failed
                | Status::RolledBack
                | Status::Cancelled,
            ) => continue,
            Some(_) => {}
        }
        session.record.serial = serial;
        return lies_with_person(&mut desk, session, id, trouble);
    }
    Err(Trouble::new(format!("the session has had {TASKS_MAX} tasks")))
}

fn lies_with_person(
    desk: &mut Desk,
    session: &mut Session,
    id: TaskId,
    trouble: &Trouble,
) -> Result<TaskId, Trouble> {
    // It may lie there already, for this or for another reason.
    if desk.task(&id)?.status().waits_for_person() {
        return Ok(id);
    }
    let base = session.base()?;
    match desk.not_judged(&id, (session.id(), &base), &trouble.words) {
        Ok(true) => Ok(id),
        Ok(false) => Err(Trouble::new(format!("{id} is {}", crate::desk::tell::status(&desk.task(&id)?)))),
        Err(DeskError::Refused(rejection)) => Err(Trouble::new(rejection.to_string())),
        Err(error) => Err(error.into()),
    }
}
