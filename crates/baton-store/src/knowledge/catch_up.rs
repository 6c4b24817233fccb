//! Brings the index up to the log: events in batches, each batch in one transaction with the place it ends at.

use baton_engine::envelope::{PROJECT_STREAM, Recorded};
use baton_engine::event::{Entry, Event};
use baton_engine::knowledge::lesson::{Decree, Decreed};
use baton_engine::knowledge::measured::{Measured, bear_out};
use baton_engine::knowledge::page::{Handover, Page};
use baton_engine::knowledge::{self, Fate, Item, Source, wording};
use baton_engine::word::{LessonId, TaskId};
use rusqlite::{Connection, OptionalExtension, params};

use super::Index;
use crate::blob::BlobId;
use crate::error::{Reason, StoreError};
use crate::log::{Blobs, Head, Log};

/// Events that one transaction takes in.
const EVENTS_AT_ONCE: usize = 1_000;
/// Fewer events leave the index in as good an order as it was.
const TIDY_AFTER_EVENTS: u64 = 1_000;
const WHAT: &str = "bring the index up to date";
/// A person decreed something of a lesson, two tasks whose work was accepted said it, or one whose work the host backs.
const SPEAK: &str = "UPDATE node SET spoken = EXISTS (SELECT 1 FROM decree d WHERE d.id = node.id) \
     OR sources > 1 AND EXISTS (SELECT 1 FROM finding f CROSS JOIN handoff h ON h.sequence = f.sequence \
         WHERE f.node = node.number AND h.accepted AND f.task <> (SELECT g.task FROM finding g \
             CROSS JOIN handoff i ON i.sequence = g.sequence WHERE g.node = node.number AND i.accepted LIMIT 1)) \
     OR EXISTS (SELECT 1 FROM finding f CROSS JOIN handoff h ON h.sequence = f.sequence \
         WHERE f.node = node.number AND h.backed)";

impl Index {
    /// Takes in what the log has and the index has not. The index of another log is refused as foreign.
    pub(super) fn catch_up(&mut self, log: &(impl Log + Blobs), store: [u8; 16]) -> Result<(), StoreError> {
        let head = log.head()?;
        let mut known = self.known(store)?;
        let first = known.sequence;
        loop {
            if known.sequence == head.sequence && known.hash == head.hash {
                return self.tidy(known.sequence.saturating_sub(first));
            }
            belongs(&known, log)?;
            // The log may have grown since, and another process may have taken that in.
            if known.sequence >= head.sequence {
                return self.tidy(known.sequence.saturating_sub(first));
            }
            let events = log.read_all(known.sequence, EVENTS_AT_ONCE)?;
            self.take_in(&known, &events, log)?;
            known = self.known(store)?;
        }
    }

    /// Puts the pieces of the index together after much was taken in: a common word is then found several times faster.
    fn tidy(&self, taken_in: u64) -> Result<(), StoreError> {
        if taken_in < TIDY_AFTER_EVENTS {
            return Ok(());
        }
        let sql =
            "INSERT INTO words (words) VALUES ('optimize'); INSERT INTO trails (trails) VALUES ('optimize')";
        self.connection.execute_batch(sql).map_err(|error| broken(&error))
    }

    /// Returns how far the index reaches.
    fn known(&self, store: [u8; 16]) -> Result<Head, StoreError> {
        let found: Option<(Vec<u8>, u64, Vec<u8>)> = self
            .connection
            .prepare_cached("SELECT store, sequence, hash FROM head")
            .and_then(|mut statement| {
                let columns = |row: &rusqlite::Row<'_>| {
                    Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs(), row.get(2)?))
                };
                statement.query_row([], columns).optional()
            })
            .map_err(|error| broken(&error))?;
        match found {
            None => {
                let sql = "INSERT OR IGNORE INTO head (one, store, sequence, hash) VALUES (1, ?1, 0, ?2)";
                self.connection
                    .execute(sql, params![&store[..], &[0_u8; 32][..]])
                    .map_err(|error| broken(&error))?;
                Ok(Head::default())
            }
            Some((owner, sequence, hash)) if owner == store => {
                let hash = hash.try_into().map_err(|_| StoreError::corrupt(WHAT, "its head is damaged"))?;
                Ok(Head { sequence, hash })
            }
            Some(_) => Err(foreign("it belongs to another log")),
        }
    }

    fn take_in(&mut self, known: &Head, events: &[Recorded], blobs: &impl Blobs) -> Result<(), StoreError> {
        let transaction = self
            .connection
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .map_err(|error| broken(&error))?;
        let now: i64 = transaction
            .query_row("SELECT sequence FROM head", [], |row| row.get(0))
            .map_err(|error| broken(&error))?;
        if now.unsigned_abs() != known.sequence {
            // Another process was faster; look again.
            return Ok(());
        }
        for recorded in events {
            take(&transaction, recorded, blobs)?;
        }
        if let Some(last) = events.last() {
            transaction
                .execute(
                    "UPDATE head SET sequence = ?1, hash = ?2",
                    params![last.sequence.cast_signed(), &last.hash[..]],
                )
                .map_err(|error| broken(&error))?;
        }
        transaction.commit().map_err(|error| broken(&error))
    }
}

