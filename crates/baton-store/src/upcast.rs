//! Old events in today's words. What is stored never changes; it is lifted when it is read.
//!
//! Each step lifts one kind from one schema version to the next, and may give it another name. An event of a newer
//! schema than this program knows is kept and shown, but nobody may decide on it.

use std::collections::BTreeMap;
use std::fmt;

use baton_engine::envelope::Recorded;
use serde_json::Value;

use crate::limit;

/// Lifts the body of an event by one schema version.
pub type Lift = fn(Value) -> Result<Value, String>;

/// One step up.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub kind: &'static str,
    pub from: u32,
    /// The kind it has afterwards; the same one, unless it was renamed.
    pub becomes: &'static str,
    pub lift: Lift,
}

/// An event as this program understands it.
#[derive(Debug, Clone, PartialEq)]
pub struct Lifted {
    pub kind: String,
    pub schema: u32,
    pub body: Value,
}

/// Why an event cannot be understood. It stays in the log all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpcastError {
    /// Written by a newer program.
    Newer { kind: String, schema: u32, known: u32 },
    /// A kind that this program does not know.
    Unknown { kind: String },
    /// The body is not what this kind and schema promise.
    Broken { kind: String, schema: u32, why: String },
}

/// The kinds that a program knows, with their newest schema, and the steps that lead there.
#[derive(Debug, Clone, Default)]
pub struct Upcaster {
    newest: BTreeMap<&'static str, u32>,
    steps: BTreeMap<(&'static str, u32), Step>,
}

impl Upcaster {
    pub fn new(newest: &[(&'static str, u32)], steps: &[Step]) -> Self {
        Upcaster {
            newest: newest.iter().copied().collect(),
            steps: steps.iter().map(|step| ((step.kind, step.from), *step)).collect(),
        }
    }

    /// Returns the event in today's words.
    pub fn lift(&self, event: &Recorded) -> Result<Lifted, UpcastError> {
        let (mut kind, mut schema) = (event.kind.as_str(), event.schema);
        let broken =
            |kind: &str, schema, why: String| UpcastError::Broken { kind: kind.to_owned(), schema, why };
        let mut body: Value = serde_json::from_slice(&event.body)
            .map_err(|error| broken(kind, schema, format!("not JSON: {error}")))?;
        for _ in 0..limit::UPCAST_STEPS_MAX {
            if let Some(step) = self.steps.get(&(kind, schema)) {
                body = (step.lift)(body).map_err(|why| broken(kind, schema, why))?;
                (kind, schema) = (step.becomes, schema + 1);
                continue;
            }
            return match self.newest.get(kind) {
                Some(known) if *known == schema => Ok(Lifted { kind: kind.to_owned(), schema, body }),
                Some(known) if *known < schema => {
                    Err(UpcastError::Newer { kind: kind.to_owned(), schema, known: *known })
                }
                Some(_) => Err(broken(kind, schema, "no step leads on from here".to_owned())),
                None => Err(UpcastError::Unknown { kind: kind.to_owned() }),
            };
        }
        Err(broken(kind, schema, "the steps do not end".to_owned()))
    }
}

impl fmt::Display for UpcastError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UpcastError::Newer { kind, schema, known } => write!(
                out,
                "`{kind}` has schema {schema}, this program knows up to {known}; next: install the newer Baton"
            ),
            UpcastError::Unknown { kind } => {
                write!(out, "`{kind}` is not known to this program; next: install the newer Baton")
            }
            UpcastError::Broken { kind, schema, why } => {
                write!(out, "`{kind}` of schema {schema} cannot be read: {why}; next: verify the log")
            }
        }
    }
}

impl std::error::Error for UpcastError {}
