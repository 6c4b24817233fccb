//! Files that are too large to be saved lie beside the work, where they are in nobody's way and nothing of them is lost.

use std::fs;
use std::path::Path;

use baton_store::durable_file;

use super::{TaskWorkspace, WorkspaceError, native};
use crate::git::{FileKind, SNAPSHOT_FILE_BYTES_MAX};

/// Where they lie, in the state folder: by task and turn, with their paths.
const FOLDER: &str = "aside";

impl TaskWorkspace {
    /// Moves what is too large out of the work, and says of each file what it was and where it is now.
    pub(crate) fn put_aside(&self, turn: &str) -> Result<Vec<String>, WorkspaceError> {
        let aside = self.state.join(FOLDER).join(self.task.as_str()).join(turn);
        let mut told = Vec::new();
        for file in self.workspace.files()? {
            let path = self.workspace.place(&file.path);
            let bytes = fs::symlink_metadata(&path).map_or(0, |metadata| metadata.len());
            if file.kind == FileKind::Link || bytes <= SNAPSHOT_FILE_BYTES_MAX {
                continue;
            }
            let to = aside.join(native(&file.path));
            durable_file::make_folder(to.parent().unwrap_or(&aside))?;
            fs::rename(&path, &to).map_err(WorkspaceError::at(&path))?;
            told.push(words(&file.path, bytes, &to));
        }
        Ok(told)
    }
}

fn words(path: &[u8], bytes: u64, to: &Path) -> String {
    format!(
        "`{}` has {bytes} bytes, and a file of the work has at most {SNAPSHOT_FILE_BYTES_MAX}; it was put aside, to `{}`: name \
         it in `.gitignore` if it is no work, or do without it",
        String::from_utf8_lossy(path),
        to.display()
    )
}
