//! Saved workspaces: kept before and after every turn, and brought back byte for byte.

use std::path::Path;

use baton_engine::event::Event;
use baton_engine::word::{TaskId, TreeHash};
use baton_store::durable_file;

use super::failure::{Change, Changes};
use super::{Desk, DeskError, SNAPSHOTS};
use crate::git::{Difference, Repository, Snapshots};
use crate::workspace::{WorkFile, Workspace, keeping, rescued};

/// A workspace that was saved for a task.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The name to ask for it.
    pub name: String,
    pub tree: TreeHash,
    pub at: i64,
    pub what: String,
    /// Whether its files are there.
    pub is_kept: bool,
}

/// Saves the files of a checkout beside a log, which need not be there yet.
pub(crate) fn keep_beside(folder: &Path, workspace: &Workspace) -> Result<TreeHash, DeskError> {
    Ok(keeping::keep(workspace, &beside(folder, workspace)?, &[])?)
}

/// The same for the files that the commit has which is checked out; nothing where there is none.
pub(crate) fn keep_head_beside(folder: &Path, workspace: &Workspace) -> Result<Option<TreeHash>, DeskError> {
    let Some(repository) = Repository::open(&workspace.root)? else { return Ok(None) };
    let Some(head) = repository.head() else { return Ok(None) };
    Ok(keeping::keep_commit(workspace, &beside(folder, workspace)?, (&repository, head))?)
}

/// Returns what differs between the files of a checkout and a snapshot beside its log.
pub(crate) fn changes_beside(
    folder: &Path,
    workspace: &Workspace,
    before: &TreeHash,
) -> Result<Changes, DeskError> {
    let snapshots = beside(folder, workspace)?;
    let now = keeping::keep(workspace, &snapshots, &[])?;
    let differing = snapshots.differing(before.as_str(), now.as_str())?;
    let one = |found: Difference| match (found.before, found.after) {
        (None, Some(file)) => Some((file, Change::Added)),
        (Some(file), None) => Some((file, Change::Removed)),
        (Some(_), Some(file)) => Some((file, Change::Changed)),
        (None, None) => None,
    };
    let named = differing.into_iter().filter_map(one);
    Ok(named.map(|(file, change)| (String::from_utf8_lossy(&file.path).into_owned(), change)).collect())
}

fn beside(folder: &Path, workspace: &Workspace) -> Result<Snapshots, DeskError> {
    durable_file::make_folder(folder)?;
    Ok(Snapshots::open(&folder.join(SNAPSHOTS), &workspace.root)?)
}

impl Desk {
    pub(super) fn snapshots(&self) -> Result<Snapshots, DeskError> {
        let snapshots = Snapshots::open(&self.folder.join(SNAPSHOTS), &self.workspace.root)?;
        Ok(snapshots.sharing(&self.spare))
    }

    /// Saves the workspace, and returns what it looks like.
    pub(super) fn keep_workspace(&self) -> Result<TreeHash, DeskError> {
        self.keep_with(&[])
    }

    /// Saves the workspace, and files that it would leave out.
    pub(super) fn keep_with(&self, more: &[WorkFile]) -> Result<TreeHash, DeskError> {
        Ok(keeping::keep(&self.workspace, &self.snapshots()?, more)?)
    }

    /// Returns every workspace that was saved for a task, in order.
    pub fn saved(&self, id: &TaskId) -> Result<Vec<Saved>, DeskError> {
        self.task(id)?;
        let snapshots = self.snapshots()?;
        let mut all = Vec::new();
        let mut rescues = 0;
        for (_, entry) in self.entries(Some(id))? {
            let (name, tree, what) = match &entry.event {
                Event::SnapshotTaken { turn, tree, .. } => {
                    (format!("before-{turn}"), tree.clone(), format!("before {turn}"))
                }
                Event::HandoffReceived { turn, submission, .. } => {
                    (format!("after-{turn}"), submission.tree.clone(), format!("handed over in {turn}"))
                }
                Event::RollbackRecorded { rescue: Some(rescue), .. } => {
                    rescues += 1;
                    let tree = TreeHash::new(rescue.as_str())?;
                    (format!("rescue-{rescues}"), tree, "before it was rolled back".to_owned())
                }
                _ => continue,
            };
            let is_kept = snapshots.has(tree.as_str());
            all.push(Saved { name, tree, at: entry.at, what, is_kept });
        }
        for rescue in rescued(&self.folder, id)? {
            let is_kept = snapshots.has(rescue.tree.as_str());
            all.push(Saved {
                name: rescue.name,
                tree: rescue.tree,
                at: rescue.at,
                what: rescue.what,
                is_kept,
            });
        }
        Ok(all)
    }

    /// Writes a saved workspace into a new or empty folder, and returns how many files it has. A folder of git among them
    /// gets another name, `.git.saved`, so that nothing in it runs.
    pub fn recover(&self, saved: &Saved, into: &Path) -> Result<usize, DeskError> {
        let snapshots = self.snapshots()?;
        let files = keeping::disarmed(keeping::kept(&snapshots, &saved.tree)?);
        keeping::copy_out(&files, &mut snapshots.objects(), into)?;
        keeping::flush(into, &files)?;
        Ok(files.len())
    }
}
