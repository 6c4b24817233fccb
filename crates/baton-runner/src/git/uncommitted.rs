//! What a work tree has that no commit has, as git itself tells it from the index, so that little is read.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::child::Git;
use super::{GitError, Repository, plain, program};

/// Most that is heard of it. Whoever changed more knows that.
const LISTED_BYTES_MAX: u64 = 64 * 1024;

impl Repository {
    /// Returns files that differ from the commit that is checked out, and folders and files that are new, from the root. Of very
    /// many, only some.
    pub fn uncommitted(&self) -> Result<Vec<String>, GitError> {
        let index = plain::look(&self.index())?.filter(std::fs::Metadata::is_file);
        let (Some(head), Some(_)) = (self.head(), index) else { return Ok(Vec::new()) };
        let head = head.to_string();
        let mut changed = vec!["diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv"];
        changed.extend(["--no-renames", "--ignore-submodules=all", &head, "--"]);
        let mut found = self.listed(&changed)?;
        let exclude = self.place.common_dir.join("info").join("exclude");
        let exclude = plain::look(&exclude)?.filter(|found| found.is_file()).map(|_| exclude);
        let exclude = exclude.map(|path| format!("--exclude-from={}", path.display()));
        let mut new = vec!["ls-files", "-z", "--others", "--exclude-standard", "--directory"];
        new.push("--no-empty-directory");
        new.extend(exclude.as_deref());
        found.extend(self.listed(&new)?);
        Ok(found)
    }

    fn index(&self) -> PathBuf {
        self.place.git_dir.join("index")
    }

    /// Lets git list paths of the work tree, with the index of the repository and no setting of it.
    fn listed(&self, arguments: &[&str]) -> Result<Vec<String>, GitError> {
        let root: &Path = &self.place.root;
        let mut command = program::command(&self.workshop.program, &self.workshop.own);
        command.args(arguments).current_dir(root).env("GIT_WORK_TREE", root);
        command.env("GIT_INDEX_FILE", self.index());
        let mut git = Git::start(command)?;
        git.close_stdin();
        let mut bytes = Vec::new();
        let read = git.stdout.by_ref().take(LISTED_BYTES_MAX).read_to_end(&mut bytes);
        let read = read.map_err(|error| git.error(&error))?;
        if (read as u64) < LISTED_BYTES_MAX {
            git.finish()?.map_err(GitError::failed)?;
        }
        let paths = bytes.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }
}
