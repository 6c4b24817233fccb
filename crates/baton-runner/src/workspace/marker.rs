//! The file beside a workspace of a task that says it is one of Baton's, and what it began with. The agent that works there
//! does not write it: it lies outside of its files.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use baton_engine::word::{AgentName, TaskId, TreeHash};
use baton_store::durable_file;
use serde::{Deserialize, Serialize};

use super::WorkspaceError;
use crate::file::read_plain;

const FILE: &str = "workspace.json";
const VERSION: u32 = 1;
const BYTES_MAX: u64 = 64 * 1024;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Marker {
    version: u32,
    pub(crate) task: TaskId,
    /// The commit whose files it began with.
    pub(crate) base: String,
    /// What the files looked like there, where the work of the task was brought to another commit than it began with first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) renewed: Option<TreeHash>,
    /// The agent for whom a person takes the next turn, where a run was told so for itself alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) turn_of: Option<AgentName>,
    /// All that was there is kept under this hash, and may be taken away.
    pub(crate) rescued: Option<TreeHash>,
}

impl Marker {
    pub(crate) fn new(task: &TaskId, base: String) -> Self {
        Self { version: VERSION, task: task.clone(), base, renewed: None, turn_of: None, rescued: None }
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<(), WorkspaceError> {
        let path = folder.join(FILE);
        let bytes = serde_json::to_vec(self).map_err(|error| WorkspaceError::at(&path)(error.into()))?;
        Ok(durable_file::replace(&path, &bytes)?)
    }

    /// Reads the marker of a folder; nothing where there is no folder. A folder without one is somebody else's.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, WorkspaceError> {
        match fs::symlink_metadata(folder) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(foreign(folder)),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(WorkspaceError::Io(folder.to_owned(), error)),
        }
        let path = folder.join(FILE);
        let bytes = read_plain(&path, BYTES_MAX).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::InvalidInput | ErrorKind::FileTooLarge => foreign(folder),
            // It may be there all the same.
            _ => WorkspaceError::Io(path, error),
        })?;
        let marker: Self = serde_json::from_slice(&bytes).map_err(|_| foreign(folder))?;
        match marker.version == VERSION {
            true => Ok(Some(marker)),
            false => Err(foreign(folder)),
        }
    }

    /// Where the files lie.
    pub(crate) fn files(folder: &Path) -> PathBuf {
        folder.join("files")
    }
}

fn foreign(folder: &Path) -> WorkspaceError {
    WorkspaceError::refused(
        format!(
            "`{}` does not bear the mark of a workspace that Baton made, so it is left alone",
            folder.display()
        ),
        "look what is in it, and move it elsewhere if you need it; then try again",
    )
}
