//! Finds the repository that a folder belongs to, as git would, and refuses what leads elsewhere.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::{GitError, plain};

/// Longest `.git`, `gitdir` or `commondir` file: a path and a word.
const POINTER_BYTES_MAX: usize = 16 * 1024;

/// Where the parts of a repository are.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The folder with the work tree.
    pub(super) root: PathBuf,
    /// Holds `HEAD`.
    pub(super) git_dir: PathBuf,
    /// Holds objects and references; differs from `git_dir` in a linked worktree.
    pub(super) common_dir: PathBuf,
}

impl Place {
    /// The folders from which no program is taken. A linked worktree has a main one, which is no more to be trusted.
    pub(super) fn untrusted(&self) -> [&Path; 2] {
        let main = self.common_dir.parent().filter(|_| self.common_dir.ends_with(".git"));
        [&self.root, main.unwrap_or(&self.common_dir)]
    }
}

/// Walks up from a folder to the one with `.git`.
pub(super) fn find(folder: &Path) -> Result<Option<Place>, GitError> {
    let start = fs::canonicalize(folder).map_err(|error| GitError::unreadable(folder, &error))?;
    for root in start.ancestors() {
        let dot_git = root.join(".git");
        match plain::look(&dot_git)? {
            // Git passes over a `.git` that is no repository, too.
            Some(metadata) if metadata.is_dir() && plain::look(&dot_git.join("HEAD"))?.is_some() => {
                let common_dir = dot_git.clone();
                return Ok(Some(Place { root: root.to_owned(), git_dir: dot_git, common_dir }));
            }
            Some(metadata) if metadata.is_file() => return linked(root, &dot_git).map(Some),
            Some(_) | None => {}
        }
    }
    Ok(None)
}

/// Follows a `.git` file into a worktree's folder of the main repository, when both agree that they belong together.
///
/// Without that, a folder from a stranger could name any repository of this machine as its own.
fn linked(root: &Path, dot_git: &Path) -> Result<Place, GitError> {
    let text = plain::read(dot_git, POINTER_BYTES_MAX)?.unwrap_or_default();
    let Some(target) = text.strip_prefix(b"gitdir:").and_then(path_of) else {
        return Err(GitError::refused(dot_git, "is a file that names no git folder"));
    };
    let target = root.join(target);
    let git_dir = fs::canonicalize(&target).map_err(|error| GitError::unreadable(&target, &error))?;

    let back = pointer(&git_dir, "gitdir")?.and_then(|back| same_file(&back, dot_git));
    if back.is_none() {
        let reason = "points to a git folder that does not point back to it, as that of a linked worktree does \
                      (submodules are not read either)";
        return Err(GitError::refused(dot_git, reason));
    }
    let common_dir = pointer(&git_dir, "commondir")?.and_then(|common| fs::canonicalize(common).ok());
    let holder = git_dir.parent().filter(|parent| parent.file_name() == Some(OsStr::new("worktrees")));
    match (common_dir, holder.and_then(Path::parent)) {
        (Some(common_dir), Some(holder)) if common_dir == holder => {
            Ok(Place { root: root.to_owned(), git_dir, common_dir })
        }
        _ => Err(GitError::refused(&git_dir, "does not lie in the repository that it names")),
    }
}

fn pointer(git_dir: &Path, name: &str) -> Result<Option<PathBuf>, GitError> {
    let text = plain::read(&git_dir.join(name), POINTER_BYTES_MAX)?;
    Ok(text.and_then(|text| path_of(&text)).map(|path| git_dir.join(path)))
}

fn same_file(one: &Path, other: &Path) -> Option<()> {
    let (one, other) = (fs::canonicalize(one).ok()?, fs::canonicalize(other).ok()?);
    (one == other).then_some(())
}

fn path_of(text: &[u8]) -> Option<PathBuf> {
    let text = text.trim_ascii();
    (!text.is_empty() && !text.contains(&0)).then(|| to_path(text)).flatten()
}

#[cfg(unix)]
fn to_path(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(PathBuf::from(OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn to_path(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}
