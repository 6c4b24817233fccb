//! What the workspace looks like, as one hash: the names, kinds and contents of everything that is not ignored.

use std::fs;
use std::path::Path;

use baton_engine::word::TreeHash;
use ignore::WalkBuilder;
use sha2::{Digest, Sha256};

use super::DeskError;

/// Folders that are not the work itself.
const NOT_WORK: &[&str] = &[".git", ".baton"];

/// Measures a folder. Links count as what they say, not as what they point to.
pub(super) fn measure(root: &Path) -> Result<TreeHash, DeskError> {
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(|entry| !NOT_WORK.iter().any(|name| entry.file_name() == *name))
        .build();
    let mut hash = Sha256::new();
    for entry in walk {
        let entry = entry.map_err(|error| DeskError::Io(root.to_owned(), std::io::Error::other(error)))?;
        let Some(kind) = entry.file_type().filter(|kind| !kind.is_dir()) else { continue };
        let path = entry.path();
        let failed = |error| DeskError::Io(path.to_owned(), error);
        let inside = path.strip_prefix(root).unwrap_or(path).as_os_str().as_encoded_bytes();
        let content = match kind.is_symlink() {
            true => fs::read_link(path).map_err(failed)?.into_os_string().into_encoded_bytes(),
            false if kind.is_file() => fs::read(path).map_err(failed)?,
            false => continue,
        };
        part(&mut hash, inside);
        part(&mut hash, if kind.is_symlink() { b"link" } else { b"file" });
        part(&mut hash, &content);
    }
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(TreeHash::new(digits)?)
}

/// Every part is preceded by its length, so that no two trees have the same bytes.
fn part(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}
