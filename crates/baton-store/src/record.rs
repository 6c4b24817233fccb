//! How an event gets its place in the log, and what must hold of an event that comes back from it.

use baton_engine::envelope::{ActorKind, Fresh, Recorded};

use crate::error::StoreError;
use crate::log::Head;

const ACTOR_KINDS: [ActorKind; 4] =
    [ActorKind::Person, ActorKind::Agent, ActorKind::Orchestrator, ActorKind::Host];

/// Puts an event behind the head.
pub(crate) fn place(head: &Head, stream: &str, version: u64, fresh: &Fresh) -> Recorded {
    let mut recorded = Recorded {
        sequence: head.sequence + 1,
        stream: stream.to_owned(),
        version,
        at: fresh.at,
        actor: fresh.actor.clone(),
        kind: fresh.kind.clone(),
        schema: fresh.schema,
        body: fresh.body.clone(),
        key: fresh.key.clone(),
        previous: head.hash,
        hash: [0; 32],
    };
    recorded.hash = recorded.expected_hash();
    recorded
}

pub(crate) fn head_of(event: &Recorded) -> Head {
    Head { sequence: event.sequence, hash: event.hash }
}

pub(crate) fn is_intact(event: &Recorded) -> bool {
    event.expected_hash() == event.hash
}

pub(crate) fn actor_kind(name: &str) -> Option<ActorKind> {
    ACTOR_KINDS.into_iter().find(|kind| kind.name() == name)
}

/// Refuses events of one stream that were changed, or between which one is missing.
pub(crate) fn checked_stream(after: u64, events: Vec<Recorded>) -> Result<Vec<Recorded>, StoreError> {
    let mut version = after;
    for event in &events {
        version += 1;
        if event.version != version {
            return Err(broken(event.sequence, &format!("`{}` has no version {version}", event.stream)));
        }
        if !is_intact(event) {
            return Err(broken(event.sequence, "it is not what was stored"));
        }
    }
    Ok(events)
}

/// Refuses events of all streams that were changed, or between which one is missing.
pub(crate) fn checked_all(after: u64, events: Vec<Recorded>) -> Result<Vec<Recorded>, StoreError> {
    let mut before: Option<&Recorded> = None;
    for (event, sequence) in events.iter().zip(after + 1..) {
        if event.sequence != sequence {
            return Err(broken(sequence, "it is missing"));
        }
        if !is_intact(event) || before.is_some_and(|before| before.hash != event.previous) {
            return Err(broken(sequence, "it is not what was stored"));
        }
        before = Some(event);
    }
    Ok(events)
}

fn broken(sequence: u64, why: &str) -> StoreError {
    StoreError::corrupt(format!("read event {sequence} of the log"), why)
}
