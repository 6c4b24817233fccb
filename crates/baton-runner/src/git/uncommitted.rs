//! What a work tree has that no commit has, as git itself tells it from the index, so that little is read.

use std::env;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::NamedTempFile;

use super::child::Git;
use super::{GitError, Repository, index, plain, program};
use crate::file::open_plain;

/// Most that is heard of it. Whoever changed more knows that.
const LISTED_BYTES_MAX: u64 = 64 * 1024;
/// It is only for a note, so a pipe in place of a file of rules may hold nobody up for long.
const SILENCE_MAX: Duration = Duration::from_secs(5);

impl Repository {
    /// Returns files that differ from the commit that is checked out, and folders and files that are new, from the root. Of very
    /// many, only some.
    pub fn uncommitted(&self) -> Result<Vec<String>, GitError> {
        let index = self.place.git_dir.join("index");
        let is_there = plain::look(&index)?.is_some_and(|found| found.is_file());
        let Some(head) = self.head().filter(|_| is_there) else { return Ok(Vec::new()) };
        let index = self.copied(&index)?;
        let head = head.to_string();
        let mut changed = vec!["diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv"];
        changed.extend(["--no-renames", "--ignore-submodules=all", &head, "--"]);
        let mut found = self.listed(&changed, index.path())?;
        let exclude = self.place.common_dir.join("info").join("exclude");
        let exclude = plain::look(&exclude)?.filter(|found| found.is_file()).map(|_| exclude);
        let excludes = exclude.into_iter().chain(self.ignored_everywhere()?);
        let excludes: Vec<String> =
            excludes.map(|path| format!("--exclude-from={}", path.display())).collect();
        let mut new = vec!["ls-files", "-z", "--others", "--exclude-standard", "--directory"];
        new.push("--no-empty-directory");
        new.extend(excludes.iter().map(String::as_str));
        found.extend(self.listed(&new, index.path())?);
        Ok(found)
    }

    /// Copies the index. Git writes what it learns of files whose times have changed into the one that it is given, and that of
    /// the person is not touched.
    fn copied(&self, index: &Path) -> Result<NamedTempFile, GitError> {
        let unreadable = |error: io::Error| GitError::unreadable(index, &error);
        let mut theirs = open_plain(index).map_err(unreadable)?.take(index::BYTES_MAX as u64);
        let made = NamedTempFile::new_in(self.workshop.own.folder());
        let mut ours = made.map_err(|error| GitError::workshop(&error))?;
        io::copy(&mut theirs, &mut ours).map_err(unreadable)?;
        // A file that was written after the index is read again: that has to be told of the copy, too.
        let written = theirs.into_inner().metadata().and_then(|found| found.modified());
        ours.as_file()
            .set_modified(written.map_err(unreadable)?)
            .map_err(|error| GitError::workshop(&error))?;
        Ok(ours)
    }

    /// Returns the file of rules that the user has for all projects.
    fn ignored_everywhere(&self) -> Result<Option<PathBuf>, GitError> {
        let named = self.setting(&["--type=path", "--get", "core.excludesFile"])?.map(PathBuf::from);
        let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let usual = || {
            let configs = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
            Some(configs?.join("git").join("ignore"))
        };
        let is_file = |path: &PathBuf| fs::metadata(path).is_ok_and(|found| found.is_file());
        Ok(named.or_else(usual).filter(is_file))
    }

    /// Lets git list paths of the work tree, with a copy of its index and no setting of the repository.
    fn listed(&self, arguments: &[&str], index: &Path) -> Result<Vec<String>, GitError> {
        let root: &Path = &self.place.root;
        let mut command = program::command(&self.workshop.program, &self.workshop.own);
        command.args(arguments).current_dir(root).env("GIT_WORK_TREE", root);
        command.env("GIT_INDEX_FILE", index);
        let mut git = Git::start_patiently(command, SILENCE_MAX)?;
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
