//! The contract of the log. Every store keeps it, and one suite of tests holds all of them to it.
//!
//! - Versions of a stream are 1, 2, 3, … without a gap; sequences are the same over all streams.
//! - An append names the version it expects. If the stream has another one, nothing is stored and the answer is
//!   `Conflict`: read again, decide again.
//! - An append with a key that the stream already has is answered with what was stored then, before versions are
//!   compared: a caller who never saw the first answer may simply ask again.
//! - An answer is given after the events are safe on the disk. What is not answered may or may not be stored.

use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

use baton_engine::envelope::{Fresh, Recorded};

use crate::blob::BlobId;
use crate::error::{Reason, StoreError};
use crate::limit;

/// The append-only record of what happened.
pub trait Log {
    /// Stores events and documents together, or nothing of them.
    fn append_with(&mut self, append: &Append<'_>) -> Result<Vec<Recorded>, AppendError>;

    /// Stores events at the end of a stream that has the expected version.
    fn append(
        &mut self,
        stream: &str,
        expected: u64,
        events: &[Fresh],
    ) -> Result<Vec<Recorded>, AppendError> {
        self.append_with(&Append { stream, expected, events, documents: &[] })
    }

    /// Returns the events of a stream after a version, in order, each checked against its hash.
    fn read(&self, stream: &str, after: u64) -> Result<Vec<Recorded>, StoreError>;

    /// Returns at most `limit` events of all streams after a sequence, in order, each checked against its hash.
    fn read_all(&self, after: u64, limit: usize) -> Result<Vec<Recorded>, StoreError>;

    /// Like `read_all`, but waits up to `patience` when there is nothing yet.
    fn follow(&self, after: u64, limit: usize, patience: Duration) -> Result<Vec<Recorded>, StoreError>;

    /// Shows events as they are stored, unchecked, until the visitor has seen enough. For those who verify.
    fn scan(
        &self,
        after: u64,
        visit: &mut dyn FnMut(Result<&Recorded, Unreadable>) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// Returns the last event's place and hash.
    fn head(&self) -> Result<Head, StoreError>;

    /// Returns at most `limit` streams with a name after the given one, in the order of their names.
    fn streams(&self, after: &str, limit: usize) -> Result<Vec<StreamHead>, StoreError>;

    /// Returns the value of a row of a view.
    fn row(&self, view: &str, key: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns at most `limit` rows of a view with a key after the given one, in the order of their keys.
    fn rows(&self, view: &str, after: &str, limit: usize) -> Result<Vec<Row>, StoreError>;

    /// Folds all views anew from the events.
    fn rebuild(&mut self) -> Result<(), StoreError>;
}

/// Documents and outputs, addressed by their content.
pub trait Blobs {
    /// Stores bytes as they are. The caller has masked secrets.
    fn put(&mut self, bytes: &[u8]) -> Result<BlobId, StoreError>;

    /// Returns the bytes, checked against their id.
    fn get(&self, id: &BlobId) -> Result<Option<Vec<u8>>, StoreError>;

    fn has(&self, id: &BlobId) -> Result<bool, StoreError>;
}

/// Folded state of streams, so that nobody reads a long stream from its beginning. It can be lost without harm.
pub trait Snapshots {
    fn save_snapshot(&mut self, snapshot: &Snapshot) -> Result<(), StoreError>;

    /// Returns the snapshot of a stream, or none when there is none that belongs to this very log.
    fn snapshot(&self, stream: &str) -> Result<Option<Snapshot>, StoreError>;
}

/// What is stored together.
#[derive(Debug, Clone, Copy)]
pub struct Append<'a> {
    pub stream: &'a str,
    pub expected: u64,
    pub events: &'a [Fresh],
    /// Documents that the events name, so that no event ever names one that is not there.
    pub documents: &'a [&'a [u8]],
}

/// Why an append stored nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppendError {
    /// Somebody was faster. Read again, decide again.
    Conflict {
        actual: u64,
    },
    /// This command was stored before, as these events.
    Duplicate {
        key: String,
        recorded: Vec<Recorded>,
    },
    Storage(StoreError),
}

