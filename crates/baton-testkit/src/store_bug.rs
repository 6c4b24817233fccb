//! A log with a planted bug around the real one in memory. A suite of tests that finds none of these proves nothing.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use baton_engine::envelope::{Fresh, Recorded};
use baton_store::log::Unreadable;
use baton_store::memory::MemoryLog;
use baton_store::{
    Append, AppendError, BlobId, Blobs, Head, Log, Row, Snapshot, Snapshots, StoreError, StreamHead,
};

/// One event in so many is linked to the wrong one.
const WRONG_LINK_EVERY: u64 = 16;
/// One event in so many has the sequence of the one before it.
const SAME_SEQUENCE_EVERY: u64 = 4;

macro_rules! bugs {
    ($($name:ident $what:literal,)*) => {
        /// A way to build a store wrong, or none.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum StoreBug {
            #[default]
            None,
            $($name,)*
        }

        impl StoreBug {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            pub fn what(self) -> &'static str {
                match self {
                    Self::None => "the store as it is",
                    $(Self::$name => $what,)*
                }
            }
        }
    };
}

bugs! {
    IgnoresExpectedVersion "the expected version is not compared",
    KeepsTheLoser "the loser of a race is told so, and kept",
    ForgetsKeys "keys are not kept",
    SharesKeys "a key of one stream counts for all",
    ComparesVersionFirst "a repeated command is called a lost race",
    HalfAppend "only the first event of a command is kept",
    SameSequence "two events have one sequence",
    WrongLink "an event is linked to the wrong one",
    OldRead "a reader does not see the last event",
    PagesSkip "a page begins one event too late",
    LosesDocuments "documents do not go in with their events",
    SnapshotOfNothing "the state of an event that never was is kept",
}

/// A log as it is, or with one bug. Clones share one log.
#[derive(Clone, Debug, Default)]
pub struct BuggyLog {
    log: MemoryLog,
    bug: StoreBug,
    /// What the bug that shares keys remembers.
    keys: Arc<Mutex<BTreeMap<String, Vec<Recorded>>>>,
    unfounded: Arc<Mutex<BTreeMap<String, Snapshot>>>,
}

impl BuggyLog {
    pub fn new(bug: StoreBug) -> Self {
        Self { bug, ..Self::default() }
    }

    fn version(&self, stream: &str) -> Result<u64, StoreError> {
        Ok(self.log.read(stream, 0)?.len() as u64)
    }

    /// Shows an event as the wrong build would have stored it.
    fn bend(&self, mut event: Recorded) -> Recorded {
        match self.bug {
            StoreBug::WrongLink if event.sequence.is_multiple_of(WRONG_LINK_EVERY) => event.previous[0] ^= 1,
            StoreBug::SameSequence if event.sequence.is_multiple_of(SAME_SEQUENCE_EVERY) => {
                event.sequence -= 1;
            }
            _ => return event,
        }
        event.hash = event.expected_hash();
        event
    }

    fn bend_all(&self, mut events: Vec<Recorded>) -> Vec<Recorded> {
        if self.bug == StoreBug::OldRead && events.len() > 1 {
            events.pop();
        }
        events.into_iter().map(|event| self.bend(event)).collect()
    }

    fn shared_key(&self, events: &[Fresh]) -> Option<AppendError> {
        let known = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let key = events.first()?.key.clone()?;
        let recorded = known.get(&key)?.clone();
        Some(AppendError::Duplicate { key, recorded })
    }

