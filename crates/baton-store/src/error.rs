//! What can go wrong with stored things, said so that a person or an agent knows what to do next.

use std::fmt;
use std::io;
use std::path::Path;

/// What a caller may want to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Written by a newer Baton.
    NewerSchema,
    /// Not a file of ours.
    ForeignFile,
    /// The file or a record in it is damaged.
    Corrupt,
    /// The log is not the one that was anchored, or not all of it.
    Tampered,
    /// Locks cannot be trusted where the file lies.
    NetworkFileSystem,
    /// The file or folder cannot be written.
    ReadOnly,
    /// Others may write to a file that only its owner should.
    LooseMode,
    /// No space is left; nothing was stored.
    Full,
    /// Another process held the store for too long; nothing was stored.
    Busy,
    /// The disk failed while storing; whether it is stored will be seen by the next read.
    Unsettled,
    /// Larger or longer than the named bound; nothing was stored.
    TooLarge,
    /// What was asked for is not there.
    Missing,
    /// Something is already where a new thing should go.
    Occupied,
    /// Any other trouble with the disk or the database.
    Failed,
}

/// A trouble with its cause and the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError {
    pub reason: Reason,
    /// What could not be done.
    pub what: String,
    /// Why not.
    pub why: String,
    /// What to do about it.
    pub next: String,
}

impl StoreError {
    pub(crate) fn new(
        reason: Reason,
        what: impl Into<String>,
        why: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        StoreError { reason, what: what.into(), why: why.into(), next: next.into() }
    }

    /// A failed operation on a file.
    pub(crate) fn file(what: &str, path: &Path, error: &io::Error) -> Self {
        let what = format!("{what} {}", path.display());
        let why = error.to_string();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => full(what, why),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => read_only(what, why),
            io::ErrorKind::NotFound => {
                StoreError::new(Reason::Missing, what, why, "check the path, then try again")
            }
            io::ErrorKind::AlreadyExists => {
                StoreError::new(Reason::Occupied, what, why, "choose a place that does not exist yet")
            }
            _ => StoreError::new(Reason::Failed, what, why, "check the disk, then try again"),
        }
    }

    /// A failed statement of the database.
    pub(crate) fn database(what: &str, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let why = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => full(what, why),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::new(
                Reason::Busy,
                what,
                format!("another process holds the store: {why}"),
                "nothing was stored; wait for the other process to end its write, then try again",
            ),
            Some(ErrorCode::DatabaseCorrupt) => StoreError::corrupt(what, why),
            Some(ErrorCode::NotADatabase) => StoreError::new(
                Reason::ForeignFile,
                what,
                format!("it is not a database: {why}"),
                "point Baton at another file, or restore this one from a backup",
            ),
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                read_only(what, why)
            }
            _ => StoreError::new(
                Reason::Failed,
                what,
                why,
                "nothing was stored; check the disk, then try again",
            ),
        }
    }

    pub(crate) fn corrupt(what: impl Into<String>, why: impl Into<String>) -> Self {
        StoreError::new(
            Reason::Corrupt,
            what,
            why,
            "stop writing, keep the files as they are, verify the log to find the last good event, and restore a backup",
        )
    }

    pub(crate) fn too_large(what: impl Into<String>, size: usize, max: usize) -> Self {
        StoreError::new(
            Reason::TooLarge,
            what,
            format!("it has {size}, the bound is {max}"),
            "nothing was stored; make it smaller, or store it as a blob and name its id",
        )
    }
}

fn full(what: impl Into<String>, why: impl Into<String>) -> StoreError {
    StoreError::new(
        Reason::Full,
        what,
        why,
        "nothing was stored; free some space on this disk, then send the same command again",
    )
}

fn read_only(what: impl Into<String>, why: impl Into<String>) -> StoreError {
    StoreError::new(
        Reason::ReadOnly,
        what,
        why,
        "nothing was stored; make the file and its folder writable for this user, or choose another place",
    )
}

impl fmt::Display for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}; next: {}", self.what, self.why, self.next)
    }
}

impl std::error::Error for StoreError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trouble_of_the_system_has_its_reason_and_a_next_step() {
        let cases = [
            (io::ErrorKind::StorageFull, Reason::Full),
            (io::ErrorKind::QuotaExceeded, Reason::Full),
            (io::ErrorKind::PermissionDenied, Reason::ReadOnly),
            (io::ErrorKind::ReadOnlyFilesystem, Reason::ReadOnly),
            (io::ErrorKind::NotFound, Reason::Missing),
            (io::ErrorKind::AlreadyExists, Reason::Occupied),
            (io::ErrorKind::Other, Reason::Failed),
        ];
        for (kind, reason) in cases {
            let error = StoreError::file("write", Path::new("log.db"), &io::Error::from(kind));
            assert_eq!(error.reason, reason);
            assert!(error.to_string().starts_with("write log.db: ") && !error.next.is_empty());
        }
    }

    #[test]
    fn every_trouble_of_the_database_has_its_reason() {
        use rusqlite::ffi;
        let cases = [
            (ffi::SQLITE_FULL, Reason::Full),
            (ffi::SQLITE_BUSY, Reason::Busy),
            (ffi::SQLITE_CORRUPT, Reason::Corrupt),
            (ffi::SQLITE_NOTADB, Reason::ForeignFile),
            (ffi::SQLITE_READONLY, Reason::ReadOnly),
            (ffi::SQLITE_CANTOPEN, Reason::ReadOnly),
            (ffi::SQLITE_IOERR, Reason::Failed),
        ];
        for (code, reason) in cases {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(StoreError::database("store", &error).reason, reason);
        }
    }
}
