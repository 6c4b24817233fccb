//! Read-only connections, kept for the next reader.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use super::connect;
use crate::error::StoreError;
use crate::limit;

#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf) -> Self {
        Readers { path, idle: Mutex::default() }
    }

    /// Gives away a connection that only reads from now on.
    pub(super) fn take_over(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }

    pub(super) fn close(&mut self) {
        self.idle.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Reads with a connection of its own. After an error the connection is not used again.
    pub(super) fn with<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match kept {
            Some(connection) => connection,
            None => connect::reader(&self.path)?,
        };
        let answer = read(&connection)?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < limit::READERS_MAX {
            idle.push(connection);
        }
        Ok(answer)
    }
}
