//! A log in memory: the contract without a disk, for tests and for the simulated world.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, ControlFlow};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use baton_engine::envelope::Recorded;
use baton_engine::state::State;

use crate::blob::{self, BlobId};
use crate::error::StoreError;
use crate::limit;
use crate::log::{
    self, Append, AppendError, Blobs, Head, Log, Row, Snapshot, Snapshots, StreamHead, Unreadable,
};
use crate::record;
use crate::view::states::States;
use crate::view::{Rows, Views};

/// A log that forgets everything with its last handle. Clones share one log.
#[derive(Debug, Clone, Default)]
pub struct MemoryLog {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    kept: Mutex<Kept>,
    grown: Condvar,
    views: Views,
}

type RowsOfViews = BTreeMap<&'static str, BTreeMap<String, Vec<u8>>>;

#[derive(Debug, Default)]
struct Kept {
    events: Vec<Recorded>,
    /// Places in `events`.
    streams: BTreeMap<String, Vec<usize>>,
    keys: BTreeSet<(String, String)>,
    folded: Folded,
    blobs: BTreeMap<BlobId, Vec<u8>>,
    snapshots: BTreeMap<String, Snapshot>,
}

impl MemoryLog {
    pub fn with_views(views: Views) -> Self {
        MemoryLog { shared: Arc::new(Shared { views, ..Shared::default() }) }
    }

    /// A panic of another holder leaves the lock poisoned but what is kept whole: changes are made at the very end.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.shared.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn head(&self) -> Head {
        self.events.last().map(record::head_of).unwrap_or_default()
    }

    fn of_stream(&self, stream: &str) -> impl Iterator<Item = &Recorded> {
        self.streams.get(stream).into_iter().flatten().filter_map(|place| self.events.get(*place))
    }

    fn version(&self, stream: &str) -> u64 {
        self.streams.get(stream).map_or(0, Vec::len) as u64
    }

    fn after(&self, sequence: u64) -> &[Recorded] {
        usize::try_from(sequence).ok().and_then(|start| self.events.get(start..)).unwrap_or_default()
    }

    fn duplicate(&self, append: &Append<'_>) -> Option<AppendError> {
        let is_known = |key: &&str| self.keys.contains(&(append.stream.to_owned(), (*key).to_owned()));
        let key = log::keys(append.events).into_iter().find(is_known)?;
        let same = |event: &&Recorded| event.key.as_deref() == Some(key);
        let recorded = self.of_stream(append.stream).filter(same).cloned().collect();
        Some(AppendError::Duplicate { key: key.to_owned(), recorded })
    }

    fn keep(&mut self, event: Recorded) {
        if let Some(key) = &event.key {
            self.keys.insert((event.stream.clone(), key.clone()));
        }
        self.streams.entry(event.stream.clone()).or_default().push(self.events.len());
        self.events.push(event);
    }
}

/// Everything that views made of the events.
#[derive(Debug, Default)]
struct Folded {
    rows: RowsOfViews,
    states: States,
}

impl Folded {
    /// Applies events; `stored` and they are all that there is.
    fn apply(&mut self, views: &Views, stored: &[Recorded], events: &[Recorded]) -> Result<(), StoreError> {
        for event in events {
            for view in views.iter() {
                let rows = self.rows.entry(view.name()).or_default();
                let history = [stored, events];
                view.apply(event, &mut RowsOfView { rows, states: &mut self.states, history })?;
            }
        }
        Ok(())
    }

    fn anew(views: &Views, events: &[Recorded]) -> Result<Self, StoreError> {
        let mut folded = Folded::default();
        folded.apply(views, &[], events)?;
        Ok(folded)
    }
}

struct RowsOfView<'a> {
    rows: &'a mut BTreeMap<String, Vec<u8>>,
    states: &'a mut States,
    history: [&'a [Recorded]; 2],
}

impl Rows for RowsOfView<'_> {
    fn get(&mut self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.rows.get(key).cloned())
    }

    fn put(&mut self, key: &str, value: Vec<u8>) {
        self.rows.insert(key.to_owned(), value);
    }

    fn remove(&mut self, key: &str) {
        self.rows.remove(key);
    }

    fn state_after(&mut self, event: &Recorded) -> Result<&State, StoreError> {
        let belongs = |one: &&Recorded| one.stream == event.stream && one.version <= event.version;
        self.states.after(event, || Ok(self.history.concat().iter().filter(belongs).cloned().collect()))
    }
}

impl Log for MemoryLog {
    fn append_with(&mut self, append: &Append<'_>) -> Result<Vec<Recorded>, AppendError> {
        log::admit(append)?;
        let mut kept = self.kept();
        if let Some(duplicate) = kept.duplicate(append) {
            return Err(duplicate);
        }
        let mut version = kept.version(append.stream);
        if version != append.expected {
            return Err(AppendError::Conflict { actual: version });
        }
        let mut head = kept.head();
        let mut recorded = Vec::with_capacity(append.events.len());
        for fresh in append.events {
            version += 1;
            let event = record::place(&head, append.stream, version, fresh);
            head = record::head_of(&event);
            recorded.push(event);
        }
        fold_or_undo(&self.shared.views, &mut kept, &recorded)?;
        for document in append.documents {
            kept.blobs.insert(BlobId::of(document), document.to_vec());
        }
        for event in &recorded {
            kept.keep(event.clone());
        }
        self.shared.grown.notify_all();
        Ok(recorded)
    }

