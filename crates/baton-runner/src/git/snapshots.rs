//! Keeps saved workspaces in a git folder of Baton's own, each under the hash that the host measured.
//!
//! The bytes go through `git fast-import` as they were read: no index, no attributes and no filters come in between, and
//! what was kept before is not kept twice.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use baton_store::durable_file;

use super::checkout::{self, FileKind, TreeFile};
use super::child::Git;
use super::difference::{self, Difference};
use super::objects::{Objects, Spare};
use super::own_dir::OwnDir;
use super::workshop::Workshop;
use super::{GitError, own_dir, place, program};

/// Largest file that a snapshot holds.
pub const SNAPSHOT_FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;
pub(super) const REFERENCES: &str = "refs/baton/trees";
/// Nothing is checked out of a snapshot by git, so names that are dangerous on other machines are kept like any other. Packing
/// harder takes several times as long and saves little.
const IMPORT: &[&str] = &[
    "-c",
    "pack.compression=1",
    "-c",
    "core.protectHFS=false",
    "-c",
    "core.protectNTFS=false",
    "fast-import",
    "--quiet",
    "--done",
    "--force",
];
/// Names that newer versions of git take into no tree, or not as links. They are kept with a mark before them, and so
/// are those that have the mark already.
const MARKED: &[&[u8]] = &[b".git", b".gitmodules"];
const MARK: u8 = b'%';

/// The snapshots of one project.
#[derive(Debug)]
pub struct Snapshots {
    pub(super) workshop: Workshop,
    /// Git processes that wait for the next question.
    spare: Arc<Spare>,
    /// A folder that a snapshot was written in, for the next one.
    beside: Mutex<Option<OwnDir>>,
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
        Ok(Self { workshop: Workshop { own, program }, spare: Arc::default(), beside: Mutex::default() })
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
        let flushed = durable_file::flush_folder(&reference);
        flushed.map(|()| true).map_err(|error| not_kept(&error.to_string()))
    }

    /// Begins a snapshot, with the files of another one where one is named. It is there when [`Import::finish`] says so, and
    /// not before.
    pub fn keep(&self, name: &str, from: Option<&str>) -> Result<Import<'_>, GitError> {
        let left = self.beside.lock().unwrap_or_else(PoisonError::into_inner).take();
        let own = left.map_or_else(|| own_dir::beside(&self.workshop.own), Ok)?;
        let workshop = Workshop { own, program: self.workshop.program.clone() };
        let git = workshop.start(IMPORT)?;
        let mut import = Import { git, workshop, kept: self, name: name.to_owned() };
        // The same workspace gives the same commit, whenever it is saved.
        import.write(format!("commit {REFERENCES}/{name}\ncommitter Baton <baton> 0 +0000\n").as_bytes())?;
        import.data(name.as_bytes())?;
        if let Some(from) = from {
            let root = self.objects().tree_named(&format!("{REFERENCES}/{from}"))?;
            let root = root.ok_or_else(|| not_kept(&format!("{from} cannot be read")))?;
            import.write(format!("M 040000 {root} \"\"\n").as_bytes())?;
        }
        Ok(import)
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
        let name = |name: &str| format!("{REFERENCES}/{name}");
        let mut differences = difference::between(&self.workshop, &name(from), &name(to))?;
        for file in differences.iter_mut().flat_map(|found| [&mut found.before, &mut found.after]).flatten() {
            file.path = unmarked(&file.path);
        }
        Ok(differences)
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

/// A snapshot that is being written, in a folder of its own.
pub struct Import<'a> {
    git: Git,
    workshop: Workshop,
    kept: &'a Snapshots,
    name: String,
}

impl std::fmt::Debug for Import<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Import").finish_non_exhaustive()
    }
}

impl Import<'_> {
    pub fn file(&mut self, path: &[u8], kind: FileKind, bytes: &[u8]) -> Result<(), GitError> {
        let mode = match kind {
            FileKind::File | FileKind::Submodule => "100644",
            FileKind::Program => "100755",
            FileKind::Link => "120000",
        };
        self.write(format!("M {mode} inline ").as_bytes())?;
        self.write(&quoted(&marked(path)))?;
        self.write(b"\n")?;
        self.data(bytes)
    }

    /// Takes out a file of the snapshot that this one began with.
    pub fn remove(&mut self, path: &[u8]) -> Result<(), GitError> {
        self.write(b"D ")?;
        self.write(&quoted(&marked(path)))?;
        self.write(b"\n")
    }

    /// Waits until everything is on the disk.
    pub fn finish(mut self) -> Result<(), GitError> {
        self.write(b"done\n")?;
        self.git.finish()?.map_err(|trouble| not_kept(&trouble))?;
        let kept = &self.kept.workshop;
        move_packs(&self.workshop.own.packs(), &kept.own.packs())
            .map_err(|error| not_kept(&error.to_string()))?;
        // The name comes last: where it is, everything that it stands for is.
        let own_name = reference(&self.workshop, &self.name);
        let commit = fs::read(&own_name).map_err(|error| not_kept(&error.to_string()))?;
        let named = durable_file::replace(&reference(kept, &self.name), &commit);
        named.map_err(|error| not_kept(&error.to_string()))?;
        // The next snapshot begins with a folder that holds nothing of this one, or with a new one.
        let is_empty = fs::read_dir(self.workshop.own.packs()).is_ok_and(|mut packs| packs.next().is_none());
        if is_empty && fs::remove_file(own_name).is_ok() {
            *self.kept.beside.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.workshop.own);
        }
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> Result<(), GitError> {
        self.write(format!("data {}\n", bytes.len()).as_bytes())?;
        self.write(bytes)?;
        self.write(b"\n")
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), GitError> {
        let written = self.git.stdin.as_mut().map_or(Ok(()), |stdin| stdin.write_all(bytes));
        written.map_err(|error| self.git.error(&error))
    }
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

fn marked(path: &[u8]) -> Vec<u8> {
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

/// Writes a path so that no byte of it can be taken for anything else.
pub(super) fn quoted(path: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for byte in path {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', *byte]),
            0x20..=0x7e => quoted.push(*byte),
            _ => quoted.extend(format!("\\{byte:03o}").into_bytes()),
        }
    }
    quoted.push(b'"');
    quoted
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
