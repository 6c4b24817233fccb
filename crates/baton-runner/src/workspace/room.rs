//! The room in which the host looks at the work of a task: the files of one snapshot, and nothing that whoever worked on them
//! has left beside them. It stays for the next snapshot, so that only what differs is written.
//!
//! Git is there, as it would be in a clone, with the commit that the work began with. Its folder lies outside of the files, where
//! no check may write. Work that lies in a person's checkout has a room of the same kind: see `checkout_room`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use baton_engine::word::{TaskId, TreeHash};

use super::checkout_room::Held;
use super::digest;
use super::keeping::{self, Saved, link};
use super::marker::Marker;
use super::walk::{self, Everything};
use super::{
    Listed, Listing, Rule, Stamps, TaskWorkspace, WorkFile, Workspace, WorkspaceError, Workspaces,
    checkout_room, native, reach,
};
use crate::file::read_plain;
use crate::git::{Files, Snapshots};

/// The folder of the rooms, in the state folder.
const FOLDER: &str = "rooms";
const GIT: &str = "git";
const DOT_GIT: &[u8] = b".git";

/// What is in a room beside the files of the work, by paths from its root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Furniture {
    /// What checks have left there, and the next ones find again.
    pub kept: Vec<String>,
    /// What is there because it lies in the person's checkout.
    pub borrowed: Vec<String>,
}

/// A room, and the snapshot that is looked at in it.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    pub(super) workspace: Workspace,
    /// Where the bytes of the snapshot are found first.
    pub(super) work: Workspace,
    pub(super) snapshots: Arc<Snapshots>,
    pub(super) tree: TreeHash,
    /// Worked out when it is first needed: a snapshot that was not looked at lately has to be read for it.
    pub(super) plan: Arc<OnceLock<Plan>>,
    /// What stands in the file that leads to the folder of git; nothing where there is no such file.
    pub(super) dot_git: Vec<u8>,
    pub(super) furniture: Furniture,
    pub(super) checkout: PathBuf,
    /// Where the work lies in the checkout itself.
    pub(super) held: Option<Arc<Held>>,
}

/// What belongs into a room.
#[derive(Debug)]
pub(super) struct Plan {
    wanted: Arc<Listing>,
    /// Without what the work itself has.
    furniture: Furniture,
}

/// What a room looks like.
struct Look {
    /// Those of the wanted files that are there.
    listing: Arc<Listing>,
    /// All else that is no folder, also pipes, sockets and devices.
    others: Vec<Arc<[u8]>>,
    /// With a slash at the end of each.
    folders: Vec<Vec<u8>>,
}

impl Workspaces {
    /// Opens the room of a task for a snapshot of its work; makes it where there is none.
    pub(crate) fn room(
        &self,
        own: &TaskWorkspace,
        tree: &TreeHash,
        furniture: &Furniture,
    ) -> Result<Room, WorkspaceError> {
        let folder = self.room_of(own.task());
        let base = own.base().to_string();
        match Marker::read(&folder)? {
            Some(marker) if marker.base == base => {}
            found => {
                let _alone = self.alone()?;
                if found.is_some() {
                    self.clear(own.task())?;
                }
                self.furnish_room(own, &folder)?;
            }
        }
        let mut workspace = Workspace::new(Marker::files(&folder), Vec::new(), Rule::Everything);
        workspace.digests = self.room_digests(own.task());
        let git = folder.join(GIT).into_os_string().into_encoded_bytes();
        let plan = Arc::new(OnceLock::new());
        if let Some(listing) = own.listing_of(tree) {
            let _ = plan.set(Plan::of(listing, furniture));
        }
        Ok(Room {
            workspace,
            work: own.workspace.clone(),
            snapshots: Arc::clone(own.snapshots()),
            tree: tree.clone(),
            plan,
            dot_git: [b"gitdir: ", git.as_slice(), b"\n"].concat(),
            furniture: furniture.clone(),
            checkout: self.project.clone(),
            held: None,
        })
    }

