//! The room in which the host checks work that lies in a person's checkout. It holds the files of the snapshot, so that what a
//! check writes never changes the work that it looks at. What the checkout holds beside the work is there too, since its
//! person expects the checks to find it: ignored folders by a link, ignored files as a copy, the folder of git, and what lies
//! around the project in a larger repository.
//!
//! The rooms of a project stay at the same place, because tools that build rebuild everything at another one. Each is used by
//! one check at a time.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use baton_engine::word::TreeHash;

use super::keeping::link;
use super::room::{Furniture, Room};
use super::{Rule, Workspace, WorkspaceError, reach, walk};
use crate::file::read_plain;
use crate::git::{Snapshots, each_tracked};

/// The folder of these rooms, in the state folder.
const FOLDER: &str = "checkout-rooms";
/// Most rooms that are used at the same time.
const ROOMS_MAX: usize = 64;
/// Ignored files are copied up to this size, and linked above it.
const COPIED_BYTES_MAX: u64 = 16 * 1024 * 1024;
const DOT_GIT: &str = ".git";
const DOT_GIT_BYTES_MAX: u64 = 64 * 1024;
const GITDIR: &str = "gitdir: ";

/// What is held as long as the room is used.
#[derive(Debug)]
pub(super) struct Held {
    /// The files that git follows in the checkout.
    pub(super) tracked: BTreeSet<Vec<u8>>,
    _lock: File,
}

/// Opens a room for a snapshot of a checkout.
pub(crate) fn checkout_room(
    work: &Workspace,
    (state, snapshots): (&Path, Arc<Snapshots>),
    tree: &TreeHash,
    furniture: &Furniture,
) -> Result<Room, WorkspaceError> {
    let checkout = fs::canonicalize(&work.root).map_err(WorkspaceError::at(&work.root))?;
    let rooms = state.join(FOLDER);
    fs::create_dir_all(&rooms).map_err(WorkspaceError::at(&rooms))?;
    let rooms = fs::canonicalize(&rooms).map_err(WorkspaceError::at(&rooms))?;
    let (folder, lock) = free_room(&rooms)?;
    let root = surrounded(&folder.join("files"), &checkout, state)?;
    let mut tracked = BTreeSet::new();
    each_tracked(&checkout, |path| {
        tracked.insert(path.to_vec());
    })?;
    let (dot_git, has_folder) = dot_git(&checkout)?;
    let mut borrowed = beside(work, &checkout, state)?;
    borrowed.extend(has_folder.then(|| DOT_GIT.to_owned()));
    borrowed.extend(furniture.borrowed.iter().cloned());
    borrowed.sort();
    borrowed.dedup();
    let is_free = |path: &&String| !borrowed.iter().any(|own| Path::new(path).starts_with(own));
    let kept = furniture.kept.iter().filter(is_free).cloned().collect();
    Ok(Room {
        workspace: Workspace::new(root, Vec::new(), Rule::Everything),
        work: work.clone(),
        snapshots,
        tree: tree.clone(),
        plan: Arc::new(OnceLock::new()),
        dot_git,
        furniture: Furniture { kept, borrowed },
        checkout,
        held: Some(Arc::new(Held { tracked, _lock: lock })),
    })
}

