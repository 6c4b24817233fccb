//! Why a repository is not read.

use std::fmt;
use std::io;
use std::path::Path;

/// What kind of trouble it is, for callers that go on without git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitErrorKind {
    /// There is no `git` program that may be used.
    NoProgram,
    /// The repository is laid out in a way that could lead out of it.
    Refused,
    /// The repository uses something that Baton cannot read yet, or is larger than a bound.
    Unsupported,
    /// A file could not be read, or git gave up.
    Failed,
}

/// A sentence about what went wrong and why, and what to do next.
#[derive(Clone, Debug)]
pub struct GitError {
    pub kind: GitErrorKind,
    pub message: String,
    pub hint: String,
}

impl GitError {
    pub(super) fn refused(path: &Path, reason: &str) -> Self {
        Self {
            kind: GitErrorKind::Refused,
            message: format!("the repository is not read, because `{}` {reason}", path.display()),
            hint: "If you trust the repository, clone it and use the clone".to_owned(),
        }
    }

    pub(super) fn unsupported(message: String, hint: &str) -> Self {
        Self { kind: GitErrorKind::Unsupported, message, hint: hint.to_owned() }
    }

    pub(super) fn too_large(path: &Path, max: usize) -> Self {
        let message = format!("`{}` is larger than {max} bytes or entries", path.display());
        Self::unsupported(message, "Run `git gc` in the repository, then try again")
    }

    pub(super) fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self {
            kind: GitErrorKind::Failed,
            message: format!("`{}` could not be read: {error}", path.display()),
            hint: "Check that you may read the whole repository".to_owned(),
        }
    }

    pub(super) fn unwritable(path: &Path, error: &io::Error) -> Self {
        Self {
            kind: GitErrorKind::Failed,
            message: format!("`{}` could not be written: {error}", path.display()),
            hint: "Check that you may write to the repository, and that the disk has room".to_owned(),
        }
    }

    pub(crate) fn workshop(error: &io::Error) -> Self {
        Self {
            kind: GitErrorKind::Failed,
            message: format!("the temporary folder for git could not be prepared: {error}"),
            hint: "Check that the folder for temporary files exists and has room".to_owned(),
        }
    }

    pub(super) fn no_program() -> Self {
        Self {
            kind: GitErrorKind::NoProgram,
            message: "there is no `git` program in the PATH outside of the repository".to_owned(),
            hint: "Install git, or add its folder to the PATH by its absolute path".to_owned(),
        }
    }

    pub(super) fn failed(message: String) -> Self {
        let hint = "Run `git fsck` in the repository to see whether it is whole".to_owned();
        Self { kind: GitErrorKind::Failed, message, hint }
    }
}

impl fmt::Display for GitError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for GitError {}