/// A log that was restored from a backup may have other events at the same place.
fn belongs(known: &Head, log: &impl Log) -> Result<(), StoreError> {
    if known.sequence == 0 {
        return Ok(());
    }
    let there = log.read_all(known.sequence - 1, 1)?;
    match there.first().is_some_and(|event| event.sequence == known.sequence && event.hash == known.hash) {
        true => Ok(()),
        false => Err(foreign("the log has other events by now")),
    }
}

fn foreign(why: &str) -> StoreError {
    StoreError::new(Reason::ForeignFile, WHAT, why, "it is made anew")
}

fn take(connection: &Connection, recorded: &Recorded, blobs: &impl Blobs) -> Result<(), StoreError> {
    let entry = Entry::read(recorded);
    if recorded.stream == PROJECT_STREAM {
        return take_project(connection, &entry);
    }
    let Ok(task) = TaskId::new(recorded.stream.as_str()) else { return Ok(()) };
    if let Event::TaskAdded { depends_on, lineage, .. } = &entry.event {
        for needed in depends_on.iter().chain(lineage.iter().map(|ancestor| &ancestor.task)) {
            need(connection, &task, needed)?;
        }
    }
    if let Event::DependencyAdded { on } = &entry.event {
        need(connection, &task, on)?;
    }
    let before = page(connection, &task)?.unwrap_or_default();
    let mut after = before.clone();
    let changed = after.apply(&task, recorded.sequence, &entry);
    if after == before {
        return Ok(());
    }
    if changed.said
        && let Some(handover) = after.handoffs.last()
    {
        say(connection, handover, blobs)?;
    }
    let first = changed.judged_from.unwrap_or(after.handoffs.len());
    for (old, new) in before.handoffs.iter().zip(&after.handoffs).skip(first) {
        save_source(connection, new)?;
        let speaks = |one: &Handover| (one.source.fate == Fate::Accepted, one.source.backed);
        if speaks(old) != speaks(new) {
            speak(connection, new)?;
        }
    }
    let body = encode(&after)?;
    run(
        connection,
        "INSERT INTO page (task, body) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET body = ?2",
        params![task.as_str(), body],
    )
}

fn take_project(connection: &Connection, entry: &Entry) -> Result<(), StoreError> {
    let (lesson, standing, words) = match &entry.event {
        Event::DependencyDeclared { task, on } => return need(connection, task, on),
        Event::LessonApproved { lesson, text, detail, words } => {
            (lesson, Decreed::Approved { text: text.clone(), detail: detail.clone() }, words)
        }
        Event::LessonRetired { lesson, words } => (lesson, Decreed::Retired, words),
        _ => return Ok(()),
    };
    let decree = Decree { standing, person: entry.actor.name.clone(), words: words.clone(), at: entry.at };
    let sql = "INSERT INTO decree (id, body) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET body = ?2";
    run(connection, sql, params![lesson.as_str(), encode(&decree)?])?;
    run(connection, &format!("{SPEAK} WHERE id = ?1"), params![lesson.as_str()])
}

fn need(connection: &Connection, task: &TaskId, needed: &TaskId) -> Result<(), StoreError> {
    run(
        connection,
        "INSERT OR IGNORE INTO need (task, needed) VALUES (?1, ?2)",
        params![task.as_str(), needed.as_str()],
    )
}

fn say(connection: &Connection, handover: &Handover, blobs: &impl Blobs) -> Result<(), StoreError> {
    save_source(connection, handover)?;
    let bytes = document(handover.blob.as_str(), blobs)?;
    let measured = match &handover.files {
        Some(files) => serde_json::from_slice(&document(files.as_str(), blobs)?).unwrap_or_default(),
        None => Measured::default(),
    };
    let items = bear_out(knowledge::read(&bytes), &measured);
    items.iter().try_for_each(|item| keep(connection, handover, item))
}

fn document(id: &str, blobs: &impl Blobs) -> Result<Vec<u8>, StoreError> {
    match BlobId::parse(id) {
        Some(id) => Ok(blobs.get(&id)?.unwrap_or_default()),
        None => Ok(Vec::new()),
    }
}

