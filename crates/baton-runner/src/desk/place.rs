//! Where the log of a project lies: in the state folder of its user, out of reach of whoever works in the project.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::DeskError;
use crate::state_home::state_home;

/// How much of the hash of a path tells two projects of one name apart.
const HASH_BYTES: usize = 8;

/// Returns the folder with the log, its key and its anchor; makes it if needed, for its owner alone.
pub(super) fn state_folder(root: &Path, chosen: Option<&Path>) -> Result<PathBuf, DeskError> {
    let folder = match chosen {
        Some(folder) => folder.to_owned(),
        None => default_folder(root).ok_or_else(|| DeskError::Document {
            what: "there is no place for the log: neither XDG_STATE_HOME nor HOME is set".to_owned(),
            next: "set one of them, or name a folder with `--store`".to_owned(),
        })?,
    };
    make(&folder).map_err(|error| DeskError::Io(folder.clone(), error))?;
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

pub(super) fn make(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
