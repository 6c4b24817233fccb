//! What is known about the work that a handoff reports. Every fact that a caller lacks is absent, never guessed.

use std::collections::BTreeMap;

use crate::finding::Against;
use crate::record::Record;
use crate::tool_output::Counts;

/// Everything that the claims of one handoff are compared with.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The present, in seconds since 1970.
    pub now: Option<i64>,
    /// The turn in which the handoff was written; absent for a document of somebody else.
    pub turn: Option<Turn>,
    /// What is known of each path that the handoff names, under the words in which it names it.
    pub files: BTreeMap<String, FileFact>,
    /// What the work changed in all.
    pub changes: Option<Changes>,
    /// What is known of each commit that the handoff names.
    pub commits: BTreeMap<String, CommitFact>,
    /// The commands that Baton ran on the work; absent where it ran none.
    pub runs: Option<Vec<Run>>,
    /// Logs and test reports that are stored beside the handoff.
    pub records: Vec<StoredRecord>,
    /// When the handoff itself was committed.
    pub committed: Option<(i64, Against)>,
}

impl Facts {
    /// Returns what is known of a path that the handoff names.
    pub fn file(&self, text: &str) -> Option<&FileFact> {
        self.files.get(text.trim())
    }
}

/// What the log says of the turn in which a handoff was written.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// When the turn began, in seconds since 1970.
    pub began: Option<i64>,
    /// How many attempts at the stage failed before.
    pub failures: u32,
    /// The stage is there to change files.
    pub must_change: bool,
    /// A file differs from before the stage.
    pub has_changed: bool,
    /// The changed files outside of what the task may change.
    pub changed_outside: Vec<String>,
    /// The task of the turn, and the tasks that it is a part of.
    pub tasks: Vec<String>,
    pub stage: String,
    /// Every stage of the workflow.
    pub stages: Vec<String>,
    /// The role of whoever has the turn, as in `builder`.
    pub role: String,
    /// The criteria in force.
    pub criteria: Vec<String>,
    /// What the log of the task holds under a name that evidence can give: receipts, handoffs, reports.
    pub artifacts: Vec<String>,
}

/// What is at a path in one state of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Absent,
    File,
    Folder,
}

impl Presence {
    pub fn is_there(self) -> bool {
        self != Self::Absent
    }
}

/// What is known of a path.
#[derive(Clone, Debug)]
pub enum FileFact {
    /// The files before and after the work are known.
    Work(WorkFile),
    /// Only the history of the repository is known.
    History(Box<HistoryFile>),
    /// It can't be told, for this reason.
    Unknown(String),
}

/// A path before and after the work.
#[derive(Clone, Debug)]
pub struct WorkFile {
    /// From the root of the project.
    pub path: String,
    pub before: Presence,
    pub after: Presence,
    /// What is there differs from what was there before the work.
    pub is_changed: bool,
    /// The path where its content is now.
    pub moved_to: Option<String>,
    /// The most lines that it had before or after the work.
    pub lines: Option<u64>,
}

/// A path in the history of a repository, around the time of a handoff.
#[derive(Clone, Debug, Default)]
pub struct HistoryFile {
    pub path: String,
    /// It is there now.
    pub is_there: bool,
    /// It is or was there, in the work tree or a commit.
    pub is_known: bool,
    /// It was found by the end of its path only.
    pub is_by_suffix: bool,
    /// There is a history, and it has no gap.
    pub has_history: bool,
    pub is_complete: bool,
    /// It is known when the work began.
    pub has_start: bool,
    /// The work tree has another version than the last commit.
    pub is_dirty: bool,
    /// A commit of the work added it.
    pub added: Option<Against>,
    /// A commit of the work changed it.
    pub changed: Option<Against>,
    /// How the commits of the work were found.
    pub how: &'static str,
    /// A commit from before the work had it.
    pub existed: Option<Against>,
    /// Another handoff of the task lists it too.
    pub reported_by: Option<Against>,
    /// A later commit changes it together with other files of the handoff.
    pub changed_with_others: Option<Against>,
    /// A later commit changes it.
    pub changed_later: Option<Against>,
    /// The last commit that changed it, and whether it was shortly before the work or the start is a guess.
    pub last: Option<(Against, bool)>,
    pub was_removed: bool,
    pub lines: Option<Lines>,
}

/// How long a file was at the time of a handoff.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    pub most: u64,
    /// The most lines that any version had.
    pub ever: u64,
    /// A version in between may be lost, so that nothing is certain.
    pub is_doubtful: bool,
    /// The end of the work isn't known.
    pub has_no_end: bool,
}

/// What the work changed.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// From the root of the project.
    pub files: Vec<ChangedFile>,
    /// Where it was seen, for a commit.
    pub source: Option<Against>,
    /// Another handoff of the same commit lists these.
    pub listed_by_others: Vec<String>,
}

/// A file that differs before and after the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: String,
    pub is_added: bool,
    pub is_removed: bool,
    /// A tool writes it: a lock file, a cache.
    pub is_generated: bool,
}

/// What is known of a commit id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitFact {
    OnBranch,
    OnNoBranch,
    NotACommit,
    /// Several objects begin like it.
    Ambiguous,
    /// Nothing is called so. Whether the history is complete, and is that of the work itself.
    Unknown {
        is_complete: bool,
        is_own: bool,
    },
}

/// A command that Baton ran on the work.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The checkpoint that it settles.
    pub checkpoint: String,
    pub command: String,
    pub exit_code: Option<i64>,
    /// It settled its checkpoint: it passed or failed.
    pub passed: Option<bool>,
    pub counts: Option<Counts>,
    /// The tests that failed, where it names them.
    pub failing: Vec<String>,
    /// What Baton saw, where it ran no command.
    pub detail: String,
    /// Where it is kept.
    pub source: String,
}

/// A stored log or report.
#[derive(Clone, Debug)]
pub struct StoredRecord {
    pub record: Record,
    /// The checkpoints that it is about, in lower case.
    pub about: Vec<String>,
    /// The handoff cites it under these words.
    pub cited_as: Option<String>,
    /// It is stored beside the handoff.
    pub is_beside: bool,
}
