//! Moves a branch of the repository, by git's own protocol and without git: a lock file that must not exist, the old value
//! read while it is held, the new one flushed, and a rename. So no hook and no setting of the repository has a say.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::{Branch, GitError, ObjectId, Repository, plain, refs};

/// How often a lock is tried that somebody else holds. Git holds one for some milliseconds.
const LOCK_TRIES_MAX: u32 = 60;
const LOCK_PAUSE: Duration = Duration::from_millis(25);
/// Worktrees of one repository that are looked at.
const WORKTREES_MAX: usize = 10_000;
const HEAD_BYTES_MAX: usize = 4 * 1024;

/// What came of moving a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advanced {
    Done,
    /// It points to something else than was expected; nothing was changed.
    Moved,
}

/// A lock file, which goes when it is dropped unless it became the reference.
struct Lock {
    path: PathBuf,
    is_held: bool,
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.is_held {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Repository {
    /// Returns where a branch points; nothing when there is none.
    pub fn branch(&self, branch: &Branch) -> Result<Option<ObjectId>, GitError> {
        refs::direct(&self.place, &branch.reference())
    }

    /// Refuses a branch that could not be moved now: it is checked out, or another name is in its way.
    pub fn refuse_immovable(&self, branch: &Branch) -> Result<(), GitError> {
        self.refuse_checked_out(branch)?;
        self.make_way(branch)
    }

    /// Moves a branch from where it is expected to be; `None` for one that does not exist yet.
    pub fn advance(
        &self,
        branch: &Branch,
        expected: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<Advanced, GitError> {
        self.refuse_immovable(branch)?;
        let path = self.place.common_dir.join(branch.reference());
        let mut lock = self.lock(branch, &path)?;
        if self.branch(branch)? != expected {
            return Ok(Advanced::Moved);
        }
        // Somebody may have checked it out while we waited for the lock.
        self.refuse_checked_out(branch)?;
        let unwritable = |error: std::io::Error| GitError::unwritable(&path, &error);
        let mut file = File::options().write(true).open(&lock.path).map_err(unwritable)?;
        file.write_all(format!("{new}\n").as_bytes()).and_then(|()| file.sync_all()).map_err(unwritable)?;
        // An empty folder may be left of branches that lay below this name.
        let _ = fs::remove_dir(&path);
        fs::rename(&lock.path, &path).map_err(unwritable)?;
        lock.is_held = false;
        path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all()).map_err(unwritable)?;
        Ok(Advanced::Done)
    }

    fn lock(&self, branch: &Branch, path: &Path) -> Result<Lock, GitError> {
        let mut name = path.as_os_str().to_owned();
        name.push(".lock");
        let lock = PathBuf::from(name);
        for _ in 0..LOCK_TRIES_MAX {
            match File::options().write(true).create_new(true).open(&lock) {
                Ok(_) => return Ok(Lock { path: lock, is_held: true }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => thread::sleep(LOCK_PAUSE),
                // Git may have taken an empty folder away.
                Err(error) if error.kind() == ErrorKind::NotFound => self.make_way(branch)?,
                Err(error) => return Err(GitError::unwritable(&lock, &error)),
            }
        }
        Err(GitError::unsupported(
            format!("the branch `{}` is locked: `{}` exists", branch.name(), lock.display()),
            "Wait until no git runs in the repository; a lock that a dead one left is removed by hand, never by Baton",
        ))
    }

    /// Makes the folders of a reference, where no other branch is in the way.
    fn make_way(&self, branch: &Branch) -> Result<(), GitError> {
        let in_the_way = |other: &str| {
            let message =
                format!("the branch `{}` cannot be made, for there is one named `{other}`", branch.name());
            GitError::unsupported(message, "Name another target branch, or rename that one")
        };
        let mut name = "refs/heads".to_owned();
        let mut folder = self.place.common_dir.join(&name);
        let parts: Vec<&str> = branch.name().split('/').collect();
        for (number, part) in parts.iter().enumerate() {
            match plain::look(&folder)? {
                Some(metadata) if metadata.is_dir() => {}
                Some(_) => return Err(in_the_way(name.trim_start_matches("refs/heads/"))),
                None => match fs::create_dir(&folder) {
                    Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                        return Err(GitError::unwritable(&folder, &error));
                    }
                    Ok(()) | Err(_) => {}
                },
            }
            name = format!("{name}/{part}");
            folder.push(part);
            if number + 1 < parts.len() && refs::direct(&self.place, &name)?.is_some() {
                return Err(in_the_way(name.trim_start_matches("refs/heads/")));
            }
        }
        match refs::first_below(&self.place, &name)? {
            Some(other) => Err(in_the_way(other.trim_start_matches("refs/heads/"))),
            None => Ok(()),
        }
    }

    /// A branch that is checked out moves with its files; to move it alone would make them look changed.
    fn refuse_checked_out(&self, branch: &Branch) -> Result<(), GitError> {
        let common = &self.place.common_dir;
        let mut folders = vec![self.place.git_dir.clone(), common.clone()];
        let worktrees = common.join("worktrees");
        if plain::is_folder(&worktrees)? {
            let entries = plain::list(&worktrees, WORKTREES_MAX)?;
            folders.extend(
                entries.iter().filter(|entry| entry.is_folder).map(|entry| worktrees.join(&entry.name)),
            );
        }
        let reference = branch.reference();
        for folder in folders {
            for (file, what) in [
                ("HEAD", "checked out"),
                ("rebase-merge/head-name", "being rebased"),
                ("rebase-apply/head-name", "being rebased"),
                ("BISECT_START", "being bisected"),
            ] {
                let text = plain::read(&folder.join(file), HEAD_BYTES_MAX)?.unwrap_or_default();
                let text = text.trim_ascii();
                let named = text.strip_prefix(b"ref:").map_or(text, <[u8]>::trim_ascii);
                if named != reference.as_bytes()
                    && (file != "BISECT_START" || named != branch.name().as_bytes())
                {
                    continue;
                }
                let place = match folder.file_name() == Some(OsStr::new(".git")) {
                    true => folder.parent().unwrap_or(&folder),
                    false => &folder,
                };
                let message = format!(
                    "the branch `{}` is {what} in `{}`, so it is not moved",
                    branch.name(),
                    place.display()
                );
                let hint = "Check out another branch there, as with `git switch main`";
                return Err(GitError::unsupported(message, hint));
            }
        }
        Ok(())
    }
}
