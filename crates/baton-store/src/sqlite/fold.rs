//! The views inside a write: rows are changed in memory and written once, at the end.

use std::collections::BTreeMap;

use baton_engine::envelope::Recorded;
use baton_engine::state::State;
use rusqlite::Connection;

use super::{query, row};
use crate::error::StoreError;
use crate::log::Head;
use crate::view::states::States;
use crate::view::{Rows, View, Views};

/// Rows changed in memory before they are written, when a whole log is folded.
const ROWS_HELD_MAX: usize = 20_000;
/// Events read at once when a whole log is folded.
const EVENTS_AT_ONCE: usize = 1_000;

/// The rows of all views in one transaction.
pub(super) struct Fold<'a> {
    connection: &'a Connection,
    views: &'a Views,
    states: &'a mut States,
    changed: BTreeMap<(&'static str, String), Option<Vec<u8>>>,
}

struct RowsOfView<'f, 'a> {
    fold: &'f mut Fold<'a>,
    view: &'static str,
}

impl<'a> Fold<'a> {
    pub(super) fn new(connection: &'a Connection, views: &'a Views, states: &'a mut States) -> Self {
        Fold { connection, views, states, changed: BTreeMap::new() }
    }

    /// Brings views up to the head that were folded by another version, or left behind by a program that does not know
    /// them; and leaves behind in the same way those that this program does not know.
    pub(super) fn catch_up(&mut self, head: &Head) -> Result<(), StoreError> {
        let positions = positions(self.connection)?;
        for view in self.views.iter() {
            match positions.get(view.name()) {
                Some((version, None)) if *version == view.version() => continue,
                Some((version, Some(sequence)))
                    if *version == view.version() && *sequence <= head.sequence =>
                {
                    self.replay(view, *sequence)?;
                }
                _ => self.anew(view)?,
            }
            self.place(view.name(), view.version(), None)?;
        }
        let is_strange = |name: &str| self.views.iter().all(|view| view.name() != name);
        for (name, (version, position)) in &positions {
            if position.is_none() && is_strange(name) {
                self.place(name, *version, Some(head.sequence))?;
            }
        }
        Ok(())
    }

    /// Folds every view from the first event.
    pub(super) fn rebuild(&mut self) -> Result<(), StoreError> {
        self.changed.clear();
        self.views.iter().try_for_each(|view| self.anew(view))
    }

    fn anew(&mut self, view: &dyn View) -> Result<(), StoreError> {
        self.connection
            .execute("DELETE FROM view_rows WHERE view = ?1", [view.name()])
            .map_err(|error| query::broken("empty a view", &error))?;
        self.replay(view, 0)
    }

    fn replay(&mut self, view: &dyn View, after: u64) -> Result<(), StoreError> {
        let mut after = after;
        loop {
            let events = query::of_all(self.connection, after, EVENTS_AT_ONCE)?;
            let Some(last) = events.last() else { return self.flush() };
            after = last.sequence;
            for event in &events {
                view.apply(event, &mut RowsOfView { fold: self, view: view.name() })?;
            }
            if self.changed.len() > ROWS_HELD_MAX {
                self.flush()?;
            }
        }
    }

    pub(super) fn apply(&mut self, event: &Recorded) -> Result<(), StoreError> {
        let views = self.views;
        for view in views.iter() {
            view.apply(event, &mut RowsOfView { fold: self, view: view.name() })?;
        }
        Ok(())
    }

    /// Writes the changed rows.
    pub(super) fn flush(&mut self) -> Result<(), StoreError> {
        for ((view, key), value) in std::mem::take(&mut self.changed) {
            let written = match value {
                Some(value) => self
                    .connection
                    .prepare_cached(
                        "INSERT INTO view_rows (view, key, value) VALUES (?1, ?2, ?3) \
                         ON CONFLICT DO UPDATE SET value = ?3",
                    )
                    .and_then(|mut statement| statement.execute((view, key, value))),
                None => self
                    .connection
                    .prepare_cached("DELETE FROM view_rows WHERE view = ?1 AND key = ?2")
                    .and_then(|mut statement| statement.execute((view, key))),
            };
            written.map_err(|error| query::broken("write a view", &error))?;
        }
        Ok(())
    }

    fn place(&self, view: &str, version: u32, position: Option<u64>) -> Result<(), StoreError> {
        let sql = "INSERT INTO view_positions (view, version, sequence) VALUES (?1, ?2, ?3) \
                   ON CONFLICT DO UPDATE SET version = ?2, sequence = ?3";
        let placed = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute((view, version, position.map(row::signed))));
        placed.map(|_| ()).map_err(|error| query::broken("write the position of a view", &error))
    }
}

/// Says whether any of these views must be folded before it is read.
pub(super) fn is_behind(connection: &Connection, views: &Views) -> Result<bool, StoreError> {
    let positions = positions(connection)?;
    Ok(views.iter().any(|view| positions.get(view.name()) != Some(&(view.version(), None))))
}

/// The version of each view, and how far it has read when that is not all.
fn positions(connection: &Connection) -> Result<BTreeMap<String, (u32, Option<u64>)>, StoreError> {
    let sql = "SELECT view, version, sequence FROM view_positions";
    let found = connection.prepare_cached(sql).and_then(|mut statement| {
        let columns = |found: &rusqlite::Row<'_>| {
            let sequence: Option<i64> = found.get(2)?;
            Ok((found.get(0)?, (found.get(1)?, sequence.map(i64::unsigned_abs))))
        };
        statement.query_map([], columns)?.collect()
    });
    found.map_err(|error| query::broken("read the positions of views", &error))
}

impl Rows for RowsOfView<'_, '_> {
    fn get(&mut self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match self.fold.changed.get(&(self.view, key.to_owned())) {
            Some(value) => Ok(value.clone()),
            None => query::view_row(self.fold.connection, self.view, key),
        }
    }

    fn put(&mut self, key: &str, value: Vec<u8>) {
        self.fold.changed.insert((self.view, key.to_owned()), Some(value));
    }

    fn remove(&mut self, key: &str) {
        self.fold.changed.insert((self.view, key.to_owned()), None);
    }

    fn state_after(&mut self, event: &Recorded) -> Result<&State, StoreError> {
        let connection = self.fold.connection;
        self.fold.states.after(event, || query::of_stream_to(connection, &event.stream, event.version))
    }
}
