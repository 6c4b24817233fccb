//! Reads one folder, with what the file system says of each file in it. No link is followed.

use std::io;
use std::path::Path;

use super::digest::Stamp;
use crate::git::FileKind;

/// What a name in a folder stands for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Folder,
    File(FileKind, Option<Stamp>),
}

/// Returns what lies in a folder under names that are `wanted`; nothing of what is neither file nor folder, nor of what is gone
/// by the time that it is looked at.
pub(super) fn read(folder: &Path, wanted: impl Fn(&[u8]) -> bool) -> io::Result<Vec<(Vec<u8>, Found)>> {
    #[cfg(target_os = "linux")]
    match read_fast(folder, &wanted) {
        // Old systems, and boxes that are made for them, do not have that question.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied) => {}
        found => return found,
    }
    read_plain(folder, wanted)
}

/// There is little else to a look at many files, so nothing is asked twice here.
#[cfg(target_os = "linux")]
fn read_fast(folder: &Path, wanted: impl Fn(&[u8]) -> bool) -> io::Result<Vec<(Vec<u8>, Found)>> {
    use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, StatxFlags};
    use rustix::io::Errno;

    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::open(folder, flags, Mode::empty())?;
    let mut buffer = Vec::with_capacity(BUFFER_BYTES);
    let mut names = RawDir::new(&opened, buffer.spare_capacity_mut());
    let mut found = Vec::new();
    while let Some(entry) = names.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." || !wanted(name) {
            continue;
        }
        if entry.file_type() == FileType::Directory {
            found.push((name.to_vec(), Found::Folder));
            continue;
        }
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        let told = match rustix::fs::statx(&opened, entry.file_name(), flags, StatxFlags::BASIC_STATS) {
            Ok(told) => told,
            Err(Errno::NOENT | Errno::NOTDIR) => continue,
            Err(error) => return Err(error.into()),
        };
        let kind = match FileType::from_raw_mode(told.stx_mode.into()) {
            FileType::Directory => {
                found.push((name.to_vec(), Found::Folder));
                continue;
            }
            FileType::Symlink => FileKind::Link,
            FileType::RegularFile if told.stx_mode & 0o111 != 0 => FileKind::Program,
            FileType::RegularFile => FileKind::File,
            _ => continue,
        };
        found.push((name.to_vec(), Found::File(kind, Some(Stamp::of_statx(&told)))));
    }
    Ok(found)
}

fn read_plain(folder: &Path, wanted: impl Fn(&[u8]) -> bool) -> io::Result<Vec<(Vec<u8>, Found)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_encoded_bytes();
        if !wanted(&name) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            found.push((name, Found::Folder));
            continue;
        }
        match entry.metadata() {
            Ok(metadata) => {
                let kind = super::walk::kind(&metadata);
                found.extend(kind.map(|kind| (name, Found::File(kind, Stamp::of(&metadata)))));
            }
            Err(error) if super::is_nothing(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// Names of a folder that are read in one go.
#[cfg(target_os = "linux")]
const BUFFER_BYTES: usize = 32 * 1024;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn both_ways_see_the_same() {
        let top = tempfile::tempdir().unwrap();
        let place = |name: &str| top.path().join(name);
        // More names than are read in one go.
        for number in 0..2_000 {
            fs::write(place(&format!("a rather long name of a file, {number}")), "x").unwrap();
        }
        fs::create_dir(place("folder")).unwrap();
        fs::write(place("program"), "").unwrap();
        fs::set_permissions(place("program"), fs::Permissions::from_mode(0o700)).unwrap();
        symlink("folder", place("link")).unwrap();
        symlink("nowhere", place("dangling")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(place("socket")).unwrap();
        let in_order = |found: io::Result<Vec<(Vec<u8>, Found)>>| {
            let mut found = found.unwrap();
            found.sort_by(|(one, _), (other, _)| one.cmp(other));
            found
        };
        let is_wanted = |name: &[u8]| name != b"a rather long name of a file, 7";
        let found = in_order(read_fast(top.path(), is_wanted));
        assert_eq!(found, in_order(read_plain(top.path(), is_wanted)));
        assert_eq!(found.len(), 1_999 + 4, "a socket is no file");
        assert!(read(&place("link"), |_| true).is_err(), "a link was followed");
    }
}
