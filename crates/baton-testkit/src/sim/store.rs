//! The log of `baton-store` on a simulated disk, which can lose power, lose races and leave its caller in doubt.
//!
//! What is appended, refused and read is decided by the same `MemoryLog` that the contract suite holds to the promises of
//! the log. Only the disk is simulated: what has been flushed, and what the caller learns of it.

use std::collections::BTreeMap;

use baton_engine::envelope::{Fresh, GENESIS, Recorded};
use baton_engine::{Entry, Event};
use baton_store::Log;
use baton_store::log;

use super::mutation::Mutation;
use crate::store_bug::{BuggyLog, StoreBug};

/// With the bug that acknowledges early, the disk is flushed after so many events.
const FLUSHED_EVERY: u64 = 8;

/// What happens to one append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Kept,
    /// Nothing is written, and the caller is told so.
    Refused,
    /// It is written, and the caller does not learn it.
    KeptInDoubt,
    /// It is not written, and the caller does not learn that either.
    LostInDoubt,
}

/// How an append failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppendError {
    Conflict,
    Duplicate,
    Storage,
    Unknown,
}

#[derive(Debug, Default)]
pub(crate) struct Store {
    log: BuggyLog,
    /// What the log holds, read once.
    streams: BTreeMap<String, Vec<Entry>>,
    /// What a power cut leaves.
    flushed: u64,
    flushes_late: bool,
    /// What somebody was told is kept.
    acknowledged: Vec<(u64, [u8; 32])>,
    bug: StoreBug,
}

impl Store {
    pub(crate) fn new(mutation: Mutation) -> Self {
        let bug = mutation.store();
        let flushes_late = mutation == Mutation::AcknowledgeBeforeSync;
        Self { log: BuggyLog::new(bug), bug, flushes_late, ..Self::default() }
    }

    /// How many events there are.
    pub(crate) fn len(&self) -> u64 {
        self.log.head().map_or(0, |head| head.sequence)
    }

    pub(crate) fn events(&self) -> Vec<Recorded> {
        self.log.read_all(0, usize::MAX).unwrap_or_default()
    }

    pub(crate) fn head(&self) -> [u8; 32] {
        self.log.head().map_or(GENESIS, |head| head.hash)
    }

    pub(crate) fn append(
        &mut self,
        stream: &str,
        expected: u64,
        (events, fate): (&[Fresh], Fate),
    ) -> Result<(), AppendError> {
        if self.bug == StoreBug::None && self.entries(stream).len() as u64 != expected {
            // Whether a race is lost is known before the disk is asked for anything.
            return self.log.append(stream, expected, events).map(|_| ()).map_err(|error| told(&error));
        }
        match fate {
            Fate::Refused => return Err(AppendError::Storage),
            Fate::LostInDoubt => return Err(AppendError::Unknown),
            Fate::Kept | Fate::KeptInDoubt => {}
        }
        let recorded = self.log.append(stream, expected, events);
        self.read_on(stream);
        let recorded = recorded.map_err(|error| told(&error))?;
        if !self.flushes_late || self.len().is_multiple_of(FLUSHED_EVERY) {
            self.flushed = self.len();
        }
        if fate == Fate::KeptInDoubt {
            return Err(AppendError::Unknown);
        }
        self.acknowledged.extend(recorded.iter().map(|event| (event.sequence, event.hash)));
        Ok(())
    }

    /// Reads what is new in a stream, from the log and not from what was meant to be stored.
    fn read_on(&mut self, stream: &str) {
        let known = self.entries(stream).len() as u64;
        let fresh = self.log.read(stream, known).unwrap_or_default();
        if !fresh.is_empty() {
            self.streams.entry(stream.to_owned()).or_default().extend(fresh.iter().map(Entry::read));
        }
    }

    /// Forgets everything that was not flushed, and says how much that was.
    pub(crate) fn cut_power(&mut self) -> u64 {
        let lost = self.len() - self.flushed;
        if lost > 0 {
            let kept = self.log.read_all(0, usize::try_from(self.flushed).unwrap_or(usize::MAX));
            self.log = BuggyLog::new(self.bug);
            self.streams.clear();
            for event in kept.unwrap_or_default() {
                let Recorded { stream, version, at, actor, kind, schema, body, key, .. } = event;
                let fresh = Fresh { at, actor, kind, schema, body, key };
                let _same = self.log.append(&stream, version - 1, &[fresh]);
                self.read_on(&stream);
            }
        }
        lost
    }

    /// Returns an event that somebody was told is kept, and is not.
    pub(crate) fn lost_acknowledgment(&self) -> Option<u64> {
        let kept: BTreeMap<u64, [u8; 32]> =
            self.events().into_iter().map(|event| (event.sequence, event.hash)).collect();
        let lost = self.acknowledged.iter().find(|(sequence, hash)| kept.get(sequence) != Some(hash));
        lost.map(|(sequence, _)| *sequence)
    }

    /// Returns the first event that does not follow the one before it, from the place last checked.
    pub(crate) fn broken_link(&self, checked: &mut Checked) -> Option<u64> {
        for event in self.log.read_all(checked.sequence, usize::MAX).unwrap_or_default() {
            if event.sequence != checked.sequence + 1 || !event.follows(&checked.hash) {
                return Some(checked.sequence + 1);
            }
            *checked = Checked { sequence: event.sequence, hash: event.hash };
        }
        None
    }

    pub(crate) fn entries(&self, stream: &str) -> &[Entry] {
        self.streams.get(stream).map_or(&[], Vec::as_slice)
    }

    /// Says whether a stream has such an event.
    pub(crate) fn has(&self, stream: &str, wanted: impl Fn(&Event) -> bool) -> bool {
        self.entries(stream).iter().any(|entry| wanted(&entry.event))
    }
}

fn told(error: &log::AppendError) -> AppendError {
    match error {
        log::AppendError::Conflict { .. } => AppendError::Conflict,
        log::AppendError::Duplicate { .. } => AppendError::Duplicate,
        log::AppendError::Storage(_) => AppendError::Storage,
    }
}

/// How far the chain was followed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Checked {
    sequence: u64,
    hash: [u8; 32],
}
