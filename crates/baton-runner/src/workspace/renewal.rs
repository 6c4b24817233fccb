//! Begins the work of a task again where the target branch is now, after the two did not go together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use baton_engine::word::{TaskId, TreeHash};

use super::removal::refuse_inhabited;
use super::task::{NEW, repository};
use super::{TaskWorkspace, WorkspaceError, Workspaces, keeping};
use crate::git::{FileKind, ObjectId, TreeFile};

/// A workspace that begins with the target branch as it is now.
#[derive(Debug)]
pub struct Renewed {
    pub workspace: TaskWorkspace,
    /// Files that both sides changed. They are as the branch has them; what the task made of them is in the snapshot.
    pub left: Vec<String>,
}

type Listed = BTreeMap<Vec<u8>, TreeFile>;

impl Workspaces {
    /// Makes the workspace of a task in which nobody has had a turn; makes it anew when there is a newer commit to begin with.
    pub(crate) fn make_anew(&self, id: &TaskId) -> Result<(), WorkspaceError> {
        let newest = self.newest(&repository(&self.project)?)?.to_string();
        if self.marker(id)?.is_some_and(|marker| marker.base != newest) {
            let _alone = self.alone()?;
            let folder = self.folder(id);
            refuse_inhabited(&folder)?;
            let old = tempfile::Builder::new().prefix(NEW).tempdir_in(self.folders());
            let old = old.map_err(WorkspaceError::at(&folder))?;
            self.forget(id);
            // Nobody has worked in it, so nothing in it has to be saved.
            fs::rename(&folder, old.path()).map_err(WorkspaceError::at(&folder))?;
        }
        self.prepare(id).map(|_| ())
    }

    /// Replaces the workspace of a task by one that begins with the target branch, and has the changes that a snapshot has since a
    /// commit, wherever the branch did not change the same file. Everything that was there is saved first.
    pub fn renew(&self, id: &TaskId, tree: &TreeHash, old: ObjectId) -> Result<Renewed, WorkspaceError> {
        let accepted = listed(keeping::kept(self.snapshots(), tree)?);
        self.remove(id)?;
        let workspace = self.prepare(id)?;
        let begins = workspace.keep()?;
        if let Some(mut marker) = self.marker(id)? {
            marker.renewed = Some(begins);
            marker.write(&self.folder(id))?;
        }
        let repository = repository(&self.project)?;
        let base = listed(repository.files(old)?);
        let tip = listed(repository.files(workspace.base())?);
        let mut left = Vec::new();
        let mut wanted = Vec::new();
        let paths: BTreeSet<&Vec<u8>> = base.keys().chain(accepted.keys()).collect();
        for path in paths {
            let (was, made, now) = (seen(&base, path), seen(&accepted, path), seen(&tip, path));
            let is_other = was.is_some_and(|(kind, _)| kind == FileKind::Submodule);
            if was == made || now == made || is_other {
                continue;
            }
            match now == was {
                true => wanted.push(path),
                false => left.push(String::from_utf8_lossy(path).into_owned()),
            }
        }
        // What is in the way of others goes first.
        for path in wanted.iter().filter(|path| tip.contains_key(**path)) {
            let place = workspace.workspace.place(path);
            fs::remove_file(&place).map_err(WorkspaceError::at(&place))?;
        }
        let mut objects = workspace.snapshots.objects();
        for file in wanted.iter().filter_map(|path| accepted.get(*path)) {
            match keeping::write_file(workspace.root(), file, &mut objects) {
                Ok(()) => {}
                // The branch has a folder where the task made a file, or the other way round.
                Err(WorkspaceError::Io(..) | WorkspaceError::Refused { .. }) => {
                    left.push(String::from_utf8_lossy(&file.path).into_owned());
                }
                Err(error) => return Err(error),
            }
        }
        drop(objects);
        Ok(Renewed { workspace, left })
    }
}

fn listed(files: Vec<TreeFile>) -> Listed {
    files.into_iter().map(|file| (file.path.clone(), file)).collect()
}

fn seen(files: &Listed, path: &[u8]) -> Option<(FileKind, ObjectId)> {
    files.get(path).map(|file| (file.kind, file.id))
}
