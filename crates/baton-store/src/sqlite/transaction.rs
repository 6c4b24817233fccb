//! One transaction: the work of many callers, all of it or nothing.

use baton_engine::envelope::{Fresh, Recorded};
use rusqlite::Connection;

use super::fold::Fold;
use super::{query, row};
use crate::blob::BlobId;
use crate::error::StoreError;
use crate::limit;
use crate::log::{self, AppendError, Head, Snapshot};
use crate::record;
use crate::view::Views;
use crate::view::states::States;

/// What a caller wants to have written.
pub(super) enum Work {
    Append {
        stream: String,
        expected: u64,
        events: Vec<Fresh>,
        documents: Vec<Document>,
    },
    Put(Document),
    Save(Snapshot),
    /// Folds views that are behind, and nothing else.
    CatchUp,
    Rebuild,
}

pub(super) struct Document {
    pub(super) id: BlobId,
    pub(super) bytes: Vec<u8>,
}

/// What became of it.
pub(super) type Outcome = Result<Vec<Recorded>, AppendError>;

impl Work {
    pub(super) fn size(&self) -> usize {
        match self {
            Work::Append { events, documents, .. } => {
                let events: usize = events.iter().map(|event| event.body.len()).sum();
                events + documents.iter().map(|document| document.bytes.len()).sum::<usize>()
            }
            Work::Put(document) => document.bytes.len(),
            Work::Save(snapshot) => snapshot.state.len(),
            Work::CatchUp | Work::Rebuild => 0,
        }
    }
}

/// Does all work inside the open transaction. An error means that all of it must be undone.
///
/// The head and every version are read here, under the write lock, and nowhere else: that is why two processes on one
/// store cannot both win, whatever they believed before.
pub(super) fn perform(
    connection: &Connection,
    (views, states): (&Views, &mut States),
    works: &[Work],
) -> Result<(Head, Vec<Outcome>), StoreError> {
    let mut head = query::head(connection)?;
    let mut fold = Fold::new(connection, views, states);
    fold.catch_up(&head)?;
    let mut outcomes = Vec::with_capacity(works.len());
    for work in works {
        let outcome = match work {
            Work::Append { stream, expected, events, documents } => {
                match refusal(connection, stream, *expected, events)? {
                    Some(refusal) => Err(refusal),
                    None => {
                        for document in documents {
                            put(connection, document)?;
                        }
                        Ok(append(connection, &mut fold, &mut head, (stream, *expected, events))?)
                    }
                }
            }
            Work::Put(document) => put(connection, document).map(|()| Ok(Vec::new()))?,
            Work::Save(snapshot) => save(connection, snapshot)?.map(|()| Vec::new()).map_err(Into::into),
            Work::CatchUp => Ok(Vec::new()),
            Work::Rebuild => fold.rebuild().map(|()| Ok(Vec::new()))?,
        };
        outcomes.push(outcome);
    }
    fold.flush()?;
    Ok((head, outcomes))
}

fn refusal(
    connection: &Connection,
    stream: &str,
    expected: u64,
    events: &[Fresh],
) -> Result<Option<AppendError>, StoreError> {
    for key in log::keys(events) {
        if query::has_key(connection, stream, key)? {
            let recorded = query::of_key(connection, stream, key)?;
            return Ok(Some(AppendError::Duplicate { key: key.to_owned(), recorded }));
        }
    }
    let actual = query::version(connection, stream)?;
    Ok((actual != expected).then_some(AppendError::Conflict { actual }))
}

fn append(
    connection: &Connection,
    fold: &mut Fold<'_>,
    head: &mut Head,
    (stream, expected, events): (&str, u64, &[Fresh]),
) -> Result<Vec<Recorded>, StoreError> {
    let mut recorded = Vec::with_capacity(events.len());
    for (fresh, version) in events.iter().zip(expected + 1..) {
        let event = record::place(head, stream, version, fresh);
        insert(connection, &event).map_err(|error| query::broken("store an event", &error))?;
        fold.apply(&event)?;
        *head = record::head_of(&event);
        recorded.push(event);
    }
    Ok(recorded)
}

fn insert(connection: &Connection, event: &Recorded) -> Result<usize, rusqlite::Error> {
    let sql = "INSERT INTO events (sequence, stream, version, at, actor_kind, actor_name, actor_turn, kind, schema, \
               body, key, previous, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    connection.prepare_cached(sql)?.execute((
        row::signed(event.sequence),
        &event.stream,
        row::signed(event.version),
        event.at,
        event.actor.kind.name(),
        &event.actor.name,
        &event.actor.turn,
        &event.kind,
        event.schema,
        &event.body,
        &event.key,
        &event.previous[..],
        &event.hash[..],
    ))
}

fn put(connection: &Connection, document: &Document) -> Result<(), StoreError> {
    insert_blob(connection, document).map_err(|error| query::broken("store a document", &error))
}

fn insert_blob(connection: &Connection, document: &Document) -> Result<(), rusqlite::Error> {
    let bytes = &document.bytes;
    let whole = (bytes.len() <= limit::BLOB_CHUNK_BYTES).then_some(bytes);
    let sql = "INSERT INTO blobs (id, size, bytes) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO NOTHING";
    let size = row::signed(bytes.len() as u64);
    let is_new = connection.prepare_cached(sql)?.execute((&document.id.0[..], size, whole))? > 0;
    if whole.is_some() || !is_new {
        return Ok(());
    }
    let number = connection.last_insert_rowid();
    let sql = "INSERT INTO blob_chunks (number, place, bytes) VALUES (?1, ?2, ?3)";
    let mut statement = connection.prepare_cached(sql)?;
    for (chunk, place) in bytes.chunks(limit::BLOB_CHUNK_BYTES).zip(0_i64..) {
        statement.execute((number, place, chunk))?;
    }
    Ok(())
}

fn save(connection: &Connection, snapshot: &Snapshot) -> Result<Result<(), StoreError>, StoreError> {
    use rusqlite::OptionalExtension;
    let what = "store a snapshot";
    let sql = "SELECT hash FROM events WHERE stream = ?1 AND version = ?2";
    let event: Option<[u8; 32]> = connection
        .prepare_cached(sql)
        .and_then(|mut statement| {
            let place = (&snapshot.stream, row::signed(snapshot.version));
            statement.query_row(place, |found| found.get(0)).optional()
        })
        .map_err(|error| query::broken(what, &error))?;
    let Some(event) = event else { return Ok(Err(log::no_such_version(snapshot))) };
    let sql = "INSERT OR REPLACE INTO snapshots (stream, version, schema, state, event, digest) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let written = connection.prepare_cached(sql).and_then(|mut statement| {
        statement.execute((
            &snapshot.stream,
            row::signed(snapshot.version),
            snapshot.schema,
            &snapshot.state,
            &event[..],
            &query::snapshot_digest(snapshot, &event)[..],
        ))
    });
    written.map(|_| Ok(())).map_err(|error| query::broken(what, &error))
}
