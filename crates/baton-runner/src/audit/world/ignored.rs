//! What git ignores: a file that it ignores leaves no trace when it goes.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::git::{Contents, WorkTree};

/// Largest ignore file that is read.
const IGNORE_BYTES_MAX: u64 = 256 * 1024;

/// The ignore files of a work tree, read when first asked for.
#[derive(Debug, Default)]
pub(super) struct Ignored {
    by_folder: RefCell<BTreeMap<String, Gitignore>>,
}

impl Ignored {
    pub(super) fn covers(&self, work_tree: &WorkTree, path: &str) -> bool {
        super::ancestors(path.rsplit_once('/').map_or("", |(folder, _)| folder)).into_iter().any(|folder| {
            let mut known = self.by_folder.borrow_mut();
            let rules = known.entry(folder.to_owned()).or_insert_with(|| read(work_tree, folder));
            rules.matched_path_or_any_parents(work_tree.root().join(path), false).is_ignore()
        })
    }
}

fn read(work_tree: &WorkTree, folder: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(work_tree.root().join(folder));
    if let Contents::Bytes(bytes) = work_tree.read(&super::joined(folder, ".gitignore"), IGNORE_BYTES_MAX) {
        for line in String::from_utf8_lossy(&bytes).lines() {
            // A line that is no pattern ignores nothing, as in git.
            let _ = builder.add_line(None, line);
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
