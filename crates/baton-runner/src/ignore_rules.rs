//! Files that say what is ignored. A walk opens them by itself, so it would wait at a pipe, and read a device without end: it is
//! kept from folders that have such a file.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::DirEntry;

/// What a walk opens in every folder that it enters, and in those above its root.
const FILES: &[&str] = &[".gitignore", ".ignore", ".git/info/exclude"];
/// Largest file of rules that is read. Nobody wrote a larger one by hand.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What to do about a file that is none of rules.
pub(crate) const NEXT: &str = "take it away, then try again";

/// The files because of which a walk left folders out. The walk and whoever began it share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Closed(Arc<Mutex<VecDeque<PathBuf>>>);

impl Closed {
    /// Says whether a walk may go on with what it found; notes why where it may not.
    pub(crate) fn lets_in(&self, entry: &DirEntry) -> bool {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let Some(closed) = is_folder.then(|| closed_rules(entry.path())).flatten() else { return true };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(closed);
        false
    }

    /// Takes the first that is not told yet.
    pub(crate) fn next(&self) -> Option<PathBuf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

/// Returns why a walk may not even begin at a folder: it is asked for none of those above, nor for its root.
pub(crate) fn closed_above(root: &Path) -> Option<PathBuf> {
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    real.ancestors().find_map(closed_rules)
}

/// Returns the first file of rules in a folder that may not be opened. Nothing is opened to see that.
fn closed_rules(folder: &Path) -> Option<PathBuf> {
    let is_closed = |path: &PathBuf| {
        let is_plain = |found: &fs::Metadata| found.is_file() && found.len() <= BYTES_MAX;
        fs::metadata(path).is_ok_and(|found| !found.is_dir() && !is_plain(&found))
    };
    FILES.iter().map(|name| folder.join(name)).find(is_closed)
}
