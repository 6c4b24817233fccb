//! What was written, so that it can be taken back: the bytes before, kept beside the log.

use std::fs;
use std::path::{Path, PathBuf};

use baton_store::durable_file;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::InitError;

const FILE: &str = "init.json";
const FOLDER: &str = "init";

/// All that is written in one project.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct Record {
    pub(super) files: Vec<Written>,
    /// Folders that were made, from the root; the outermost first.
    pub(super) folders: Vec<String>,
}

/// One file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Written {
    /// From the root.
    pub(super) path: String,
    /// The hash of the bytes before; nothing where there was no file.
    pub(super) before: Option<String>,
    /// The hash of the bytes after.
    pub(super) after: String,
    /// Every text that came in.
    pub(super) inserted: Vec<String>,
}

pub(super) fn load(folder: &Path) -> Result<Record, InitError> {
    let path = folder.join(FILE);
    match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map_err(|error| InitError::Record(path, std::io::Error::other(error))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Record::default()),
        Err(error) => Err(InitError::Record(path, error)),
    }
}

impl Record {
    pub(super) fn save(&self, folder: &Path) -> Result<(), InitError> {
        let path = folder.join(FILE);
        let failed = |error: &dyn std::fmt::Display| {
            InitError::Record(path.clone(), std::io::Error::other(error.to_string()))
        };
        durable_file::make_folder(folder).map_err(|error| failed(&error))?;
        let text = serde_json::to_vec_pretty(self).map_err(|error| failed(&error))?;
        durable_file::replace(&path, &text).map_err(|error| failed(&error))
    }

    pub(super) fn remove(folder: &Path) -> Result<(), InitError> {
        let path = folder.join(FILE);
        let removed = fs::remove_file(&path).and_then(|()| match fs::remove_dir_all(folder.join(FOLDER)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        });
        removed.map_err(|error| InitError::Record(path, error))
    }
}

/// Keeps the bytes of a file, and returns their hash.
pub(super) fn keep(folder: &Path, bytes: &[u8]) -> Result<String, InitError> {
    let (name, kept) = (hash(bytes), folder.join(FOLDER));
    let path = kept.join(&name);
    let written = durable_file::make_folder(&kept).and_then(|()| durable_file::replace(&path, bytes));
    written.map_err(|error| InitError::Record(path, std::io::Error::other(error.to_string())))?;
    Ok(name)
}

/// Returns kept bytes, if they are what they were.
pub(super) fn kept(folder: &Path, name: &str) -> Result<Vec<u8>, InitError> {
    let path: PathBuf = folder.join(FOLDER).join(name);
    let bytes = fs::read(&path).map_err(|error| InitError::Record(path.clone(), error))?;
    match hash(&bytes) == name {
        true => Ok(bytes),
        false => Err(InitError::Record(path, std::io::Error::other("it is not what was kept"))),
    }
}

pub(super) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