    /// Takes away the room of a task. Nothing in it is anybody's work.
    pub(crate) fn close_room(&self, id: &TaskId) -> Result<(), WorkspaceError> {
        let _alone = self.alone()?;
        match Marker::read(&self.room_of(id))? {
            Some(_) => self.clear(id),
            None => Ok(()),
        }
    }

    fn clear(&self, id: &TaskId) -> Result<(), WorkspaceError> {
        self.forget_room(id);
        let folder = self.room_of(id);
        reach::remove_all(&folder).map_err(WorkspaceError::at(&folder))
    }

    fn room_of(&self, id: &TaskId) -> PathBuf {
        self.state.join(FOLDER).join(id.as_str())
    }

    fn furnish_room(&self, own: &TaskWorkspace, folder: &Path) -> Result<(), WorkspaceError> {
        let rooms = self.state.join(FOLDER);
        fs::create_dir_all(&rooms).map_err(WorkspaceError::at(&rooms))?;
        let new = tempfile::Builder::new().prefix(".new-").tempdir_in(&rooms);
        let new = new.map_err(WorkspaceError::at(folder))?;
        let files = Marker::files(new.path());
        fs::create_dir(&files).map_err(WorkspaceError::at(&files))?;
        let place = (new.path().join(GIT), Files::Left(files));
        self.reopened()?.furnish(&place, own.task().as_str(), own.base(), &self.person)?;
        Marker::new(own.task(), own.base().to_string()).write(new.path())?;
        fs::rename(new.keep(), folder).map_err(WorkspaceError::at(folder))
    }
}

impl Plan {
    fn of(wanted: Arc<Listing>, furniture: &Furniture) -> Self {
        let is_of_the_work = |path: &String| has_below(&wanted.files, path.as_bytes());
        let without = |paths: &[String]| -> Vec<String> {
            paths.iter().filter(|path| !is_of_the_work(path)).cloned().collect()
        };
        let furniture = Furniture { kept: without(&furniture.kept), borrowed: without(&furniture.borrowed) };
        Self { wanted, furniture }
    }

    fn is_furniture(&self, path: &[u8]) -> bool {
        path == DOT_GIT || self.furniture.borrowed.iter().any(|own| own.as_bytes() == path)
    }

    /// Says whether a folder leads to something that belongs here.
    fn is_needed(&self, folder: &[u8]) -> bool {
        let leads_to = |path: &String| path.as_bytes().starts_with(folder);
        has_below(&self.wanted.files, folder.strip_suffix(b"/").unwrap_or(folder))
            || self.furniture.kept.iter().chain(&self.furniture.borrowed).any(leads_to)
    }
}

impl Room {
    pub(crate) fn root(&self) -> &Path {
        &self.workspace.root
    }

    /// The checkout of the person, which is not this one's to write.
    pub(crate) fn checkout(&self) -> &Path {
        &self.checkout
    }

    /// Says what is there beside the files of the work.
    pub(crate) fn furniture(&self) -> &Furniture {
        self.plan.get().map_or(&self.furniture, |plan| &plan.furniture)
    }

    fn plan(&self) -> Result<&Plan, WorkspaceError> {
        if let Some(plan) = self.plan.get() {
            return Ok(plan);
        }
        let listing = keeping::listing(&self.snapshots, &self.tree)?;
        Ok(self.plan.get_or_init(|| Plan::of(Arc::new(listing), &self.furniture)))
    }

