//! Why a workspace is not used.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use baton_engine::word::BadWord;
use baton_store::StoreError;

use crate::git::GitError;

/// Says what happened and why; [`WorkspaceError::next`] says what to do.
#[derive(Debug)]
pub enum WorkspaceError {
    Io(PathBuf, io::Error),
    Git(GitError),
    /// Baton does not do it, for something would be lost or run.
    Refused {
        what: String,
        next: String,
    },
}

impl WorkspaceError {
    pub(crate) fn refused(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::Refused { what: what.into(), next: next.into() }
    }

    /// For `map_err`: names the path at which something failed.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io(path.to_owned(), error)
    }

    /// Says what to do next.
    pub fn next(&self) -> &str {
        match self {
            Self::Io(..) => "check that the folder is there, is yours and has room, then try again",
            Self::Git(error) => &error.hint,
            Self::Refused { next, .. } => next,
        }
    }
}

impl fmt::Display for WorkspaceError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, error) => write!(out, "{}: {error}", path.display()),
            Self::Git(error) => error.fmt(out),
            Self::Refused { what, .. } => out.write_str(what),
        }
    }
}

impl std::error::Error for WorkspaceError {}

impl From<GitError> for WorkspaceError {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

impl From<StoreError> for WorkspaceError {
    fn from(error: StoreError) -> Self {
        Self::refused(error.to_string(), "check that the folder of the log is yours and has room")
    }
}

impl From<BadWord> for WorkspaceError {
    fn from(word: BadWord) -> Self {
        Self::refused(word.to_string(), "this is a fault of Baton; report it")
    }
}