/// Looks anew at what speaks for everything that a handoff says, now that it speaks for more or for less.
fn speak(connection: &Connection, handover: &Handover) -> Result<(), StoreError> {
    let Source { task, sequence, fate, .. } = &handover.source;
    let sql = format!(
        "{SPEAK} WHERE number IN (SELECT node FROM finding WHERE task = ?1 AND sequence = ?2) AND spoken <> ?3"
    );
    run(connection, &sql, params![task.as_str(), sequence.cast_signed(), *fate == Fate::Accepted])
}

fn save_source(connection: &Connection, handover: &Handover) -> Result<(), StoreError> {
    let sql = "INSERT INTO handoff (sequence, source, accepted, backed) VALUES (?1, ?2, ?3, ?4) \
               ON CONFLICT DO UPDATE SET source = ?2, accepted = ?3, backed = ?4";
    let source = &handover.source;
    let is_accepted = source.fate == Fate::Accepted;
    run(connection, sql, params![source.sequence.cast_signed(), encode(source)?, is_accepted, source.backed])
}

/// Keeps one finding, with its node, tags and places.
fn keep(connection: &Connection, handover: &Handover, item: &Item) -> Result<(), StoreError> {
    let (number, is_new) = node(connection, handover, item)?;
    let source = &handover.source;
    let seen = "SELECT 1 FROM finding WHERE node = ?1 AND task = ?2 AND agent = ?3 LIMIT 1";
    let is_known = connection
        .prepare_cached(seen)
        .and_then(|mut statement| {
            statement.exists(params![number, source.task.as_str(), source.agent.as_str()])
        })
        .map_err(|error| broken(&error))?;
    let sql = "INSERT INTO finding (node, sequence, task, agent, at, item) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let sequence = source.sequence.cast_signed();
    let (task, agent) = (source.task.as_str(), source.agent.as_str());
    run(connection, sql, params![number, sequence, task, agent, source.at, encode(item)?])?;
    let mut grown = is_new || !is_known;
    for tag in &item.tags {
        grown |=
            added(connection, "INSERT OR IGNORE INTO tag (tag, node) VALUES (?1, ?2)", params![tag, number])?;
    }
    if let Some(path) = &item.path {
        grown |= added(
            connection,
            "INSERT OR IGNORE INTO place (path, node) VALUES (?1, ?2)",
            params![path, number],
        )?;
        if added(connection, "INSERT OR IGNORE INTO path (path) VALUES (?1)", params![path])? {
            let row = connection.last_insert_rowid();
            run(connection, "INSERT INTO trails (rowid, path) VALUES (?1, ?2)", params![row, path])?;
        }
    }
    for task in &item.tasks {
        let sql = "INSERT OR IGNORE INTO blocked (task, node) VALUES (?1, ?2)";
        run(connection, sql, params![task.as_str(), number])?;
    }
    if grown { describe(connection, number) } else { Ok(()) }
}

/// Returns the node of an item's meaning, and whether it is new.
fn node(connection: &Connection, handover: &Handover, item: &Item) -> Result<(i64, bool), StoreError> {
    let id = item.id();
    let severity = item.severity.map(|severity| severity as i64);
    let found = number_of(connection, &id)?;
    if let Some(number) = found {
        let sql = "UPDATE node SET sources = sources + 1, at = max(at, ?2), \
                   severity = min(coalesce(severity, ?3), coalesce(?3, severity)) WHERE number = ?1";
        run(connection, sql, params![number, handover.source.at, severity])?;
        return Ok((number, false));
    }
    let sql = "INSERT INTO node (id, kind, spoken, text, detail, severity, at, sources) \
         VALUES (?1, ?2, EXISTS (SELECT 1 FROM decree WHERE id = ?1), ?3, ?4, ?5, ?6, 1)";
    let detail = item.detail.as_deref().unwrap_or_default();
    let (kind, at) = (item.kind.name(), handover.source.at);
    run(connection, sql, params![id.as_str(), kind, item.text, detail, severity, at])?;
    let number = connection.last_insert_rowid();
    if item.kind.is_lesson() {
        for band in wording::bands(&wording::canonical(&item.text)) {
            let sql = "INSERT OR IGNORE INTO band (band, node) VALUES (?1, ?2)";
            run(connection, sql, params![band.cast_signed(), number])?;
        }
    }
    Ok((number, true))
}

