//! Puts kept files back. What is overwritten or taken away for it is saved first.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use baton_engine::word::TreeHash;

use super::keeping::{self, content, write_file};
use super::rescue::{List, Reason};
use super::{Rule, WorkFile, Workspace, WorkspaceError, native, reach};
use crate::git::{FileKind, Objects, Snapshots, TreeFile};

/// Kept files that are to be put back into a workspace.
#[derive(Debug)]
pub(crate) struct Return<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) snapshots: &'a Snapshots,
    pub(crate) kept: &'a [TreeFile],
    pub(crate) tree: &'a TreeHash,
    pub(crate) list: List<'a>,
}

impl Return<'_> {
    /// Saves all that is there, clears the way, and puts the files back; returns what was saved.
    pub(crate) fn restore(&self) -> Result<TreeHash, WorkspaceError> {
        keeping::refuse_armed(self.kept)?;
        self.open()?;
        let in_the_way = self.in_the_way()?;
        let rescue = keeping::keep(self.workspace, self.snapshots, &in_the_way)?;
        self.list.add(Reason::Restored, &rescue)?;
        self.clear_the_way()?;
        self.put_back(&rescue)?;
        Ok(rescue)
    }

    /// Whoever worked there may have shut folders that something belongs into, or in which something is in the way.
    fn open(&self) -> Result<(), WorkspaceError> {
        match self.has_modes_of_a_person() {
            true => Ok(()),
            false => reach::open_all(&self.workspace.root).map_err(WorkspaceError::at(&self.workspace.root)),
        }
    }

    fn has_modes_of_a_person(&self) -> bool {
        matches!(self.workspace.rule, Rule::Checkout)
    }

    /// Returns the files that the workspace leaves out and that would be overwritten.
    fn in_the_way(&self) -> Result<Vec<WorkFile>, WorkspaceError> {
        let mut found = Vec::new();
        let mut folders = Vec::new();
        for file in self.kept {
            let inside = native(&file.path);
            for place in inside.ancestors().filter(|place| !place.as_os_str().is_empty()) {
                found.extend(self.workspace.look(place)?);
            }
            if is_folder(&self.workspace.root.join(&inside)) {
                folders.push(inside);
            }
        }
        if !folders.is_empty() {
            let everything = Workspace { rule: Rule::Everything, ..self.workspace.clone() };
            let is_below = |file: &WorkFile| {
                let path = native(&file.path);
                folders.iter().any(|folder| path.starts_with(folder))
            };
            found.extend(everything.files()?.into_iter().filter(is_below));
        }
        Ok(found)
    }

    /// Takes away folders where files belong, and what is no folder where folders belong.
    fn clear_the_way(&self) -> Result<(), WorkspaceError> {
        for file in self.kept {
            let inside = native(&file.path);
            let mut folders: Vec<&Path> = inside.ancestors().skip(1).collect();
            folders.pop();
            for folder in folders.into_iter().rev().map(|folder| self.workspace.root.join(folder)) {
                if fs::symlink_metadata(&folder).is_ok_and(|metadata| !metadata.is_dir()) {
                    fs::remove_file(&folder).map_err(WorkspaceError::at(&folder))?;
                }
            }
            let place = self.workspace.root.join(&inside);
            if is_folder(&place) {
                let removed = match self.has_modes_of_a_person() {
                    true => fs::remove_dir_all(&place),
                    false => reach::remove_all(&place),
                };
                removed.map_err(WorkspaceError::at(&place))?;
            }
        }
        Ok(())
    }

    /// Writes what is missing or different, then takes away what came since the rescue was made.
    pub(crate) fn put_back(&self, rescue: &TreeHash) -> Result<(), WorkspaceError> {
        let mut objects = self.snapshots.objects();
        for file in self.kept {
            if is_so(self.workspace, file, &mut objects)? {
                continue;
            }
            let path = self.workspace.place(&file.path);
            if fs::symlink_metadata(&path).is_ok() {
                fs::remove_file(&path).map_err(WorkspaceError::at(&path))?;
            }
            write_file(&self.workspace.root, file, &mut objects)?;
        }
        self.take_away(rescue)?;
        match self.workspace.measure()? == *self.tree {
            true => Ok(()),
            false => Err(WorkspaceError::refused(
                "the files are not those of the snapshot: something else writes there",
                "stop it, then try again",
            )),
        }
    }

    /// The files that say what is ignored are as they were: only what counts as work now is taken away. Some of it may have
    /// been ignored until now, and so is in no rescue yet.
    fn take_away(&self, rescue: &TreeHash) -> Result<(), WorkspaceError> {
        let paths: BTreeSet<&[u8]> = self.kept.iter().map(|file| file.path.as_slice()).collect();
        let mut extra = self.workspace.files()?;
        extra.retain(|file| !paths.contains(&*file.path));
        let saved: BTreeSet<Vec<u8>> =
            keeping::kept(self.snapshots, rescue)?.into_iter().map(|file| file.path).collect();
        if extra.iter().any(|file| !saved.contains(&*file.path)) {
            let rescue = keeping::keep(self.workspace, self.snapshots, &[])?;
            self.list.add(Reason::Uncovered, &rescue)?;
        }
        for file in extra {
            let path = self.workspace.place(&file.path);
            fs::remove_file(&path).map_err(WorkspaceError::at(&path))?;
            remove_empty_folders(&self.workspace.root, &path);
        }
        Ok(())
    }
}

/// Takes away the folders below the root that held nothing but a file that is gone.
pub(super) fn remove_empty_folders(root: &Path, path: &Path) {
    for folder in path.ancestors().skip(1).take_while(|folder| *folder != root) {
        // A folder with something in it stays.
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

/// Says whether a kept file is in its place, as it was.
pub(crate) fn is_so(
    workspace: &Workspace,
    file: &TreeFile,
    objects: &mut Objects<'_>,
) -> Result<bool, WorkspaceError> {
    if file.kind == FileKind::Submodule {
        return Ok(is_folder(&workspace.place(&file.path)));
    }
    let there = workspace.look(&native(&file.path))?;
    Ok(match there.filter(|there| there.kind == file.kind) {
        Some(there) => workspace.read(&there)? == content(file, objects)?,
        None => false,
    })
}

fn is_folder(path: &PathBuf) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}
