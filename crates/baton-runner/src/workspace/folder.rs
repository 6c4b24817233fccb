//! Reads the folders of a workspace, with what the file system says of each file in them. No link is followed.
//!
//! A folder that says of itself what it said before holds the same names, so that only its files are asked for: those that were
//! written in place do not show in it.

#[cfg(target_os = "linux")]
mod fast;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::digest::Stamp;
use super::native;
use crate::git::FileKind;

/// What a path stands for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Folder,
    File(FileKind, Option<Stamp>),
    /// A pipe, a socket or a device.
    Other,
}

/// The names in folders that were read, by the paths of these.
pub(crate) type Folders = BTreeMap<Vec<u8>, Arc<Names>>;

/// The paths of all that lies in a folder. Those of folders end with a slash.
#[derive(Debug)]
pub(crate) struct Names {
    stamp: Stamp,
    paths: Vec<Arc<[u8]>>,
}

/// One look at a workspace.
#[derive(Debug)]
pub(super) struct Look<'a> {
    root: PathBuf,
    wanted: fn(&[u8]) -> bool,
    known: &'a Folders,
    pub(super) seen: Folders,
    #[cfg(target_os = "linux")]
    opened: Option<std::os::fd::OwnedFd>,
}

impl<'a> Look<'a> {
    /// Begins a look at all names that are `wanted`, knowing what an earlier one saw.
    pub(super) fn new(root: &Path, wanted: fn(&[u8]) -> bool, known: &'a Folders) -> Self {
        Self {
            root: root.to_owned(),
            wanted,
            known,
            seen: Folders::new(),
            #[cfg(target_os = "linux")]
            opened: fast::open(root).ok(),
        }
    }

    /// Returns what lies in a folder, by paths; nothing of what is gone by the time that it is looked at. The folder is given
    /// from the root, with a slash behind it.
    pub(super) fn read(&mut self, folder: &[u8]) -> io::Result<Vec<(Arc<[u8]>, Found)>> {
        #[cfg(target_os = "linux")]
        if let Some(root) = self.opened.take() {
            let read = self.read_fast(&root, folder);
            // Old systems, and boxes that are made for them, do not have that question. A folder that is shut is no such answer:
            // whoever asks opens it, and asks again.
            let is_unknown = |error: &io::Error| {
                let is_forbidden = error.raw_os_error() == Some(rustix::io::Errno::PERM.raw_os_error());
                is_forbidden || error.kind() == io::ErrorKind::Unsupported
            };
            if !read.as_ref().is_err_and(is_unknown) {
                self.opened = Some(root);
                return read;
            }
        }
        let found = read_plain(&self.root.join(native(folder)), folder, self.wanted)?;
        Ok(in_order(found))
    }

    #[cfg(target_os = "linux")]
    fn read_fast(
        &mut self,
        root: &std::os::fd::OwnedFd,
        folder: &[u8],
    ) -> io::Result<Vec<(Arc<[u8]>, Found)>> {
        let at = std::time::SystemTime::now();
        let opened = fast::open_below(root, folder)?;
        let stamp = fast::reachable(&opened)?;
        if let Some(known) = self.known.get(folder).filter(|known| known.stamp == stamp) {
            let mut found = Vec::with_capacity(known.paths.len());
            for path in &known.paths {
                let what = match path.ends_with(b"/") {
                    true => Some(Found::Folder),
                    false => fast::look(&opened, &path[folder.len()..])?,
                };
                found.extend(what.map(|what| (Arc::clone(path), what)));
            }
            self.seen.insert(folder.to_vec(), Arc::clone(known));
            return Ok(found);
        }
        let found = in_order(fast::read(&opened, folder, self.wanted)?);
        if stamp.is_settled(at) {
            let paths = found.iter().map(|(path, _)| Arc::clone(path)).collect();
            self.seen.insert(folder.to_vec(), Arc::new(Names { stamp, paths }));
        }
        Ok(found)
    }
}

/// With the slash, all that is below a folder lies between the names before and after it.
fn in_order(mut found: Vec<(Arc<[u8]>, Found)>) -> Vec<(Arc<[u8]>, Found)> {
    found.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    found
}