/// Writes the row that is searched.
fn describe(connection: &Connection, number: i64) -> Result<(), StoreError> {
    let joined = |sql: &str| -> Result<String, StoreError> {
        let found = connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_row([number], |row| row.get(0)));
        found.map_err(|error| broken(&error))
    };
    let tags = joined("SELECT coalesce(group_concat(tag, char(10)), '') FROM tag WHERE node = ?1")?;
    let paths = joined("SELECT coalesce(group_concat(path, char(10)), '') FROM place WHERE node = ?1")?;
    let text = joined("SELECT text FROM node WHERE number = ?1")?;
    let detail = joined("SELECT detail FROM node WHERE number = ?1")?;
    run(connection, "UPDATE node SET tags = ?2, paths = ?3 WHERE number = ?1", params![number, tags, paths])?;
    let parts = parts(&format!("{text} {detail} {tags} {paths}"));
    let scope = scope(connection, number)?;
    let sql = "INSERT OR REPLACE INTO words (rowid, text, detail, tags, paths, parts, scope) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    run(connection, sql, params![number, text, detail, tags, paths, parts, scope])
}

/// Returns one word for everything that narrows much: who said it, and in which task.
fn scope(connection: &Connection, number: i64) -> Result<String, StoreError> {
    let read = |sql: &str| -> Result<Vec<String>, StoreError> {
        let found = connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_map([number], |row| row.get(0))?.collect());
        found.map_err(|error| broken(&error))
    };
    let mut words = read("SELECT DISTINCT 'agent ' || agent FROM finding WHERE node = ?1")?;
    let tasks = read("SELECT DISTINCT 'task ' || task FROM finding WHERE node = ?1")?;
    match tasks.len() > SCOPE_TASKS_MAX {
        true => words.push(format!("task {MANY_TASKS}")),
        false => words.extend(tasks),
    }
    let words = words.iter().filter_map(|word| word.split_once(' '));
    Ok(words.map(|(sort, name)| scope_word(sort, name)).collect::<Vec<_>>().join(" "))
}

/// Tasks that are written out for one node. Something that more tasks say is looked up instead.
const SCOPE_TASKS_MAX: usize = 500;
/// Stands for so many tasks. No task has this name: it begins with a sign.
pub(super) const MANY_TASKS: &str = "_many";

/// Returns a word that the index takes for one: names may hold signs at which it would cut.
pub(super) fn scope_word(sort: &str, name: &str) -> String {
    let safe = |char: char| if char.is_alphanumeric() || char == '-' { char } else { '_' };
    format!("{sort}_{}", name.chars().map(safe).collect::<String>())
}

/// Returns the pieces of names of code: `getUser`, `rate_limit` and `rate-limit` hold two words each.
fn parts(text: &str) -> String {
    let mut parts = String::new();
    let is_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
    for word in text.split(|char: char| !is_word(char)) {
        let pieces = pieces(word);
        if pieces.len() > 1 {
            for piece in pieces {
                parts.push_str(&piece);
                parts.push(' ');
            }
        }
    }
    parts
}

fn pieces(word: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut before = '_';
    for char in word.chars() {
        let is_sign = matches!(char, '_' | '-');
        let begins = is_sign || char.is_uppercase() && before.is_lowercase();
        if begins && pieces.last().is_some_and(|piece| !piece.is_empty()) {
            pieces.push(String::new());
        }
        if !is_sign && let Some(piece) = pieces.last_mut() {
            piece.push(char);
        }
        before = char;
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

pub(super) fn number_of(connection: &Connection, id: &LessonId) -> Result<Option<i64>, StoreError> {
    let found = connection
        .prepare_cached("SELECT number FROM node WHERE id = ?1")
        .and_then(|mut statement| statement.query_row([id.as_str()], |row| row.get(0)).optional());
    found.map_err(|error| broken(&error))
}

pub(super) fn page(connection: &Connection, task: &TaskId) -> Result<Option<Page>, StoreError> {
    let found: Option<String> = connection
        .prepare_cached("SELECT body FROM page WHERE task = ?1")
        .and_then(|mut statement| statement.query_row([task.as_str()], |row| row.get(0)).optional())
        .map_err(|error| broken(&error))?;
    found.map(|body| decode(&body)).transpose()
}

fn run(connection: &Connection, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<(), StoreError> {
    added(connection, sql, values).map(|_| ())
}

/// Says whether a row was written.
fn added(connection: &Connection, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<bool, StoreError> {
    let written = connection.prepare_cached(sql).and_then(|mut statement| statement.execute(values));
    written.map(|count| count > 0).map_err(|error| broken(&error))
}

fn encode(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::corrupt(WHAT, error.to_string()))
}

pub(super) fn decode<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::corrupt("read the index", error.to_string()))
}

pub(super) fn broken(error: &rusqlite::Error) -> StoreError {
    match error {
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..) => StoreError::corrupt(WHAT, error.to_string()),
        _ => StoreError::database(WHAT, error),
    }
}
