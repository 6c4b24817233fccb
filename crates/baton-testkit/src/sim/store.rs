//! A log in memory that can lose power, lose races and leave its caller in doubt.

use baton_engine::envelope::{GENESIS, Recorded};
use baton_engine::{Entry, Fresh};
use std::collections::{BTreeMap, BTreeSet};

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

/// Ways in which a store can be built wrong.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    pub(crate) ignores_expected_version: bool,
    pub(crate) acknowledges_before_sync: bool,
    pub(crate) breaks_chain: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) log: Vec<Recorded>,
    versions: BTreeMap<String, u64>,
    keys: BTreeSet<String>,
    streams: BTreeMap<String, Vec<Entry>>,
    /// What a power cut leaves.
    synced: usize,
    /// What somebody was told is kept.
    acknowledged: Vec<(u64, [u8; 32])>,
    faults: Faults,
}

impl Store {
    pub(crate) fn new(faults: Faults) -> Self {
        Self { faults, ..Self::default() }
    }

    pub(crate) fn version(&self, stream: &str) -> u64 {
        self.versions.get(stream).copied().unwrap_or(0)
    }

    pub(crate) fn append(
        &mut self,
        stream: &str,
        expected: u64,
        (events, fate): (Vec<Fresh>, Fate),
    ) -> Result<Vec<Recorded>, AppendError> {
        let key = events.first().and_then(|fresh| fresh.key.clone());
        if key.as_ref().is_some_and(|key| self.keys.contains(key)) {
            return Err(AppendError::Duplicate);
        }
        if self.version(stream) != expected && !self.faults.ignores_expected_version {
            return Err(AppendError::Conflict);
        }
        match fate {
            Fate::Refused => return Err(AppendError::Storage),
            Fate::LostInDoubt => return Err(AppendError::Unknown),
            Fate::Kept | Fate::KeptInDoubt => {}
        }
        let recorded = self.write(stream, expected, events);
        self.keys.extend(key);
        if !self.faults.acknowledges_before_sync || self.log.len().is_multiple_of(8) {
            self.synced = self.log.len();
        }
        if fate == Fate::KeptInDoubt {
            return Err(AppendError::Unknown);
        }
        self.acknowledged.extend(recorded.iter().map(|event| (event.sequence, event.hash)));
        Ok(recorded)
    }

    fn write(&mut self, stream: &str, expected: u64, events: Vec<Fresh>) -> Vec<Recorded> {
        let mut written = Vec::with_capacity(events.len());
        for (version, fresh) in (expected + 1..).zip(events) {
            let last = self.log.last();
            let mut previous = last.map_or(GENESIS, |event| event.hash);
            if self.faults.breaks_chain && self.log.len() % 16 == 15 {
                previous[0] ^= 1;
            }
            let sequence = self.log.len() as u64 + 1;
            let recorded = Recorded::seal(fresh, stream, version, (sequence, previous));
            self.versions.insert(stream.to_owned(), version);
            self.streams.entry(stream.to_owned()).or_default().push(Entry::read(&recorded));
            self.log.push(recorded.clone());
            written.push(recorded);
        }
        written
    }

    /// Forgets everything after the last sync, and says how much that was.
    pub(crate) fn cut_power(&mut self) -> usize {
        let lost = self.log.len() - self.synced;
        if lost > 0 {
            self.log.truncate(self.synced);
            self.versions.clear();
            self.keys.clear();
            self.streams.clear();
            for event in &self.log {
                self.versions.insert(event.stream.clone(), event.version);
                self.keys.extend(event.key.clone());
                self.streams.entry(event.stream.clone()).or_default().push(Entry::read(event));
            }
        }
        lost
    }

    /// Returns an event that somebody was told is kept, and is not.
    pub(crate) fn lost_acknowledgment(&self) -> Option<u64> {
        let kept = |sequence: u64| self.log.get(usize::try_from(sequence - 1).unwrap_or(usize::MAX));
        let lost = self
            .acknowledged
            .iter()
            .find(|(sequence, hash)| kept(*sequence).is_none_or(|event| event.hash != *hash));
        lost.map(|(sequence, _)| *sequence)
    }

    /// Returns the first event that does not follow the one before it, from the place last checked.
    pub(crate) fn broken_link(&self, checked: &mut usize) -> Option<u64> {
        let before = checked.checked_sub(1).and_then(|last| self.log.get(last));
        let mut previous = before.map_or(GENESIS, |event| event.hash);
        for event in self.log.iter().skip(*checked) {
            if !event.follows(&previous) {
                return Some(event.sequence);
            }
            previous = event.hash;
        }
        *checked = self.log.len();
        None
    }

    pub(crate) fn entries(&self, stream: &str) -> &[Entry] {
        self.streams.get(stream).map_or(&[], Vec::as_slice)
    }
}
