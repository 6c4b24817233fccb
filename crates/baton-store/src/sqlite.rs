//! The log in one SQLite file: write-ahead log, every commit flushed, one writer thread, readers of their own.
//!
//! Two processes may have the same file open. Each reads the head and the stream's version inside its own write
//! transaction, which only one of them can hold, so the second sees what the first has stored and loses its race openly.
//! A lock for the life of a process would be simpler and would make `status` wait for a running `baton`.

mod anchoring;
mod connect;
mod fold;
mod place;
mod query;
mod readers;
mod row;
mod schema;
mod transaction;
mod writer;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use baton_engine::envelope::Recorded;
use rusqlite::Connection;

use crate::anchor::{self, Anchor, Anchorage};
use crate::blob::BlobId;
use crate::chain::{self, Finding, Verified};
use crate::error::{Reason, StoreError};
use crate::limit;
use crate::log::{
    self, Append, AppendError, Blobs, Head, Log, Row, Snapshot, Snapshots, StreamHead, Unreadable,
};
use crate::record;
use crate::view::Views;
use crate::view::states::States;

use anchoring::Anchoring;
pub use connect::Placement;
use readers::Readers;
use transaction::{Document, Outcome, Work};
use writer::{Desk, Writer};

/// How a store is opened.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub views: Views,
    pub anchorage: Option<Anchorage>,
    pub placement: Placement,
}

/// A log in a file. Clones share one writer.
#[derive(Debug, Clone)]
pub struct SqliteLog {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    store: [u8; 16],
    readers: Readers,
    growth: Arc<Growth>,
    anchorage: Option<Anchorage>,
    anchoring: Option<Anchoring>,
    desk: Desk,
}

/// Tells followers in this process that there is something new.
#[derive(Debug, Default)]
struct Growth {
    sequence: Mutex<u64>,
    grown: Condvar,
}

/// Whom the writer tells about a new head.
#[derive(Debug, Clone)]
struct Signal {
    growth: Arc<Growth>,
    anchoring: Option<anchoring::Wish>,
}

impl Signal {
    fn grown(&self, head: Head) {
        *self.growth.sequence.lock().unwrap_or_else(PoisonError::into_inner) = head.sequence;
        self.growth.grown.notify_all();
        if let Some(wish) = &self.anchoring {
            wish.anchor(head);
        }
    }
}

impl SqliteLog {
    /// Opens the store, or makes a new one where there is nothing.
    ///
    /// What costs the same for any size of log is checked: the settings, the last events, and the anchored event. `check`
    /// reads everything.
    pub fn open(path: &Path, options: Options) -> Result<Self, StoreError> {
        let anchor = options.anchorage.as_ref().map(Anchorage::read).transpose()?.flatten();
        if let Some(anchor) = anchor.as_ref().filter(|_| connect::is_nothing(path)) {
            // A log that was anchored and is gone is not begun anew: a backup shall find its place free.
            anchor::check(anchor, &anchor.store, |_| Ok(None))?;
        }
        let path = connect::admit(path, options.placement)?;
        let (first, writing) = match connect::first_reader(&path)? {
            // Most processes only read. Whoever stores something opens for that, and proves the settings then.
            Some(first) => (first, None),
            None => {
                let writing = connect::writer(&path)?;
                (connect::reader(&path)?, Some(writing))
            }
        };
        let views = options.views.clone();
        let (store, is_behind) = connect::at_one_moment(&first, || {
            let store = connect::store_id(&first)?;
            connect::check_tail(&first)?;
            if let Some(anchor) = anchor {
                anchor::check(&anchor, &store, |sequence| query::hash_at(&first, sequence))?;
            }
            Ok((store, fold::is_behind(&first, &views)?))
        })?;
        let readers = Readers::new(path.clone(), Some(first));
        let growth = Arc::<Growth>::default();
        let anchoring =
            options.anchorage.clone().map(|anchorage| Anchoring::new(anchorage, store, path.clone()));
        let signal = Signal { growth: growth.clone(), anchoring: anchoring.as_ref().map(Anchoring::wish) };
        let writer = Writer {
            path: path.clone(),
            views: options.views,
            states: States::default(),
            connection: writing,
            signal,
        };
        let desk = Desk::new(writer);
        let log = SqliteLog {
            shared: Arc::new(Shared {
                path,
                store,
                readers,
                growth,
                anchorage: options.anchorage,
                anchoring,
                desk,
            }),
        };
        if is_behind {
            // Views that a newer or older program left behind are folded before anybody reads them.
            log.plain(Work::CatchUp)?;
        }
        Ok(log)
    }

