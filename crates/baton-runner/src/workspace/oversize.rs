//! What cannot be a part of the work. Files that are too large to be saved, and folders that lie too deep, are put beside the work,
//! where they are in nobody's way and nothing of them is lost; names that git does not take are told.

use std::fs;
use std::path::{Path, PathBuf};

use baton_store::durable_file;

use super::walk::DEPTH_MAX;
use super::{TaskWorkspace, WorkspaceError, native, reach};
use crate::git::{FileKind, SNAPSHOT_FILE_BYTES_MAX, name};

/// Where they lie, in the state folder: by task and turn, with their paths.
const FOLDER: &str = "aside";

impl TaskWorkspace {
    /// Moves what is too large or lies too deep out of the work, and says of each what it was and where it is now.
    pub(crate) fn put_aside(&self, turn: &str) -> Result<Vec<String>, WorkspaceError> {
        let aside = self.state.join(FOLDER).join(self.task.as_str()).join(turn);
        let mut told = self.put_deep_aside(&aside)?;
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

    /// Returns a sentence for each file whose name git takes into no tree, of those that were saved last.
    pub(crate) fn misnamed(&self) -> Vec<String> {
        let Some(saved) = self.workspace.digests.saved() else { return Vec::new() };
        let misnamed = saved.files.iter().filter(|file| !name::is_taken(&file.path, file.kind));
        let told = |path: &[u8]| {
            let path = String::from_utf8_lossy(path);
            format!("`{path}`: git takes no file of this name; give it another one, or do without it")
        };
        misnamed.map(|file| told(&file.path)).collect()
    }

    fn put_deep_aside(&self, aside: &Path) -> Result<Vec<String>, WorkspaceError> {
        let mut told = Vec::new();
        let mut folders: Vec<(PathBuf, usize)> = vec![(self.workspace.root.clone(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            reach::open(&folder).map_err(WorkspaceError::at(&folder))?;
            if depth <= DEPTH_MAX {
                for entry in fs::read_dir(&folder).map_err(WorkspaceError::at(&folder))? {
                    let entry = entry.map_err(WorkspaceError::at(&folder))?;
                    if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                        folders.push((entry.path(), depth + 1));
                    }
                }
                continue;
            }
            durable_file::make_folder(aside)?;
            let to = aside.join(format!("deep-{}", told.len() + 1));
            fs::rename(&folder, &to).map_err(WorkspaceError::at(&folder))?;
            let inside = folder.strip_prefix(&self.workspace.root).unwrap_or(&folder);
            let first = inside.iter().next().unwrap_or_default().to_string_lossy();
            told.push(format!(
                "a folder in `{first}` lies more than {DEPTH_MAX} folders deep; it was put aside, to `{}`: do without it",
                to.display()
            ));
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
