//! Keeps saved workspaces in a git folder of Baton's own, each under the hash that the host measured.
//!
//! The bytes are kept as they were read: no index, no attributes and no filters come in between, and what was kept before is
//! not kept twice.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use baton_store::durable_file;

use super::checkout::{self, TreeFile};
use super::difference::{self, Difference};
use super::hashing::Hashing;
use super::import::Import;
use super::objects::{ObjectInfo, Objects, Spare};
use super::own_dir;
use super::pack::KnownPacks;
use super::workshop::Workshop;
use super::{GitError, ObjectId, place, program};
use crate::scratch::Scratch;

/// Largest file that a snapshot holds.
pub const SNAPSHOT_FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;
pub(super) const REFERENCES: &str = "refs/baton/trees";
/// Names that newer versions of git take into no tree, or not as links. They are kept with a mark before them, and so
/// are those that have the mark already.
const MARKED: &[&[u8]] = &[b".git", b".gitmodules"];
const MARK: u8 = b'%';

/// The snapshots of one project.
#[derive(Debug)]
pub struct Snapshots {
    pub(super) workshop: Workshop,
    /// Git processes that wait for the next question, and what was seen a moment ago.
    pub(super) spare: Arc<Spare>,
    /// A folder that a snapshot was written in, for the next one.
    pub(super) beside: Mutex<Option<Scratch>>,
    /// What is kept already.
    pub(super) known: Mutex<KnownPacks>,
    pub(super) hashing: Hashing,
}

impl Snapshots {
    /// Opens the snapshots in a folder, for the project at `root`; makes the folder if needed.
    pub fn open(folder: &Path, root: &Path) -> Result<Self, GitError> {
        // A repository that cannot be read leaves its workspace as it is, and that is what is kept here.
        let place = place::find(root).ok().flatten();
        let program = match &place {
            Some(place) => program::find(&place.untrusted())?,
            None => program::find(&[root])?,
        };
        let own = own_dir::keep(folder, place.as_ref(), REFERENCES)?;
        let hashing = own.hashing();
        let workshop = Workshop { own, program };
        let (spare, beside, known) = (Arc::default(), Mutex::default(), Mutex::default());
        Ok(Self { workshop, spare, beside, known, hashing })
    }

    /// The same, with the git processes of whoever asked before.
    pub(crate) fn sharing(mut self, spare: &Arc<Spare>) -> Self {
        self.spare = Arc::clone(spare);
        self
    }

    /// Says whether there is a snapshot of this name.
    pub fn has(&self, name: &str) -> bool {
        self.reference(name).is_file()
    }

    /// Says whether there is a snapshot of this name, and sees to it that it stays: whoever wrote it may have been ended
    /// before its name was flushed.
    pub fn holds(&self, name: &str) -> Result<bool, GitError> {
        let reference = self.reference(name);
        if !reference.is_file() {
            return Ok(false);
        }
        if !self.spare.recent.is_flushed(name) {
            durable_file::flush_folder(&reference).map_err(|error| not_kept(&error.to_string()))?;
            self.spare.recent.note_flushed(name);
        }
        Ok(true)
    }

