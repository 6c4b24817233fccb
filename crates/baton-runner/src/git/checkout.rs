//! Makes a clean checkout of a commit, in a folder of its own.
//!
//! Our configuration has no filters and our folder no hooks, so attributes of the repository can run nothing.

use std::fs;
use std::io::{BufRead, Read, Write};
use std::path::Path;

use super::child::Git;
use super::objects::{Blob, Objects};
use super::workshop::Workshop;
use super::{GitError, ObjectId, program};

pub const CHECKOUT_FILES_MAX: usize = 500_000;
pub const CHECKOUT_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;
const LINK_BYTES_MAX: u64 = 4 * 1024;
pub(super) const ENTRY_BYTES_MAX: u64 = 64 * 1024;

const FILE: u32 = 0o100_644;
const PROGRAM: u32 = 0o100_755;
const LINK: u32 = 0o120_000;
const SUBMODULE: u32 = 0o160_000;

/// What came of a checkout.
#[derive(Debug)]
pub struct Checkout {
    /// Links that lead out of the tree, and were not made.
    pub left_out: Vec<Box<[u8]>>,
}

/// What sort of file a tree holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    File,
    /// A file that may be run.
    Program,
    Link,
    /// Another repository, whose files are not in this one.
    Submodule,
}

/// A file in the tree of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    pub path: Vec<u8>,
    pub kind: FileKind,
    pub id: ObjectId,
}

impl FileKind {
    /// Returns the kind that git writes as this mode.
    pub(super) fn of_mode(mode: u32) -> Self {
        match mode {
            LINK => Self::Link,
            PROGRAM => Self::Program,
            SUBMODULE => Self::Submodule,
            _ => Self::File,
        }
    }

    /// Returns the mode of such a file. In place of another repository stands a file.
    pub(super) fn mode(self) -> u32 {
        match self {
            Self::File | Self::Submodule => FILE,
            Self::Program => PROGRAM,
            Self::Link => LINK,
        }
    }
}

pub(super) fn checkout(workshop: &Workshop, commit: ObjectId, into: &Path) -> Result<Checkout, GitError> {
    let into = empty_folder(into)?;
    let commit = commit.to_string();
    let mut left_out = Vec::new();
    let mut wanted = Vec::new();
    let mut objects = Objects::new(workshop);
    for entry in list_bounded(workshop, &commit)? {
        if entry.kind == FileKind::Link && !stays_inside(&mut objects, &entry)? {
            left_out.push(entry.path.into());
        } else {
            wanted.extend_from_slice(&entry.path);
            wanted.push(0);
        }
    }
    let index = tempfile::tempdir_in(workshop.own.folder()).map_err(|error| GitError::workshop(&error))?;
    let run = |arguments: &[&str], input: &[u8]| {
        let mut command = program::command(&workshop.program, &workshop.own);
        command.args(arguments).env("GIT_INDEX_FILE", index.path().join("index")).env("GIT_WORK_TREE", &into);
        feed(Git::start(command)?, input)
    };
    run(&["read-tree", &commit], b"")?;
    run(&["checkout-index", "--quiet", "-z", "--stdin"], &wanted)?;
    Ok(Checkout { left_out })
}

fn empty_folder(into: &Path) -> Result<std::path::PathBuf, GitError> {
    let unreadable = |error: std::io::Error| GitError::unreadable(into, &error);
    fs::create_dir_all(into).map_err(unreadable)?;
    if fs::read_dir(into).map_err(unreadable)?.next().is_some() {
        let message = format!("`{}` is not empty, so nothing is checked out into it", into.display());
        return Err(GitError::unsupported(message, "Name a folder that is new"));
    }
    fs::canonicalize(into).map_err(unreadable)
}

/// Returns the files of a commit.
pub(super) fn list(workshop: &Workshop, commit: &str) -> Result<Vec<TreeFile>, GitError> {
    read_list(workshop.start(&["ls-tree", "-r", "-z", "--full-tree", commit])?, commit)
}

