//! Waits for the lock on a file, but not forever.

use std::fs::{File, TryLockError};
use std::io;
use std::thread;
use std::time::Duration;

const TRIES_MAX: usize = 2000;
const PAUSE: Duration = Duration::from_millis(5);

/// Returns when the file is ours; it is until it is dropped.
pub(crate) fn wait(file: &File) -> io::Result<()> {
    for _ in 0..TRIES_MAX {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, "somebody else holds its lock"))
}