fn read_plain(place: &Path, folder: &[u8], wanted: fn(&[u8]) -> bool) -> io::Result<Vec<(Arc<[u8]>, Found)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(place)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        if !wanted(name) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            found.push(([folder, name, b"/"].concat().into(), Found::Folder));
            continue;
        }
        match entry.metadata() {
            Ok(metadata) => {
                let what = match super::walk::kind(&metadata) {
                    Some(kind) => Found::File(kind, Stamp::of(&metadata)),
                    None => Found::Other,
                };
                found.push(([folder, name].concat().into(), what));
            }
            Err(error) if super::is_nothing(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn is_wanted(name: &[u8]) -> bool {
        name != b"unwanted"
    }

    #[test]
    fn all_ways_see_the_same() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("in here");
        let place = |name: &str| folder.join(name);
        fs::create_dir_all(place("folder")).unwrap();
        // More names than are read in one go.
        for number in 0..2_000 {
            fs::write(place(&format!("a rather long name of a file, {number}")), "x").unwrap();
        }
        for name in ["program", "unwanted", "folder.txt", "folder-1"] {
            fs::write(place(name), "").unwrap();
        }
        fs::set_permissions(place("program"), fs::Permissions::from_mode(0o700)).unwrap();
        symlink("folder", place("link")).unwrap();
        symlink("nowhere", place("dangling")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(place("socket")).unwrap();
        thread::sleep(Duration::from_millis(200));

        let plain = in_order(read_plain(&folder, b"in here/", is_wanted).unwrap());
        assert_eq!(plain.len(), 2_000 + 7);
        let others: Vec<_> = plain.iter().filter(|(_, found)| *found == Found::Other).collect();
        assert!(matches!(others.as_slice(), [(path, _)] if path.ends_with(b"socket")), "{others:?}");
        let nothing = Folders::new();
        let mut first = Look::new(top.path(), is_wanted, &nothing);
        assert_eq!(first.read(b"in here/").unwrap(), plain);
        assert_eq!(first.seen.len(), 1, "the folder has settled");
        let mut second = Look::new(top.path(), is_wanted, &first.seen);
        assert_eq!(second.read(b"in here/").unwrap(), plain);
        assert!(Arc::ptr_eq(&second.seen[b"in here/".as_slice()], &first.seen[b"in here/".as_slice()]));
        let mut of_link = Look::new(&folder, is_wanted, &nothing);
        assert!(of_link.read(b"link/").is_err(), "a link was followed");
    }

    #[test]
    fn what_changes_in_a_known_folder_is_seen() {
        let top = tempfile::tempdir().unwrap();
        let place = |name: &str| top.path().join(name);
        fs::write(place("one"), "1").unwrap();
        fs::write(place("two"), "2").unwrap();
        let changes: [(&str, &dyn Fn()); 6] = [
            ("written in place", &|| fs::write(place("one"), "another").unwrap()),
            ("made a program", &|| {
                fs::set_permissions(place("one"), fs::Permissions::from_mode(0o755)).unwrap()
            }),
            ("added", &|| fs::write(place("three"), "3").unwrap()),
            ("removed", &|| fs::remove_file(place("two")).unwrap()),
            ("renamed", &|| fs::rename(place("three"), place("four")).unwrap()),
            ("turned into a folder", &|| {
                fs::remove_file(place("one")).unwrap();
                fs::create_dir(place("one")).unwrap();
            }),
        ];
        for (what, change) in changes {
            thread::sleep(Duration::from_millis(200));
            let nothing = Folders::new();
            let mut before = Look::new(top.path(), is_wanted, &nothing);
            let seen = before.read(b"").unwrap();
            assert_eq!(before.seen.len(), 1, "{what}");
            change();
            let mut after = Look::new(top.path(), is_wanted, &before.seen);
            let now = after.read(b"").unwrap();
            assert_ne!(now, seen, "{what}");
            assert_eq!(now, in_order(read_plain(top.path(), b"", is_wanted).unwrap()), "{what}");
        }
    }
}
