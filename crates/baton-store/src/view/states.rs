//! Folded states of streams, kept while a store is open so that an event costs the same however long its stream is.
//!
//! A stream only grows, so its state after its event number n is the same for ever: whatever other processes store, a kept
//! state with the right version is right. What is applied in a write that comes to nothing must be forgotten with it.

use std::collections::BTreeMap;

use baton_engine::envelope::Recorded;
use baton_engine::event::Entry;
use baton_engine::state::State;
use baton_engine::{evolve, fold};

use crate::error::StoreError;
use crate::limit;

#[derive(Debug, Default)]
pub(crate) struct States {
    of_stream: BTreeMap<String, Kept>,
    /// Streams by when they were last asked for.
    by_age: BTreeMap<u64, String>,
    clock: u64,
}

#[derive(Debug)]
struct Kept {
    state: State,
    used: u64,
}

impl States {
    /// Returns the state of the event's stream after it. `history` gives the events of the stream up to this one.
    pub(crate) fn after(
        &mut self,
        event: &Recorded,
        history: impl FnOnce() -> Result<Vec<Recorded>, StoreError>,
    ) -> Result<&State, StoreError> {
        let before = self.of_stream.remove(&event.stream).map(|kept| {
            self.by_age.remove(&kept.used);
            kept.state
        });
        let state = match before {
            Some(state) if state.version == event.version => state,
            Some(state) if state.version + 1 == event.version => evolve(state, &Entry::read(event)),
            None if event.version == 1 => evolve(State::default(), &Entry::read(event)),
            _ => {
                let entries: Vec<Entry> = history()?.iter().map(Entry::read).collect();
                fold(State::default(), &entries)
            }
        };
        Ok(self.keep(&event.stream, state))
    }

    fn keep(&mut self, stream: &str, state: State) -> &State {
        if self.of_stream.len() >= limit::STATES_KEPT_MAX
            && let Some((_, oldest)) = self.by_age.pop_first()
        {
            self.of_stream.remove(&oldest);
        }
        self.clock += 1;
        self.by_age.insert(self.clock, stream.to_owned());
        let kept = Kept { state, used: self.clock };
        &self.of_stream.entry(stream.to_owned()).insert_entry(kept).into_mut().state
    }
}

#[cfg(test)]
mod tests {
    use baton_engine::envelope::{Actor, ActorKind};

    use super::*;

    fn noted(stream: &str, version: u64) -> Recorded {
        let actor = Actor::new(ActorKind::Host, "baton");
        let fresh = baton_engine::envelope::Fresh {
            at: 7,
            actor,
            kind: format!("noted_{version}"),
            schema: 1,
            body: b"{}".to_vec(),
            key: None,
        };
        Recorded::seal(fresh, stream, version, (version, [0; 32]))
    }

    fn never() -> Result<Vec<Recorded>, StoreError> {
        panic!("the history was not needed");
    }

    #[test]
    fn events_that_follow_need_no_history() {
        let mut states = States::default();
        for version in 1..=3 {
            let event = noted("a", version);
            assert_eq!(states.after(&event, never).unwrap().version, version);
            assert_eq!(states.after(&event, never).unwrap().version, version, "asked twice");
        }
    }

    #[test]
    fn a_gap_is_filled_from_the_history() {
        let mut states = States::default();
        states.after(&noted("a", 1), never).unwrap();
        let history = || Ok((1..=3).map(|version| noted("a", version)).collect());
        let state = states.after(&noted("a", 3), history).unwrap();
        assert_eq!((state.version, state.unknown.len()), (3, 3));
    }

    #[test]
    fn the_longest_unused_state_is_forgotten_first() {
        let mut states = States::default();
        for number in 0..limit::STATES_KEPT_MAX {
            states.after(&noted(&number.to_string(), 1), never).unwrap();
        }
        states.after(&noted("0", 2), never).unwrap();
        states.after(&noted("one more", 1), never).unwrap();
        assert_eq!(
            (states.of_stream.len(), states.by_age.len()),
            (limit::STATES_KEPT_MAX, limit::STATES_KEPT_MAX)
        );
        assert!(states.of_stream.contains_key("0") && !states.of_stream.contains_key("1"));
    }
}
