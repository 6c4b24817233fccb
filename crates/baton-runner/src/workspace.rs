//! The workspace: the files of the project that are not ignored. What it looks like is one hash over the names, kinds
//! and contents of them all. A task that agents work on has a workspace of its own, outside of the person's checkout.
//!
//! Reading order: this file, `keeping`, [`task`], `marker`, `restore`, `rescue`, `removal`, [`integration`],
//! `renewal`.

mod error;
pub mod integration;
pub(crate) mod keeping;
mod marker;
mod removal;
mod renewal;
mod rescue;
mod restore;
pub mod task;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use baton_engine::word::TreeHash;
use ignore::WalkBuilder;
use sha2::{Digest, Sha256};

use crate::git::{FileKind, SNAPSHOT_FILE_BYTES_MAX};

pub use error::WorkspaceError;
pub use integration::Integrated;
pub use removal::Removed;
pub use renewal::Renewed;
pub use rescue::Rescued;
pub(crate) use rescue::{List, rescued};
pub(crate) use restore::{Return, is_so};
pub use task::{FileChange, TARGET_DEFAULT, TaskWorkspace, Workspaces};

/// Folders that are not the work itself, in upper or lower case, as git sees them.
const NOT_WORK: &[&str] = &[".git", ".baton"];

/// Where the work lies.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Files and folders that Baton writes itself, from the root.
    pub(crate) left_out: Vec<PathBuf>,
    pub(crate) rule: Rule,
}

/// Which files count.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    /// In a person's checkout: what no ignore file of theirs names.
    Checkout,
    /// In a workspace of a task: what no `.gitignore` in it names, and these in any case. Whoever works there can write all
    /// other places that tell what is ignored, and could hide a file that the project has.
    Task { known: BTreeSet<Vec<u8>> },
    /// All there is, also the folders of git.
    Everything,
}

/// A file of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WorkFile {
    /// From the root, with slashes.
    pub(crate) path: Vec<u8>,
    pub(crate) kind: FileKind,
}

impl Workspace {
    /// Returns all files, by their paths. Links count as what they say, not as what they point to.
    pub(crate) fn files(&self) -> Result<Vec<WorkFile>, WorkspaceError> {
        let own = self.clone();
        let mut walk = WalkBuilder::new(&self.root);
        match &self.rule {
            Rule::Checkout => walk.hidden(false).require_git(false),
            Rule::Task { .. } => {
                walk.standard_filters(false).git_ignore(true).require_git(false).parents(false)
            }
            Rule::Everything => walk.standard_filters(false),
        };
        walk.filter_entry(move |entry| {
            !own.leaves_out(entry.path().strip_prefix(&own.root).unwrap_or(entry.path()))
        });
        let mut files = Vec::new();
        for entry in walk.build() {
            let entry =
                entry.map_err(|error| WorkspaceError::Io(self.root.clone(), std::io::Error::other(error)))?;
            if entry.file_type().is_none_or(|kind| kind.is_dir()) {
                continue;
            }
            let inside = entry.path().strip_prefix(&self.root).unwrap_or(entry.path());
            files.extend(self.look(inside)?);
        }
        if let Rule::Task { known } = &self.rule {
            for path in known {
                files.extend(self.look(&native(path))?);
            }
        }
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// Says whether a path, from the root, is not the work itself.
    pub(crate) fn leaves_out(&self, inside: &Path) -> bool {
        if matches!(self.rule, Rule::Everything) {
            return false;
        }
        inside.iter().any(|part| NOT_WORK.iter().any(|name| part.eq_ignore_ascii_case(name)))
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
        let path = self.root.join(inside);
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if is_nothing(&error) => return Ok(None),
            Err(error) => return Err(WorkspaceError::Io(path, error)),
        };
        let kind = if metadata.is_symlink() {
            FileKind::Link
        } else if !metadata.is_file() {
            return Ok(None);
        } else if is_program(&metadata) {
            FileKind::Program
        } else {
            FileKind::File
        };
        let parts: Vec<&[u8]> = inside.iter().map(|part| part.as_encoded_bytes()).collect();
        Ok(Some(WorkFile { path: parts.join(&b'/'), kind }))
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
                next: "name it in `.gitignore` if it is no work, or move it out of the project".to_owned(),
            });
        }
        let read = match file.kind {
            FileKind::Link => fs::read_link(&path).map(|to| to.into_os_string().into_encoded_bytes()),
            FileKind::File | FileKind::Program | FileKind::Submodule => fs::read(&path),
        };
        read.map_err(|error| WorkspaceError::Io(path, error))
    }

    pub(crate) fn place(&self, path: &[u8]) -> PathBuf {
        self.root.join(native(path))
    }

    pub(crate) fn measure(&self) -> Result<TreeHash, WorkspaceError> {
        let mut hash = WorkHash::default();
        for file in &self.files()? {
            hash.add(file, &self.read(file)?);
        }
        hash.finish()
    }
}

/// The hash of a workspace, file after file.
#[derive(Default)]
pub(crate) struct WorkHash(Sha256);

impl WorkHash {
    pub(crate) fn add(&mut self, file: &WorkFile, bytes: &[u8]) {
        let kind: &[u8] = match file.kind {
            FileKind::File | FileKind::Submodule => b"file",
            FileKind::Program => b"program",
            FileKind::Link => b"link",
        };
        for part in [file.path.as_slice(), kind, bytes] {
            // Every part is preceded by its length, so that no two trees have the same bytes.
            self.0.update((part.len() as u64).to_be_bytes());
            self.0.update(part);
        }
    }

    pub(crate) fn finish(self) -> Result<TreeHash, WorkspaceError> {
        let digits: String = self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(TreeHash::new(digits)?)
    }
}

/// Something under a file is as little there as something that is missing.
fn is_nothing(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

#[cfg(unix)]
pub(crate) fn native(path: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(path))
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
