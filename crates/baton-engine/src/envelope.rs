//! What surrounds every event in the log: order, time, who, and the hash that ties it to the one before.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The stream of what belongs to no task.
pub const PROJECT_STREAM: &str = "@project";
/// The hash before the first event.
pub const GENESIS: [u8; 32] = [0; 32];

/// What sort of party acts. It comes from the surface a command arrived by, never from a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    Person,
    Agent,
    Orchestrator,
    Host,
}

impl ActorKind {
    pub const ALL: [Self; 4] = [Self::Person, Self::Agent, Self::Orchestrator, Self::Host];

    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::Orchestrator => "orchestrator",
            Self::Host => "host",
        }
    }
}

/// Who acts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    pub kind: ActorKind,
    pub name: String,
    /// The turn whose token the actor showed, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
}

impl Actor {
    pub fn new(kind: ActorKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), turn: None }
    }

    /// An agent, or a person who does an agent's work, with the token of a turn.
    #[must_use]
    pub fn with_turn(mut self, turn: impl Into<String>) -> Self {
        self.turn = Some(turn.into());
        self
    }
}

/// An event as it is handed to the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// Milliseconds since 1970 in UTC, from the command.
    pub at: i64,
    pub actor: Actor,
    pub kind: String,
    pub schema: u32,
    /// Canonical JSON: keys in order, no blanks.
    pub body: Vec<u8>,
    /// The idempotency key of the command.
    pub key: Option<String>,
}

/// An event as the log keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Place in the whole log, from 1.
    pub sequence: u64,
    pub stream: String,
    /// Place in its stream, from 1.
    pub version: u64,
    pub at: i64,
    pub actor: Actor,
    pub kind: String,
    pub schema: u32,
    pub body: Vec<u8>,
    pub key: Option<String>,
    pub previous: [u8; 32],
    pub hash: [u8; 32],
}

impl Recorded {
    /// Puts a fresh event at its place after `previous`.
    pub fn seal(fresh: Fresh, stream: &str, version: u64, (sequence, previous): (u64, [u8; 32])) -> Self {
        let Fresh { at, actor, kind, schema, body, key } = fresh;
        let stream = stream.to_owned();
        let mut recorded =
            Self { sequence, stream, version, at, actor, kind, schema, body, key, previous, hash: GENESIS };
        recorded.hash = recorded.expected_hash();
        recorded
    }

    /// Returns the hash that this event must have.
    ///
    /// Every part is preceded by its length, so that no two events have the same bytes.
    pub fn expected_hash(&self) -> [u8; 32] {
        let mut hasher = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hasher.update((bytes.len() as u64).to_be_bytes());
            hasher.update(bytes);
        };
        part(&self.previous);
        part(&self.sequence.to_be_bytes());
        part(self.stream.as_bytes());
        part(&self.version.to_be_bytes());
        part(&self.at.to_be_bytes());
        part(self.actor.kind.name().as_bytes());
        part(self.actor.name.as_bytes());
        for optional in [self.actor.turn.as_deref(), self.key.as_deref()] {
            part(&[u8::from(optional.is_some())]);
            part(optional.unwrap_or_default().as_bytes());
        }
        part(self.kind.as_bytes());
        part(&self.schema.to_be_bytes());
        part(&self.body);
        hasher.finalize().into()
    }

    /// Says whether the event is whole and follows the one whose hash is given.
    pub fn follows(&self, previous: &[u8; 32]) -> bool {
        self.previous == *previous && self.hash == self.expected_hash()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed() -> Recorded {
        let fresh = Fresh {
            at: 7,
            actor: Actor::new(ActorKind::Host, "h"),
            kind: "paused".to_owned(),
            schema: 1,
            body: b"{}".to_vec(),
            key: None,
        };
        Recorded::seal(fresh, PROJECT_STREAM, 1, (1, GENESIS))
    }

    #[test]
    fn any_change_breaks_the_hash() {
        let whole = sealed();
        assert!(whole.follows(&GENESIS));
        let changes: [fn(&mut Recorded); 9] = [
            |event| event.sequence += 1,
            |event| event.stream.push('x'),
            |event| event.version += 1,
            |event| event.at += 1,
            |event| event.actor.kind = ActorKind::Person,
            |event| event.actor.turn = Some(String::new()),
            |event| event.schema += 1,
            |event| event.body.push(b' '),
            |event| event.key = Some(String::new()),
        ];
        for change in changes {
            let mut event = whole.clone();
            change(&mut event);
            assert!(!event.follows(&GENESIS), "{event:?}");
        }
    }
}