    /// The path of the file, with links resolved.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Lets this thread read the log as it is now: what is stored meanwhile, by whomever, is not seen before `read` has ended.
    pub fn at_one_moment<T>(&self, read: impl FnOnce() -> T) -> Result<T, StoreError> {
        self.shared.readers.at_one_moment(read)
    }

    /// Returns the anchor that this log would have now.
    pub fn anchor(&self) -> Result<Anchor, StoreError> {
        Ok(Anchor { store: self.shared.store, head: self.head()? })
    }

    /// Returns why the head could not be anchored lately. Storing goes on without it.
    pub fn anchor_trouble(&self) -> Option<StoreError> {
        self.shared.anchoring.as_ref().and_then(Anchoring::trouble)
    }

    /// Checks everything: the file, the chain, and the chain against the anchor.
    pub fn check(&self) -> Result<Result<Verified, Finding>, StoreError> {
        self.shared.readers.with(connect::full_check)?;
        self.verify()
    }

    /// Reads every document, each checked against its id, and returns how many there are.
    pub fn check_documents(&self) -> Result<u64, StoreError> {
        self.shared.readers.with(|connection| {
            let mut count = 0;
            query::each_blob(connection, &mut |id| {
                count += 1;
                query::blob(connection, &id).map(|_| ())
            })?;
            Ok(count)
        })
    }

    /// Verifies the chain against the anchor.
    pub fn verify(&self) -> Result<Result<Verified, Finding>, StoreError> {
        let anchor = self.shared.anchorage.as_ref().map(Anchorage::read).transpose()?.flatten();
        if let Some(anchor) = anchor.filter(|anchor| anchor.store != self.shared.store) {
            anchor::check(&anchor, &self.shared.store, |_| Ok(None))?;
        }
        chain::verify(self, anchor.map(|anchor| anchor.head))
    }

    fn submit(&self, work: Work) -> Outcome {
        self.shared.desk.submit(work).unwrap_or_else(|| {
            Err(AppendError::Storage(StoreError::new(
                Reason::Unsettled,
                "store",
                "the writer of this process has ended",
                "start Baton again; then read, and send the same command again with the same key",
            )))
        })
    }

    fn plain(&self, work: Work) -> Result<(), StoreError> {
        match self.submit(work) {
            Ok(_) => Ok(()),
            Err(AppendError::Storage(error)) => Err(error),
            Err(error) => Err(StoreError::corrupt("store", error.to_string())),
        }
    }
}

/// Opens a store to be copied, whoever else has it open.
pub(crate) fn open_for_copy(path: &Path) -> Result<Connection, StoreError> {
    let found = fs::symlink_metadata(path).map_err(|error| StoreError::file("copy", path, &error))?;
    connect::admit_file(path, &found)?;
    connect::reader(path)
}

/// Checks a file that nobody has open: the file itself, its chain, and that it holds the given event.
pub(crate) fn verify_file(path: &Path, must_hold: Option<Head>) -> Result<Verified, StoreError> {
    let connection = connect::reader(path)?;
    connect::quick_check(&connection)?;
    let verified = chain::verify_with(must_hold, |visit| query::scan(&connection, 0, visit))?;
    verified.map_err(|finding| StoreError::corrupt(format!("trust {}", path.display()), finding.to_string()))
}

