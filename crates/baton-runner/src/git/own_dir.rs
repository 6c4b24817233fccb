//! The git folder that Baton makes for itself, so that git never reads the repository's own configuration.
//!
//! It borrows nothing but objects: the folders with loose objects and packs are linked one by one. `objects` itself is
//! ours, so an `alternates` file, a commit graph or anything else that names other places has no effect.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_store::durable_file;

use super::hashing::Hashing;
use super::place::Place;
use super::{GitError, ObjectId, Person, plain};
use crate::scratch::Scratch;

/// Files with objects in one folder; more than this many loose objects is a repository in trouble.
const OBJECT_FILES_MAX: usize = 1_000_000;
const CONFIG_BYTES_MAX: usize = 1024 * 1024;
/// Names the commits at which a shallow clone ends.
const SHALLOW: &str = "shallow";
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

/// Names a branch that does not exist: git shall know no reference but the ids that we give it.
const HEAD: &str = "ref: refs/heads/none\n";

/// What is kept must be on the disk before anybody relies on it. It is kept in packs, so that there is one folder with names
/// to be flushed: git flushes files only.
const CONFIG_KEPT: &str = "[core]\n\tfsync = all\n";
/// Leads from the objects of a folder that [`beside`] makes to those of the kept one.
const KEPT_OBJECTS: &str = "../../../../git/objects\n";

#[derive(Debug)]
pub(super) struct OwnDir {
    folder: Folder,
    pub(super) borrows_objects: bool,
    pub(super) is_shallow: bool,
}

#[derive(Debug)]
enum Folder {
    /// Gone with all that is in it when the last repository that uses it is dropped.
    Temporary(Arc<Scratch>),
    /// Keeps objects of its own.
    Kept(PathBuf),
}

impl OwnDir {
    /// Where git runs, and what it takes for the home folder.
    pub(super) fn folder(&self) -> &Path {
        match &self.folder {
            Folder::Temporary(scratch) => scratch.path(),
            Folder::Kept(folder) => folder,
        }
    }

    pub(super) fn git_dir(&self) -> PathBuf {
        self.folder().join("git")
    }

    pub(super) fn packs(&self) -> PathBuf {
        self.git_dir().join("objects").join("pack")
    }

    pub(super) fn hashing(&self) -> Hashing {
        hashing(&self.git_dir())
    }

    /// Returns the folder, if it is as one would be that is made now for the same repository. Where a shallow clone ends is
    /// copied, so that one is made for each.
    fn usable_for(&self, place: &Place) -> Option<Arc<Scratch>> {
        let is_shallow = self.is_shallow || fs::symlink_metadata(place.common_dir.join(SHALLOW)).is_ok();
        match &self.folder {
            Folder::Temporary(folder) if !is_shallow && self.git_dir().join("objects").is_dir() => {
                (self.hashing() == hashing(&place.common_dir)).then(|| Arc::clone(folder))
            }
            Folder::Temporary(_) | Folder::Kept(_) => None,
        }
    }
}

/// Prepares a git folder that stays, and borrows nothing. Its references are in the folder `references`.
pub(super) fn keep(folder: &Path, place: Option<&Place>, references: &str) -> Result<OwnDir, GitError> {
    let own = OwnDir { folder: Folder::Kept(folder.to_owned()), borrows_objects: false, is_shallow: false };
    let git_dir = own.git_dir();
    let config_file = git_dir.join("config");
    if !config_file.exists() || !own.packs().is_dir() {
        let hashing = place.map_or(Hashing::Sha1, |place| hashing(&place.common_dir));
        let config = format!("{}{CONFIG_KEPT}", config(hashing));
        // The configuration comes last: where it is, everything else is.
        let written = durable_file::make_folder(&own.packs())
            .and_then(|()| durable_file::make_folder(&git_dir.join(references)))
            .and_then(|()| durable_file::replace(&git_dir.join("HEAD"), HEAD.as_bytes()))
            .and_then(|()| durable_file::replace(&config_file, config.as_bytes()));
        written.map_err(|error| GitError::failed(error.to_string()))?;
    }
    Ok(own)
}

/// Makes a folder beside a kept one for what is being written. Whatever becomes of it, nothing half of it stays among what is
/// kept.
pub(super) fn new_beside(kept: &OwnDir) -> Result<Scratch, GitError> {
    let failed = |error: io::Error| GitError::failed(format!("a snapshot cannot be begun: {error}"));
    Scratch::within(kept.folder()).map_err(failed)
}

