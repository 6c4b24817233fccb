//! The list of what was saved before something was taken away or overwritten. A line is on the disk before that happens.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use baton_engine::word::{TaskId, TreeHash, TurnId};
use baton_store::durable_file;
use serde::{Deserialize, Serialize};

use super::WorkspaceError;
use crate::file::read_plain;

/// Where the lists lie, in the state folder.
const FOLDER: &str = "rescued";
/// Longest list that is read; a line has some hundred bytes.
const LIST_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Why something was saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    Restored,
    Removed,
    /// Ignored files that count as work again, for the file that says what is ignored was put back.
    Uncovered,
    /// What a turn left that brought no handoff.
    Lost,
}

/// What was saved before something was taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rescued {
    /// The name to ask for it.
    pub name: String,
    pub tree: TreeHash,
    /// Milliseconds since 1970.
    pub at: i64,
    pub what: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    at: i64,
    tree: TreeHash,
    reason: Reason,
    /// The turn that left it; older lists do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn: Option<TurnId>,
}

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Self::Restored => "restored",
            Self::Removed => "removed",
            Self::Uncovered => "uncovered",
            Self::Lost => "lost",
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Restored => "before older files were put back",
            Self::Removed => "all there was before the workspace was removed",
            Self::Uncovered => "with files that were ignored, before they were taken away",
            Self::Lost => "as a turn left them that brought no handoff",
        }
    }
}

/// Whose rescues, and where they are listed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List<'a> {
    pub(crate) state: &'a Path,
    pub(crate) task: &'a TaskId,
}

impl List<'_> {
    fn path(&self) -> PathBuf {
        self.state.join(FOLDER).join(self.task.as_str())
    }

    /// Adds a rescue, unless it is the last one already.
    pub(crate) fn add(&self, reason: Reason, tree: &TreeHash) -> Result<(), WorkspaceError> {
        self.write(reason, tree, None)
    }

    /// Adds what a turn left that brought no handoff, unless it is the last one already.
    pub(crate) fn add_lost(&self, tree: &TreeHash, turn: &TurnId) -> Result<(), WorkspaceError> {
        self.write(Reason::Lost, tree, Some(turn))
    }

    fn write(&self, reason: Reason, tree: &TreeHash, turn: Option<&TurnId>) -> Result<(), WorkspaceError> {
        if self.lines()?.last().is_some_and(|last| last.tree == *tree && last.reason == reason) {
            return Ok(());
        }
        durable_file::make_folder(&self.state.join(FOLDER))?;
        let path = self.path();
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64);
        let line = Line { at, tree: tree.clone(), reason, turn: turn.cloned() };
        let text = serde_json::to_string(&line).map_err(|error| WorkspaceError::at(&path)(error.into()))?;
        // A power cut may have left half a line before this one.
        let mut file =
            File::options().create(true).append(true).open(&path).map_err(WorkspaceError::at(&path))?;
        let written = file.write_all(format!("\n{text}\n").as_bytes()).and_then(|()| file.sync_all());
        let folder =
            path.parent().map_or(Ok(()), |folder| File::open(folder).and_then(|open| open.sync_all()));
        written.and(folder).map_err(WorkspaceError::at(&path))
    }

    fn lines(&self) -> Result<Vec<Line>, WorkspaceError> {
        let path = self.path();
        let bytes = match read_plain(&path, LIST_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                let what = format!("`{}` has more than {LIST_BYTES_MAX} bytes", path.display());
                return Err(WorkspaceError::refused(what, "move it aside; the snapshots it names stay"));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(WorkspaceError::Io(path, error)),
        };
        let lines = bytes.split(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }
}

/// Returns what was saved for a task before something was taken away, the oldest first.
pub(crate) fn rescued(state: &Path, task: &TaskId) -> Result<Vec<Rescued>, WorkspaceError> {
    let lines = List { state, task }.lines()?;
    let numbered = lines.into_iter().zip(1..).map(|(line, number)| Rescued {
        name: format!("{}-{number}", line.reason.name()),
        tree: line.tree,
        at: line.at,
        what: match &line.turn {
            Some(turn) => format!("as {turn} left them, which brought no handoff"),
            None => line.reason.what().to_owned(),
        },
    });
    Ok(numbered.collect())
}