impl Drop for Shared {
    /// The writer goes last, with its field: only a connection that may write can fold the write-ahead log into the file.
    fn drop(&mut self) {
        self.readers.close();
        self.anchoring = None;
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StoreError> {
    thread::Builder::new().name(name.to_owned()).spawn(run).map_err(|error| {
        StoreError::new(
            Reason::Failed,
            "start a thread",
            error.to_string(),
            "end other programs, then try again",
        )
    })
}

impl Log for SqliteLog {
    fn append_with(&mut self, append: &Append<'_>) -> Result<Vec<Recorded>, AppendError> {
        log::admit(append)?;
        let document = |bytes: &&[u8]| Document { id: BlobId::of(bytes), bytes: bytes.to_vec() };
        self.submit(Work::Append {
            stream: append.stream.to_owned(),
            expected: append.expected,
            events: append.events.to_vec(),
            documents: append.documents.iter().map(document).collect(),
        })
    }

    fn read(&self, stream: &str, after: u64) -> Result<Vec<Recorded>, StoreError> {
        let events = self.shared.readers.with(|connection| query::of_stream(connection, stream, after))?;
        record::checked_stream(after, events)
    }

    fn read_all(&self, after: u64, limit: usize) -> Result<Vec<Recorded>, StoreError> {
        let limit = limit.min(limit::READ_EVENTS_MAX);
        let events = self.shared.readers.with(|connection| query::of_all(connection, after, limit))?;
        record::checked_all(after, events)
    }

    fn follow(&self, after: u64, limit: usize, patience: Duration) -> Result<Vec<Recorded>, StoreError> {
        let deadline = Instant::now() + patience;
        loop {
            let events = self.read_all(after, limit)?;
            let left = deadline.saturating_duration_since(Instant::now());
            if !events.is_empty() || left.is_zero() {
                return Ok(events);
            }
            let sequence = self.shared.growth.sequence.lock().unwrap_or_else(PoisonError::into_inner);
            if *sequence <= after {
                // Other processes cannot wake us, so we look now and then.
                let _ = self.shared.growth.grown.wait_timeout(sequence, left.min(limit::FOLLOW_LOOK));
            }
        }
    }

    fn scan(
        &self,
        after: u64,
        visit: &mut dyn FnMut(Result<&Recorded, Unreadable>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.shared.readers.with(|connection| query::scan(connection, after, visit))
    }

    fn head(&self) -> Result<Head, StoreError> {
        self.shared.readers.with(query::head)
    }

    fn streams(&self, after: &str, limit: usize) -> Result<Vec<StreamHead>, StoreError> {
        let limit = limit.min(limit::ROWS_MAX);
        self.shared.readers.with(|connection| query::streams(connection, after, limit))
    }

    fn row(&self, view: &str, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.shared.readers.with(|connection| query::view_row(connection, view, key))
    }

    fn rows(&self, view: &str, after: &str, limit: usize) -> Result<Vec<Row>, StoreError> {
        let limit = limit.min(limit::ROWS_MAX);
        self.shared.readers.with(|connection| query::view_rows(connection, view, after, limit))
    }

    fn rebuild(&mut self) -> Result<(), StoreError> {
        self.plain(Work::Rebuild)
    }
}

impl Blobs for SqliteLog {
    fn put(&mut self, bytes: &[u8]) -> Result<BlobId, StoreError> {
        log::admit_blob(bytes)?;
        let id = BlobId::of(bytes);
        if !self.has(&id)? {
            self.plain(Work::Put(Document { id, bytes: bytes.to_vec() }))?;
        }
        Ok(id)
    }

    fn get(&self, id: &BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.shared.readers.with(|connection| query::blob(connection, id))
    }

    fn has(&self, id: &BlobId) -> Result<bool, StoreError> {
        self.shared.readers.with(|connection| query::has_blob(connection, id))
    }
}

impl Snapshots for SqliteLog {
    fn save_snapshot(&mut self, snapshot: &Snapshot) -> Result<(), StoreError> {
        log::admit_snapshot(snapshot)?;
        self.plain(Work::Save(snapshot.clone()))
    }

    fn snapshot(&self, stream: &str) -> Result<Option<Snapshot>, StoreError> {
        self.shared.readers.with(|connection| query::snapshot(connection, stream))
    }
}
