//! Finds the files that may hold handoffs, as ripgrep finds files: ignore files count, links are not followed.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// The endings of files that are looked into when a folder is given.
const EXTENSIONS: &[&str] = &["md", "markdown", "mdx", "txt", "yaml", "yml", "json"];

/// A file to look at, or why it cannot be.
#[derive(Debug)]
pub enum Found {
    File {
        path: PathBuf,
        /// Whether it was named itself, not found in a folder.
        named: bool,
    },
    Problem {
        path: PathBuf,
        message: String,
    },
}

/// Yields the files at the paths given, folders in the order of their names.
pub fn files(paths: &[PathBuf]) -> impl Iterator<Item = Found> + '_ {
    paths.iter().flat_map(|path| -> Box<dyn Iterator<Item = Found>> {
        match path.metadata() {
            Err(error) => {
                Box::new(std::iter::once(Found::Problem { path: path.clone(), message: error.to_string() }))
            }
            Ok(metadata) if !metadata.is_dir() => {
                Box::new(std::iter::once(Found::File { path: path.clone(), named: true }))
            }
            Ok(_) => Box::new(in_folder(path)),
        }
    })
}

/// Agents keep their handoffs in hidden folders, so those count; the repository's own does not.
fn in_folder(folder: &Path) -> impl Iterator<Item = Found> {
    let walk = WalkBuilder::new(folder)
        .hidden(false)
        .require_git(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    walk.filter_map(|entry| match entry {
        Ok(entry) => {
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            (is_file && may_hold_a_handoff(entry.path()))
                .then(|| Found::File { path: without_dot(entry.into_path()), named: false })
        }
        Err(error) => Some(Found::Problem { path: PathBuf::new(), message: error.to_string() }),
    })
}

/// Returns `a/b` for `./a/b`, as people write it.
fn without_dot(path: PathBuf) -> PathBuf {
    path.strip_prefix(".").map(Path::to_owned).unwrap_or(path)
}

fn may_hold_a_handoff(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}
