//! Small objects that were written or read a moment ago: the next snapshot begins with the folders of the last one. Objects
//! never change, so what is remembered of them is true for ever.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::ObjectId;
use super::objects::ObjectKind;

/// Largest object that is remembered.
const OBJECT_BYTES_MAX: usize = 64 * 1024;
/// What they may have together. Where it is more, all are forgotten.
const BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most snapshots whose tree is remembered.
const ROOTS_MAX: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Recent {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    objects: BTreeMap<ObjectId, (ObjectKind, Vec<u8>)>,
    bytes: usize,
    roots: BTreeMap<String, ObjectId>,
    /// Snapshots whose name is on the disk.
    flushed: BTreeSet<String>,
}

impl Recent {
    pub(super) fn get(&self, id: ObjectId, kind: ObjectKind) -> Option<Vec<u8>> {
        let held = self.held();
        held.objects.get(&id).filter(|(found, _)| *found == kind).map(|(_, bytes)| bytes.clone())
    }

    pub(super) fn note(&self, id: ObjectId, kind: ObjectKind, bytes: &[u8]) {
        if bytes.len() > OBJECT_BYTES_MAX {
            return;
        }
        let mut held = self.held();
        if held.bytes + bytes.len() > BYTES_MAX {
            (held.objects, held.bytes) = (BTreeMap::new(), 0);
        }
        if held.objects.insert(id, (kind, bytes.to_vec())).is_none() {
            held.bytes += bytes.len();
        }
    }

    /// Returns the tree of a snapshot, whose name says what is in it.
    pub(super) fn root(&self, name: &str) -> Option<ObjectId> {
        self.held().roots.get(name).copied()
    }

    pub(super) fn note_root(&self, name: &str, root: ObjectId) {
        let mut held = self.held();
        if held.roots.len() >= ROOTS_MAX {
            held.roots = BTreeMap::new();
        }
        held.roots.insert(name.to_owned(), root);
    }

    /// Says whether the name of a snapshot was flushed by somebody who noted it.
    pub(super) fn is_flushed(&self, name: &str) -> bool {
        self.held().flushed.contains(name)
    }

    pub(super) fn note_flushed(&self, name: &str) {
        let mut held = self.held();
        if held.flushed.len() >= ROOTS_MAX {
            held.flushed = BTreeSet::new();
        }
        held.flushed.insert(name.to_owned());
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_bounded() {
        let recent = Recent::default();
        let id = |number: usize| {
            let mut bytes = [0; 20];
            bytes[..8].copy_from_slice(&number.to_be_bytes());
            ObjectId::from_bytes(&bytes).unwrap()
        };
        let large = vec![b'x'; OBJECT_BYTES_MAX + 1];
        recent.note(id(0), ObjectKind::Blob, &large);
        assert_eq!(recent.get(id(0), ObjectKind::Blob), None);
        for number in 0..BYTES_MAX / OBJECT_BYTES_MAX + 1 {
            recent.note(id(number), ObjectKind::Blob, &large[1..]);
            assert!(recent.held().bytes <= BYTES_MAX);
            assert_eq!(recent.get(id(number), ObjectKind::Blob).as_deref(), Some(&large[1..]));
        }
        assert_eq!(recent.get(id(0), ObjectKind::Blob), None, "the bound was never reached");
        assert_eq!(recent.get(id(BYTES_MAX / OBJECT_BYTES_MAX), ObjectKind::Tree), None);
        for number in 0..=ROOTS_MAX {
            recent.note_root(&number.to_string(), id(number));
        }
        for number in 0..=ROOTS_MAX {
            recent.note_flushed(&number.to_string());
        }
        assert!(!recent.is_flushed("0") && recent.is_flushed(&ROOTS_MAX.to_string()));
        assert_eq!((recent.root("0"), recent.root(&ROOTS_MAX.to_string())), (None, Some(id(ROOTS_MAX))));
    }
}