    fn read(&self, stream: &str, after: u64) -> Result<Vec<Recorded>, StoreError> {
        let skipped = usize::try_from(after).unwrap_or(usize::MAX);
        Ok(self.kept().of_stream(stream).skip(skipped).cloned().collect())
    }

    fn read_all(&self, after: u64, limit: usize) -> Result<Vec<Recorded>, StoreError> {
        let kept = self.kept();
        Ok(kept.after(after).iter().take(limit.min(limit::READ_EVENTS_MAX)).cloned().collect())
    }

    fn follow(&self, after: u64, limit: usize, patience: Duration) -> Result<Vec<Recorded>, StoreError> {
        let deadline = Instant::now() + patience;
        let mut kept = self.kept();
        while kept.after(after).is_empty() {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { break };
            let waited = self.shared.grown.wait_timeout(kept, left);
            kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(kept);
        self.read_all(after, limit)
    }

    fn scan(
        &self,
        after: u64,
        visit: &mut dyn FnMut(Result<&Recorded, Unreadable>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let kept = self.kept();
        let _ = kept.after(after).iter().try_for_each(|event| visit(Ok(event)));
        Ok(())
    }

    fn head(&self) -> Result<Head, StoreError> {
        Ok(self.kept().head())
    }

    fn streams(&self, after: &str, limit: usize) -> Result<Vec<StreamHead>, StoreError> {
        let kept = self.kept();
        let range = (Bound::Excluded(after), Bound::Unbounded);
        let last = |places: &Vec<usize>| places.last().and_then(|place| kept.events.get(*place));
        let heads = kept.streams.range::<str, _>(range).filter_map(|(stream, places)| {
            let Recorded { version, kind, at, .. } = last(places)?;
            Some(StreamHead { stream: stream.clone(), version: *version, kind: kind.clone(), at: *at })
        });
        Ok(heads.take(limit.min(limit::ROWS_MAX)).collect())
    }

    fn row(&self, view: &str, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.kept().folded.rows.get(view).and_then(|rows| rows.get(key)).cloned())
    }

    fn rows(&self, view: &str, after: &str, limit: usize) -> Result<Vec<Row>, StoreError> {
        let kept = self.kept();
        // The empty text stands before every key, and is none itself.
        let range = (Bound::Excluded(after.to_owned()), Bound::Unbounded);
        let rows = kept.folded.rows.get(view).into_iter().flat_map(|rows| rows.range(range.clone()));
        let row = |(key, value): (&String, &Vec<u8>)| Row { key: key.clone(), value: value.clone() };
        Ok(rows.take(limit.min(limit::ROWS_MAX)).map(row).collect())
    }

    fn rebuild(&mut self) -> Result<(), StoreError> {
        let mut kept = self.kept();
        kept.folded = Folded::anew(&self.shared.views, &kept.events)?;
        Ok(())
    }
}

/// Views that refuse an event must not keep half of what they made of it.
fn fold_or_undo(views: &Views, kept: &mut Kept, recorded: &[Recorded]) -> Result<(), StoreError> {
    let applied = kept.folded.apply(views, &kept.events, recorded);
    if applied.is_err() {
        kept.folded = Folded::anew(views, &kept.events)?;
    }
    applied
}

impl Blobs for MemoryLog {
    fn put(&mut self, bytes: &[u8]) -> Result<BlobId, StoreError> {
        log::admit_blob(bytes)?;
        let id = BlobId::of(bytes);
        self.kept().blobs.insert(id, bytes.to_vec());
        Ok(id)
    }

    fn get(&self, id: &BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        let bytes = self.kept().blobs.get(id).cloned();
        bytes.map(|bytes| blob::checked(id, bytes)).transpose()
    }

    fn has(&self, id: &BlobId) -> Result<bool, StoreError> {
        Ok(self.kept().blobs.contains_key(id))
    }
}

impl Snapshots for MemoryLog {
    fn save_snapshot(&mut self, snapshot: &Snapshot) -> Result<(), StoreError> {
        log::admit_snapshot(snapshot)?;
        let mut kept = self.kept();
        if snapshot.version == 0 || snapshot.version > kept.version(&snapshot.stream) {
            return Err(log::no_such_version(snapshot));
        }
        kept.snapshots.insert(snapshot.stream.clone(), snapshot.clone());
        Ok(())
    }

    fn snapshot(&self, stream: &str) -> Result<Option<Snapshot>, StoreError> {
        Ok(self.kept().snapshots.get(stream).cloned())
    }
}
