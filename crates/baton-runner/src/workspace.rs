//! The workspace: the files of the project that are not ignored, or that git follows all the same. What it looks like is one
//! hash over the names, kinds and contents of them all. A task that agents work on has a workspace of its own, outside of the
//! person's checkout.
//!
//! Reading order: this file, `base`, `folder`, `walk`, `digest`, `keeping`, [`task`], `marker`, `room`, `checkout_room`, `stamps`, `reach`,
//! `restore`, `rescue`, `removal`, [`integration`], `renewal`, `oversize`, `beginning`, `difference`.

mod base;
mod beginning;
mod checkout_room;
mod difference;
mod digest;
mod error;
mod folder;
pub mod integration;
pub(crate) mod keeping;
mod marker;
mod oversize;
mod reach;
mod removal;
mod renewal;
mod rescue;
mod restore;
mod room;
mod stamps;
pub mod task;
mod walk;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use baton_engine::word::TreeHash;
use sha2::{Digest as _, Sha256};

use crate::file::read_plain;
use crate::git::{FileKind, SNAPSHOT_FILE_BYTES_MAX};

pub(crate) use base::Base;
pub use beginning::{Beginning, Elsewhere};
pub(crate) use checkout_room::checkout_room;
use digest::Stamp;
pub(crate) use digest::{Digests, Listed, Listing};
pub use error::WorkspaceError;
pub use integration::{Integrated, Prospect};
pub(crate) use reach::open_way;
pub use removal::Removed;
pub(crate) use renewal::is_being_renewed;
pub use renewal::{Outlook, Renewed};
pub use rescue::Rescued;
pub(crate) use rescue::{List, rescued};
pub(crate) use restore::{Return, is_so};
pub use room::Furniture;
pub(crate) use room::Room;
pub(crate) use stamps::Stamps;
pub(crate) use task::changes;
pub use task::{FileChange, TARGET_DEFAULT, TaskWorkspace, Workspaces};
pub(crate) use walk::Seen;

/// Folders that are not the work itself, in upper or lower case, as git sees them.
const NOT_WORK: &[&str] = &[".git", ".baton"];

/// Where the work lies.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Files and folders that Baton writes itself, from the root.
    pub(crate) left_out: Vec<PathBuf>,
    pub(crate) rule: Rule,
    /// What is known of its files, for as long as this is used.
    pub(crate) digests: Arc<Digests>,
}

/// Which files count.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    /// In a person's checkout: what no ignore file of theirs names, and what git follows all the same.
    Checkout,
    /// In a workspace of a task: what the commit that it began with does not ignore.
    Task(Arc<Base>),
    /// All there is, also the folders of git.
    Everything,
}

/// A file of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WorkFile {
    /// From the root, with slashes. One look after the other has the same.
    pub(crate) path: Arc<[u8]>,
    pub(crate) kind: FileKind,
}

impl Workspace {
    pub(crate) fn new(root: PathBuf, left_out: Vec<PathBuf>, rule: Rule) -> Self {
        Self { root, left_out, rule, digests: Arc::default() }
    }

    /// Returns all files, by their paths. Links count as what they say, not as what they point to.
    pub(crate) fn files(&self) -> Result<Vec<WorkFile>, WorkspaceError> {
        Ok(walk::walk(self)?.into_iter().map(|seen| seen.file).collect())
    }

    /// Returns all files with what the file system says of them. Nobody can write one and leave all of that as it was.
    pub(crate) fn seen(&self) -> Result<Vec<Seen>, WorkspaceError> {
        walk::walk(self)
    }

    /// Returns all files with the hashes of their bytes. What is known and unchanged is not read.
    pub(crate) fn listing(&self, more: &[WorkFile]) -> Result<Arc<Listing>, WorkspaceError> {
        let mut seen = walk::walk(self)?;
        if !more.is_empty() {
            for file in more {
                seen.extend(walk::stat(self, &native(&file.path))?);
            }
            walk::put_in_order(&mut seen);
        }
        self.listed(seen)
    }

    /// Returns files that were seen a moment ago with the hashes of their bytes.
    pub(crate) fn listed(&self, seen: Vec<Seen>) -> Result<Arc<Listing>, WorkspaceError> {
        let last = self.digests.seen();
        let known = last.as_ref().map_or(&[][..], |last| &last.files);
        if let Some(last) = last.as_ref().filter(|_| is_unchanged(known, &seen)) {
            return Ok(Arc::clone(last));
        }
        let mut known = known.iter().peekable();
        let mut files = Vec::with_capacity(seen.len());
        for Seen { file, stamp } in seen {
            while known.next_if(|known| known.path < file.path).is_some() {}
            let same = known.next_if(|known| known.path == file.path);
            files.push(match same.filter(|known| known.stamp.is_some() && known.stamp == stamp) {
                Some(known) => Listed { path: file.path, kind: file.kind, digest: known.digest, stamp },
                None => self.read_anew(file, stamp)?,
            });
        }
        let listing = Arc::new(Listing { tree: hash(&files)?, files });
        self.digests.note_seen(&listing);
        Ok(listing)
    }

