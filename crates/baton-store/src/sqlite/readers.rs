//! Read-only connections, kept for the next reader.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use rusqlite::Connection;

use super::{connect, query};
use crate::error::StoreError;
use crate::limit;

#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Idle>,
}

#[derive(Debug, Default)]
struct Idle {
    connections: Vec<Connection>,
    /// In the middle of a transaction each, of a thread that reads at one moment.
    held: Vec<(ThreadId, Connection)>,
}

impl Readers {
    /// Begins with a connection that only reads from now on.
    pub(super) fn new(path: PathBuf, first: Option<Connection>) -> Self {
        let idle = Idle { connections: first.into_iter().collect(), held: Vec::new() };
        Readers { path, idle: Mutex::new(idle) }
    }

    pub(super) fn close(&mut self) {
        *self.idle.get_mut().unwrap_or_else(PoisonError::into_inner) = Idle::default();
    }

    /// Reads with a connection of its own. After an error the connection is not used again.
    pub(super) fn with<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Some(connection) = self.held() {
            let answer = read(&connection)?;
            self.hold(connection);
            return Ok(answer);
        }
        let connection = self.connection()?;
        let answer = read(&connection)?;
        self.keep(connection);
        Ok(answer)
    }

    /// Lets this thread read everything as it is now, with one lock for all its questions.
    pub(super) fn at_one_moment<T>(&self, read: impl FnOnce() -> T) -> Result<T, StoreError> {
        if let Some(connection) = self.held() {
            // It does so already.
            self.hold(connection);
            return Ok(read());
        }
        let failed = |error| query::broken("read at one moment", &error);
        let connection = self.connection()?;
        connection.execute_batch("BEGIN").map_err(failed)?;
        self.hold(connection);
        let answer = read();
        if let Some(connection) = self.held() {
            connection.execute_batch("COMMIT").map_err(failed)?;
            self.keep(connection);
        }
        Ok(answer)
    }

    /// Returns the connection that this thread holds, if it holds one.
    fn held(&self) -> Option<Connection> {
        let (reader, mut idle) = (thread::current().id(), self.lock());
        let at = idle.held.iter().position(|(holder, _)| *holder == reader)?;
        Some(idle.held.swap_remove(at).1)
    }

    fn hold(&self, connection: Connection) {
        self.lock().held.push((thread::current().id(), connection));
    }

    fn connection(&self) -> Result<Connection, StoreError> {
        let kept = self.lock().connections.pop();
        kept.map_or_else(|| connect::reader(&self.path), Ok)
    }

    fn keep(&self, connection: Connection) {
        let mut idle = self.lock();
        if idle.connections.len() < limit::READERS_MAX {
            idle.connections.push(connection);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
