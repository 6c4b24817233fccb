//! What a packet is made from. Whoever asks gathers it; nothing here reads anything.

use std::fmt;

use super::clean::{RESERVED_CHARS_MAX, clean};
use super::fragment::Kind;
use crate::feedback::Feedback;
use crate::knowledge::Journal;
use crate::verdict::Verdict;
use crate::word::{ArtifactId, CheckpointName, ClarificationId, CriterionId, StageName, TaskId};
use crate::workflow::Role;

/// Most references that a packet names: the last.
pub const REFERENCES_MAX: usize = 5;

/// Everything that can go into one packet.
#[derive(Clone, Debug)]
pub struct Order {
    pub task: TaskId,
    pub title: String,
    pub stage: StageName,
    pub role: Role,
    /// The agent that ordered the task, with its own task: the title is its words.
    pub ordered_by: Option<String>,
    /// Makes the marks of this packet differ from those of every other one.
    pub salt: String,
    /// What the project and the role demand, in Baton's own words or in those of the covenant.
    pub guidance: Vec<String>,
    pub criteria: Vec<Criterion>,
    /// What the last attempt failed at.
    pub feedback: Option<Feedback>,
    pub clarifications: Vec<Clarified>,
    /// What people said when they sent the task round again, a line each.
    pub said: Vec<String>,
    /// What failed and what people said is told beside the packet, as something to obey; the packet does not say it again.
    pub is_told_beside: bool,
    pub drift: Drift,
    /// What the host saw of the work; for the verifier.
    pub observed: Observed,
    pub references: Vec<Reference>,
    pub journal: Journal,
    pub budget_tokens: usize,
    pub scope: Scope,
}

/// Whether a packet is for a turn, or gives all there is of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Turn,
    All(Kind),
}

/// A criterion, with its words where there are any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criterion {
    pub id: CriterionId,
    pub text: Option<String>,
}

impl fmt::Display for Criterion {
    /// Writes it as one line: `AC-1: words`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => write!(out, "{}: {}", self.id, clean(text, RESERVED_CHARS_MAX).text),
            None => write!(out, "{}", self.id),
        }
    }
}

/// A question of this task, with its answer where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clarified {
    pub id: ClarificationId,
    pub question: String,
    pub answer: Option<String>,
}

/// What has changed since the handoffs were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    pub changed: Vec<String>,
    pub gone: Vec<String>,
    /// Checkpoints that passed for the handoff and do not pass now.
    pub failing: Vec<CheckpointName>,
}

/// What the host itself ran and saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    pub checks: Vec<ObservedCheck>,
    /// The files before the work, as a commit and a tree.
    pub base: Option<String>,
    pub files: Vec<ObservedFile>,
    /// Claims of the handoff that nothing supports, in Baton's own words.
    pub findings: Vec<String>,
    pub diff: Option<ObservedDiff>,
}

/// How the files differ from the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedDiff {
    /// As `diff -u` writes it, as much as a packet holds.
    pub text: String,
    /// What is missing and how to read it; nothing where the text is whole.
    pub rest: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedCheck {
    pub checkpoint: CheckpointName,
    pub verdict: Verdict,
    pub detail: String,
    pub receipt: ArtifactId,
}

/// A file that the work is said to have touched, and what the host finds at its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedFile {
    pub path: String,
    /// Such as `changed 10-18` or `missing`.
    pub seen: String,
}

/// A document that can be read whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub task: TaskId,
    pub document: ArtifactId,
}

impl Drift {
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.gone.is_empty() && self.failing.is_empty()
    }
}