    fn append_bent(&mut self, append: &Append<'_>) -> Result<Vec<Recorded>, AppendError> {
        let actual = self.version(append.stream)?;
        match self.bug {
            StoreBug::IgnoresExpectedVersion => self.log.append_with(&Append { expected: actual, ..*append }),
            StoreBug::KeepsTheLoser if actual != append.expected => {
                self.log.append_with(&Append { expected: actual, ..*append })?;
                Err(AppendError::Conflict { actual })
            }
            StoreBug::ComparesVersionFirst if actual != append.expected => {
                Err(AppendError::Conflict { actual })
            }
            StoreBug::ForgetsKeys => {
                let unkeyed = |fresh: &Fresh| Fresh { key: None, ..fresh.clone() };
                let events: Vec<Fresh> = append.events.iter().map(unkeyed).collect();
                self.log.append_with(&Append { events: &events, ..*append })
            }
            StoreBug::SharesKeys => {
                if let Some(duplicate) = self.shared_key(append.events) {
                    return Err(duplicate);
                }
                let recorded = self.log.append_with(append)?;
                let key = recorded.first().and_then(|event| event.key.clone());
                let mut known = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
                known.extend(key.map(|key| (key, recorded.clone())));
                Ok(recorded)
            }
            StoreBug::HalfAppend => {
                let kept = append.events.len().min(1);
                self.log.append_with(&Append { events: &append.events[..kept], ..*append })
            }
            StoreBug::LosesDocuments => self.log.append_with(&Append { documents: &[], ..*append }),
            _ => self.log.append_with(append),
        }
    }
}

impl Log for BuggyLog {
    fn append_with(&mut self, append: &Append<'_>) -> Result<Vec<Recorded>, AppendError> {
        if self.bug == StoreBug::None {
            return self.log.append_with(append);
        }
        let recorded = self.append_bent(append)?;
        Ok(recorded.into_iter().map(|event| self.bend(event)).collect())
    }

    fn read(&self, stream: &str, after: u64) -> Result<Vec<Recorded>, StoreError> {
        let events = self.log.read(stream, after)?;
        Ok(if self.bug == StoreBug::None { events } else { self.bend_all(events) })
    }

    fn read_all(&self, after: u64, limit: usize) -> Result<Vec<Recorded>, StoreError> {
        let after = if self.bug == StoreBug::PagesSkip && after > 0 { after + 1 } else { after };
        let events = self.log.read_all(after, limit)?;
        Ok(if self.bug == StoreBug::None { events } else { self.bend_all(events) })
    }

    fn follow(&self, after: u64, limit: usize, patience: Duration) -> Result<Vec<Recorded>, StoreError> {
        self.log.follow(after, limit, patience)
    }

    fn scan(
        &self,
        after: u64,
        visit: &mut dyn FnMut(Result<&Recorded, Unreadable>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.log.scan(after, &mut |event| match event {
            Ok(event) => visit(Ok(&self.bend(event.clone()))),
            Err(unreadable) => visit(Err(unreadable)),
        })
    }

    fn head(&self) -> Result<Head, StoreError> {
        self.log.head()
    }

    fn streams(&self, after: &str, limit: usize) -> Result<Vec<StreamHead>, StoreError> {
        self.log.streams(after, limit)
    }

    fn row(&self, view: &str, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.log.row(view, key)
    }

    fn rows(&self, view: &str, after: &str, limit: usize) -> Result<Vec<Row>, StoreError> {
        self.log.rows(view, after, limit)
    }

    fn rebuild(&mut self) -> Result<(), StoreError> {
        self.log.rebuild()
    }
}

impl Blobs for BuggyLog {
    fn put(&mut self, bytes: &[u8]) -> Result<BlobId, StoreError> {
        self.log.put(bytes)
    }

    fn get(&self, id: &BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.log.get(id)
    }

    fn has(&self, id: &BlobId) -> Result<bool, StoreError> {
        self.log.has(id)
    }
}

impl Snapshots for BuggyLog {
    fn save_snapshot(&mut self, snapshot: &Snapshot) -> Result<(), StoreError> {
        match self.log.save_snapshot(snapshot) {
            Err(_) if self.bug == StoreBug::SnapshotOfNothing => {
                let mut unfounded = self.unfounded.lock().unwrap_or_else(PoisonError::into_inner);
                unfounded.insert(snapshot.stream.clone(), snapshot.clone());
                Ok(())
            }
            saved => saved,
        }
    }

    fn snapshot(&self, stream: &str) -> Result<Option<Snapshot>, StoreError> {
        let unfounded = self.unfounded.lock().unwrap_or_else(PoisonError::into_inner);
        match unfounded.get(stream) {
            Some(snapshot) => Ok(Some(snapshot.clone())),
            None => self.log.snapshot(stream),
        }
    }
}
