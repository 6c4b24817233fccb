//! Makes a workspace: the files of a commit, and a repository with its own configuration, no hooks, and the objects of the
//! project's one to borrow.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::child::Git;
use super::{GitError, ObjectId, Person, Repository, own_dir, program};

/// Files lie in a workspace byte for byte as they are kept in git: whatever the project says about line ends, filters and
/// encodings, nothing is converted on the way out, for nothing is on the way back.
const ATTRIBUTES: &str = "* -text -ident -filter !eol !working-tree-encoding\n";

/// The folder for the files of a new repository.
#[derive(Clone, Debug)]
pub enum Files {
    /// They are written. The caller has looked at their paths.
    Written(PathBuf),
    /// Somebody else writes them; the index says what they should be.
    Left(PathBuf),
}

impl Repository {
    /// Makes a repository in a git folder that is not there yet, on a branch named after the task, with the files of `commit`.
    pub fn furnish(
        &self,
        (git_dir, files): &(PathBuf, Files),
        task: &str,
        commit: ObjectId,
        person: &Person,
    ) -> Result<(), GitError> {
        let branch = format!("refs/heads/baton/{}", branch_of(task));
        let objects = self.place.common_dir.join("objects");
        let objects = objects.into_os_string().into_encoded_bytes();
        if objects.contains(&b'\n') {
            let message = "the path of the repository has a line break in it".to_owned();
            return Err(GitError::unsupported(message, "Move the repository to a place without one"));
        }
        let write = |name: &str, bytes: &[u8]| {
            let path = git_dir.join(name);
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, bytes))
        };
        let config = own_dir::config_of_work(&self.place, person);
        let written = write("HEAD", format!("ref: {branch}\n").as_bytes())
            .and_then(|()| write("config", config.as_bytes()))
            .and_then(|()| write("info/attributes", ATTRIBUTES.as_bytes()))
            .and_then(|()| write("objects/info/alternates", &[&objects[..], b"\n"].concat()))
            .and_then(|()| fs::create_dir_all(git_dir.join("objects/pack")))
            .and_then(|()| write(&branch, format!("{commit}\n").as_bytes()));
        written.map_err(|error| GitError::unreadable(git_dir, &error))?;
        own_dir::copy_shallow(&self.place.common_dir, git_dir)?;
        let (id, read) = (commit.to_string(), ["-c", "core.multiPackIndex=false", "read-tree", "--reset"]);
        match files {
            // Git writes the files itself, so that its index knows them: nothing is read or hashed again.
            Files::Written(folder) => self.inside((git_dir, folder), &[&read[..], &["-u", &id]].concat()),
            Files::Left(folder) => self.inside((git_dir, folder), &[&read[..], &[id.as_str()]].concat()),
        }
    }

    /// Runs git in a new workspace, where nobody but Baton has been yet.
    fn inside(&self, (git_dir, folder): (&Path, &Path), arguments: &[&str]) -> Result<(), GitError> {
        let mut command = program::command(&self.workshop.program, &self.workshop.own);
        command.args(arguments).current_dir(folder);
        command.envs([("GIT_DIR", git_dir.as_os_str()), ("GIT_WORK_TREE", folder.as_os_str())]);
        // The objects are read where nothing leads elsewhere, not by way of what the workspace borrows.
        command.env("GIT_OBJECT_DIRECTORY", self.workshop.own.git_dir().join("objects"));
        // The index is what this is for.
        command.env("GIT_OPTIONAL_LOCKS", OsStr::new("1"));
        match Git::start(command)?.finish()? {
            Ok(()) => Ok(()),
            Err(trouble) => Err(GitError::failed(format!("the workspace could not be made: {trouble}"))),
        }
    }
}

/// The name of a task is not always one for a branch. The repository is the task's alone, so it needs not be unique.
fn branch_of(task: &str) -> String {
    let plain = task.replace("..", "--");
    let end = if plain.ends_with('.') || plain.ends_with(".lock") { "-" } else { "" };
    format!("{plain}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_has_a_branch_that_git_takes() {
        for (task, branch) in
            [("F1", "F1"), ("a..b", "a--b"), ("a...b", "a--.b"), ("a.", "a.-"), ("x.lock", "x.lock-")]
        {
            assert_eq!(branch_of(task), branch);
            assert!(super::super::Branch::new(&format!("baton/{branch}")).is_ok(), "{branch}");
        }
    }
}
