//! The object that git keeps a folder as: for each name in it what it is, and the id of it.

use std::collections::BTreeMap;

use super::ObjectId;

/// Folders within folders; more than this is no project.
pub(super) const DEPTH_MAX: usize = 256;
const FOLDER: u32 = 0o040_000;

/// What a folder holds, by names.
pub(super) type Entries = BTreeMap<Vec<u8>, Entry>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) mode: u32,
    pub(super) id: ObjectId,
}

impl Entry {
    pub(super) fn new(mode: u32, id: ObjectId) -> Self {
        Self { mode, id }
    }

    pub(super) fn folder(id: ObjectId) -> Self {
        Self { mode: FOLDER, id }
    }

    pub(super) fn is_folder(&self) -> bool {
        self.mode == FOLDER
    }
}

/// Reads `MODE NAME<NUL>ID`, again and again; nothing where it is not that.
pub(super) fn read(mut bytes: &[u8], id_bytes: usize) -> Option<Entries> {
    let mut entries = Entries::new();
    while !bytes.is_empty() {
        let (head, rest) = bytes.split_at(bytes.iter().position(|byte| *byte == 0)?);
        let space = head.iter().position(|byte| *byte == b' ')?;
        let mode = u32::from_str_radix(std::str::from_utf8(&head[..space]).ok()?, 8).ok()?;
        let (id, rest) = rest.get(1..)?.split_at_checked(id_bytes)?;
        entries.insert(head[space + 1..].to_vec(), Entry { mode, id: ObjectId::from_bytes(id)? });
        bytes = rest;
    }
    Some(entries)
}

/// Writes what [`read`] reads. Git wants a folder sorted as if its name ended with a slash.
pub(super) fn write(entries: &Entries) -> Vec<u8> {
    let key = |(name, entry): &(&Vec<u8>, &Entry)| match entry.is_folder() {
        true => [name.as_slice(), b"/"].concat(),
        false => name.to_vec(),
    };
    let mut sorted: Vec<(&Vec<u8>, &Entry)> = entries.iter().collect();
    sorted.sort_by_cached_key(key);
    let mut bytes = Vec::new();
    for (name, entry) in sorted {
        bytes.extend(format!("{:o} ", entry.mode).into_bytes());
        bytes.extend(name);
        bytes.push(0);
        bytes.extend(entry.id.as_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_written_as_git_sorts_it_and_read_again() {
        let id = ObjectId::from_bytes(&[7; 20]).unwrap();
        let entries = Entries::from([
            (b"a".to_vec(), Entry::folder(id)),
            (b"a.b".to_vec(), Entry::new(0o100_644, id)),
            (b"a0".to_vec(), Entry::new(0o100_755, id)),
        ]);
        let bytes = write(&entries);
        let place = |name: &[u8]| bytes.windows(name.len()).position(|piece| piece == name).unwrap();
        assert!(place(b"644 a.b\0") < place(b"40000 a\0") && place(b"40000 a\0") < place(b"755 a0\0"));
        assert_eq!(read(&bytes, 20), Some(entries));
        for cut in 1..bytes.len() {
            assert_ne!(read(&bytes[..cut], 20), read(&bytes, 20), "{cut}");
        }
        assert_eq!(read(b"", 20), Some(Entries::new()));
        assert_eq!(read(b"644 a", 20), None);
    }
}
