//! Finds the files of a workspace. In one of a task every name is held against the commit that it began with.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::base::{self, Base};
use super::{Rule, WorkFile, Workspace, WorkspaceError, is_program, native};
use crate::git::FileKind;

/// Folders within folders; more than this is no project.
const DEPTH_MAX: usize = 128;

/// A file with what the file system says of it.
pub(super) type Seen = (WorkFile, Metadata);

pub(super) fn walk(workspace: &Workspace) -> Result<Vec<Seen>, WorkspaceError> {
    let mut seen = match &workspace.rule {
        Rule::Checkout => {
            let mut walk = WalkBuilder::new(&workspace.root);
            walk.hidden(false).require_git(false);
            by_rules_of_the_user(workspace, &mut walk)?
        }
        Rule::Everything => {
            let mut walk = WalkBuilder::new(&workspace.root);
            walk.standard_filters(false);
            by_rules_of_the_user(workspace, &mut walk)?
        }
        Rule::Task(base) => by_base(workspace, base)?,
    };
    seen.sort_by(|(one, _), (other, _)| one.cmp(other));
    seen.dedup_by(|(one, _), (other, _)| one == other);
    Ok(seen)
}

fn by_rules_of_the_user(workspace: &Workspace, walk: &mut WalkBuilder) -> Result<Vec<Seen>, WorkspaceError> {
    let own = workspace.clone();
    walk.filter_entry(move |entry| {
        !own.leaves_out(entry.path().strip_prefix(&own.root).unwrap_or(entry.path()))
    });
    let mut seen = Vec::new();
    for entry in walk.build() {
        let entry = entry
            .map_err(|error| WorkspaceError::Io(workspace.root.clone(), std::io::Error::other(error)))?;
        if entry.file_type().is_none_or(|kind| kind.is_dir()) {
            continue;
        }
        let inside = entry.path().strip_prefix(&workspace.root).unwrap_or(entry.path());
        seen.extend(stat(workspace, inside)?);
    }
    Ok(seen)
}

/// Walks without following any link, so that what is found really lies in the workspace.
fn by_base(workspace: &Workspace, base: &Base) -> Result<Vec<Seen>, WorkspaceError> {
    let mut seen = Vec::new();
    let mut folders = vec![(PathBuf::new(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let path = workspace.root.join(&folder);
        if depth > DEPTH_MAX {
            return Err(WorkspaceError::refused(
                format!("`{}` lies more than {DEPTH_MAX} folders deep", path.display()),
                "take it out of the project",
            ));
        }
        for entry in fs::read_dir(&path).map_err(WorkspaceError::at(&path))? {
            let entry = entry.map_err(WorkspaceError::at(&path))?;
            let inside = folder.join(entry.file_name());
            let kind = entry.file_type().map_err(WorkspaceError::at(&path))?;
            if workspace.leaves_out(&inside) || base.ignores(&inside, kind.is_dir()) {
                continue;
            }
            if !kind.is_dir() {
                seen.extend(stat(workspace, &inside)?);
            } else if !base::is_generated(&workspace.root, &inside) {
                folders.push((inside, depth + 1));
            }
        }
    }
    let found: std::collections::BTreeSet<&[u8]> =
        seen.iter().map(|(file, _)| file.path.as_slice()).collect();
    let hidden: Vec<&Vec<u8>> = base.known.iter().filter(|path| !found.contains(path.as_slice())).collect();
    let mut more = Vec::new();
    for path in hidden {
        if let Some(file) = workspace.look(&native(path))? {
            more.extend(stat(workspace, &native(&file.path))?);
        }
    }
    seen.extend(more);
    Ok(seen)
}

/// Looks at a file whose folders are folders. Nothing when it is gone, or no file.
pub(super) fn stat(workspace: &Workspace, inside: &Path) -> Result<Option<Seen>, WorkspaceError> {
    let path = workspace.root.join(inside);
    let metadata = match fs::symlink_metadata(&path) {
        Ok(metadata) => metadata,
        Err(error) if super::is_nothing(&error) => return Ok(None),
        Err(error) => return Err(WorkspaceError::Io(path, error)),
    };
    let kind = if metadata.is_symlink() {
        FileKind::Link
    } else if !metadata.is_file() {
        return Ok(None);
    } else if is_program(&metadata) {
        FileKind::Program
    } else {
        FileKind::File
    };
    let parts: Vec<&[u8]> = inside.iter().map(|part| part.as_encoded_bytes()).collect();
    Ok(Some((WorkFile { path: parts.join(&b'/'), kind }, metadata)))
}
