//! Folders for what is needed for a moment only. They lie where no program may write that was not given one: whoever can write
//! the temporary files of all could otherwise put a hook into a git folder of ours, or a result into the check of another task.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::state_home::state_home;

/// The folder for them among what Baton keeps.
const FOLDER: &str = "tmp";
/// How the names of these folders begin, and the file that whoever uses one has locked.
const PREFIX: &str = "new-";
const IN_USE: &str = "in-use";
/// What is inside is apart from the lock.
const FILES: &str = "files";
/// Between the making of a folder and its lock there is a moment; nobody needs this long for it.
const LEFT_AFTER: Duration = Duration::from_secs(15 * 60);
/// Most names that are looked at in one go.
const SWEPT_MAX: usize = 4096;

/// A folder that is gone with all that is in it when this is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    files: PathBuf,
    _folder: TempDir,
    /// Locked for as long as the folder is used.
    _in_use: File,
}

impl Scratch {
    /// Makes a folder for this user alone. Where Baton can keep nothing, it lies where everybody has temporary files.
    pub(crate) fn new() -> io::Result<Self> {
        let own = state_home().map(|state| state.join(FOLDER));
        match own.filter(|own| fs::create_dir_all(own).is_ok()).map(|own| Self::within(&own)) {
            Some(Ok(made)) => Ok(made),
            Some(Err(_)) | None => Self::within(&env::temp_dir()),
        }
    }

    /// Makes a folder in another one, and removes there what was left by somebody who is no more.
    pub(crate) fn within(around: &Path) -> io::Result<Self> {
        sweep(around);
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.tempdir_in(around)?;
        let in_use = File::create_new(folder.path().join(IN_USE))?;
        in_use.lock()?;
        let files = folder.path().join(FILES);
        fs::create_dir(&files)?;
        Ok(Self { files, _folder: folder, _in_use: in_use })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.files
    }
}

/// Removes what was begun in a folder by somebody who is no more. Nothing in there was ever promised.
fn sweep(folder: &Path) {
    let is_left = |path: &Path| {
        let is_new = path.file_name()?.to_str()?.starts_with(PREFIX);
        let age = fs::symlink_metadata(path).and_then(|found| found.modified()).ok()?.elapsed().ok()?;
        if !is_new || age <= LEFT_AFTER {
            return None;
        }
        match File::open(path.join(IN_USE)) {
            Ok(file) => file.try_lock().ok(),
            // Whoever made it was ended before there was a lock; what is not empty is of somebody else.
            Err(_) => fs::remove_dir(path).err().and(None),
        }
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(SWEPT_MAX) {
        if is_left(&entry.path()).is_some() {
            // If it cannot be removed it is in nobody's way.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn age(path: &Path) {
        let long_ago = SystemTime::now() - LEFT_AFTER * 2;
        File::open(path).unwrap().set_modified(long_ago).unwrap();
    }

    #[test]
    fn what_nobody_uses_any_more_is_removed_and_what_is_used_stays() {
        let around = tempfile::tempdir().unwrap();
        let used = Scratch::within(around.path()).unwrap();
        let left = around.path().join("new-left");
        fs::create_dir_all(left.join(FILES)).unwrap();
        fs::write(left.join(IN_USE), "").unwrap();
        let strange = around.path().join("new-of-somebody-else");
        fs::create_dir_all(strange.join(FILES)).unwrap();
        let begun = around.path().join("new-begun");
        fs::create_dir(&begun).unwrap();
        for path in [used.path().parent().unwrap(), &left, &strange, &begun] {
            age(path);
        }
        let other = Scratch::within(around.path()).unwrap();
        assert!(used.path().is_dir() && other.path().is_dir() && strange.is_dir());
        assert!(!left.exists() && !begun.exists());
        let place = used.path().to_owned();
        drop(used);
        assert!(!place.parent().unwrap().exists());
    }
}