    /// Reads a file that looked so before it was read.
    fn read_anew(&self, file: WorkFile, stamp: Option<Stamp>) -> Result<Listed, WorkspaceError> {
        let at = SystemTime::now();
        let digest = digest::digest(&self.read(&file)?);
        let stamp = stamp.filter(|stamp| stamp.is_settled(at));
        Ok(Listed { path: file.path, kind: file.kind, digest, stamp })
    }

    /// Says whether a path, from the root, is not the work itself.
    pub(crate) fn leaves_out(&self, inside: &Path) -> bool {
        if matches!(self.rule, Rule::Everything) {
            return false;
        }
        inside.iter().any(|part| is_not_work(part.as_encoded_bytes()))
            || self.left_out.iter().any(|path| inside.starts_with(path))
    }

    /// Returns the file at a path, if there is one. What lies behind a link is elsewhere.
    pub(crate) fn look(&self, inside: &Path) -> Result<Option<WorkFile>, WorkspaceError> {
        let mut folder = self.root.clone();
        for part in inside.parent().into_iter().flat_map(Path::iter) {
            folder.push(part);
            if fs::symlink_metadata(&folder).is_ok_and(|metadata| !metadata.is_dir()) {
                return Ok(None);
            }
        }
        Ok(walk::stat(self, inside)?.map(|seen| seen.file))
    }

    /// Returns the bytes of a file, or where a link says that it leads.
    pub(crate) fn read(&self, file: &WorkFile) -> Result<Vec<u8>, WorkspaceError> {
        let path = self.place(&file.path);
        let size = fs::symlink_metadata(&path).map_or(0, |metadata| metadata.len());
        if size > SNAPSHOT_FILE_BYTES_MAX {
            return Err(WorkspaceError::Refused {
                what: format!(
                    "`{}` has {size} bytes; a file of the work has at most {SNAPSHOT_FILE_BYTES_MAX}",
                    String::from_utf8_lossy(&file.path)
                ),
                next: "name it in `.gitignore` if it is no work, and `git rm --cached` it if git has it; or move it out \
                       of the project"
                    .to_owned(),
            });
        }
        let read = || match file.kind {
            FileKind::Link => fs::read_link(&path).map(|to| to.into_os_string().into_encoded_bytes()),
            FileKind::File | FileKind::Program | FileKind::Submodule => {
                read_plain(&path, SNAPSHOT_FILE_BYTES_MAX)
            }
        };
        let read = match self.rule {
            // The modes of a person's files are theirs.
            Rule::Checkout => read(),
            Rule::Task(_) | Rule::Everything => reach::with(&path, read),
        };
        read.map_err(|error| WorkspaceError::Io(path, error))
    }

    pub(crate) fn place(&self, path: &[u8]) -> PathBuf {
        self.root.join(native(path))
    }

    pub(crate) fn measure(&self) -> Result<TreeHash, WorkspaceError> {
        Ok(self.listing(&[])?.tree.clone())
    }
}

/// Returns the hash of a workspace: over the paths, kinds and hashes of all its files.
pub(crate) fn hash(files: &[Listed]) -> Result<TreeHash, WorkspaceError> {
    let mut hash = Sha256::new();
    for Listed { path, kind, digest, .. } in files {
        let kind: &[u8] = match kind {
            FileKind::File | FileKind::Submodule => b"file",
            FileKind::Program => b"program",
            FileKind::Link => b"link",
        };
        for part in [&**path, kind, digest] {
            // Every part is preceded by its length, so that no two trees have the same bytes.
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
    }
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(TreeHash::new(digits)?)
}

/// Says whether the files are those that are known, with nothing that has to be read again.
fn is_unchanged(known: &[Listed], seen: &[Seen]) -> bool {
    let is_same = |(known, seen): (&Listed, &Seen)| {
        known.stamp.is_some() && known.stamp == seen.stamp && known.path == seen.file.path
    };
    known.len() == seen.len() && known.iter().zip(seen).all(is_same)
}

fn is_not_work(part: &[u8]) -> bool {
    NOT_WORK.iter().any(|name| part.eq_ignore_ascii_case(name.as_bytes()))
}

/// Something under a file is as little there as something that is missing.
fn is_nothing(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

#[cfg(unix)]
pub(crate) fn native(path: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(path))
}

#[cfg(not(unix))]
pub(crate) fn native(path: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(path).into_owned())
}

#[cfg(unix)]
fn is_program(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_program(_metadata: &fs::Metadata) -> bool {
    false
}