    /// Begins a snapshot, with the files of another one where one is named. It is there when [`Import::finish`] says so, and
    /// not before.
    pub fn keep(&self, name: &str, from: Option<&str>) -> Result<Import<'_>, GitError> {
        let from = match from {
            Some(from) => Some(self.root(&mut self.objects(), from)?),
            None => None,
        };
        Import::begin(self, name, from)
    }

    /// Returns the tree of a snapshot.
    fn root(&self, objects: &mut Objects<'_>, name: &str) -> Result<ObjectId, GitError> {
        if let Some(root) = self.spare.recent.root(name) {
            return Ok(root);
        }
        let root = objects.tree_named(&format!("{REFERENCES}/{name}"))?;
        let root = root.ok_or_else(|| not_kept(&format!("{name} cannot be read")))?;
        self.spare.recent.note_root(name, root);
        Ok(root)
    }

    fn reference(&self, name: &str) -> PathBuf {
        reference(&self.workshop, name)
    }

    /// Returns the files of a snapshot.
    pub fn files(&self, name: &str) -> Result<Vec<TreeFile>, GitError> {
        let mut files = checkout::list(&self.workshop, &format!("{REFERENCES}/{name}"))?;
        for file in &mut files {
            file.path = unmarked(&file.path);
        }
        Ok(files)
    }

    /// Returns the files that differ between two snapshots.
    pub fn differing(&self, from: &str, to: &str) -> Result<Vec<Difference>, GitError> {
        let mut objects = self.objects();
        let (from, to) = (self.root(&mut objects, from)?, self.root(&mut objects, to)?);
        let mut differences = difference::between(&mut objects, from, to)?;
        for file in differences.iter_mut().flat_map(|found| [&mut found.before, &mut found.after]).flatten() {
            file.path = unmarked(&file.path);
        }
        Ok(differences)
    }

    /// Returns what lies at a path in a snapshot.
    pub fn at(&self, name: &str, path: &str) -> Result<Option<ObjectInfo>, GitError> {
        let mut objects = self.objects();
        let root = self.root(&mut objects, name)?;
        objects.at(root, path.as_bytes())
    }

    pub(super) fn objects_folder(&self) -> PathBuf {
        self.workshop.own.git_dir().join("objects")
    }

    /// Opens a way to the bytes of the files.
    pub fn objects(&self) -> Objects<'_> {
        Objects::with_spare(&self.workshop, &self.spare)
    }
}

pub(super) fn reference(workshop: &Workshop, name: &str) -> PathBuf {
    workshop.own.git_dir().join(REFERENCES).join(name)
}

pub(super) fn not_kept(trouble: &str) -> GitError {
    GitError::failed(format!("the snapshot was not kept: {trouble}"))
}

/// Gives packs that git flushed their names among the others, and flushes the names. Objects that were there already may
/// be in a pack whose own name was not flushed yet, so this is done when nothing moves too.
pub(super) fn move_packs(from: &Path, to: &Path) -> io::Result<()> {
    let mut packs = Vec::new();
    for entry in fs::read_dir(from)? {
        packs.push(entry?.path());
    }
    // A pack is looked for when its index is there.
    for ending in ["pack", "idx"] {
        for path in packs.iter().filter(|path| path.extension().is_some_and(|found| found == ending)) {
            fs::rename(path, to.join(path.file_name().unwrap_or_default()))?;
        }
    }
    durable_file::flush_folder(&to.join("pack"))
}

pub(super) fn marked(path: &[u8]) -> Vec<u8> {
    map_parts(path, |part| match is_marked_name(part) {
        true => [&[MARK], part].concat(),
        false => part.to_vec(),
    })
}

fn unmarked(path: &[u8]) -> Vec<u8> {
    map_parts(path, |part| match part.strip_prefix(&[MARK]) {
        Some(rest) if is_marked_name(rest) => rest.to_vec(),
        Some(_) | None => part.to_vec(),
    })
}

fn map_parts(path: &[u8], map: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    path.split(|byte| *byte == b'/').map(map).collect::<Vec<_>>().join(&b'/')
}

/// Says whether a name is one of those, behind any number of marks.
fn is_marked_name(part: &[u8]) -> bool {
    let marks = part.iter().take_while(|byte| **byte == MARK).count();
    MARKED.iter().any(|name| part[marks..].eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back_as_it_was() {
        for path in [
            &b"a/.git/x"[..],
            b".GIT",
            b"%.git",
            b"%%.Git/a",
            b"x.git",
            b".gitmodules",
            b"%a",
            b"%",
            b".gitignore",
        ] {
            let kept = marked(path);
            assert_eq!(unmarked(&kept), path);
            assert!(kept.split(|byte| *byte == b'/').all(|part| !part.eq_ignore_ascii_case(b".git")));
        }
        assert_eq!(marked(b"src/.gitignore"), b"src/.gitignore");
    }
}
