//! One run at a time works on a project, and others can tell whether one does.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::thread;
use std::time::Duration;

use crate::desk::{Desk, DeskError};
use crate::file::open_plain;

/// Held by whoever runs: two at once would each take the other's agents for lost.
const LOCK: &str = "run.lock";
/// Whoever looks whether there is a run holds the lock for a moment; a run that begins just then tries so often.
const LOCK_TRIES: usize = 10;
const LOCK_TRY_EVERY: Duration = Duration::from_millis(20);

pub(crate) fn alone(desk: &Desk) -> Result<File, DeskError> {
    let path = desk.folder().join(LOCK);
    let failed = |error| DeskError::Io(path.clone(), error);
    let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_TRY_EVERY),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
    Err(DeskError::Document {
        what: "another `baton run` works on this project".to_owned(),
        next: "wait until it ends, or stop it; `baton status` shows what it does".to_owned(),
    })
}

/// Says whether a run works on a project now. Where that cannot be told, there may be one.
pub(crate) fn is_going_on(desk: &Desk) -> bool {
    match open_plain(&desk.folder().join(LOCK)) {
        Ok(file) => file.try_lock_shared().is_err(),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}
