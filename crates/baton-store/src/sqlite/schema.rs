//! The tables, and how a file says that they are in it.

/// "BATN": what `file` and `PRAGMA application_id` show.
pub(super) const APPLICATION_ID: i64 = 0x4241_544e;
/// Raised with every change of the tables.
pub(super) const SCHEMA_VERSION: i64 = 1;

/// - A blob is in its own row or, when it is large, in chunks. Blobs are numbered in the order in which they come: a table
///   in the order of their ids would be smaller and would touch twice as many pages for each.
/// - A view without a position has read everything. A program that does not know a view gives it a position before it
///   appends, so that nothing needs to be written for those who do.
pub(super) const CREATE: &str = "
CREATE TABLE events (
    sequence   INTEGER PRIMARY KEY,
    stream     TEXT NOT NULL,
    version    INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    actor_turn TEXT,
    kind       TEXT NOT NULL,
    schema     INTEGER NOT NULL,
    body       BLOB NOT NULL,
    key        TEXT,
    previous   BLOB NOT NULL,
    hash       BLOB NOT NULL,
    UNIQUE (stream, version)
) STRICT;
CREATE INDEX events_of_key ON events (stream, key) WHERE key IS NOT NULL;
CREATE TABLE blobs (
    number INTEGER PRIMARY KEY,
    id     BLOB NOT NULL UNIQUE,
    size   INTEGER NOT NULL,
    bytes  BLOB
) STRICT;
CREATE TABLE blob_chunks (
    number INTEGER NOT NULL REFERENCES blobs (number),
    place  INTEGER NOT NULL,
    bytes  BLOB NOT NULL,
    PRIMARY KEY (number, place)
) STRICT;
CREATE TABLE view_positions (
    view     TEXT PRIMARY KEY,
    version  INTEGER NOT NULL,
    sequence INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE view_rows (
    view  TEXT NOT NULL,
    key   TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (view, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots (
    stream  TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    schema  INTEGER NOT NULL,
    state   BLOB NOT NULL,
    event   BLOB NOT NULL,
    digest  BLOB NOT NULL
) STRICT;
CREATE TABLE store (
    id BLOB NOT NULL
) STRICT;
";

pub(super) const EVENT_COLUMNS: &str = "sequence, stream, version, at, actor_kind, actor_name, actor_turn, kind, schema, body, key, previous, hash";
