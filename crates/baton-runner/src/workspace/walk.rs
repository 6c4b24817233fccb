//! Finds the files of a workspace. In one of a task every name is held against the commit that it began with.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::WalkBuilder;

use super::base::{self, Base};
use super::digest::Stamp;
use super::folder::{Found, Look};
use super::{Rule, WorkFile, Workspace, WorkspaceError, is_not_work, is_program, native, reach};
use crate::file::read_plain;
use crate::git::{FileKind, each_tracked};
use crate::ignore_rules::{Closed, NEXT, closed_above};

/// Folders within folders; more than this is no project.
pub(super) const DEPTH_MAX: usize = 128;

/// The setting that names a file of rules for all projects.
const EXCLUDES: &[u8] = b"excludesfile";
/// Largest file of settings in which it is looked for; a larger one may have it.
const CONFIG_BYTES_MAX: u64 = 1024 * 1024;

/// A file with what the file system says of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) file: WorkFile,
    pub(crate) stamp: Option<Stamp>,
}

pub(super) fn walk(workspace: &Workspace) -> Result<Vec<Seen>, WorkspaceError> {
    let mut seen = match &workspace.rule {
        Rule::Checkout => {
            closed_above(&workspace.root).map_or(Ok(()), |closed| Err(no_rules(&closed)))?;
            let mut seen = by_rules_of_the_user(workspace, &mut of_checkout(workspace))?;
            put_in_order(&mut seen);
            with_tracked(workspace, &mut seen)?;
            seen
        }
        Rule::Everything => {
            let mut walk = WalkBuilder::new(&workspace.root);
            walk.standard_filters(false);
            by_rules_of_the_user(workspace, &mut walk)?
        }
        Rule::Task(base) => return by_base(workspace, base),
    };
    put_in_order(&mut seen);
    Ok(seen)
}

/// Says whether git may be told to ignore files in all projects of the user. Who asks the walk for it waits for a regular
/// expression at every start, and mostly for nothing.
fn may_ignore_everywhere(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let Some(home) = variable("HOME").filter(|_| cfg!(unix)) else { return true };
    let folder = variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")).join("git");
    let system = variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into());
    let configs = [variable("GIT_CONFIG_GLOBAL"), Some(home.join(".gitconfig")), Some(folder.join("config"))];
    let mut configs = configs.into_iter().flatten().chain([system]);
    let names_one =
        |path: PathBuf| match path.canonicalize().and_then(|path| read_plain(&path, CONFIG_BYTES_MAX)) {
            Ok(bytes) => bytes.windows(EXCLUDES.len()).any(|piece| piece.eq_ignore_ascii_case(EXCLUDES)),
            Err(error) => !super::is_nothing(&error),
        };
    folder.join("ignore").exists() || configs.any(names_one)
}

pub(super) fn put_in_order(seen: &mut Vec<Seen>) {
    seen.sort_by(|one, other| one.file.cmp(&other.file));
    seen.dedup_by(|one, other| one.file.path == other.file.path);
}

fn by_rules_of_the_user(workspace: &Workspace, walk: &mut WalkBuilder) -> Result<Vec<Seen>, WorkspaceError> {
    let mut seen = Vec::new();
    each_by_rules_of_the_user(workspace, walk, &mut |inside, is_folder| {
        if !is_folder {
            seen.extend(stat(workspace, inside)?);
        }
        Ok(())
    })?;
    Ok(seen)
}

/// Tells of each path that no rule ignores, and whether it is a folder.
fn each_by_rules_of_the_user(
    workspace: &Workspace,
    walk: &mut WalkBuilder,
    found: &mut dyn FnMut(&Path, bool) -> Result<(), WorkspaceError>,
) -> Result<(), WorkspaceError> {
    let own = workspace.clone();
    let closed = Closed::default();
    // Where everything is listed, no rules are read.
    let asked = Some(closed.clone()).filter(|_| matches!(workspace.rule, Rule::Checkout));
    walk.filter_entry(move |entry| {
        !own.leaves_out(&inside(&own, entry.path()))
            && asked.as_ref().is_none_or(|asked| asked.lets_in(entry))
    });
    for entry in walk.build() {
        let entry = entry
            .map_err(|error| WorkspaceError::Io(workspace.root.clone(), std::io::Error::other(error)))?;
        found(&inside(workspace, entry.path()), entry.file_type().is_none_or(|kind| kind.is_dir()))?;
    }
    // The files of a folder that was left out would be missed without a word.
    closed.next().map_or(Ok(()), |closed| Err(no_rules(&closed)))
}