    /// Puts the files of the snapshot there as they were saved, and takes away what else is there.
    pub(crate) fn bring(&self) -> Result<(), WorkspaceError> {
        let plan = self.plan()?;
        let look = self.look(plan)?;
        let (_, new) = plan.wanted.since(&look.listing.files);
        for path in look.others.iter().filter(|path| !plan.is_furniture(path)) {
            self.remove(path)?;
        }
        // A file may stand where a folder was, and the other way round.
        for folder in look.folders.iter().filter(|folder| !plan.is_needed(folder)) {
            self.remove(folder)?;
        }
        if !new.is_empty() {
            self.renew(&look.listing, &new)?;
        }
        if !self.dot_git.is_empty() {
            self.put(
                DOT_GIT,
                |place| read_plain(place, self.dot_git.len() as u64).is_ok_and(|bytes| bytes == self.dot_git),
                |place| fs::write(place, &self.dot_git),
            )?;
        }
        plan.furniture.borrowed.iter().try_for_each(|path| self.borrow(path))
    }

    /// Writes the files that are not as they should be, and notes what the room looks like then.
    fn renew(&self, found: &Listing, new: &[&Listed]) -> Result<(), WorkspaceError> {
        let is_new = |file: &&Listed| new.binary_search_by(|other| other.path.cmp(&file.path)).is_ok();
        let mut files: Vec<Listed> = found.files.iter().filter(|file| !is_new(file)).cloned().collect();
        for file in new {
            self.remove(&file.path)?;
        }
        let mut saved = Saved::default();
        for file in new {
            self.write(file, &mut saved)?;
            files.push(Listed { stamp: None, ..(*file).clone() });
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        self.workspace.digests.note_seen(&Arc::new(Listing { tree: self.tree.clone(), files }));
        Ok(())
    }

    /// Returns the files of the work that are no longer as they were brought, by their paths.
    pub(crate) fn changed(&self) -> Result<Vec<String>, WorkspaceError> {
        let plan = self.plan()?;
        let look = self.look(plan)?;
        let (_, other) = plan.wanted.since(&look.listing.files);
        Ok(other.iter().map(|file| String::from_utf8_lossy(&file.path).into_owned()).collect())
    }

    /// Says whether the work lies in the checkout itself.
    pub(crate) fn is_of_checkout(&self) -> bool {
        self.held.is_some()
    }

    /// Takes files of the work away, until the snapshot is brought again.
    pub(crate) fn take_out(&self, paths: &[String]) -> Result<(), WorkspaceError> {
        paths.iter().try_for_each(|path| self.remove(path.as_bytes()))
    }

    /// Says whether none of these files is more than a left-over: only in a checkout, and only what git does not follow.
    pub(crate) fn may_be_left_over(&self, paths: &[String]) -> bool {
        self.held
            .as_ref()
            .is_some_and(|held| paths.iter().all(|path| !held.tracked.contains(path.as_bytes())))
    }

    /// Returns the folders of the checkout that are here by a link and that checks may write, as they may in the checkout.
    pub(crate) fn lent(&self) -> Vec<PathBuf> {
        if self.held.is_none() {
            return Vec::new();
        }
        let theirs = |path: &String| (path.as_bytes() != DOT_GIT).then(|| self.checkout.join(path));
        let lent = self.furniture().borrowed.iter().filter_map(theirs);
        lent.filter(|place| fs::symlink_metadata(place).is_ok_and(|found| found.is_dir())).collect()
    }

    /// Returns the folder in which a path is really found: what is here by a link lies in the checkout.
    pub(crate) fn folder_of(&self, path: &Path) -> &Path {
        let is_lent =
            self.held.is_some() && self.furniture().borrowed.iter().any(|own| path.starts_with(own));
        if is_lent { &self.checkout } else { self.root() }
    }

    /// Returns what the file system says of the files of the work, as they were looked at last.
    pub(crate) fn stamps(&self) -> Stamps {
        Stamps::of(&self.workspace)
    }

    fn look(&self, plan: &Plan) -> Result<Look, WorkspaceError> {
        let left_out: Vec<&[u8]> = plan.furniture.kept.iter().map(String::as_bytes).collect();
        let Everything { seen, folders, mut others } = walk::everything(&self.workspace, &left_out)?;
        let mut wanted = plan.wanted.files.iter().peekable();
        let mut ours = Vec::with_capacity(plan.wanted.files.len());
        for seen in seen {
            while wanted.next_if(|wanted| wanted.path < seen.file.path).is_some() {}
            match wanted.next_if(|wanted| wanted.path == seen.file.path) {
                Some(_) => ours.push(seen),
                None => others.push(seen.file.path),
            }
        }
        Ok(Look { listing: self.workspace.listed(ours)?, others, folders })
    }

    /// Removes a file or a folder. What is gone already, with its folder, need not be.
    fn remove(&self, path: &[u8]) -> Result<(), WorkspaceError> {
        let place = self.workspace.place(path);
        let removed = match fs::symlink_metadata(&place) {
            Ok(metadata) if metadata.is_dir() => reach::remove_all(&place),
            Ok(_) => fs::remove_file(&place),
            Err(error) => Err(error),
        };
        match removed {
            Err(error) if !super::is_nothing(&error) => Err(WorkspaceError::Io(place, error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Writes a file of the snapshot. Its bytes are mostly still where they were worked on.
    fn write(&self, file: &Listed, saved: &mut Saved) -> Result<(), WorkspaceError> {
        let work = WorkFile { path: Arc::clone(&file.path), kind: file.kind };
        // What led there may be a link by now.
        let there = self.work.look(&native(&file.path)).ok().flatten().filter(|there| *there == work);
        let found = there.and_then(|there| self.work.read(&there).ok());
        let found = found.filter(|bytes| digest::digest(bytes) == file.digest);
        let bytes = match found {
            Some(bytes) => bytes,
            None => saved.content(&self.snapshots, (&self.tree, &file.path))?,
        };
        keeping::write_bytes(self.root(), (&file.path, file.kind), &bytes)
    }

    fn borrow(&self, path: &str) -> Result<(), WorkspaceError> {
        let theirs = self.checkout.join(path);
        if fs::symlink_metadata(&theirs).is_err() {
            return Ok(());
        }
        keeping::make_way(self.root(), path.as_bytes())?;
        if self.held.is_some() && checkout_room::is_copied(&theirs) {
            return self.put(
                path.as_bytes(),
                |place| checkout_room::is_copy(place, &theirs),
                |place| checkout_room::copy(&theirs, place),
            );
        }
        self.put(
            path.as_bytes(),
            |place| fs::read_link(place).is_ok_and(|to| to == theirs),
            |place| link(&theirs, place),
        )
    }

    /// Sees to it that something is at a place.
    fn put(
        &self,
        path: &[u8],
        is_there: impl Fn(&Path) -> bool,
        make: impl Fn(&Path) -> io::Result<()>,
    ) -> Result<(), WorkspaceError> {
        let place = self.root().join(native(path));
        if is_there(&place) {
            return Ok(());
        }
        self.remove(path)?;
        make(&place).map_err(WorkspaceError::at(&place))
    }
}

/// Says whether there is a file at a path or below it.
fn has_below(files: &[Listed], path: &[u8]) -> bool {
    let first = files.partition_point(|file| &*file.path < path);
    let is_it = |file: &Listed| {
        file.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
    files[first..].iter().take_while(|file| file.path.starts_with(path)).any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::FileKind;

    #[test]
    fn what_lies_below_is_found_beside_names_that_only_begin_so() {
        let listed = |path: &str| Listed {
            path: path.as_bytes().into(),
            kind: FileKind::File,
            digest: [0; 32],
            stamp: None,
        };
        let files: Vec<Listed> = ["a-1", "a.txt", "a/b", "c"].map(listed).to_vec();
        for (path, is_there) in
            [("a", true), ("a/b", true), ("a/", false), ("b", false), ("c", true), ("a-", false)]
        {
            assert_eq!(has_below(&files, path.as_bytes()), is_there, "{path}");
        }
    }
}
