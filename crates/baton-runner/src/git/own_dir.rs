//! The git folder that Baton makes for itself, so that git never reads the repository's own configuration.
//!
//! It borrows nothing but objects: the folders with loose objects and packs are linked one by one. `objects` itself is
//! ours, so an `alternates` file, a commit graph or anything else that names other places has no effect.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::place::Place;
use super::{GitError, ObjectId, plain};

/// Files with objects in one folder; more than this many loose objects is a repository in trouble.
const OBJECT_FILES_MAX: usize = 1_000_000;
const CONFIG_BYTES_MAX: usize = 1024 * 1024;
const SHALLOW_BYTES_MAX: usize = 16 * 1024 * 1024;

/// No option of this configuration names a program. A multi-pack index is not used, for git would follow the names
/// of packs in it to any place; reverse indexes are not, for they can be wrong.
const CONFIG: &str = "\
[core]
\tbare = true
\tcommitGraph = false
\tfsmonitor = false
\tmultiPackIndex = false
\tprotectHFS = true
\tprotectNTFS = true
\tuntrackedCache = false
\twarnAmbiguousRefs = false
[pack]
\treadReverseIndex = false
[protocol]
\tallow = never
[gc]
\tauto = 0
[maintenance]
\tauto = false
";

#[derive(Debug)]
pub(super) struct OwnDir {
    /// Gone with all that is in it when the repository is dropped.
    folder: TempDir,
    pub(super) borrows_objects: bool,
    pub(super) is_shallow: bool,
}

impl OwnDir {
    /// Where git runs, and what it takes for the home folder.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn git_dir(&self) -> PathBuf {
        self.folder.path().join("git")
    }
}

pub(super) fn prepare(place: &Place) -> Result<OwnDir, GitError> {
    let folder = private_folder().map_err(|error| GitError::workshop(&error))?;
    let git_dir = folder.path().join("git");
    let objects = git_dir.join("objects");
    let written = fs::create_dir_all(&objects)
        .and_then(|()| fs::create_dir(git_dir.join("refs")))
        // Names a branch that does not exist: git shall know no reference but the ids that we give it.
        .and_then(|()| fs::write(git_dir.join("HEAD"), "ref: refs/heads/none\n"))
        .and_then(|()| fs::write(git_dir.join("config"), config(is_sha256(&place.common_dir))));
    written.map_err(|error| GitError::workshop(&error))?;

    let theirs = place.common_dir.join("objects");
    link_objects(&theirs, &objects)?;
    let is_shallow = copy_shallow(&place.common_dir, &git_dir)?;
    let borrows_objects = fs::symlink_metadata(theirs.join("info").join("alternates")).is_ok();
    Ok(OwnDir { folder, borrows_objects, is_shallow })
}

fn config(is_sha256: bool) -> String {
    match is_sha256 {
        true => {
            format!("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n{CONFIG}")
        }
        false => format!("[core]\n\trepositoryformatversion = 0\n{CONFIG}"),
    }
}

fn link_objects(theirs: &Path, ours: &Path) -> Result<(), GitError> {
    if !plain::is_folder(theirs)? {
        return Err(GitError::refused(theirs, "does not exist"));
    }
    for entry in plain::list(theirs, OBJECT_FILES_MAX)? {
        let is_loose =
            entry.name.len() == 2 && entry.name.as_encoded_bytes().iter().all(u8::is_ascii_hexdigit);
        if !entry.is_folder || !is_loose && entry.name != "pack" {
            continue;
        }
        let folder = theirs.join(&entry.name);
        // Listing refuses links among the files, which would lead to the objects of another repository.
        plain::list(&folder, OBJECT_FILES_MAX)?;
        link_folder(&folder, &ours.join(&entry.name)).map_err(|error| GitError::workshop(&error))?;
    }
    Ok(())
}

/// Copies the list of commits at which a shallow clone ends.
fn copy_shallow(common_dir: &Path, git_dir: &Path) -> Result<bool, GitError> {
    let text = plain::read(&common_dir.join("shallow"), SHALLOW_BYTES_MAX)?.unwrap_or_default();
    let mut copy = String::new();
    for id in text.split(|byte| *byte == b'\n').filter_map(|line| ObjectId::from_hex(line.trim_ascii())) {
        let _ = writeln!(copy, "{id}");
    }
    if !copy.is_empty() {
        fs::write(git_dir.join("shallow"), &copy).map_err(|error| GitError::workshop(&error))?;
    }
    Ok(!text.is_empty())
}

/// Looks for the one setting without which objects cannot be read. An unreadable configuration has none.
fn is_sha256(common_dir: &Path) -> bool {
    let text = plain::read(&common_dir.join("config"), CONFIG_BYTES_MAX).ok().flatten().unwrap_or_default();
    let mut in_extensions = false;
    for line in text.split(|byte| *byte == b'\n') {
        let mut line = line.trim_ascii();
        if let Some((header, rest)) = line.strip_prefix(b"[").and_then(|line| split_once(line, b']')) {
            in_extensions = header.trim_ascii().eq_ignore_ascii_case(b"extensions");
            line = rest;
        }
        if let Some((key, value)) = split_once(line, b'=').filter(|_| in_extensions)
            && key.trim_ascii().eq_ignore_ascii_case(b"objectformat")
        {
            return value.trim_ascii().eq_ignore_ascii_case(b"sha256");
        }
    }
    false
}

fn split_once(line: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = line.iter().position(|byte| *byte == at)?;
    Some((&line[..place], &line[place + 1..]))
}

#[cfg(unix)]
fn private_folder() -> io::Result<TempDir> {
    use std::os::unix::fs::PermissionsExt;
    tempfile::Builder::new().prefix("baton-git-").permissions(fs::Permissions::from_mode(0o700)).tempdir()
}

#[cfg(not(unix))]
fn private_folder() -> io::Result<TempDir> {
    tempfile::Builder::new().prefix("baton-git-").tempdir()
}

#[cfg(unix)]
fn link_folder(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Needs the developer mode of Windows; without it the repository is not read, and the error says so.
#[cfg(windows)]
fn link_folder(target: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_dir(target, link)
}