/// The last event of the log; sequence 0 and a hash of zeros when there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Head {
    pub sequence: u64,
    pub hash: [u8; 32],
}

/// The last event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamHead {
    pub stream: String,
    pub version: u64,
    pub kind: String,
    pub at: i64,
}

/// A stored event that is none: its fields cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    pub sequence: u64,
    pub why: String,
}

/// A row of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub key: String,
    pub value: Vec<u8>,
}

/// The state of a stream after its event number `version`, in whatever form the owner of the state chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub stream: String,
    pub version: u64,
    /// Version of the form of `state`; another one is not read but folded anew.
    pub schema: u32,
    pub state: Vec<u8>,
}

impl From<StoreError> for AppendError {
    fn from(error: StoreError) -> Self {
        AppendError::Storage(error)
    }
}

impl fmt::Display for AppendError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AppendError::Conflict { actual } => {
                write!(
                    out,
                    "the stream is at version {actual} by now; next: read it again, then decide again"
                )
            }
            AppendError::Duplicate { key, recorded } => {
                let count = recorded.len();
                write!(
                    out,
                    "the command `{key}` was stored before, as {count} events; next: go on with those"
                )
            }
            AppendError::Storage(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for AppendError {}

/// Refuses what no store takes, before anything is written.
pub(crate) fn admit(append: &Append<'_>) -> Result<(), StoreError> {
    named("a stream", append.stream)?;
    within("store the name of a stream", append.stream.len(), limit::STREAM_BYTES_MAX)?;
    within("store the events of one command", append.events.len(), limit::EVENTS_PER_APPEND_MAX)?;
    within("store documents with one command", append.documents.len(), limit::DOCUMENTS_PER_APPEND_MAX)?;
    for event in append.events {
        named("an event", &event.kind)?;
        within("store the body of an event", event.body.len(), limit::BODY_BYTES_MAX)?;
        within("store the name of an event", event.kind.len(), limit::NAME_BYTES_MAX)?;
        within("store the name of an actor", event.actor.name.len(), limit::NAME_BYTES_MAX)?;
        within("store the name of a turn", length(&event.actor.turn), limit::NAME_BYTES_MAX)?;
        within("store an idempotency key", length(&event.key), limit::NAME_BYTES_MAX)?;
    }
    append.documents.iter().try_for_each(|document| admit_blob(document))
}

pub(crate) fn admit_blob(bytes: &[u8]) -> Result<(), StoreError> {
    within("store a document", bytes.len(), limit::BLOB_BYTES_MAX)
}

pub(crate) fn admit_snapshot(snapshot: &Snapshot) -> Result<(), StoreError> {
    within("store the name of a stream", snapshot.stream.len(), limit::STREAM_BYTES_MAX)?;
    within("store a snapshot", snapshot.state.len(), limit::SNAPSHOT_BYTES_MAX)
}

/// A snapshot of what has not happened.
pub(crate) fn no_such_version(snapshot: &Snapshot) -> StoreError {
    StoreError::new(
        Reason::Missing,
        format!("store a snapshot of `{}`", snapshot.stream),
        format!("the stream has no version {}", snapshot.version),
        "nothing was stored; append the events first, then save the state they lead to",
    )
}

fn length(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, String::len)
}

fn named(what: &str, name: &str) -> Result<(), StoreError> {
    if !name.is_empty() {
        return Ok(());
    }
    let what = format!("store {what} without a name");
    Err(StoreError::new(Reason::Missing, what, "the name is empty", "nothing was stored; give it a name"))
}

fn within(what: &str, size: usize, max: usize) -> Result<(), StoreError> {
    if size > max { Err(StoreError::too_large(what, size, max)) } else { Ok(()) }
}

/// Returns the keys of the events in order; one command's events share one key, which is given once.
pub(crate) fn keys(events: &[Fresh]) -> Vec<&str> {
    let mut keys: Vec<&str> = events.iter().filter_map(|event| event.key.as_deref()).collect();
    keys.dedup();
    keys
}
