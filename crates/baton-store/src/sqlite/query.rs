//! What is asked of a connection, whether it reads only or is in the middle of a write.

use std::ops::ControlFlow;

use baton_engine::envelope::Recorded;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, ToSql};
use sha2::{Digest, Sha256};

use super::row;
use super::schema::EVENT_COLUMNS;
use crate::blob::{self, BlobId};
use crate::error::StoreError;
use crate::log::{Head, Row, Snapshot, StreamHead, Unreadable};

pub(super) fn head(connection: &Connection) -> Result<Head, StoreError> {
    let sql = "SELECT sequence, hash FROM events ORDER BY sequence DESC LIMIT 1";
    let found = connection.prepare_cached(sql).and_then(|mut statement| {
        statement
            .query_row([], |found| Ok(Head { sequence: row::unsigned(found, 0)?, hash: found.get(1)? }))
            .optional()
    });
    found.map(Option::unwrap_or_default).map_err(|error| broken("read the end of the log", &error))
}

pub(super) fn hash_at(connection: &Connection, sequence: u64) -> Result<Option<[u8; 32]>, StoreError> {
    let sql = "SELECT hash FROM events WHERE sequence = ?1";
    let found = connection.prepare_cached(sql).and_then(|mut statement| {
        statement.query_row([row::signed(sequence)], |found| found.get(0)).optional()
    });
    found.map_err(|error| broken("read an event", &error))
}

pub(super) fn version(connection: &Connection, stream: &str) -> Result<u64, StoreError> {
    let sql = "SELECT coalesce(max(version), 0) FROM events WHERE stream = ?1";
    let found = connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row([stream], |found| row::unsigned(found, 0)));
    found.map_err(|error| broken("read the version of a stream", &error))
}

pub(super) fn of_stream(
    connection: &Connection,
    stream: &str,
    after: u64,
) -> Result<Vec<Recorded>, StoreError> {
    let after = row::signed(after);
    events(connection, "stream = ?1 AND version > ?2 ORDER BY version", &[&stream, &after])
}

pub(super) fn of_stream_to(
    connection: &Connection,
    stream: &str,
    version: u64,
) -> Result<Vec<Recorded>, StoreError> {
    let version = row::signed(version);
    events(connection, "stream = ?1 AND version <= ?2 ORDER BY version", &[&stream, &version])
}

pub(super) fn of_key(connection: &Connection, stream: &str, key: &str) -> Result<Vec<Recorded>, StoreError> {
    events(connection, "stream = ?1 AND key = ?2 ORDER BY version", &[&stream, &key])
}

pub(super) fn has_key(connection: &Connection, stream: &str, key: &str) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM events WHERE stream = ?1 AND key = ?2 LIMIT 1";
    let found = connection.prepare_cached(sql).and_then(|mut statement| statement.exists([stream, key]));
    found.map_err(|error| broken("look for an idempotency key", &error))
}

pub(super) fn of_all(connection: &Connection, after: u64, limit: usize) -> Result<Vec<Recorded>, StoreError> {
    let (after, limit) = (row::signed(after), row::signed(limit as u64));
    events(connection, "sequence > ?1 ORDER BY sequence LIMIT ?2", &[&after, &limit])
}

fn events(
    connection: &Connection,
    condition: &str,
    values: &[&dyn ToSql],
) -> Result<Vec<Recorded>, StoreError> {
    let what = "read events";
    let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE {condition}");
    let mut statement = connection.prepare_cached(&sql).map_err(|error| broken(what, &error))?;
    let mut rows = statement.query(values).map_err(|error| broken(what, &error))?;
    let mut events = Vec::new();
    while let Some(found) = rows.next().map_err(|error| broken(what, &error))? {
        events.push(row::event(found).map_err(|error| row::unreadable(&error))?);
    }
    Ok(events)
}

/// Jumps from the end of one stream to the next in the index, so that only the streams that are asked for cost something.
pub(super) fn streams(
    connection: &Connection,
    after: &str,
    limit: usize,
) -> Result<Vec<StreamHead>, StoreError> {
    let sql = "WITH RECURSIVE named (stream) AS ( \
                 SELECT min(stream) FROM events WHERE stream > ?1 \
                 UNION ALL \
                 SELECT (SELECT min(stream) FROM events WHERE stream > named.stream) FROM named \
                 WHERE named.stream IS NOT NULL LIMIT ?2) \
               SELECT e.stream, e.version, e.kind, e.at FROM named CROSS JOIN events e ON e.stream = named.stream \
                 AND e.version = (SELECT max(version) FROM events WHERE stream = named.stream) ORDER BY e.stream";
    let found = connection.prepare_cached(sql).and_then(|mut statement| {
        let columns = |found: &rusqlite::Row<'_>| {
            let (version, kind) = (row::unsigned(found, 1)?, found.get(2)?);
            Ok(StreamHead { stream: found.get(0)?, version, kind, at: found.get(3)? })
        };
        statement.query_map((after, row::signed(limit as u64)), columns)?.collect()
    });
    found.map_err(|error| broken("list the streams", &error))
}

/// Shows events as they are, the unreadable ones too.
pub(super) fn scan(
    connection: &Connection,
    after: u64,
    visit: &mut dyn FnMut(Result<&Recorded, Unreadable>) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let what = "read all events";
    let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE sequence > ?1 ORDER BY sequence");
    let mut statement = connection.prepare_cached(&sql).map_err(|error| broken(what, &error))?;
    let mut rows = statement.query([row::signed(after)]).map_err(|error| broken(what, &error))?;
    while let Some(found) = rows.next().map_err(|error| broken(what, &error))? {
        let seen = match row::event(found) {
            Ok(event) => visit(Ok(&event)),
            Err(unreadable) => visit(Err(unreadable)),
        };
        if seen.is_break() {
            break;
        }
    }
    Ok(())
}

