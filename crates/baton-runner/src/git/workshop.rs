//! A git program, and the folder of ours that it works in.

use std::path::PathBuf;

use super::child::Git;
use super::own_dir::OwnDir;
use super::{GitError, program};

#[derive(Debug)]
pub(super) struct Workshop {
    pub(super) own: OwnDir,
    pub(super) program: PathBuf,
}

impl Workshop {
    pub(super) fn start(&self, arguments: &[&str]) -> Result<Git, GitError> {
        let mut command = program::command(&self.program, &self.own);
        command.args(arguments);
        Git::start(command)
    }
}
