//! Begins the work of a task again where the target branch is now, after the two did not go together.
//!
//! What is to be done is noted before anything of it is, so that whoever comes after a crash does it from its beginning.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use baton_engine::word::{TaskId, TreeHash};
use baton_store::durable_file;
use serde::{Deserialize, Serialize};

use super::removal::refuse_inhabited;
use super::restore::remove_empty_folders;
use super::{TaskWorkspace, WorkspaceError, Workspaces, keeping};
use crate::file::read_plain;
use crate::git::{FileKind, ObjectId, TreeFile};

/// A workspace that begins with the target branch as it is now.
#[derive(Debug)]
pub struct Renewed {
    pub workspace: TaskWorkspace,
    /// Files that both sides changed. They are as the branch has them; what the task made of them is in the snapshot.
    pub left: Vec<String>,
}

/// How the name of the note begins. No task has such a name.
const NOTE: &str = ".renewal-";
const NOTE_BYTES_MAX: u64 = 64 * 1024;

/// What a workspace is to be made anew with: the changes that this snapshot has since this commit.
#[derive(Debug, Serialize, Deserialize)]
struct Renewal {
    tree: TreeHash,
    since: String,
}

/// What becomes of the work in a workspace when it is made anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// Files that others have changed since the work began.
    pub theirs: Vec<String>,
    /// Files in which the work stays as it is.
    pub kept: Vec<String>,
    /// Files that both sides changed, which will be as the branch has them.
    pub left: Vec<String>,
}

type Listed = BTreeMap<Vec<u8>, TreeFile>;

impl Workspaces {
    /// Makes the workspace of a task in which nobody has had a turn; makes it anew when there is a newer commit to begin with.
    pub(crate) fn make_anew(&self, id: &TaskId) -> Result<(), WorkspaceError> {
        let newest = self.newest(&self.reopened()?)?.to_string();
        if let Some(marker) = self.marker(id)?.filter(|marker| marker.base != newest) {
            refuse_inhabited(&self.folder(id))?;
            // The old commit may have had a file that is too large to be saved, which must be in nobody's way.
            self.prepare(id)?.put_aside(&marker.base)?;
            // Whoever was told its folder may have worked there without a turn.
            self.remove(id)?;
        }
        self.prepare(id).map(|_| ())
    }

    /// Notes that the workspace of a task is to be made anew, with the changes that a snapshot has since a commit. This comes
    /// before the record that it has to be.
    pub(crate) fn plan_renewal(
        &self,
        id: &TaskId,
        (tree, since): (&TreeHash, ObjectId),
    ) -> Result<(), WorkspaceError> {
        let path = note(&self.folders(), id);
        let renewal = Renewal { tree: tree.clone(), since: since.to_string() };
        let bytes = serde_json::to_vec(&renewal).map_err(|error| WorkspaceError::at(&path)(error.into()))?;
        Ok(durable_file::replace(&path, &bytes)?)
    }

    /// Brings a workspace up to the target branch where the branch has moved and both go together. Says whether it did.
    pub(crate) fn bring_up_to_date(&self, id: &TaskId) -> Result<bool, WorkspaceError> {
        let old = self.base_of(id)?;
        if self.newest(&self.reopened()?)? == old {
            return Ok(false);
        }
        let tree = self.prepare(id)?.keep()?;
        if !self.outlook(id, &tree, old)?.left.is_empty() {
            return Ok(false);
        }
        self.plan_renewal(id, (&tree, old))?;
        self.renew(id, &tree, old).map(|_| true)
    }

