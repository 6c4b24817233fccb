//! Writes a snapshot: the files that are new, and the folders that lead to them.

use std::collections::BTreeMap;
use std::io;
use std::sync::PoisonError;

use baton_store::durable_file;

use super::checkout::FileKind;
use super::objects::{ObjectKind, Objects};
use super::own_dir;
use super::pack::PackWriter;
use super::snapshots::{Snapshots, marked, not_kept, reference};
use super::tree::{self, DEPTH_MAX, Entries, Entry};
use super::{GitError, ObjectId};
use crate::scratch::Scratch;

/// The same workspace gives the same commit, whenever it is saved.
const PERSON: &str = "Baton <baton> 0 +0000";

/// A snapshot that is being written.
pub struct Import<'a> {
    kept: &'a Snapshots,
    objects: Objects<'a>,
    name: String,
    from: Option<ObjectId>,
    changes: Changes,
    beside: Scratch,
    pack: PackWriter,
}

/// What becomes of the names in one folder.
type Changes = BTreeMap<Vec<u8>, Change>;

#[derive(Default)]
struct Change {
    /// A file that stands there then.
    file: Option<Entry>,
    /// What was under this name itself, and no folder, goes.
    is_gone: bool,
    below: Changes,
}

impl std::fmt::Debug for Import<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Import").finish_non_exhaustive()
    }
}

impl<'a> Import<'a> {
    pub(super) fn begin(kept: &'a Snapshots, name: &str, from: Option<ObjectId>) -> Result<Self, GitError> {
        let left = kept.beside.lock().unwrap_or_else(PoisonError::into_inner).take();
        let beside = left.map_or_else(|| own_dir::new_beside(&kept.workshop.own), Ok)?;
        let pack = PackWriter::new(beside.path(), kept.hashing).map_err(|error| failed(&error))?;
        let mut known = kept.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.look(&kept.workshop.own.packs(), kept.hashing).map_err(|error| failed(&error))?;
        let (name, changes) = (name.to_owned(), Changes::new());
        Ok(Self { kept, objects: kept.objects(), name, from, changes, beside, pack })
    }

    pub fn file(&mut self, path: &[u8], kind: FileKind, bytes: &[u8]) -> Result<(), GitError> {
        let id = self.add(ObjectKind::Blob, bytes)?;
        self.change(path)?.file = Some(Entry::new(kind.mode(), id));
        Ok(())
    }

    /// Takes out a file of the snapshot that this one began with.
    pub fn remove(&mut self, path: &[u8]) -> Result<(), GitError> {
        self.change(path)?.is_gone = true;
        Ok(())
    }

    fn change(&mut self, path: &[u8]) -> Result<&mut Change, GitError> {
        let path = marked(path);
        let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        let is_name =
            |part: &&[u8]| !part.is_empty() && **part != *b"." && **part != *b".." && !part.contains(&0);
        if parts.len() > DEPTH_MAX || !parts.iter().all(is_name) {
            return Err(not_kept(&format!("`{}` is no path", String::from_utf8_lossy(&path))));
        }
        let mut change = self.changes.entry(parts[0].to_vec()).or_default();
        for part in &parts[1..] {
            change = change.below.entry(part.to_vec()).or_default();
        }
        Ok(change)
    }

    /// Waits until everything is on the disk.
    pub fn finish(mut self) -> Result<(), GitError> {
        let changes = std::mem::take(&mut self.changes);
        let root = match self.folder(self.from, changes)? {
            Some(root) => root,
            None => self.add(ObjectKind::Tree, b"")?,
        };
        let commit = format!("tree {root}\nauthor {PERSON}\ncommitter {PERSON}\n\n{}", self.name);
        let commit = self.add(ObjectKind::Commit, commit.as_bytes())?;
        let Self { kept, name, beside, pack, .. } = self;
        let packs = kept.workshop.own.packs();
        let written = pack.finish(&packs).map_err(|error| failed(&error))?;
        // Objects that were there already may be in a pack whose own name was not flushed yet.
        durable_file::flush_folder(&packs.join("pack")).map_err(|error| failed(&error))?;
        // The name comes last: where it is, everything that it stands for is.
        let named =
            durable_file::replace(&reference(&kept.workshop, &name), format!("{commit}\n").as_bytes());
        named.map_err(|error| not_kept(&error.to_string()))?;
        kept.spare.recent.note_root(&name, root);
        kept.spare.recent.note_flushed(&name);
        if let Some(pack) = written {
            kept.known.lock().unwrap_or_else(PoisonError::into_inner).add(pack);
        }
        *kept.beside.lock().unwrap_or_else(PoisonError::into_inner) = Some(beside);
        Ok(())
    }

    /// Writes a folder with these changes; nothing where it holds nothing then.
    fn folder(&mut self, from: Option<ObjectId>, changes: Changes) -> Result<Option<ObjectId>, GitError> {
        let mut entries = from.map_or_else(|| Ok(Entries::new()), |from| self.objects.tree(from))?;
        for (name, Change { file, is_gone, below }) in changes {
            let before = entries.remove(&name);
            let folder = before.filter(Entry::is_folder).map(|folder| folder.id);
            let below = match below.is_empty() {
                true => folder,
                false => self.folder(folder, below)?,
            };
            let kept = before.filter(|before| !before.is_folder() && !is_gone);
            // What is gone from below a name makes room for a file of that name.
            if let Some(entry) = file.or_else(|| below.map(Entry::folder)).or(kept) {
                entries.insert(name, entry);
            }
        }
        match entries.is_empty() {
            true => Ok(None),
            false => self.add(ObjectKind::Tree, &tree::write(&entries)).map(Some),
        }
    }

    /// Keeps an object, unless it is kept already.
    fn add(&mut self, kind: ObjectKind, bytes: &[u8]) -> Result<ObjectId, GitError> {
        let id = self.kept.hashing.id(kind, bytes)?;
        let known = self.kept.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.pack.has(&id) && !known.has(&id) {
            self.pack.add(id, kind, bytes).map_err(|error| failed(&error))?;
            self.kept.spare.recent.note(id, kind, bytes);
        }
        Ok(id)
    }
}

fn failed(error: &io::Error) -> GitError {
    not_kept(&error.to_string())
}
