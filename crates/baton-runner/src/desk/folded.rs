//! What streams were folded to, so that a desk that stays open reads only what is new.
//!
//! A stream only grows. Its last known event is read again with what is new and held against its hash: where it is another one,
//! the log was put in the place of another, and the stream is folded from its beginning.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use baton_engine::envelope::Recorded;
use baton_engine::event::Entry;
use baton_engine::fold;
use baton_engine::state::State;
use baton_store::StoreError;
use baton_store::log::Log;

/// Streams that are kept; further ones are folded whenever they are asked for.
const STREAMS_MAX: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Folded {
    of_stream: Mutex<BTreeMap<String, Kept>>,
}

#[derive(Clone, Debug)]
struct Kept {
    state: Arc<State>,
    /// The hash of the last event that was folded in.
    last: [u8; 32],
}

impl Folded {
    /// Returns what a stream leads to now.
    pub(super) fn state(&self, log: &impl Log, stream: &str) -> Result<Arc<State>, StoreError> {
        let mut streams = self.of_stream.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = streams.get_mut(stream) {
            let events = log.read(stream, kept.state.version.saturating_sub(1))?;
            if let Some((known, new)) = events.split_first().filter(|(known, _)| known.hash == kept.last) {
                if !new.is_empty() {
                    kept.last = new.last().unwrap_or(known).hash;
                    let state = Arc::unwrap_or_clone(std::mem::take(&mut kept.state));
                    kept.state = Arc::new(folded(state, new));
                }
                return Ok(Arc::clone(&kept.state));
            }
            streams.remove(stream);
        }
        let events = log.read(stream, 0)?;
        let state = Arc::new(folded(State::default(), &events));
        if let Some(last) = events.last().filter(|_| streams.len() < STREAMS_MAX) {
            streams.insert(stream.to_owned(), Kept { state: Arc::clone(&state), last: last.hash });
        }
        Ok(state)
    }
}

fn folded(state: State, events: &[Recorded]) -> State {
    let entries: Vec<Entry> = events.iter().map(Entry::read).collect();
    fold(state, &entries)
}

#[cfg(test)]
mod tests {
    use baton_engine::envelope::{Actor, ActorKind, Fresh};
    use baton_store::memory::MemoryLog;

    use super::*;

    fn noted(words: &str) -> Fresh {
        Fresh {
            at: 7,
            actor: Actor::new(ActorKind::Host, "baton"),
            kind: format!("noted_{words}"),
            schema: 1,
            body: b"{}".to_vec(),
            key: None,
        }
    }

    #[test]
    fn what_is_new_is_folded_in() {
        let (folded, mut log) = (Folded::default(), MemoryLog::default());
        assert_eq!(*folded.state(&log, "T1").unwrap(), State::default());
        for (version, words) in (0..).zip(["one", "two", "three"]) {
            log.append("T1", version, &[noted(words)]).unwrap();
            let state = folded.state(&log, "T1").unwrap();
            assert_eq!((state.version, state.unknown.len() as u64), (version + 1, version + 1));
            assert_eq!(folded.state(&log, "T1").unwrap(), state);
        }
        assert_eq!(folded.state(&log, "T1").unwrap(), Folded::default().state(&log, "T1").unwrap());
    }

    #[test]
    fn another_log_in_its_place_is_folded_from_the_beginning() {
        let (folded, mut log, mut other) = (Folded::default(), MemoryLog::default(), MemoryLog::default());
        log.append("T1", 0, &[noted("one"), noted("two")]).unwrap();
        assert_eq!(folded.state(&log, "T1").unwrap().version, 2);
        other.append("T1", 0, &[noted("three"), noted("four"), noted("five")]).unwrap();
        assert_eq!(folded.state(&other, "T1").unwrap().unknown.len(), 3);
        let shorter = MemoryLog::default();
        assert_eq!(*folded.state(&shorter, "T1").unwrap(), State::default());
    }
}
