//! Copies of the log and of all saved workspaces, and their way back. Both are verified before the copy has its name.

use std::path::{Path, PathBuf};

use baton_engine::word::TreeHash;
use baton_store::{backup, durable_file};

use super::{Desk, DeskError, LOG_FILE, SNAPSHOTS};
use crate::git::Snapshots;
use crate::workspace::keeping;

/// What is put behind the name of a backup, for the file with the saved workspaces.
const BESIDE: &str = ".snapshots";

/// What was copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    pub events: u64,
    /// Saved workspaces.
    pub snapshots: usize,
}

impl Desk {
    /// Copies the log to a new file, and the saved workspaces to another beside it.
    pub fn backup(&self, to: &Path) -> Result<Copied, DeskError> {
        let mut snapshots = 0;
        // An event names what was saved before it, so what is copied after the log has all that the log names.
        let verified = backup::backup_with(&self.log, to, || {
            // Nothing was saved where the folder is missing, and then nobody needs git.
            if self.folder.join(SNAPSHOTS).is_dir() {
                snapshots = self.snapshots()?.bundle(&beside(to))?;
            }
            Ok::<(), DeskError>(())
        })?;
        Ok(Copied { events: verified.head.sequence, snapshots })
    }
}

/// Brings a backup of the project at `root` back into a folder that holds no log.
pub fn restore(from: &Path, into: &Path, root: &Path) -> Result<Copied, DeskError> {
    durable_file::make_folder(into)?;
    let mut snapshots = 0;
    let verified = backup::restore_with((from, &into.join(LOG_FILE)), None, || {
        snapshots = bring_back(&beside(from), into, root)?;
        Ok::<(), DeskError>(())
    })?;
    Ok(Copied { events: verified.head.sequence, snapshots })
}

fn bring_back(bundle: &Path, into: &Path, root: &Path) -> Result<usize, DeskError> {
    if !bundle.exists() {
        return Ok(0);
    }
    let snapshots = Snapshots::open(&into.join(SNAPSHOTS), root)?;
    let names = snapshots.unbundle(bundle)?;
    for name in &names {
        keeping::verify(&snapshots, &TreeHash::new(name.as_str())?)?;
    }
    Ok(names.len())
}

fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(BESIDE);
    PathBuf::from(name)
}
