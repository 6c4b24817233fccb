//! Removes the workspace of a task, after all that is in it was saved.
//!
//! The steps, each of which can be the last one before a crash: save everything and note it; take the folder out of its
//! place; measure it there; note that what is saved is what is there; delete. Only a folder with that last note is ever
//! deleted, and the next Baton finishes what was begun.

use std::fs;
use std::path::{Path, PathBuf};

use baton_engine::word::{TaskId, TreeHash};

use super::marker::Marker;
use super::rescue::Reason;
use super::{Rule, Workspace, WorkspaceError, Workspaces, keeping, reach};

/// How the name of a folder begins that is being removed.
const GONE: &str = ".gone-";
/// Processes that are looked at.
const PROCESSES_MAX: usize = 4 * 1024 * 1024;

/// What came of a removal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removed {
    /// It is gone; all that was in it is kept under this hash.
    Gone { rescue: TreeHash },
    /// The task has no workspace.
    Nothing,
}

impl Workspaces {
    /// Saves all that is in the workspace of a task, ignored files and its repository too, and removes it.
    pub fn remove(&self, id: &TaskId) -> Result<Removed, WorkspaceError> {
        let _alone = self.alone()?;
        let Some(marker) = self.marker(id)? else { return Ok(Removed::Nothing) };
        let folder = self.folder(id);
        refuse_inhabited(&folder)?;
        let rescue = self.rescue(&marker, &folder)?;
        let gone = self.set_aside(id, &folder)?;
        let rescue = self.confirm(marker, &gone, rescue).inspect_err(|_| {
            // It is whole, so it goes back to its place; if that fails too, the next Baton looks after it.
            let _ = fs::rename(&gone, &folder);
        })?;
        self.forget(id);
        reach::remove_all(&gone).map_err(WorkspaceError::at(&gone))?;
        Ok(Removed::Gone { rescue })
    }

    /// Saves everything in a workspace, and notes it.
    fn rescue(&self, marker: &Marker, folder: &Path) -> Result<TreeHash, WorkspaceError> {
        let files = everything(folder);
        let rescue = reach::open_all(&files.root).map_err(WorkspaceError::at(&files.root));
        let rescue = rescue.and_then(|()| keeping::keep(&files, self.snapshots(), &[]));
        let rescue = rescue.map_err(|error| {
            let what = format!(
                "the workspace of {} is not removed, for not all of it could be saved: {error}",
                marker.task
            );
            // What is ignored is saved too, so that no file of rules helps.
            let next = match error {
                WorkspaceError::Refused { .. } => format!(
                    "delete or move what is too large in `{}`, and stop what writes there; then `baton run`",
                    files.root.display()
                ),
                WorkspaceError::Io(..) | WorkspaceError::Git(_) => {
                    format!("look at `{}` and take what you need; {}", folder.display(), error.next())
                }
            };
            WorkspaceError::refused(what, next)
        })?;
        self.list(&marker.task).add(Reason::Removed, &rescue)?;
        Ok(rescue)
    }

    fn set_aside(&self, id: &TaskId, folder: &Path) -> Result<PathBuf, WorkspaceError> {
        let aside = tempfile::Builder::new().prefix(&format!("{GONE}{id}-")).tempdir_in(self.folders());
        // The empty folder only reserves the name.
        let gone = aside.map_err(WorkspaceError::at(folder))?.keep();
        fs::rename(folder, &gone).map_err(WorkspaceError::at(folder))?;
        Ok(gone)
    }

    /// Holds what is there against what was saved; somebody may have written while it was.
    fn confirm(&self, mut marker: Marker, gone: &Path, rescue: TreeHash) -> Result<TreeHash, WorkspaceError> {
        refuse_inhabited(gone)?;
        if everything(gone).measure()? != rescue {
            let what = format!("the workspace of {} changed while it was saved", marker.task);
            return Err(WorkspaceError::refused(what, "end what writes there, then remove it again"));
        }
        marker.rescued = Some(rescue.clone());
        marker.write(gone)?;
        Ok(rescue)
    }

    /// Goes on with removals that a process was ended in. What is not known to be saved is saved.
    pub(super) fn finish_removals(&self) -> Result<(), WorkspaceError> {
        let folders = self.folders();
        for entry in fs::read_dir(&folders).map_err(WorkspaceError::at(&folders))? {
            let path = entry.map_err(WorkspaceError::at(&folders))?.path();
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            if !name.starts_with(GONE.as_bytes()) || fs::remove_dir(&path).is_ok() {
                continue;
            }
            // A folder that cannot be saved now stays, and is in nobody's way.
            let _ = self.finish_removal(&path);
        }
        Ok(())
    }

    fn finish_removal(&self, gone: &Path) -> Result<(), WorkspaceError> {
        let Some(marker) = Marker::read(gone)? else { return Ok(()) };
        refuse_inhabited(gone)?;
        if marker.rescued.is_none() {
            let rescue = self.rescue(&marker, gone)?;
            self.confirm(marker, gone, rescue)?;
        }
        reach::remove_all(gone).map_err(WorkspaceError::at(gone))
    }
}

fn everything(folder: &Path) -> Workspace {
    Workspace::new(Marker::files(folder), Vec::new(), Rule::Everything)
}

/// Refuses while a process works in a folder, whoever began it.
pub(super) fn refuse_inhabited(folder: &Path) -> Result<(), WorkspaceError> {
    let Some(process) = inhabitant(folder) else { return Ok(()) };
    Err(WorkspaceError::refused(
        format!("process {process} works in `{}`, so it is not removed", folder.display()),
        format!("end it with `kill {process}` if it is none of yours, then try again"),
    ))
}

/// Returns a process whose working folder lies in this one. Where there is no `/proc`, no agent is started either.
fn inhabitant(folder: &Path) -> Option<u32> {
    let folder = fs::canonicalize(folder).ok()?;
    let numbers = fs::read_dir("/proc").ok()?.flatten().take(PROCESSES_MAX);
    let mut numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.find(|number| {
        fs::read_link(format!("/proc/{number}/cwd")).is_ok_and(|place| place.starts_with(&folder))
    })
}
