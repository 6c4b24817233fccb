//! Everything that handoffs said, found again: a full-text index beside the log.
//!
//! The index is a cache in a file of its own. It is brought up to the log when somebody asks, never when something is
//! stored, so it costs an append nothing. Whoever deletes it loses no more than the time to make it again. A file that
//! is damaged, of another schema, or of another log is thrown away and made anew.

mod catch_up;
mod look;
mod query;
mod schema;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::{Reason, StoreError};
use crate::limit;
use crate::log::{Blobs, Log};

pub use look::Touch;
pub use query::{Answer, Filter, Hit, QUERY_WORDS_MAX, Query};

/// Longest time that one question may take; then it is answered with what was found.
const SEARCH_TIME_MAX: Duration = Duration::from_secs(2);
/// Steps of the database between two looks at the clock.
const STEPS_PER_LOOK: i32 = 10_000;
/// Pages of memory for the index, in KiB, negative as SQLite wants it.
const CACHE_KIB: i64 = -32_768;

/// The index of one log.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
    /// When the question that is being answered must end.
    deadline: Arc<Mutex<Option<Instant>>>,
}

impl Index {
    /// Opens the index beside a log and brings it up to the log's head.
    pub fn open(path: &Path, log: &(impl Log + Blobs), store: [u8; 16]) -> Result<Self, StoreError> {
        match Self::attempt(path, log, store) {
            Err(error)
                if matches!(error.reason, Reason::Corrupt | Reason::ForeignFile | Reason::NewerSchema) =>
            {
                remove(path)?;
                Self::attempt(path, log, store)
            }
            opened => opened,
        }
    }

    fn attempt(path: &Path, log: &(impl Log + Blobs), store: [u8; 16]) -> Result<Self, StoreError> {
        let mut connection = connect(path)?;
        let deadline = Arc::<Mutex<Option<Instant>>>::default();
        let watched = deadline.clone();
        let is_over = move || {
            let deadline = *watched.lock().unwrap_or_else(PoisonError::into_inner);
            deadline.is_some_and(|deadline| Instant::now() > deadline)
        };
        connection
            .progress_handler(STEPS_PER_LOOK, Some(is_over))
            .map_err(|error| StoreError::database("open the index", &error))?;
        let mut index = Self { connection, deadline };
        index.look(log, store)?;
        Ok(index)
    }

    /// Brings the index up to the log's head. All questions from then on are put to it as it is then, and only the first of
    /// them takes the locks.
    pub fn look(&mut self, log: &(impl Log + Blobs), store: [u8; 16]) -> Result<(), StoreError> {
        self.catch_up(log, store)?;
        self.execute("BEGIN")
    }

    /// Gives the locks back. The next question needs another look.
    pub fn rest(&self) -> Result<(), StoreError> {
        self.execute("COMMIT")
    }

    fn execute(&self, statement: &str) -> Result<(), StoreError> {
        let done = self.connection.execute_batch(statement);
        done.map_err(|error| StoreError::database("open the index", &error))
    }

    /// Runs a question under the clock. What it finds before its time is over is its answer.
    fn in_time<T>(&self, ask: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.set_deadline(Some(Instant::now() + SEARCH_TIME_MAX));
        let answer = ask(&self.connection);
        self.set_deadline(None);
        answer
    }

    fn set_deadline(&self, deadline: Option<Instant>) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let what = format!("open the index {}", path.display());
    let failed = |error: rusqlite::Error| StoreError::database(&what, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match Connection::open_with_flags(path, flags) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
            own_file(path)?;
            Connection::open_with_flags(path, flags)
        }
        opened => opened,
    };
    let connection = connection.map_err(failed)?;
    connection.busy_timeout(limit::BUSY_WAIT_MAX).map_err(failed)?;
    for (name, value) in [("journal_mode", "WAL"), ("synchronous", "NORMAL"), ("temp_store", "MEMORY")] {
        connection.pragma_update(None, name, value).map_err(failed)?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).map_err(failed)?;
    connection.pragma_update(None, "cache_size", CACHE_KIB).map_err(failed)?;
    // Else a kept statement is compiled anew each time another value is bound, as in the log.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(schema::STATEMENTS_KEPT);
    schema::prepare(&connection, &what)?;
    Ok(connection)
}

/// What agents wrote is for the owner's eyes, like the log.
fn own_file(path: &Path) -> Result<(), StoreError> {
    let mut options = fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(|_| ()).map_err(|error| StoreError::file("open the index", path, &error))
}

fn remove(path: &Path) -> Result<(), StoreError> {
    for ending in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        let part = PathBuf::from(name);
        match fs::remove_file(&part) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(StoreError::file("make the index anew", &part, &error)),
        }
    }
    Ok(())
}
