//! What handoffs teach: who said what where, what became of it, and which of it may reach a prompt.
//!
//! Reading order: this file, `extract`, [`measured`], [`wording`], [`page`], [`lesson`], [`graph`].

mod extract;
pub mod graph;
pub mod lesson;
pub mod measured;
pub mod page;
pub mod wording;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::fact::closed;
use crate::word::{AgentName, ArtifactId, CheckpointName, LessonId, StageName, TaskId, TurnId};

pub use extract::{ITEMS_MAX, TEXT_CHARS_MAX, extract, read};

closed! {
    /// What a handoff can say that is worth finding again.
    ItemKind {
        File "file",
        FileToRead "file_to_read",
        Pattern "pattern",
        Gotcha "gotcha",
        Decision "decision",
        Question "question",
        Blocker "blocker",
        NextStep "next_step",
    }

    /// How bad a gotcha is, or how urgent a step. The first is the worst.
    Severity {
        High "high",
        Medium "medium",
        Low "low",
    }

    /// What happened to a file.
    FileChange {
        Created "created",
        Modified "modified",
        Deleted "deleted",
        /// Named, without a word on what happened to it.
        Mentioned "mentioned",
    }

    /// What became of the work whose handoff said something.
    Fate {
        /// Not decided yet.
        Open "open",
        Accepted "accepted",
        /// Sent back, rolled back, escalated, or its task came to nothing.
        Returned "returned",
    }

    /// How far a lesson is to be believed.
    LessonStanding {
        /// Said once, and nothing speaks for it yet.
        Inert "inert",
        /// Two tasks that have nothing to do with each other said it.
        Corroborated "corroborated",
        /// Learned in work that changed something it speaks of, and was accepted because of what the host itself ran and saw.
        Backed "backed",
        /// A person stands for it.
        Approved "approved",
        /// Its file has changed much since.
        Stale "stale",
        /// A person took it back, or its file is gone.
        Retired "retired",
    }
}

impl ItemKind {
    /// Says whether this outlives its task as a lesson.
    pub fn is_lesson(self) -> bool {
        match self {
            Self::Pattern | Self::Gotcha | Self::Decision => true,
            Self::File | Self::FileToRead | Self::Question | Self::Blocker | Self::NextStep => false,
        }
    }
}

impl LessonStanding {
    /// Says whether a lesson that stands so may be told to agents.
    pub fn reaches_prompts(self) -> bool {
        match self {
            Self::Corroborated | Self::Backed | Self::Approved => true,
            Self::Inert | Self::Stale | Self::Retired => false,
        }
    }
}

/// Where something was said, and what became of the work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    pub task: TaskId,
    pub turn: TurnId,
    pub stage: StageName,
    pub agent: AgentName,
    /// Milliseconds since 1970 in UTC.
    pub at: i64,
    pub handoff: ArtifactId,
    /// Of the event in the log.
    pub sequence: u64,
    pub fate: Fate,
    /// The work was accepted because of checks that the host ran.
    pub backed: bool,
}

/// One thing that a handoff says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    pub kind: ItemKind,
    /// The pattern, issue, decision, question, blocker or step; for files what they are for, or why to read them.
    pub text: String,
    /// Mitigation, rationale, recommendation, suggested resolution, or what hangs on it.
    pub detail: Option<String>,
    /// From the root of the project.
    pub path: Option<String>,
    pub lines: Option<String>,
    pub change: Option<FileChange>,
    pub tags: BTreeSet<String>,
    pub severity: Option<Severity>,
    pub blocking: bool,
    /// Tasks that a blocker is said to hold up.
    pub tasks: BTreeSet<TaskId>,
    /// Written as data; otherwise guessed from prose.
    pub stated: bool,
    /// The work changed something that this speaks of. Only said of lessons.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_changed_subject: bool,
}

impl Item {
    /// Returns the id that everything has which means the same: for files their path, for the rest its words.
    pub fn id(&self) -> LessonId {
        let words = match (self.kind, &self.path) {
            (ItemKind::File | ItemKind::FileToRead, Some(path)) => path.clone(),
            _ => wording::canonical(&self.text),
        };
        wording::id(self.kind.name(), &words)
    }
}

/// One thing that one handoff said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Shared by all that the same handoff said: a task can come after thousands of findings.
    pub source: Arc<Source>,
    pub item: Item,
}

/// Something learned: all findings that mean the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lesson {
    /// Made of its kind and its words, so that it is the same in every log.
    pub id: LessonId,
    pub kind: ItemKind,
    /// As a person approved it, else as it was said first.
    pub text: String,
    /// Only where it has the same support as the text.
    pub detail: Option<String>,
    pub paths: BTreeSet<String>,
    pub tags: BTreeSet<String>,
    /// The worst that any source says.
    pub severity: Option<Severity>,
    /// In the order of the log.
    pub sources: Vec<Source>,
    pub standing: LessonStanding,
    /// Why it stands so, in words.
    pub because: String,
}

/// What is known that matters to one task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// What earlier stages of the task and the tasks it depends on handed over, in the order of the log.
    pub findings: Vec<Finding>,
    /// Lessons of the whole project that touch this task and may reach a prompt, the most relevant first.
    pub lessons: Vec<Lesson>,
    /// Questions among the findings that nobody has settled.
    pub open_questions: Vec<Finding>,
    /// Blockers among the findings that still stand, and those that name this task.
    pub active_blockers: Vec<Finding>,
    /// Checkpoints that passed once, in this task or where the latest findings come from, and do not pass any more.
    pub failing: Vec<CheckpointName>,
}

#[cfg(test)]
mod tests;
