//! Keeps the files of a workspace under the hash they have, and writes kept files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use baton_engine::word::TreeHash;

use super::{Listed, Listing, WorkFile, Workspace, WorkspaceError, digest, hash, native};
use crate::git::{
    Blob, CHECKOUT_BYTES_MAX, CHECKOUT_FILES_MAX, FileKind, Mixture, ObjectId, Objects, Repository,
    SNAPSHOT_FILE_BYTES_MAX, Snapshots, TreeFile,
};

/// How often a workspace is read again that changes while it is read.
const KEEP_TRIES_MAX: usize = 3;
/// What is put behind the name of a folder that git would obey.
const DISARMED: &[u8] = b".saved";

/// Saves a workspace, and files that it would leave out; returns what all of it looks like.
pub(crate) fn keep(
    workspace: &Workspace,
    snapshots: &Snapshots,
    more: &[WorkFile],
) -> Result<TreeHash, WorkspaceError> {
    let mut trouble = None;
    for _ in 0..KEEP_TRIES_MAX {
        let listing = workspace.listing(more)?;
        let tree = &listing.tree;
        if snapshots.holds(tree.as_str())? {
            workspace.digests.note_saved(&listing);
            return Ok(tree.clone());
        }
        match import(workspace, snapshots, &listing) {
            Ok(true) => {
                workspace.digests.note_saved(&listing);
                return Ok(tree.clone());
            }
            Ok(false) => {}
            // Somebody else may have saved the same at the same time.
            Err(WorkspaceError::Git(_)) if snapshots.holds(tree.as_str())? => return Ok(tree.clone()),
            Err(WorkspaceError::Git(error)) => trouble = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(trouble.map_or_else(
        || {
            WorkspaceError::refused(
                "the files of the project change while they are saved",
                "stop what writes there, then try again; nothing was recorded",
            )
        },
        WorkspaceError::Git,
    ))
}

/// Keeps the files under the hash they have; says no when one of them has other bytes by now. What was saved last is not
/// read again.
fn import(workspace: &Workspace, snapshots: &Snapshots, listing: &Listing) -> Result<bool, WorkspaceError> {
    let count = listing.files.len();
    if count > CHECKOUT_FILES_MAX {
        return Err(too_large(format!("there are {count} files, and {CHECKOUT_FILES_MAX} can be saved")));
    }
    let saved = workspace.digests.saved().filter(|saved| snapshots.has(saved.tree.as_str()));
    let from = saved.as_ref().map(|saved| saved.tree.as_str());
    let mut import = snapshots.keep(listing.tree.as_str(), from)?;
    let (gone, new) = listing.since(saved.as_ref().map_or(&[], |saved| &saved.files));
    // What is gone goes first: a folder may stand where a file was.
    for file in gone {
        import.remove(&file.path)?;
    }
    let mut total = 0;
    for Listed { path, kind, digest, .. } in new {
        let bytes = workspace.read(&WorkFile { path: path.clone(), kind: *kind })?;
        total += bytes.len() as u64;
        if total > CHECKOUT_BYTES_MAX {
            return Err(too_large(format!("the files have more than {CHECKOUT_BYTES_MAX} bytes together")));
        }
        if digest::digest(&bytes) != *digest {
            return Ok(false);
        }
        import.file(path, *kind, &bytes)?;
    }
    import.finish()?;
    Ok(true)
}

/// Keeps the files that a commit has of a checkout, and returns what a checkout with just these files looks like. Nothing
/// where the checkout does not lie in the repository.
pub(crate) fn keep_commit(
    workspace: &Workspace,
    snapshots: &Snapshots,
    (repository, commit): (&Repository, ObjectId),
) -> Result<Option<TreeHash>, WorkspaceError> {
    let root = fs::canonicalize(&workspace.root).map_err(WorkspaceError::at(&workspace.root))?;
    let Ok(inside) = root.strip_prefix(repository.root()) else { return Ok(None) };
    let mut below = inside.as_os_str().as_encoded_bytes().to_vec();
    below.extend((!below.is_empty()).then_some(b'/'));
    let mut objects = repository.objects()?;
    let mut found = Vec::new();
    for file in repository.files(commit)? {
        let Some(path) = file.path.strip_prefix(below.as_slice()) else { continue };
        if file.kind == FileKind::Submodule || workspace.leaves_out(&native(path)) {
            continue;
        }
        let bytes = content(&file, &mut objects)?;
        let listed =
            Listed { path: path.into(), kind: file.kind, digest: digest::digest(&bytes), stamp: None };
        found.push((listed, bytes));
    }
    found.sort_by(|(one, _), (other, _)| one.path.cmp(&other.path));
    let (files, contents): (Vec<Listed>, Vec<Vec<u8>>) = found.into_iter().unzip();
    let tree = hash(&files)?;
    if !snapshots.holds(tree.as_str())? {
        let mut import = snapshots.keep(tree.as_str(), None)?;
        for (file, bytes) in files.iter().zip(&contents) {
            import.file(&file.path, file.kind, bytes)?;
        }
        import.finish()?;
    }
    Ok(Some(tree))
}

/// Keeps what kept files became with those of a commit, and returns what all of it looks like.
pub(super) fn keep_mixture(
    snapshots: &Snapshots,
    (listing, kept): (&Listing, &[TreeFile]),
    mixture: &Mixture,
    repository: &Repository,
) -> Result<TreeHash, WorkspaceError> {
    let known: BTreeMap<&[u8], &Listed> = listing.files.iter().map(|file| (&*file.path, file)).collect();
    let before: BTreeMap<&[u8], &TreeFile> = kept.iter().map(|file| (file.path.as_slice(), file)).collect();
    let mut objects = repository.objects()?;
    let mut bytes_of = |file: &TreeFile| match mixture.mixed.get(&file.id) {
        Some(bytes) => Ok(bytes.clone()),
        None => content(file, &mut objects),
    };
    let (mut files, mut new) = (Vec::new(), Vec::new());
    for file in &mixture.files {
        let path = file.path.as_slice();
        let same = before.get(path).filter(|before| ***before == *file).and_then(|_| known.get(path));
        files.push(match same {
            Some(known) => Listed::clone(known),
            None => {
                new.push(file);
                let digest = digest::digest(&bytes_of(file)?);
                Listed { path: path.into(), kind: file.kind, digest, stamp: None }
            }
        });
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let mixed = hash(&files)?;
    if snapshots.holds(mixed.as_str())? {
        return Ok(mixed);
    }
    let mut import = snapshots.keep(mixed.as_str(), Some(listing.tree.as_str()))?;
    let stays: BTreeSet<&[u8]> = mixture.files.iter().map(|file| file.path.as_slice()).collect();
    for path in before.keys().filter(|path| !stays.contains(*path)) {
        import.remove(path)?;
    }
    for file in new {
        import.file(&file.path, file.kind, &bytes_of(file)?)?;
    }
    import.finish()?;
    Ok(mixed)
}

fn too_large(what: String) -> WorkspaceError {
    WorkspaceError::refused(what, "name what is no work in `.gitignore`; nothing was recorded")
}

/// Returns the files of a snapshot, or says that they are not here.
pub(crate) fn kept(snapshots: &Snapshots, tree: &TreeHash) -> Result<Vec<TreeFile>, WorkspaceError> {
    refuse_missing(snapshots, tree)?;
    Ok(snapshots.files(tree.as_str())?)
}

pub(crate) fn refuse_missing(snapshots: &Snapshots, tree: &TreeHash) -> Result<(), WorkspaceError> {
    match snapshots.has(tree.as_str()) {
        true => Ok(()),
        false => Err(WorkspaceError::refused(
            format!("the files of {} were not kept", short(tree)),
            "they were saved on another machine, or their folder was removed; look for them in git",
        )),
    }
}

/// Holds the files of a snapshot against the name it has, which is their hash.
pub(crate) fn verify(snapshots: &Snapshots, tree: &TreeHash) -> Result<(), WorkspaceError> {
    listing(snapshots, tree).map(|_| ())
}

/// Returns the files of a snapshot with their hashes, which have to be those that it is named after.
pub(super) fn listing(snapshots: &Snapshots, tree: &TreeHash) -> Result<Listing, WorkspaceError> {
    let mut objects = snapshots.objects();
    let mut files = Vec::new();
    for file in kept(snapshots, tree)? {
        let digest = digest::digest(&content(&file, &mut objects)?);
        files.push(Listed { path: file.path.into(), kind: file.kind, digest, stamp: None });
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    match hash(&files)? == *tree {
        true => Ok(Listing { tree: tree.clone(), files }),
        false => Err(WorkspaceError::refused(
            format!("the files of {} are not those that were saved", short(tree)),
            "take another backup; this one is damaged",
        )),
    }
}

pub(crate) fn short(tree: &TreeHash) -> &str {
    tree.as_str().get(..12).unwrap_or(tree.as_str())
}

/// Returns the bytes of a kept file.
pub(crate) fn content(file: &TreeFile, objects: &mut Objects<'_>) -> Result<Vec<u8>, WorkspaceError> {
    match objects.blob(file.id, SNAPSHOT_FILE_BYTES_MAX)? {
        Blob::Bytes(bytes) => Ok(bytes),
        Blob::TooLarge(_) | Blob::Missing | Blob::Unreadable => Err(WorkspaceError::refused(
            format!("the kept copy of `{}` cannot be read", String::from_utf8_lossy(&file.path)),
            "it is larger than what is kept, or its folder is damaged; look for the file in git, or in a backup",
        )),
    }
}

/// The files of one snapshot, which are listed when the first of them is asked for.
#[derive(Debug, Default)]
pub(super) struct Saved(Option<BTreeMap<Vec<u8>, TreeFile>>);

impl Saved {
    /// Returns the bytes of a file.
    pub(super) fn content(
        &mut self,
        snapshots: &Snapshots,
        (tree, path): (&TreeHash, &[u8]),
    ) -> Result<Vec<u8>, WorkspaceError> {
        let files = match self.0.take() {
            Some(files) => files,
            None => kept(snapshots, tree)?.into_iter().map(|file| (file.path.clone(), file)).collect(),
        };
        let file = self.0.insert(files).get(path).ok_or_else(|| {
            let what = format!("`{}` is not in {}", String::from_utf8_lossy(path), short(tree));
            WorkspaceError::refused(what, "its folder is damaged; look for the file in git, or in a backup")
        })?;
        content(file, &mut snapshots.objects())
    }
}

/// Writes files into a new or empty folder.
pub(crate) fn copy_out(
    files: &[TreeFile],
    objects: &mut Objects<'_>,
    into: &Path,
) -> Result<(), WorkspaceError> {
    refuse_armed(files)?;
    fs::create_dir_all(into).map_err(WorkspaceError::at(into))?;
    if fs::read_dir(into).map_err(WorkspaceError::at(into))?.next().is_some() {
        return Err(WorkspaceError::refused(
            format!("`{}` is not empty, so nothing is written into it", into.display()),
            "name a folder that is new",
        ));
    }
    files.iter().try_for_each(|file| write_file(into, file, objects))
}

/// Writes a kept file to its place, where nothing may be yet.
pub(crate) fn write_file(
    root: &Path,
    file: &TreeFile,
    objects: &mut Objects<'_>,
) -> Result<(), WorkspaceError> {
    match file.kind {
        FileKind::Submodule => {
            let path = make_way(root, &file.path)?;
            fs::create_dir(&path).map_err(WorkspaceError::at(&path))
        }
        FileKind::Link | FileKind::File | FileKind::Program => {
            write_bytes(root, (&file.path, file.kind), &content(file, objects)?)
        }
    }
}

/// Writes a file with these bytes, or a link that leads where they say, to its place, where nothing may be yet.
pub(super) fn write_bytes(
    root: &Path,
    (path, kind): (&[u8], FileKind),
    bytes: &[u8],
) -> Result<(), WorkspaceError> {
    let path = make_way(root, path)?;
    let written = match kind {
        FileKind::Link => link(&native(bytes), &path),
        FileKind::File | FileKind::Program | FileKind::Submodule => {
            let mut options = File::options();
            options.write(true).create_new(true);
            #[cfg(unix)]
            if kind == FileKind::Program {
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o777);
            }
            options.open(&path).and_then(|mut file| file.write_all(bytes))
        }
    };
    written.map_err(WorkspaceError::at(&path))
}

/// Waits until written files are on the disk.
pub(crate) fn flush(root: &Path, files: &[TreeFile]) -> Result<(), WorkspaceError> {
    for file in files.iter().filter(|file| matches!(file.kind, FileKind::File | FileKind::Program)) {
        let path = root.join(native(&file.path));
        File::open(&path).and_then(|file| file.sync_all()).map_err(WorkspaceError::at(&path))?;
    }
    Ok(())
}

/// Waits until it is on the disk which of these files are there.
pub(super) fn flush_folders<'p>(
    root: &Path,
    files: impl Iterator<Item = &'p Vec<u8>>,
) -> Result<(), WorkspaceError> {
    let mut folders = BTreeSet::new();
    for path in files {
        folders.extend(native(path).ancestors().skip(1).map(|folder| root.join(folder)));
    }
    for folder in folders {
        match File::open(&folder).and_then(|opened| opened.sync_all()) {
            Err(error) if !super::is_nothing(&error) => return Err(WorkspaceError::Io(folder, error)),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Gives folders of git another name: their configuration and hooks are somebody else's, and git would obey them.
pub(crate) fn disarmed(mut files: Vec<TreeFile>) -> Vec<TreeFile> {
    for file in &mut files {
        let parts = file.path.split(|byte| *byte == b'/');
        let named = parts.map(|part| match part.eq_ignore_ascii_case(b".git") {
            true => [part, DISARMED].concat(),
            false => part.to_vec(),
        });
        file.path = named.collect::<Vec<_>>().join(&b'/');
    }
    files
}

/// Refuses trees that lead elsewhere, or hold a folder of git: they come from a stranger, or are a rescue of everything.
pub(crate) fn refuse_armed(files: &[TreeFile]) -> Result<(), WorkspaceError> {
    let is_bad = |part: &[u8]| matches!(part, b"" | b"." | b"..") || part.eq_ignore_ascii_case(b".git");
    let paths: BTreeSet<&[u8]> = files.iter().map(|file| file.path.as_slice()).collect();
    let is_behind_a_file = |path: &[u8]| {
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        slashes.into_iter().any(|(at, _)| paths.contains(&path[..at]))
    };
    let armed = files
        .iter()
        .find(|file| file.path.split(|byte| *byte == b'/').any(is_bad) || is_behind_a_file(&file.path));
    armed.map_or(Ok(()), |file| {
        let name = String::from_utf8_lossy(&file.path);
        Err(WorkspaceError::refused(
            format!("`{name}` is not written, for its path leads elsewhere or into a folder of git"),
            "`baton recover TASK NAME --into FOLDER` writes a rescue that holds a folder of git; take any other such name out \
             of the project",
        ))
    })
}

/// Makes the folders on the way to a file, and returns where it lies. A tree from a stranger may lead through a link that it
/// holds itself.
pub(super) fn make_way(root: &Path, path: &[u8]) -> Result<PathBuf, WorkspaceError> {
    let refused = |why: &str| {
        let what = format!("`{}` is not written, for {why}", String::from_utf8_lossy(path));
        WorkspaceError::refused(
            what,
            "take it out of the project, for no clean tree of git holds such a name",
        )
    };
    let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    let mut place = root.to_owned();
    let (name, folders) = parts.split_last().ok_or_else(|| refused("it has no name"))?;
    for part in folders {
        place.push(native(part));
        match fs::symlink_metadata(&place) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(refused("something on its way is no folder")),
            Err(_) => fs::create_dir(&place).map_err(WorkspaceError::at(&place))?,
        }
    }
    Ok(place.join(native(name)))
}

#[cfg(unix)]
pub(super) fn link(to: &Path, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, path)
}

#[cfg(windows)]
pub(super) fn link(to: &Path, path: &Path) -> std::io::Result<()> {
    std::os::windows::fs::symlink_file(to, path)
}
