//! The tables of the index.

use rusqlite::Connection;

use crate::error::{Reason, StoreError};

/// To be raised whenever the same log would give other rows: then the index is made anew.
const SCHEMA_VERSION: i64 = 5;
/// `BTKN`, so that no other database is taken for an index.
const APPLICATION_ID: i64 = 0x4254_4b4e;
pub(super) const STATEMENTS_KEPT: usize = 64;

/// A node is everything that has one meaning: a lesson, a file, a question. A finding is one handoff's saying so.
/// `words` splits at everything but letters, digits, `_` and `-`; `parts` holds the pieces of names of code, so that
/// `backoff` finds `exponential_backoff`, and `scope` what filters ask for, so that a filter narrows a search before
/// anything is read. `trails` finds any three characters of a path. A node repeats its tags and paths, one a line, so that a
/// match is read from one place. It is `spoken` for when enough may speak for it that agents are told.
const CREATE: &str = "
CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), store BLOB NOT NULL, sequence INTEGER NOT NULL, hash BLOB NOT NULL);
CREATE TABLE page (task TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE need (task TEXT NOT NULL, needed TEXT NOT NULL, PRIMARY KEY (task, needed)) WITHOUT ROWID;
CREATE TABLE decree (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE handoff (sequence INTEGER PRIMARY KEY, source TEXT NOT NULL, accepted INTEGER NOT NULL, backed INTEGER NOT NULL);
CREATE TABLE node (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, spoken INTEGER NOT NULL DEFAULT 0,
    text TEXT NOT NULL, detail TEXT NOT NULL, severity INTEGER, at INTEGER NOT NULL, sources INTEGER NOT NULL,
    tags TEXT NOT NULL DEFAULT '', paths TEXT NOT NULL DEFAULT ''
);
CREATE INDEX node_kind ON node (kind, number);
CREATE TABLE finding (
    number INTEGER PRIMARY KEY, node INTEGER NOT NULL, sequence INTEGER NOT NULL,
    task TEXT NOT NULL, agent TEXT NOT NULL, at INTEGER NOT NULL, item TEXT NOT NULL
);
CREATE INDEX finding_node ON finding (node, sequence);
CREATE INDEX finding_task ON finding (task, sequence);
CREATE TABLE tag (tag TEXT NOT NULL, node INTEGER NOT NULL, PRIMARY KEY (tag, node)) WITHOUT ROWID;
CREATE INDEX tag_node ON tag (node, tag);
CREATE TABLE place (path TEXT NOT NULL, node INTEGER NOT NULL, PRIMARY KEY (path, node)) WITHOUT ROWID;
CREATE INDEX place_node ON place (node, path);
CREATE TABLE band (band INTEGER NOT NULL, node INTEGER NOT NULL, PRIMARY KEY (band, node)) WITHOUT ROWID;
CREATE TABLE path (number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
CREATE TABLE blocked (task TEXT NOT NULL, node INTEGER NOT NULL, PRIMARY KEY (task, node)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(
    text, detail, tags, paths, parts, scope, content = '', contentless_delete = 1, prefix = '3 4 5',
    tokenize = \"unicode61 remove_diacritics 2 tokenchars '_-'\"
);
CREATE VIRTUAL TABLE trails USING fts5(path, content = '', contentless_delete = 1, tokenize = 'trigram');
";

/// Makes the tables where there are none, and refuses a file with any others.
pub(super) fn prepare(connection: &Connection, what: &str) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| StoreError::database(what, &error);
    // Whoever only reads waits for no writer. Both numbers come with the tables and stay.
    let is = |name: &str, number: i64| {
        connection
            .pragma_query_value(None, name, |found| found.get(0))
            .is_ok_and(|found: i64| found == number)
    };
    if is("application_id", APPLICATION_ID) && is("user_version", SCHEMA_VERSION) {
        return Ok(());
    }
    connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
    let made = match known(connection) {
        Ok((0, 0, 0)) => tables(connection).map_err(failed),
        Ok((APPLICATION_ID, SCHEMA_VERSION, _)) => Ok(()),
        Ok(_) => {
            Err(StoreError::new(Reason::ForeignFile, what, "it is no index of this Baton", "it is made anew"))
        }
        Err(error) => Err(failed(error)),
    };
    let end = if made.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = connection.execute_batch(end).map_err(failed);
    made.and(ended)
}

fn known(connection: &Connection) -> Result<(i64, i64, i64), rusqlite::Error> {
    let sql = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) \
               FROM pragma_application_id, pragma_user_version";
    connection.query_row(sql, [], |found| Ok((found.get(0)?, found.get(1)?, found.get(2)?)))
}

fn tables(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.execute_batch(CREATE)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", SCHEMA_VERSION)
}
