//! Asks Linux itself, once for each file. There is little else to a look at many of them.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Statx, StatxFlags};
use rustix::io::Errno;
use rustix::path::Arg;

use super::Found;
use crate::git::FileKind;
use crate::workspace::digest::Stamp;

/// Names of a folder that are read in one go.
const BUFFER_BYTES: usize = 32 * 1024;
/// What a folder is called from itself.
const ITSELF: &[u8] = b".";

pub(super) fn open(root: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(root, folder_flags(), Mode::empty())?)
}

/// Opens a folder that is given from the root.
pub(super) fn open_below(root: &OwnedFd, folder: &[u8]) -> io::Result<OwnedFd> {
    // With the slash, a link would be followed.
    let place = folder.strip_suffix(b"/").unwrap_or(ITSELF);
    Ok(rustix::fs::openat(root, place, folder_flags(), Mode::empty())?)
}

/// Says of a folder what changes when a name in it does. Where its owner could not write it, that is changed before.
pub(super) fn reachable(folder: &OwnedFd) -> io::Result<Stamp> {
    let mut told = ask(folder, ITSELF)?;
    let mode = Mode::from_raw_mode(told.stx_mode.into());
    if !mode.contains(Mode::RWXU) && rustix::fs::fchmod(folder, mode | Mode::RWXU).is_ok() {
        told = ask(folder, ITSELF)?;
    }
    Ok(Stamp::of_statx(&told))
}

/// Returns what a name stands for; nothing when it is gone.
pub(super) fn look(folder: &OwnedFd, name: impl Arg) -> io::Result<Option<Found>> {
    let told = match ask(folder, name) {
        Ok(told) => told,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let kind = match FileType::from_raw_mode(told.stx_mode.into()) {
        FileType::Directory => return Ok(Some(Found::Folder)),
        FileType::Symlink => FileKind::Link,
        FileType::RegularFile if told.stx_mode & 0o111 != 0 => FileKind::Program,
        FileType::RegularFile => FileKind::File,
        _ => return Ok(Some(Found::Other)),
    };
    Ok(Some(Found::File(kind, Some(Stamp::of_statx(&told)))))
}

/// Returns what lies in an opened folder, under its path.
pub(super) fn read(
    opened: &OwnedFd,
    folder: &[u8],
    wanted: fn(&[u8]) -> bool,
) -> io::Result<Vec<(Arc<[u8]>, Found)>> {
    let mut buffer = Vec::with_capacity(BUFFER_BYTES);
    let mut names = RawDir::new(opened, buffer.spare_capacity_mut());
    let mut found = Vec::new();
    while let Some(entry) = names.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." || !wanted(name) {
            continue;
        }
        let what = match entry.file_type() {
            FileType::Directory => Some(Found::Folder),
            _ => look(opened, entry.file_name())?,
        };
        let end: &[u8] = if matches!(what, Some(Found::Folder)) { b"/" } else { b"" };
        found.extend(what.map(|what| ([folder, name, end].concat().into(), what)));
    }
    Ok(found)
}

fn folder_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

fn ask(folder: &OwnedFd, name: impl Arg) -> rustix::io::Result<Statx> {
    rustix::fs::statx(folder, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BASIC_STATS)
}
