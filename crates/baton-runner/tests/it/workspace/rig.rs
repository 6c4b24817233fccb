//! A project of a person, and a state folder beside it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use baton_engine::word::TreeHash;
use baton_runner::desk::Id;
use baton_runner::workspace::{Integrated, TaskWorkspace, WorkspaceError, Workspaces};

use crate::git::project::Project;

pub(super) struct Rig {
    pub(super) project: Project,
    pub(super) state: PathBuf,
}

/// What lies at a path: its mode and bytes, or where a link leads.
pub(super) type Tree = BTreeMap<PathBuf, (u32, Vec<u8>)>;

impl Rig {
    pub(super) fn new() -> Self {
        let project = Project::new();
        project.write("a.txt", "one\n").write("src/b.txt", "b\n").write(".gitignore", "*.log\nbuilt/\n");
        project.commit("first");
        let state = project.beside("state");
        Self { project, state }
    }

    pub(super) fn open(&self) -> Workspaces {
        Workspaces::open(&self.project.root, &self.state, "baton/accepted").unwrap()
    }

    pub(super) fn prepare(&self, task: &str) -> TaskWorkspace {
        self.open().prepare(&id(task)).unwrap()
    }

    /// What git shows of a file of the target branch.
    pub(super) fn accepted(&self, path: &str) -> String {
        self.project.git(&["show", &format!("baton/accepted:{path}")])
    }
}

/// Brings what a task made into the target branch as that is now.
pub(super) fn integrate(
    workspaces: &Workspaces,
    task: &str,
    tree: &TreeHash,
    message: &str,
) -> Result<Integrated, WorkspaceError> {
    let prospect = workspaces.prospect(&id(task), tree)?;
    workspaces.integrate(&id(task), tree, (prospect.tip, message))
}

pub(super) fn id(task: &str) -> Id {
    Id::new(task).unwrap()
}

/// Reads all files below a folder.
pub(super) fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let inside = path.strip_prefix(root).unwrap().to_owned();
            if metadata.is_dir() {
                folders.push(path);
            } else if metadata.is_symlink() {
                let to = fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes();
                found.insert(inside, (0, to));
            } else if metadata.is_file() {
                found.insert(inside, (metadata.permissions().mode() & 0o100, fs::read(&path).unwrap()));
            }
        }
    }
    found
}

/// Two trees must be the same; names the first path at which they are not.
#[track_caller]
pub(super) fn same(one: &Tree, other: &Tree, what: &str) {
    let mut paths = one.keys().chain(other.keys());
    let differing = paths.find(|path| one.get(*path) != other.get(*path));
    let seen = |tree: &Tree, path| tree.get(path).map(|(mode, bytes)| (*mode, bytes.len()));
    let told = differing.map(|path| (path, seen(one, path), seen(other, path)));
    assert!(told.is_none(), "{what}: {told:?}");
}
