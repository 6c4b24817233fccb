//! Reads files and folders of a repository without ever following a link, within a bound.

use std::fs::{self, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::GitError;
use crate::file::open_plain;

/// Looks at what is there, if anything. A link is refused.
pub(super) fn look(path: &Path) -> Result<Option<Metadata>, GitError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => Err(GitError::refused(path, "is a symbolic link")),
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(GitError::unreadable(path, &error)),
    }
}

/// Says whether there is a folder. Anything else at that place is refused.
pub(super) fn is_folder(path: &Path) -> Result<bool, GitError> {
    match look(path)? {
        None => Ok(false),
        Some(metadata) if metadata.is_dir() => Ok(true),
        Some(_) => Err(GitError::refused(path, "is not a folder")),
    }
}

/// Reads a file, if there is one. A pipe or a device is refused, for opening it could wait forever.
pub(super) fn read(path: &Path, bytes_max: usize) -> Result<Option<Vec<u8>>, GitError> {
    match look(path)? {
        None => return Ok(None),
        Some(metadata) if !metadata.is_file() => return Err(GitError::refused(path, "is not a file")),
        Some(_) => {}
    }
    let mut bytes = Vec::new();
    let file = match open_plain(path) {
        Ok(file) => file,
        // Git replaces and removes files while we look.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(GitError::unreadable(path, &error)),
    };
    file.take(bytes_max as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| GitError::unreadable(path, &error))?;
    match bytes.len() > bytes_max {
        true => Err(GitError::too_large(path, bytes_max)),
        false => Ok(Some(bytes)),
    }
}

/// What stands in a folder.
pub(super) struct Entry {
    pub(super) name: std::ffi::OsString,
    pub(super) is_folder: bool,
}

/// Lists a folder of files and folders. Anything else in it is refused.
pub(super) fn list(folder: &Path, entries_max: usize) -> Result<Vec<Entry>, GitError> {
    let unreadable = |error: std::io::Error| GitError::unreadable(folder, &error);
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let kind = entry.file_type().map_err(unreadable)?;
        if kind.is_symlink() {
            return Err(GitError::refused(&entry.path(), "is a symbolic link"));
        }
        if !kind.is_file() && !kind.is_dir() {
            return Err(GitError::refused(&entry.path(), "is neither a file nor a folder"));
        }
        if entries.len() == entries_max {
            return Err(GitError::too_large(folder, entries_max));
        }
        entries.push(Entry { name: entry.file_name(), is_folder: kind.is_dir() });
    }
    Ok(entries)
}
