//! The parts of a task.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fact::{
    Account, AgentProgram, AnswerSource, ArtifactKind, Document, End, Ending, GateChoice, Performer, Reason,
    Shown,
};
use crate::word::{AgentName, AttemptNumber, BlobId, SessionId, StageName, TaskId, TreeHash, TurnId};
use crate::workflow::{GateWeight, Role, Workflow};

/// A turn that is being taken, with its lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    pub id: TurnId,
    pub role: Role,
    pub agent: AgentName,
    pub session: SessionId,
    pub performer: Performer,
    pub attempt: AttemptNumber,
    pub epoch: u64,
    pub expires_at: i64,
    pub started_at: i64,
    pub snapshot: Option<Snapshot>,
    pub launched: bool,
}

/// The build plan that binds the work of a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenPlan {
    /// The turn that brought it, and the agent that made it.
    pub turn: TurnId,
    pub agent: AgentName,
    pub document: Document,
    /// An earlier plan of the stage had been taken before.
    pub replaces: bool,
}

/// A turn in the history of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub stage: StageName,
    pub turn: TurnId,
    pub role: Role,
    pub agent: AgentName,
    pub performer: Performer,
    pub attempt: AttemptNumber,
    pub started_at: i64,
    pub ended_at: Option<i64>,
    /// Nothing while it runs and when it ended with a handoff or a report.
    pub ending: Option<Ending>,
    /// In which way its program ended, as a code, where it ended without a handoff.
    #[serde(default)]
    pub how: Option<String>,
    /// Why nothing came of it, in words.
    #[serde(default)]
    pub why: Option<String>,
    /// Nothing before it was launched, and where no program takes it.
    #[serde(default)]
    pub program: Option<AgentProgram>,
    #[serde(default)]
    pub account: Option<Account>,
}

/// What may be spent, what is spent, what is set aside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    pub cap_tokens: u64,
    pub spent_tokens: u64,
    /// Of these, what was charged to turns of which nobody knows what they used.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub uncounted_tokens: u64,
    /// In millionths of a dollar, of the turns whose agents say what they cost.
    #[serde(default)]
    pub spent_microdollars: u64,
    /// What was set aside in the same coin for turns that cost something and did not tell it.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub unpriced_microdollars: u64,
    /// Turns that did not tell it and had nothing set aside: what is left is not known any more.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub unpriced_turns: u64,
    /// By turn or delegation.
    pub reserved_tokens: BTreeMap<String, u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_nothing(count: &u64) -> bool {
    *count == 0
}

impl Budget {
    /// Returns what counts against a bound in dollars, in millionths of one.
    pub fn used_microdollars(&self) -> u64 {
        self.spent_microdollars.saturating_add(self.unpriced_microdollars)
    }

    pub fn committed_tokens(&self) -> u64 {
        self.reserved_tokens.values().fold(self.spent_tokens, |sum, tokens| sum.saturating_add(*tokens))
    }

    pub fn can_afford(&self, tokens: u64) -> bool {
        self.committed_tokens().saturating_add(tokens) <= self.cap_tokens
    }

    pub(crate) fn reserve(&mut self, whom: &str, tokens: u64) {
        if tokens > 0 {
            self.reserved_tokens.insert(whom.to_owned(), tokens);
        }
    }

    pub(crate) fn settle(&mut self, whom: &str, tokens: u64) {
        self.reserved_tokens.remove(whom);
        self.spent_tokens = self.spent_tokens.saturating_add(tokens);
    }

    pub fn reserved_for(&self, whom: &str) -> u64 {
        self.reserved_tokens.get(whom).copied().unwrap_or(0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dependency {
    Waiting,
    Released(End),
    /// It ended without what this task needs.
    Failed(End),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clarification {
    pub turn: TurnId,
    pub question: String,
    pub options: Vec<String>,
    pub asked_at: i64,
    pub answer: Option<(String, AnswerSource)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    pub weight: GateWeight,
    pub items: Vec<String>,
    pub shown: Shown,
    pub asked_at: i64,
    /// The turn in whose middle the gate was asked; nothing for the gates of a stage.
    pub turn: Option<TurnId>,
    pub answer: Option<GateChoice>,
    pub words: String,
    /// Who answered.
    #[serde(default)]
    pub by: String,
}

impl Gate {
    pub fn is_open_and_blocking(&self) -> bool {
        self.answer.is_none() && self.weight == GateWeight::Blocking
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegation {
    pub turn: TurnId,
    pub from: AgentName,
    pub to: AgentName,
    pub child: TaskId,
    pub workflow: Workflow,
    pub deliverable: String,
    pub budget_tokens: u64,
    pub since: i64,
    pub end: Option<End>,
}

/// An escalation that was asked for and is not decided yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    pub reason: Reason,
    pub details: String,
}

/// A task that lies with a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalation {
    pub reason: Reason,
    pub since: i64,
    /// What a person has to do by hand, when a rollback could not be done.
    pub remediation: Vec<String>,
    /// What whoever asked for a person wants to know or to have settled, in their words.
    #[serde(default)]
    pub details: String,
}

/// What a person said when they sent a task round again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub person: String,
    /// What the task lay with them for.
    pub about: Reason,
    /// What they were asked, where somebody asked.
    pub asked: String,
    pub words: String,
}

impl Said {
    /// Returns it as one line: who, about what, the words, and last what was asked, for a line may be cut at its end.
    pub fn line(&self) -> String {
        let asked = if self.asked.is_empty() { String::new() } else { format!(" (asked: {})", self.asked) };
        format!("{}, about {}: {}{asked}", self.person, self.about.name(), self.words)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rollback {
    #[default]
    None,
    /// Decided, not yet done; since when.
    Owed(i64),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Merge {
    #[default]
    None,
    /// Accepted, not yet merged; which tree, and since when.
    Owed(TreeHash, i64),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiver {
    pub reason: String,
    pub until: i64,
    pub by: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    pub kind: ArtifactKind,
    pub blob: BlobId,
    /// The tree it speaks of, for receipts.
    pub tree: Option<TreeHash>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub to: AgentName,
    pub about: Reason,
    pub sent: bool,
}

/// A saved workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    pub reference: String,
    pub tree: TreeHash,
}
