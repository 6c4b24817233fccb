//! Finds the files that may hold handoffs, as ripgrep finds files: ignore files count, links are not followed.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use ignore::WalkBuilder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::ignore_rules::{Closed, NEXT, closed_above};

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

/// The files in folders that the project does not want to be looked into. A file that is named itself is always taken.
#[derive(Clone, Debug, Default)]
pub struct Exclude(Option<Gitignore>);

impl Exclude {
    /// Reads globs as `.gitignore` has them, relative to `folder`; returns the first that is no good, with its place.
    pub fn new<'g>(
        folder: &Path,
        globs: impl Iterator<Item = (&'g str, Range<usize>)>,
    ) -> Result<Self, (String, Range<usize>)> {
        let mut builder = GitignoreBuilder::new(folder);
        let mut last = 0..0;
        for (glob, span) in globs {
            if glob.trim().is_empty() {
                return Err(("an empty glob excludes nothing".to_owned(), span));
            }
            if Path::new(glob.trim_start_matches('!')).components().any(|part| part == Component::ParentDir) {
                return Err((format!("`{glob}` leads out of the folder of the configuration"), span));
            }
            if has_open_bracket(glob) {
                return Err((format!("`{glob}` is not a glob: a `[` is never closed"), span));
            }
            builder
                .add_line(None, glob)
                .map_err(|error| (format!("`{glob}` is not a glob: {error}"), span.clone()))?;
            last = span;
        }
        let globs = builder.build().map_err(|error| (format!("the globs cannot be used: {error}"), last))?;
        Ok(Self((!globs.is_empty()).then_some(globs)))
    }

    /// Says whether a file is passed over; `path` is absolute and without links, as the folder is.
    fn holds(&self, path: &Path) -> bool {
        let below = |globs: &&Gitignore| path.starts_with(globs.path());
        self.0
            .as_ref()
            .filter(below)
            .is_some_and(|globs| globs.matched_path_or_any_parents(path, false).is_ignore())
    }
}

/// Says whether a class of characters is never closed: git lets such a glob pass, and it matches nothing anybody meant.
fn has_open_bracket(glob: &str) -> bool {
    let plain = glob.replace("\\[", "").replace("\\]", "");
    plain.rfind('[').is_some_and(|open| !plain[open..].contains(']'))
}

/// Yields the files at the paths given, folders in the order of their names.
pub fn files<'p>(paths: &'p [PathBuf], exclude: &'p Exclude) -> impl Iterator<Item = Found> + 'p {
    paths.iter().flat_map(move |path| -> Box<dyn Iterator<Item = Found>> {
        match path.metadata() {
            Err(error) => {
                Box::new(std::iter::once(Found::Problem { path: path.clone(), message: error.to_string() }))
            }
            Ok(metadata) if !metadata.is_dir() => {
                Box::new(std::iter::once(Found::File { path: path.clone(), named: true }))
            }
            Ok(_) => match closed_above(path) {
                Some(closed) => Box::new(std::iter::once(no_rules(closed))),
                None => Box::new(in_folder(path, exclude)),
            },
        }
    })
}

/// Agents keep their handoffs in hidden folders, so those count; the repository's own does not.
fn in_folder<'p>(folder: &'p Path, exclude: &'p Exclude) -> impl Iterator<Item = Found> + 'p {
    // The globs speak of the folder of the configuration, however the command line leads there.
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let is_excluded = move |path: &Path| {
        exclude.0.is_some() && path.strip_prefix(folder).is_ok_and(|rest| exclude.holds(&real.join(rest)))
    };
    let closed = Closed::default();
    let asked = closed.clone();
    let walk = WalkBuilder::new(folder)
        .hidden(false)
        .require_git(false)
        // Files of one folder differ in their names alone, and comparing whole paths spares looking for the names.
        .sort_by_file_path(|a, b| a.as_os_str().cmp(b.as_os_str()))
        .filter_entry(move |entry| entry.file_name() != ".git" && asked.lets_in(entry))
        .build();
    let files = walk.filter_map(move |entry| match entry {
        Ok(entry) => {
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            (is_file && may_hold_a_handoff(entry.path()) && !is_excluded(entry.path()))
                .then(|| Found::File { path: without_dot(entry.into_path()), named: false })
        }
        Err(error) => Some(Found::Problem { path: PathBuf::new(), message: error.to_string() }),
    });
    files.chain(std::iter::from_fn(move || closed.next().map(no_rules)))
}

/// A folder is not looked into where it cannot be told what is ignored there.
fn no_rules(path: PathBuf) -> Found {
    let message = format!("it is no file of rules, so its folder was not looked into; {NEXT}");
    Found::Problem { path: without_dot(path), message }
}

/// Returns `a/b` for `./a/b`, as people write it.
fn without_dot(path: PathBuf) -> PathBuf {
    path.strip_prefix(".").map(Path::to_owned).unwrap_or(path)
}

pub fn may_hold_a_handoff(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}
