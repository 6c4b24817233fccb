//! Looks at the files of the work tree without ever leaving it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::file::read_plain;

/// Longest path that is looked for.
pub const RELATIVE_BYTES_MAX: usize = 1024;

/// The folder with the files of a project.
#[derive(Clone, Debug)]
pub struct WorkTree {
    root: PathBuf,
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    Missing,
    File {
        bytes: u64,
    },
    Folder,
    /// It is a link, or lies behind one. Links are never followed.
    Link,
    /// It is a pipe or a device, or may not be looked at.
    Unreadable,
    /// The path leads out of the tree, or is none.
    OutsideOrNotRelative,
}

/// What reading a file gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    Bytes(Vec<u8>),
    /// It has at least this many bytes and was not kept.
    TooLarge(u64),
    NotAFile(Seen),
}

impl WorkTree {
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Looks at a path, one part after the other.
    pub fn look(&self, relative: &str) -> Seen {
        match parts(relative) {
            Some(parts) => self.look_at(&parts).0,
            None => Seen::OutsideOrNotRelative,
        }
    }

    /// Reads a file that has at most so many bytes.
    pub fn read(&self, relative: &str, bytes_max: u64) -> Contents {
        let Some(parts) = parts(relative) else { return Contents::NotAFile(Seen::OutsideOrNotRelative) };
        let (seen, path) = self.look_at(&parts);
        match seen {
            Seen::File { bytes } if bytes > bytes_max => return Contents::TooLarge(bytes),
            Seen::File { .. } => {}
            _ => return Contents::NotAFile(seen),
        }
        match read_plain(&path, bytes_max) {
            Ok(bytes) => Contents::Bytes(bytes),
            // It has grown since it was looked at.
            Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                Contents::TooLarge(bytes_max.saturating_add(1))
            }
            Err(_) => Contents::NotAFile(Seen::Unreadable),
        }
    }

    fn look_at(&self, parts: &[&str]) -> (Seen, PathBuf) {
        let mut path = self.root.clone();
        let mut seen = Seen::Folder;
        for part in parts {
            if seen != Seen::Folder {
                // Nothing lies under a file.
                let beyond = if matches!(seen, Seen::File { .. }) { Seen::Missing } else { seen };
                return (beyond, path);
            }
            path.push(part);
            seen = match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_symlink() => Seen::Link,
                Ok(metadata) if metadata.is_dir() => Seen::Folder,
                Ok(metadata) if metadata.is_file() => Seen::File { bytes: metadata.len() },
                Ok(_) => Seen::Unreadable,
                Err(error) if error.kind() == ErrorKind::NotFound => Seen::Missing,
                Err(_) => Seen::Unreadable,
            };
        }
        (seen, path)
    }
}

/// Takes a path apart, if it stays below where it starts. `./` and doubled slashes say nothing.
fn parts(relative: &str) -> Option<Vec<&str>> {
    if relative.is_empty() || relative.len() > RELATIVE_BYTES_MAX || relative.starts_with('/') {
        return None;
    }
    let parts: Vec<&str> = relative.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let leads_out =
        |part: &&str| *part == ".." || part.contains('\0') || cfg!(windows) && part.contains(['\\', ':']);
    (!parts.iter().any(leads_out)).then_some(parts)
}

#[cfg(test)]
mod tests;