/// Finds the first room that nobody uses.
fn free_room(rooms: &Path) -> Result<(PathBuf, File), WorkspaceError> {
    for number in 0..ROOMS_MAX {
        let path = rooms.join(format!("{number}.lock"));
        let lock =
            File::options().create(true).append(true).open(&path).map_err(WorkspaceError::at(&path))?;
        match lock.try_lock() {
            Ok(()) => return Ok((rooms.join(number.to_string()), lock)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(WorkspaceError::Io(path, error)),
        }
    }
    Err(WorkspaceError::refused(
        format!("{ROOMS_MAX} checks of this checkout run at the same time"),
        "wait until some of them have ended, then try again",
    ))
}

/// Makes the folder for the files of a project, and returns it. In a larger repository it lies as deep as the project, and
/// what lies around the project is there by links.
fn surrounded(files: &Path, checkout: &Path, state: &Path) -> Result<PathBuf, WorkspaceError> {
    let top = checkout.ancestors().find(|above| above.join(DOT_GIT).exists()).unwrap_or(checkout);
    let inside = checkout.strip_prefix(top).unwrap_or(Path::new(""));
    let (mut here, mut there) = (files.to_owned(), top.to_owned());
    make_folder(&here)?;
    for name in inside.iter() {
        let mut wanted = BTreeSet::new();
        for entry in fs::read_dir(&there).map_err(WorkspaceError::at(&there))? {
            let theirs = entry.map_err(WorkspaceError::at(&there))?.file_name();
            if theirs != name && !leads_to(&there.join(&theirs), state) {
                wanted.insert(theirs);
            }
        }
        for entry in fs::read_dir(&here).map_err(WorkspaceError::at(&here))? {
            let ours = entry.map_err(WorkspaceError::at(&here))?.file_name();
            let is_right = fs::read_link(here.join(&ours)).is_ok_and(|to| to == there.join(&ours));
            if ours != name && !(is_right && wanted.remove(&ours)) {
                take_away(&here.join(&ours))?;
            }
        }
        for name in wanted {
            link(&there.join(&name), &here.join(&name)).map_err(WorkspaceError::at(&here))?;
        }
        (here, there) = (here.join(name), there.join(name));
        make_folder(&here)?;
    }
    Ok(here)
}

fn make_folder(place: &Path) -> Result<(), WorkspaceError> {
    if fs::symlink_metadata(place).is_ok_and(|found| !found.is_dir()) {
        take_away(place)?;
    }
    fs::create_dir_all(place).map_err(WorkspaceError::at(place))
}

fn take_away(place: &Path) -> Result<(), WorkspaceError> {
    let is_folder = fs::symlink_metadata(place).is_ok_and(|found| found.is_dir());
    let removed = if is_folder { reach::remove_all(place) } else { fs::remove_file(place) };
    removed.map_err(WorkspaceError::at(place))
}

/// Returns what the file `.git` of the room holds, and whether the checkout has a folder of that name.
fn dot_git(checkout: &Path) -> Result<(Vec<u8>, bool), WorkspaceError> {
    let place = checkout.join(DOT_GIT);
    match fs::symlink_metadata(&place) {
        Err(_) => Ok((Vec::new(), false)),
        Ok(found) if !found.is_file() => Ok((Vec::new(), true)),
        Ok(_) => {
            let bytes = read_plain(&place, DOT_GIT_BYTES_MAX).map_err(WorkspaceError::at(&place))?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            // It may lead on from where it lies.
            let to = text.trim().strip_prefix(GITDIR).map(|to| checkout.join(to));
            Ok((to.map_or(bytes, |to| format!("{GITDIR}{}\n", to.display()).into_bytes()), false))
        }
    }
}

/// Returns what the checkout holds beside the work. What leads to the room itself is not for it.
fn beside(work: &Workspace, checkout: &Path, state: &Path) -> Result<Vec<String>, WorkspaceError> {
    let beside = walk::beside(work)?.into_iter().filter(|path| !leads_to(&checkout.join(path), state));
    Ok(beside.filter_map(|path| path.into_os_string().into_string().ok()).collect())
}

fn leads_to(place: &Path, state: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real(state).starts_with(real(place))
}

/// Says whether a file of the checkout is copied into the room: checks write such files, and could not write a link.
pub(super) fn is_copied(theirs: &Path) -> bool {
    fs::symlink_metadata(theirs).is_ok_and(|found| found.is_file() && found.len() <= COPIED_BYTES_MAX)
}

pub(super) fn is_copy(place: &Path, theirs: &Path) -> bool {
    let facts = |path: &Path| {
        let found = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some((found.len(), found.modified().ok()?))
    };
    facts(place).is_some_and(|own| facts(theirs) == Some(own))
}

/// Copies a file with the time of its last change, by which tools that build know it.
pub(super) fn copy(theirs: &Path, place: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(theirs)?;
    let bytes = read_plain(theirs, COPIED_BYTES_MAX)?;
    let mut file = File::create_new(place)?;
    file.write_all(&bytes)?;
    file.set_permissions(found.permissions())?;
    file.set_modified(found.modified()?)
}