/// Returns what lies in a checkout beside the work, from its root: what rules ignore, and nothing that is below it.
pub(super) fn beside(workspace: &Workspace) -> Result<Vec<PathBuf>, WorkspaceError> {
    let mut work: BTreeSet<PathBuf> = BTreeSet::new();
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    for seen in walk(workspace)? {
        let path = native(&seen.file.path);
        folders.extend(path.ancestors().skip(1).map(Path::to_owned));
        work.insert(path);
    }
    each_by_rules_of_the_user(workspace, &mut of_checkout(workspace), &mut |inside, is_folder| {
        if is_folder {
            folders.insert(inside.to_owned());
        }
        Ok(())
    })?;
    let mut beside = Vec::new();
    for folder in &folders {
        let place = workspace.root.join(folder);
        for entry in fs::read_dir(&place).map_err(WorkspaceError::at(&place))? {
            let inside = folder.join(entry.map_err(WorkspaceError::at(&place))?.file_name());
            if !work.contains(&inside) && !folders.contains(&inside) && !workspace.leaves_out(&inside) {
                beside.push(inside);
            }
        }
    }
    Ok(beside)
}

fn of_checkout(workspace: &Workspace) -> WalkBuilder {
    let mut walk = WalkBuilder::new(&workspace.root);
    walk.hidden(false).require_git(false).git_global(may_ignore_everywhere(|name| env::var_os(name)));
    walk
}

/// Adds the files that git follows though a rule ignores them: whoever changes one changes what is judged and committed.
fn with_tracked(workspace: &Workspace, seen: &mut Vec<Seen>) -> Result<(), WorkspaceError> {
    let mut hidden = Vec::new();
    let mut known = seen.iter().map(|seen| &*seen.file.path).peekable();
    each_tracked(&workspace.root, |path| {
        while known.next_if(|known| *known < path).is_some() {}
        if known.next_if_eq(&path).is_none() {
            hidden.push(native(path));
        }
    })?;
    hidden.iter().filter(|path| !workspace.leaves_out(path)).try_for_each(|path| add(workspace, path, seen))
}

/// Adds the file at a path, if there is one.
fn add(workspace: &Workspace, inside: &Path, seen: &mut Vec<Seen>) -> Result<(), WorkspaceError> {
    if workspace.look(inside)?.is_some() {
        seen.extend(stat(workspace, inside)?);
    }
    Ok(())
}

fn no_rules(closed: &Path) -> WorkspaceError {
    WorkspaceError::refused(format!("`{}` is no file of rules", closed.display()), NEXT)
}

/// Returns where a path leads from the root. The walk only adds to the root, so that most need not be taken apart.
fn inside(workspace: &Workspace, path: &Path) -> PathBuf {
    let (root, whole) = (workspace.root.as_os_str().as_encoded_bytes(), path.as_os_str().as_encoded_bytes());
    match whole.strip_prefix(root).and_then(|rest| rest.strip_prefix(b"/")) {
        Some(rest) if cfg!(unix) => native(rest),
        _ => path.strip_prefix(&workspace.root).unwrap_or(path).to_owned(),
    }
}

fn by_base(workspace: &Workspace, base: &Base) -> Result<Vec<Seen>, WorkspaceError> {
    let is_left_out = |folder: &[u8]| {
        let inside = native(folder);
        base.ignores(&inside, true) || base::is_generated(&workspace.root, &inside)
    };
    let found = without_links(workspace, |name| !is_not_work(name), &is_left_out)?;
    held_against(workspace, base, found.seen)
}

/// All that is in a workspace.
pub(super) struct Everything {
    /// By their paths.
    pub(super) seen: Vec<Seen>,
    /// From the root, with a slash behind each; those that hold others come before them.
    pub(super) folders: Vec<Vec<u8>>,
    /// Pipes, sockets and devices.
    pub(super) others: Vec<Arc<[u8]>>,
}

/// Finds all that is there, folders too, but for these folders and what is in them.
pub(super) fn everything(workspace: &Workspace, left_out: &[&[u8]]) -> Result<Everything, WorkspaceError> {
    without_links(workspace, |_| true, &|folder| left_out.contains(&folder))
}

