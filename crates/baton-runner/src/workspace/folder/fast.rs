//! Asks Linux itself, once for each file. There is little else to a look at many of them.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Statx, StatxFlags};
use rustix::io::Errno;
use rustix::path::Arg;

use super::Found;
use crate::git::FileKind;
use crate::workspace::digest::Stamp;

/// Names of a folder that are read in one go.
const BUFFER_BYTES: usize = 32 * 1024;
/// What a root is called from itself.
const ITSELF: &[u8] = b".";

pub(super) fn open(root: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(root, folder_flags(), Mode::empty())?)
}

/// Says of a folder what changes when a name in it does.
pub(super) fn stamp(root: &OwnedFd, folder: &[u8]) -> io::Result<Stamp> {
    Ok(Stamp::of_statx(&ask(root, place(folder))?))
}

/// Returns what a path stands for, if it is a file or a folder.
pub(super) fn look(root: impl AsFd, path: impl Arg) -> io::Result<Option<Found>> {
    let told = match ask(root, path) {
        Ok(told) => told,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let kind = match FileType::from_raw_mode(told.stx_mode.into()) {
        FileType::Directory => return Ok(Some(Found::Folder)),
        FileType::Symlink => FileKind::Link,
        FileType::RegularFile if told.stx_mode & 0o111 != 0 => FileKind::Program,
        FileType::RegularFile => FileKind::File,
        _ => return Ok(None),
    };
    Ok(Some(Found::File(kind, Some(Stamp::of_statx(&told)))))
}

pub(super) fn read(
    root: &OwnedFd,
    folder: &[u8],
    wanted: fn(&[u8]) -> bool,
) -> io::Result<Vec<(Vec<u8>, Found)>> {
    let opened = rustix::fs::openat(root, place(folder), folder_flags(), Mode::empty())?;
    let mut buffer = Vec::with_capacity(BUFFER_BYTES);
    let mut names = RawDir::new(&opened, buffer.spare_capacity_mut());
    let mut found = Vec::new();
    while let Some(entry) = names.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." || !wanted(name) {
            continue;
        }
        let what = match entry.file_type() {
            FileType::Directory => Some(Found::Folder),
            _ => look(&opened, entry.file_name())?,
        };
        let end: &[u8] = if matches!(what, Some(Found::Folder)) { b"/" } else { b"" };
        found.extend(what.map(|what| ([folder, name, end].concat(), what)));
    }
    Ok(found)
}

fn folder_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// Returns a folder as the system is asked for it: with the slash, a link would be followed.
fn place(folder: &[u8]) -> &[u8] {
    folder.strip_suffix(b"/").unwrap_or(ITSELF)
}

fn ask(root: impl AsFd, path: impl Arg) -> rustix::io::Result<Statx> {
    rustix::fs::statx(root, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BASIC_STATS)
}