/// Returns the files of a commit if they are not too large together. Git looks at every object for that.
pub(super) fn list_bounded(workshop: &Workshop, commit: &str) -> Result<Vec<TreeFile>, GitError> {
    read_list(workshop.start(&["ls-tree", "-r", "-l", "-z", "--full-tree", commit])?, commit)
}

pub(super) fn read_list(mut git: Git, commit: &str) -> Result<Vec<TreeFile>, GitError> {
    let mut entries: Vec<TreeFile> = Vec::new();
    let mut bytes = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = git.stdout.by_ref().take(ENTRY_BYTES_MAX).read_until(0, &mut line);
        if read.map_err(|error| git.error(&error))? == 0 {
            break;
        }
        let Some((entry, size)) = entry(&line) else {
            return Err(GitError::failed(format!("the tree of commit {commit} is not understood")));
        };
        bytes += size;
        entries.push(entry);
        if entries.len() > CHECKOUT_FILES_MAX || bytes > CHECKOUT_BYTES_MAX {
            let message = format!(
                "commit {commit} holds more than {CHECKOUT_FILES_MAX} files or {CHECKOUT_BYTES_MAX} bytes"
            );
            return Err(GitError::unsupported(message, "Check it out yourself, and run the checks there"));
        }
    }
    match git.finish()? {
        Ok(()) => Ok(entries),
        Err(trouble) => Err(GitError::failed(format!("commit {commit} could not be listed: {trouble}"))),
    }
}

/// Reads `MODE TYPE ID SIZE<tab>PATH<NUL>`; the size is padded, `-` for a submodule, and missing where it was not asked for.
fn entry(line: &[u8]) -> Option<(TreeFile, u64)> {
    let line = line.strip_suffix(&[0])?;
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mut words = line[..tab].split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let (mode, _, id) = (words.next()?, words.next()?, words.next()?);
    let size = words.next().unwrap_or_default();
    let file = TreeFile {
        id: ObjectId::from_hex(id)?,
        kind: FileKind::of_mode(u32::from_str_radix(std::str::from_utf8(mode).ok()?, 8).ok()?),
        path: line[tab + 1..].to_vec(),
    };
    Some((file, std::str::from_utf8(size).ok()?.parse().unwrap_or(0)))
}

/// Says whether a link leads to a place inside the tree, through whatever other links there are.
///
/// It may go up only at its beginning: after the name of another link, `..` would count from where that one leads.
fn stays_inside(objects: &mut Objects<'_>, entry: &TreeFile) -> Result<bool, GitError> {
    let Blob::Bytes(target) = objects.blob(entry.id, LINK_BYTES_MAX)? else { return Ok(false) };
    let depth = entry.path.iter().filter(|byte| **byte == b'/').count();
    let is_strange =
        target.is_empty() || target.contains(&0) || target.contains(&b'\\') || target.contains(&b':');
    if is_strange || target.starts_with(b"/") {
        return Ok(false);
    }
    let parts = || target.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".");
    let ups = parts().take_while(|part| *part == b"..").count();
    Ok(ups <= depth && !parts().skip(ups).any(|part| part == b".."))
}

fn feed(mut git: Git, input: &[u8]) -> Result<(), GitError> {
    let fed = git.stdin.as_mut().map_or(Ok(()), |stdin| stdin.write_all(input));
    git.close_stdin();
    let mut rest = Vec::new();
    let read = git.stdout.by_ref().take(ENTRY_BYTES_MAX).read_to_end(&mut rest).map(|_| ());
    // When git ends early, what it says explains more than a closed pipe does.
    match git.finish()? {
        Err(trouble) => Err(GitError::failed(format!("the checkout failed: {trouble}"))),
        Ok(()) => {
            fed.and(read).map_err(|error| GitError::failed(format!("git stopped reading its input: {error}")))
        }
    }
}