/// Walks without following any link, so that what is found really lies in the workspace.
fn without_links(
    workspace: &Workspace,
    wanted: fn(&[u8]) -> bool,
    is_left_out: &dyn Fn(&[u8]) -> bool,
) -> Result<Everything, WorkspaceError> {
    let known = workspace.digests.folders();
    let look = Look::new(&workspace.root, wanted, &known);
    let usual = workspace.digests.seen().map_or(0, |seen| seen.files.len());
    let found = Everything {
        seen: Vec::with_capacity(usual),
        folders: Vec::with_capacity(known.len()),
        others: Vec::new(),
    };
    let mut walk = Walk { workspace, is_left_out, look, found };
    walk.folder(&[], 0)?;
    let Walk { look, found, .. } = walk;
    workspace.digests.note_folders(look.seen);
    Ok(found)
}

struct Walk<'a> {
    workspace: &'a Workspace,
    /// Is asked for folders, without a slash at their end.
    is_left_out: &'a dyn Fn(&[u8]) -> bool,
    look: Look<'a>,
    found: Everything,
}

impl Walk<'_> {
    /// Looks at a folder, given from the root and with a slash behind it, and at those below it.
    fn folder(&mut self, folder: &[u8], depth: usize) -> Result<(), WorkspaceError> {
        let place = || self.workspace.root.join(native(folder));
        if depth > DEPTH_MAX {
            return Err(WorkspaceError::refused(
                format!("`{}` lies more than {DEPTH_MAX} folders deep", place().display()),
                "take it out of the project",
            ));
        }
        // What leads here is work, so the name alone decides.
        let found = reach::with(&place(), || self.look.read(folder));
        for (path, found) in found.map_err(|error| WorkspaceError::Io(place(), error))? {
            match found {
                Found::File(kind, stamp) => {
                    self.found.seen.push(Seen { file: WorkFile { path, kind }, stamp });
                }
                Found::Other => self.found.others.push(path),
                Found::Folder if (self.is_left_out)(&path[..path.len() - 1]) => {}
                Found::Folder => {
                    self.found.folders.push(path.to_vec());
                    self.folder(&path, depth + 1)?;
                }
            }
        }
        Ok(())
    }
}

/// Takes out what the commit ignores, and looks for its own files wherever they are hidden.
fn held_against(
    workspace: &Workspace,
    base: &Base,
    mut seen: Vec<Seen>,
) -> Result<Vec<Seen>, WorkspaceError> {
    let mut known = base.known.iter().peekable();
    let mut hidden = Vec::new();
    seen.retain(|seen| {
        let path = &*seen.file.path;
        while let Some(other) = known.next_if(|known| known.as_slice() < path) {
            hidden.push(other);
        }
        known.next_if(|known| known.as_slice() == path).is_some() || !base.ignores(&native(path), false)
    });
    hidden.extend(known);
    let found = seen.len();
    for path in hidden {
        add(workspace, &native(path), &mut seen)?;
    }
    if seen.len() > found {
        put_in_order(&mut seen);
    }
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
    let parts: Vec<&[u8]> = inside.iter().map(|part| part.as_encoded_bytes()).collect();
    Ok(of(&metadata, parts.join(&b'/')))
}

/// Returns the file of this path, from the root; nothing for what is no file.
fn of(metadata: &Metadata, path: Vec<u8>) -> Option<Seen> {
    Some(Seen { file: WorkFile { path: path.into(), kind: kind(metadata)? }, stamp: Stamp::of(metadata) })
}

pub(super) fn kind(metadata: &Metadata) -> Option<FileKind> {
    if metadata.is_symlink() {
        Some(FileKind::Link)
    } else if !metadata.is_file() {
        None
    } else if is_program(metadata) {
        Some(FileKind::Program)
    } else {
        Some(FileKind::File)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn rules_for_all_projects_are_asked_for_where_there_may_be_some() {
        let home = tempfile::tempdir().unwrap();
        let place = |name: &str| home.path().join(name);
        let asked = || {
            may_ignore_everywhere(|name| match name {
                "HOME" => Some(home.path().into()),
                "GIT_CONFIG_SYSTEM" => Some(place("system").into()),
                _ => None,
            })
        };
        assert!(!asked());
        fs::write(place(".gitconfig"), "[user]\n\tname = Ann\n").unwrap();
        assert!(!asked());
        fs::create_dir_all(place(".config/git")).unwrap();
        for (name, text) in [
            (".gitconfig", "[core]\n\texcludesFile = ~/rules\n"),
            (".config/git/config", "[core]\nEXCLUDESFILE=/rules\n"),
            (".config/git/ignore", "*.o\n"),
            ("system", "[core]\nexcludesfile = /rules\n"),
        ] {
            fs::write(place(name), text).unwrap();
            assert!(asked(), "{name}");
            fs::remove_file(place(name)).unwrap();
            assert!(!asked(), "{name}");
        }
        assert!(may_ignore_everywhere(|_| None));
    }
}