/// Prepares a git folder beside a kept one, for one git that writes. It sees what is kept.
pub(super) fn beside(kept: &OwnDir) -> Result<OwnDir, GitError> {
    let failed = |error: io::Error| GitError::failed(format!("a snapshot cannot be begun: {error}"));
    let folder = Folder::Temporary(Arc::new(new_beside(kept)?));
    let own = OwnDir { folder, borrows_objects: false, is_shallow: false };
    let git_dir = own.git_dir();
    let info = git_dir.join("objects").join("info");
    let written = fs::create_dir_all(&info)
        .and_then(|()| fs::create_dir(own.packs()))
        .and_then(|()| fs::create_dir(git_dir.join("refs")))
        .and_then(|()| fs::write(info.join("alternates"), KEPT_OBJECTS))
        .and_then(|()| fs::write(git_dir.join("HEAD"), HEAD))
        .and_then(|()| fs::read(kept.git_dir().join("config")))
        .and_then(|config| fs::write(git_dir.join("config"), config));
    written.map_err(failed)?;
    Ok(own)
}

/// Prepares a git folder that borrows the objects of a repository. One of the same repository is used again where it can be: to
/// make and remove hundreds of links is slow on some file systems, and makes them slow for whatever is written next.
pub(super) fn prepare(place: &Place, last: Option<&OwnDir>) -> Result<OwnDir, GitError> {
    let folder = match last.and_then(|last| last.usable_for(place)) {
        Some(folder) => folder,
        None => Arc::new(new_for(place).map_err(|error| GitError::workshop(&error))?),
    };
    let git_dir = folder.path().join("git");
    let theirs = place.common_dir.join("objects");
    link_objects(&theirs, &git_dir.join("objects"))?;
    let is_shallow = copy_shallow(&place.common_dir, &git_dir)?;
    let borrows_objects = fs::symlink_metadata(theirs.join("info").join("alternates")).is_ok();
    Ok(OwnDir { folder: Folder::Temporary(folder), borrows_objects, is_shallow })
}

fn new_for(place: &Place) -> io::Result<Scratch> {
    let folder = Scratch::new()?;
    let git_dir = folder.path().join("git");
    fs::create_dir_all(git_dir.join("objects"))?;
    fs::create_dir(git_dir.join("refs"))?;
    fs::write(git_dir.join("HEAD"), HEAD)?;
    fs::write(git_dir.join("config"), config(hashing(&place.common_dir)))?;
    Ok(folder)
}

fn config(hashing: Hashing) -> String {
    match hashing {
        Hashing::Sha256 => {
            format!("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n{CONFIG}")
        }
        Hashing::Sha1 => format!("[core]\n\trepositoryformatversion = 0\n{CONFIG}"),
    }
}

/// The configuration of a workspace, which is worked in with git by whoever works there.
pub(super) fn config_of_work(place: &Place, person: &Person) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let format = match hashing(&place.common_dir) {
        Hashing::Sha256 => "\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n[core]\n",
        Hashing::Sha1 => "\trepositoryformatversion = 0\n",
    };
    format!(
        "[core]\n{format}\tbare = false\n[user]\n\tname = \"{}\"\n\temail = \"{}\"\n[gc]\n\tauto = 0\n",
        quoted(&person.name),
        quoted(&person.email)
    )
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
        match link_folder(&folder, &ours.join(&entry.name)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(GitError::workshop(&error));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Copies the list of commits at which a shallow clone ends.
pub(super) fn copy_shallow(common_dir: &Path, git_dir: &Path) -> Result<bool, GitError> {
    let text = plain::read(&common_dir.join(SHALLOW), SHALLOW_BYTES_MAX)?.unwrap_or_default();
    let mut copy = String::new();
    for id in text.split(|byte| *byte == b'\n').filter_map(|line| ObjectId::from_hex(line.trim_ascii())) {
        let _ = writeln!(copy, "{id}");
    }
    if !copy.is_empty() {
        fs::write(git_dir.join(SHALLOW), &copy).map_err(|error| GitError::workshop(&error))?;
    }
    Ok(!text.is_empty())
}

/// Looks for the one setting without which objects cannot be read. An unreadable configuration has none.
pub(super) fn hashing(common_dir: &Path) -> Hashing {
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
            let is_sha256 = value.trim_ascii().eq_ignore_ascii_case(b"sha256");
            return if is_sha256 { Hashing::Sha256 } else { Hashing::Sha1 };
        }
    }
    Hashing::Sha1
}

fn split_once(line: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = line.iter().position(|byte| *byte == at)?;
    Some((&line[..place], &line[place + 1..]))
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