    /// Takes the note away: it was done, or did not have to be.
    pub(crate) fn drop_renewal(&self, id: &TaskId) -> Result<(), WorkspaceError> {
        let path = note(&self.folders(), id);
        // A note that comes back after a power cut would undo what was done since.
        match fs::remove_file(&path).and_then(|()| durable_file::flush_folder(&path)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(WorkspaceError::Io(path, error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Does what is noted and was cut short; says whether there was anything.
    pub(crate) fn finish_renewal(&self, id: &TaskId) -> Result<bool, WorkspaceError> {
        let path = note(&self.folders(), id);
        let bytes = match read_plain(&path, NOTE_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(WorkspaceError::Io(path, error)),
        };
        let renewal: Option<Renewal> = serde_json::from_slice(&bytes).ok();
        let noted = renewal.and_then(|noted| {
            let since = ObjectId::from_hex(noted.since.as_bytes())?;
            Some((noted.tree, since))
        });
        let (tree, since) = noted.ok_or_else(|| {
            let what = format!("`{}` does not say how the workspace of {id} is made anew", path.display());
            WorkspaceError::refused(
                what,
                format!("`baton recover {id}` lists what was saved; move the file aside"),
            )
        })?;
        self.renew(id, &tree, since)?;
        Ok(true)
    }

    /// Says what [`Self::renew`] would make of the work of a task now. It changes nothing.
    pub fn outlook(&self, id: &TaskId, tree: &TreeHash, old: ObjectId) -> Result<Outlook, WorkspaceError> {
        let accepted = listed(keeping::kept(self.snapshots(), tree)?);
        let repository = self.reopened()?;
        let began = listed(repository.files(self.base_of(id)?)?);
        let base = listed(repository.files(old)?);
        let tip = listed(repository.files(self.newest(&repository)?)?);
        let (kept, left) = parted((&base, &accepted), &tip);
        let paths: BTreeSet<&Vec<u8>> = began.keys().chain(tip.keys()).collect();
        let theirs: Vec<&Vec<u8>> =
            paths.into_iter().filter(|path| seen(&began, path) != seen(&tip, path)).collect();
        Ok(Outlook { theirs: names(&theirs), kept: names(&kept), left: names(&left) })
    }

    /// Replaces the workspace of a task by one that begins with the target branch, and has the changes that a snapshot has since a
    /// commit, wherever the branch did not change the same file. Everything that was there is saved first. Whoever may be ended
    /// in the midst of it has noted it before.
    pub fn renew(&self, id: &TaskId, tree: &TreeHash, old: ObjectId) -> Result<Renewed, WorkspaceError> {
        // What cannot be read is missed while everything is still there.
        let accepted = listed(keeping::kept(self.snapshots(), tree)?);
        let repository = self.reopened()?;
        let base = listed(repository.files(old)?);
        self.remove(id)?;
        let workspace = self.prepare(id)?;
        let begins = workspace.keep()?;
        if let Some(mut marker) = self.marker(id)? {
            marker.renewed = Some(begins);
            marker.write(&self.folder(id))?;
        }
        let tip = listed(repository.files(workspace.base())?);
        let (wanted, left) = parted((&base, &accepted), &tip);
        let mut left = names(&left);
        // What is in the way of others goes first.
        for path in wanted.iter().filter(|path| tip.contains_key(**path)) {
            let place = workspace.workspace.place(path);
            fs::remove_file(&place).map_err(WorkspaceError::at(&place))?;
            remove_empty_folders(workspace.root(), &place);
        }
        let files = wanted.iter().filter_map(|path| accepted.get(*path));
        left.extend(put_in(&workspace, files)?);
        keeping::flush_folders(workspace.root(), wanted.into_iter())?;
        self.drop_renewal(id)?;
        Ok(Renewed { workspace, left })
    }
}

/// Writes files of a snapshot into a new workspace, and sees them to the disk; returns those whose place is taken.
fn put_in<'f>(
    workspace: &TaskWorkspace,
    files: impl Iterator<Item = &'f TreeFile>,
) -> Result<Vec<String>, WorkspaceError> {
    let mut objects = workspace.snapshots.objects();
    let (mut written, mut left) = (Vec::new(), Vec::new());
    for file in files {
        let bytes = keeping::content(file, &mut objects)?;
        match keeping::write_bytes(workspace.root(), (&file.path, file.kind), &bytes) {
            Ok(()) => written.push(file.clone()),
            Err(error) if is_taken(&error) => left.push(String::from_utf8_lossy(&file.path).into_owned()),
            Err(error) => return Err(error),
        }
    }
    keeping::flush(workspace.root(), &written)?;
    Ok(left)
}

/// Says whether a file was not written because the branch has a folder where the task made a file, or the other way round.
/// Whatever else happened can pass, and is done again from its beginning.
fn is_taken(error: &WorkspaceError) -> bool {
    match error {
        WorkspaceError::Refused { .. } => true,
        WorkspaceError::Io(_, error) => matches!(
            error.kind(),
            ErrorKind::AlreadyExists | ErrorKind::IsADirectory | ErrorKind::NotADirectory
        ),
        WorkspaceError::Git(_) => false,
    }
}

/// Says whether the workspace of a task is being made anew, among these. For a moment there is none then.
pub(crate) fn is_being_renewed(folders: &Path, id: &TaskId) -> bool {
    note(folders, id).exists()
}

fn note(folders: &Path, id: &TaskId) -> PathBuf {
    folders.join(format!("{NOTE}{id}"))
}

/// Parts what the work changed since a commit into what can be put on the tip, and what the tip has changed too.
fn parted<'l>(
    (base, accepted): (&'l Listed, &'l Listed),
    tip: &Listed,
) -> (Vec<&'l Vec<u8>>, Vec<&'l Vec<u8>>) {
    let paths: BTreeSet<&Vec<u8>> = base.keys().chain(accepted.keys()).collect();
    let changed = paths.into_iter().filter(|path| {
        let (was, made, now) = (seen(base, path), seen(accepted, path), seen(tip, path));
        let is_other = was.is_some_and(|(kind, _)| kind == FileKind::Submodule);
        was != made && now != made && !is_other
    });
    changed.partition(|path| seen(tip, path) == seen(base, path))
}

fn names(paths: &[&Vec<u8>]) -> Vec<String> {
    paths.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect()
}

fn listed(files: Vec<TreeFile>) -> Listed {
    files.into_iter().map(|file| (file.path.clone(), file)).collect()
}

fn seen(files: &Listed, path: &[u8]) -> Option<(FileKind, ObjectId)> {
    files.get(path).map(|file| (file.kind, file.id))
}
