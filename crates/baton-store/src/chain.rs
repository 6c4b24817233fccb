//! Verifies the chain of hashes, event by event, and names the first that is wrong.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;

use baton_engine::envelope::Recorded;

use crate::error::StoreError;
use crate::log::{Head, Log, Unreadable};
use crate::record;

/// A log that holds together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    pub head: Head,
    /// Events that the anchor vouches for.
    pub anchored: u64,
    /// Events after the anchor: they hold together, but nobody outside vouches for them.
    pub unanchored: u64,
}

/// The first event that is wrong, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub sequence: u64,
    pub fault: Fault,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Its fields do not give its hash.
    Edited,
    /// It does not follow the event before it.
    Displaced,
    /// It is not there, though later ones are.
    Missing,
    /// It and all later ones are not there, though they were anchored.
    Cut,
    /// It holds together with the others, but another one was anchored in its place.
    Rewritten,
    /// Its fields cannot be read.
    Unreadable(String),
}

/// Takes events in order and remembers what the next one must be.
#[derive(Debug, Default)]
pub struct Verifier {
    head: Head,
    versions: BTreeMap<String, u64>,
    anchor: Option<Head>,
}

impl Verifier {
    pub fn new(anchor: Option<Head>) -> Self {
        Verifier { anchor, ..Verifier::default() }
    }

    /// Takes the next event.
    pub fn take(&mut self, event: &Recorded) -> Result<(), Finding> {
        let sequence = self.head.sequence + 1;
        let found = |fault| Err(Finding { sequence, fault });
        if event.sequence > sequence {
            return found(Fault::Missing);
        }
        if event.sequence < sequence {
            return found(Fault::Displaced);
        }
        if !record::is_intact(event) {
            return found(Fault::Edited);
        }
        if event.previous != self.head.hash || !self.is_next_of_stream(event) {
            return found(Fault::Displaced);
        }
        self.head = record::head_of(event);
        match self.anchor {
            Some(anchor) if anchor.sequence == sequence && anchor.hash != event.hash => {
                found(Fault::Rewritten)
            }
            _ => Ok(()),
        }
    }

    fn is_next_of_stream(&mut self, event: &Recorded) -> bool {
        match self.versions.get_mut(&event.stream) {
            Some(version) => {
                *version += 1;
                *version == event.version
            }
            None => {
                self.versions.insert(event.stream.clone(), event.version);
                event.version == 1
            }
        }
    }

    /// Ends the log here.
    pub fn finish(self) -> Result<Verified, Finding> {
        let anchored = self.anchor.map_or(0, |anchor| anchor.sequence);
        match self.head.sequence.checked_sub(anchored) {
            Some(unanchored) => Ok(Verified { head: self.head, anchored, unanchored }),
            None => Err(Finding { sequence: self.head.sequence + 1, fault: Fault::Cut }),
        }
    }
}

/// Verifies a whole log as it is stored, against the anchored head when there is one.
pub fn verify(log: &dyn Log, anchor: Option<Head>) -> Result<Result<Verified, Finding>, StoreError> {
    verify_with(anchor, |visit| log.scan(0, visit))
}

/// Looks at one event after the other.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(Result<&Recorded, Unreadable>) -> ControlFlow<()>;

pub(crate) fn verify_with(
    anchor: Option<Head>,
    scan: impl FnOnce(Visit<'_>) -> Result<(), StoreError>,
) -> Result<Result<Verified, Finding>, StoreError> {
    let mut verifier = Verifier::new(anchor);
    let mut finding = None;
    scan(&mut |event| {
        let taken = match event {
            Ok(event) => verifier.take(event),
            Err(Unreadable { why, .. }) => {
                Err(Finding { sequence: verifier.head.sequence + 1, fault: Fault::Unreadable(why) })
            }
        };
        match taken {
            Ok(()) => ControlFlow::Continue(()),
            Err(wrong) => {
                finding = Some(wrong);
                ControlFlow::Break(())
            }
        }
    })?;
    Ok(match finding {
        Some(finding) => Err(finding),
        None => verifier.finish(),
    })
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sequence = self.sequence;
        match &self.fault {
            Fault::Edited => write!(out, "event {sequence} was changed: its fields do not give its hash"),
            Fault::Displaced => write!(out, "event {sequence} does not follow the event before it"),
            Fault::Missing => write!(out, "event {sequence} is missing"),
            Fault::Cut => write!(out, "event {sequence} and all after it are missing: the tail was cut"),
            Fault::Rewritten => write!(out, "event {sequence} is not the one that was anchored"),
            Fault::Unreadable(why) => write!(out, "event {sequence} cannot be read: {why}"),
        }
    }
}

impl std::error::Error for Finding {}