/// The row of a blob: where its chunks are, how long it is, and its bytes when there are no chunks.
pub(super) fn blob(connection: &Connection, id: &BlobId) -> Result<Option<Vec<u8>>, StoreError> {
    let what = "read a document";
    let sql = "SELECT number, size, bytes FROM blobs WHERE id = ?1";
    let found = connection
        .prepare_cached(sql)
        .and_then(|mut statement| {
            let columns = |found: &rusqlite::Row<'_>| Ok((found.get(0)?, found.get(1)?, found.get(2)?));
            statement.query_row([&id.0[..]], columns).optional()
        })
        .map_err(|error| broken(what, &error))?;
    let Some((number, size, bytes)): Option<(i64, i64, Option<Vec<u8>>)> = found else { return Ok(None) };
    let bytes = match bytes {
        Some(bytes) => bytes,
        None => chunks(connection, number, size).map_err(|error| broken(what, &error))?,
    };
    blob::checked(id, bytes).map(Some)
}

/// Shows the id of every blob.
pub(super) fn each_blob(
    connection: &Connection,
    visit: &mut dyn FnMut(BlobId) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let what = "read all documents";
    let sql = "SELECT id FROM blobs ORDER BY number";
    let mut statement = connection.prepare(sql).map_err(|error| broken(what, &error))?;
    let mut rows = statement.query([]).map_err(|error| broken(what, &error))?;
    while let Some(found) = rows.next().map_err(|error| broken(what, &error))? {
        visit(BlobId(found.get(0).map_err(|error| broken(what, &error))?))?;
    }
    Ok(())
}

fn chunks(connection: &Connection, number: i64, size: i64) -> Result<Vec<u8>, rusqlite::Error> {
    let sql = "SELECT bytes FROM blob_chunks WHERE number = ?1 ORDER BY place";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([number])?;
    // The size is a hint: it may have been damaged, and the hash decides anyway.
    let hint = usize::try_from(size).unwrap_or(0).min(crate::limit::BLOB_BYTES_MAX);
    let mut bytes = Vec::with_capacity(hint);
    while let Some(found) = rows.next()? {
        bytes.extend(found.get::<_, Vec<u8>>(0)?);
    }
    Ok(bytes)
}

pub(super) fn has_blob(connection: &Connection, id: &BlobId) -> Result<bool, StoreError> {
    let found = connection
        .prepare_cached("SELECT 1 FROM blobs WHERE id = ?1")
        .and_then(|mut statement| statement.exists([&id.0[..]]));
    found.map_err(|error| broken("look for a document", &error))
}

pub(super) fn view_row(
    connection: &Connection,
    view: &str,
    key: &str,
) -> Result<Option<Vec<u8>>, StoreError> {
    let sql = "SELECT value FROM view_rows WHERE view = ?1 AND key = ?2";
    let found = connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row([view, key], |found| found.get(0)).optional());
    found.map_err(|error| broken("read a view", &error))
}

pub(super) fn view_rows(
    connection: &Connection,
    view: &str,
    after: &str,
    limit: usize,
) -> Result<Vec<Row>, StoreError> {
    let sql = "SELECT key, value FROM view_rows WHERE view = ?1 AND key > ?2 ORDER BY key LIMIT ?3";
    let found = connection.prepare_cached(sql).and_then(|mut statement| {
        let columns = |found: &rusqlite::Row<'_>| Ok(Row { key: found.get(0)?, value: found.get(1)? });
        statement.query_map((view, after, row::signed(limit as u64)), columns)?.collect()
    });
    found.map_err(|error| broken("read a view", &error))
}

/// Returns the snapshot when it is whole and made of the events that this log has.
pub(super) fn snapshot(connection: &Connection, stream: &str) -> Result<Option<Snapshot>, StoreError> {
    let what = "read a snapshot";
    let sql = "SELECT s.version, s.schema, s.state, s.digest, s.event FROM snapshots s \
               JOIN events e ON e.stream = s.stream AND e.version = s.version AND e.hash = s.event \
               WHERE s.stream = ?1";
    let found = connection
        .prepare_cached(sql)
        .and_then(|mut statement| {
            statement
                .query_row([stream], |found| {
                    let snapshot = Snapshot {
                        stream: stream.to_owned(),
                        version: row::unsigned(found, 0)?,
                        schema: found.get(1)?,
                        state: found.get(2)?,
                    };
                    Ok((snapshot, found.get::<_, Value>(3)?, found.get::<_, [u8; 32]>(4)?))
                })
                .optional()
        })
        .map_err(|error| broken(what, &error))?;
    Ok(found
        .filter(|(snapshot, digest, event)| *digest == Value::Blob(snapshot_digest(snapshot, event).to_vec()))
        .map(|(snapshot, ..)| snapshot))
}

pub(super) fn snapshot_digest(snapshot: &Snapshot, event: &[u8; 32]) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(event);
    digest.update(snapshot.schema.to_be_bytes());
    digest.update(&snapshot.state);
    digest.finalize().into()
}

/// A row that is not of the shape we wrote is damage, whatever else the database says about it.
pub(super) fn broken(what: &str, error: &rusqlite::Error) -> StoreError {
    match error {
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::Utf8Error(..) => StoreError::corrupt(what, error.to_string()),
        _ => StoreError::database(what, error),
    }
}
