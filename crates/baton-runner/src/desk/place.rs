//! Where the log of a project lies: in the state folder of its user, out of reach of whoever works in the project.

use std::path::{Path, PathBuf};

use baton_store::durable_file;
use sha2::{Digest, Sha256};

use super::DeskError;
use crate::state_home::state_home;

/// The name of the key that signs anchors, in the folder with the log.
pub(super) const KEY_FILE: &str = "key";
/// How much of the hash of a path tells two projects of one name apart.
const HASH_BYTES: usize = 8;

/// Returns the folder with the log, its key and its anchor.
pub(crate) fn folder(root: &Path, chosen: Option<&Path>) -> Result<PathBuf, DeskError> {
    match chosen {
        Some(folder) => Ok(folder.to_owned()),
        None => default_folder(root).ok_or_else(|| DeskError::Document {
            what: "there is no place for the log: neither XDG_STATE_HOME nor HOME is set".to_owned(),
            next: "set one of them, or name a folder with `--store`".to_owned(),
        }),
    }
}

/// Returns the same folder; makes it if needed, for its owner alone.
pub(super) fn state_folder(root: &Path, chosen: Option<&Path>) -> Result<PathBuf, DeskError> {
    let folder = folder(root, chosen)?;
    // The key is made in a folder whose name is safe, so where a key is the folder is.
    if !folder.join(KEY_FILE).exists() {
        durable_file::make_folder(&folder)?;
    }
    Ok(folder)
}

fn default_folder(root: &Path) -> Option<PathBuf> {
    let state = state_home()?;
    let name = root.file_name().map_or_else(|| "project".into(), |name| name.to_string_lossy());
    let hash: String = Sha256::digest(root.as_os_str().as_encoded_bytes())
        .iter()
        .take(HASH_BYTES)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Some(state.join("projects").join(format!("{name}-{hash}")))
}
