//! What a task began with: the files of its first commit, and the names which that commit ignores. Whoever works on the task
//! can write every other place that tells what is ignored, and could hide a file there that checks read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{WorkspaceError, native, reach};
use crate::file::read_plain;
use crate::git::{Blob, FileKind, Objects, TreeFile};

const IGNORE_FILE: &[u8] = b".gitignore";
/// Largest file of rules that is read; a larger one has none.
const IGNORE_BYTES_MAX: u64 = 1024 * 1024;
/// Folders that tools write and nobody works in. A task may begin to ignore them; everything else that it begins to ignore
/// counts as work all the same.
const GENERATED_FOLDERS: &[&str] = &[
    "node_modules",
    "target",
    "dist",
    "build",
    "out",
    "coverage",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".gradle",
    ".next",
    ".nuxt",
    ".cache",
    "obj",
];

/// The commit that a task began with, as far as it says which files count.
#[derive(Debug)]
pub(crate) struct Base {
    /// Files that count in any case.
    pub(crate) known: BTreeSet<Vec<u8>>,
    /// Where it names other repositories, from the root with slashes.
    pub(crate) submodules: Vec<String>,
    /// The rules of the commit, by the folder that they are for. Paths are held against them as if the project lay at `/`.
    rules: BTreeMap<PathBuf, Gitignore>,
}

impl Base {
    pub(crate) fn of(files: Vec<TreeFile>, objects: &mut Objects<'_>) -> Result<Self, WorkspaceError> {
        let mut rules = BTreeMap::new();
        for file in &files {
            let folder = match file.path.strip_suffix(IGNORE_FILE) {
                Some(folder) if folder.is_empty() || folder.ends_with(b"/") => absolute(&native(folder)),
                Some(_) | None => continue,
            };
            if let Blob::Bytes(bytes) = objects.blob(file.id, IGNORE_BYTES_MAX)? {
                rules.insert(folder.clone(), matcher(&folder, &bytes));
            }
        }
        let submodules = files.iter().filter(|file| file.kind == FileKind::Submodule);
        let submodules = submodules.map(|file| String::from_utf8_lossy(&file.path).into_owned()).collect();
        Ok(Self { known: files.into_iter().map(|file| file.path).collect(), submodules, rules })
    }

    /// Says whether the commit ignores a path, from the root.
    pub(crate) fn ignores(&self, inside: &Path, is_folder: bool) -> bool {
        if self.rules.is_empty() {
            return false;
        }
        let path = absolute(inside);
        // The rules of the nearest folder count first.
        let found = path.ancestors().skip(1).filter_map(|folder| self.rules.get(folder));
        let settled = found.map(|rules| rules.matched(&path, is_folder)).find(|found| !found.is_none());
        matches!(settled, Some(Match::Ignore(_)))
    }
}

/// Says whether a folder is one that tools write, and is ignored by the rules that lie on the way to it now.
pub(crate) fn is_generated(root: &Path, inside: &Path) -> bool {
    let name = inside.file_name().and_then(|name| name.to_str());
    if !name.is_some_and(|name| GENERATED_FOLDERS.contains(&name)) {
        return false;
    }
    let path = absolute(inside);
    let rules = inside.ancestors().skip(1).filter_map(|folder| {
        let file = root.join(folder).join(native(IGNORE_FILE));
        let bytes = reach::with(&file, || read_plain(&file, IGNORE_BYTES_MAX)).ok()?;
        Some(matcher(&absolute(folder), &bytes))
    });
    let settled = rules.map(|rules| rules.matched(&path, true).map(|_| ())).find(|found| !found.is_none());
    matches!(settled, Some(Match::Ignore(())))
}

fn absolute(inside: &Path) -> PathBuf {
    Path::new("/").join(inside)
}

/// Reads rules. A line that is none has no effect, as in git.
fn matcher(folder: &Path, bytes: &[u8]) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for line in String::from_utf8_lossy(bytes).lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
