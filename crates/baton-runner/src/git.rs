//! Reads a git repository that may be hostile, through the `git` program and a git folder of Baton's own.
//!
//! The repository's configuration, hooks, attributes, references and alternates are never seen by git, so nothing in
//! them can run a program or lead to files elsewhere. Only its objects are; see [`Repository`] for what that means.
//!
//! Reading order: `place`, `refs`, `own_dir`, `program`, `child`, `log`, `history`, `tree`, `recent`, `objects`, `checkout`, `difference`,
//! `work_tree`, `index`, `hashing`, `pack`, `snapshots`, `import`, `bundle`; then what changes a repository: `person`, `fresh`, `join`, `branch`, `advance`.

mod advance;
mod blob_ids;
mod branch;
mod bundle;
mod checkout;
mod child;
mod difference;
mod error;
mod fresh;
mod hashing;
mod history;
mod import;
mod index;
mod join;
mod log;
pub(crate) mod name;
mod object_id;
mod objects;
mod own_dir;
mod pack;
mod person;
mod place;
mod plain;
mod program;
mod recent;
mod refs;
mod snapshots;
mod tree;
mod uncommitted;
mod work_tree;
mod workshop;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

pub use advance::Advanced;
pub use blob_ids::BlobIds;
pub use branch::Branch;
pub use checkout::{CHECKOUT_BYTES_MAX, CHECKOUT_FILES_MAX, Checkout, FileKind, TreeFile};
pub use difference::Difference;
pub use error::{GitError, GitErrorKind};
pub use fresh::Files;
pub use history::{
    Change, ChangeKind, Commit, CommitIndex, Found, History, Incomplete, PATHS_WITH_SUFFIX_MAX,
};
pub use import::Import;
pub use index::each_tracked;
pub use join::{Joined, Mixture, Offer, Pack};
pub use log::{CHANGES_MAX, COMMITS_MAX, FIELD_BYTES_MAX, PARENTS_MAX, PATH_BYTES_MAX};
pub use object_id::{ObjectId, PREFIX_DIGITS_MIN};
pub(crate) use objects::Spare;
pub use objects::{ARTIFACT_BYTES_MAX, Blob, Named, ObjectInfo, ObjectKind, Objects};
pub use person::Person;
pub use snapshots::{SNAPSHOT_FILE_BYTES_MAX, Snapshots};
pub use work_tree::{Contents, RELATIVE_BYTES_MAX, Seen, WorkTree};

use log::End;
use own_dir::OwnDir;
use place::Place;
use refs::Tips;
use workshop::Workshop;

/// Returns the folders of the repository that a folder belongs to: its work tree, and that of its main one or its objects. None
/// where it belongs to no repository that can be read.
pub(crate) fn folders_around(folder: &Path) -> Vec<PathBuf> {
    let place = place::find(folder).ok().flatten();
    place.iter().flat_map(|place| place.untrusted().map(Path::to_owned)).collect()
}

/// A repository as it was when it was opened. Objects that come later may be seen, new branches are not.
#[derive(Debug)]
pub struct Repository {
    place: Place,
    tips: Tips,
    workshop: Workshop,
}

impl Repository {
    /// Opens the repository that a folder belongs to, if it belongs to one.
    ///
    /// A repository with symbolic links where git keeps its files, and a `.git` file whose target does not point back,
    /// are refused: both could make Baton read another repository.
    pub fn open(folder: &Path) -> Result<Option<Self>, GitError> {
        let Some(place) = place::find(folder)? else { return Ok(None) };
        Self::at(place, None).map(Some)
    }

    /// Opens what lies there now, which is mostly the same repository with other branches.
    pub fn reopened(&self) -> Result<Option<Self>, GitError> {
        let Some(place) = place::find(&self.place.root)? else { return Ok(None) };
        let last = Some(&self.workshop.own).filter(|_| place == self.place);
        Self::at(place, last).map(Some)
    }

    fn at(place: Place, last: Option<&OwnDir>) -> Result<Self, GitError> {
        let program = program::find(&place.untrusted())?;
        let tips = refs::tips(&place)?;
        let own = own_dir::prepare(&place, last)?;
        Ok(Self { place, tips, workshop: Workshop { own, program } })
    }

    /// The folder with the work tree, without links in its path.
    pub fn root(&self) -> &Path {
        &self.place.root
    }

    /// The folder that holds its objects and references.
    pub(crate) fn folder(&self) -> &Path {
        &self.place.common_dir
    }

    /// The commit that is checked out; none in an empty repository.
    pub fn head(&self) -> Option<ObjectId> {
        self.tips.head
    }

    /// Returns the commit that a name stands for: `HEAD`, a branch, a tag, or the whole name of a reference.
    pub fn commit_named(&self, name: &str) -> Result<Option<ObjectId>, GitError> {
        if name == "HEAD" {
            return Ok(self.head());
        }
        let whole = ["", "refs/heads/", "refs/tags/", "refs/remotes/"];
        let known = whole.iter().find_map(|prefix| self.tips.named.get(format!("{prefix}{name}").as_bytes()));
        match known {
            Some(id) => self.objects()?.peeled(*id),
            None => Ok(None),
        }
    }

    pub fn is_shallow(&self) -> bool {
        self.workshop.own.is_shallow
    }

    /// Says whether objects may lie in another repository, which is not read. What is missing then proves nothing.
    pub fn borrows_objects(&self) -> bool {
        self.workshop.own.borrows_objects
    }

    pub fn work_tree(&self) -> WorkTree {
        WorkTree::new(&self.place.root)
    }

    /// Returns the path of a file as the repository has it, if it lies inside. Its folder must exist.
    pub fn relative(&self, path: &Path) -> Option<Vec<u8>> {
        let absolute = std::path::absolute(path).ok()?;
        let name = absolute.file_name()?;
        let real = fs::canonicalize(absolute.parent()?).ok()?.join(name);
        let inside = real.strip_prefix(&self.place.root).ok()?;
        let parts: Vec<&[u8]> = inside.iter().map(|part| part.as_encoded_bytes()).collect();
        (!parts.is_empty()).then(|| parts.join(&b'/'))
    }

    /// Reads every commit that a branch, a tag or `HEAD` reaches, and tells now and then how many there are so far.
    pub fn history(&self, progress: &mut dyn FnMut(usize)) -> Result<History, GitError> {
        let mut incomplete = Vec::new();
        let mut note = |is_so: bool, reason| is_so.then(|| incomplete.push(reason));
        note(self.workshop.own.is_shallow, Incomplete::Shallow);
        note(self.workshop.own.borrows_objects, Incomplete::BorrowsObjects);
        note(!self.tips.complete, Incomplete::BrokenReference);
        if self.tips.all.is_empty() {
            return Ok(History::new(log::Draft::default(), None, incomplete));
        }
        let mut git = self.workshop.start(log::ARGUMENTS)?;
        let input: String = self.tips.all.iter().map(|id| format!("{id}\n")).collect();
        // When git ends early, its own words say why.
        let _ = git.stdin.as_mut().map(|stdin| stdin.write_all(input.as_bytes()));
        git.close_stdin();
        let (draft, end) = log::read(&mut git, progress)?;
        if end == End::Bound {
            incomplete.push(Incomplete::TooLarge);
        } else if let Err(trouble) = git.finish()? {
            incomplete.push(Incomplete::Broken(trouble));
        } else if end == End::Torn {
            incomplete.push(Incomplete::Broken("git ended in the midst of a commit".to_owned()));
        }
        let mut history = History::new(draft, self.tips.head, incomplete);
        if history.is_complete() && self.has_missing_tip(&history)? {
            history.add_reason(Incomplete::BrokenReference);
        }
        Ok(history)
    }

    /// Opens a way to single objects.
    pub fn objects(&self) -> Result<Objects<'_>, GitError> {
        Ok(Objects::new(&self.workshop))
    }

    /// Writes the files of a commit into a new or empty folder. Nothing of the repository is run for it.
    pub fn checkout(&self, commit: ObjectId, into: &Path) -> Result<Checkout, GitError> {
        checkout::checkout(&self.workshop, commit, into)
    }

    /// Returns the files of a commit.
    pub fn files(&self, commit: ObjectId) -> Result<Vec<TreeFile>, GitError> {
        checkout::list(&self.workshop, &commit.to_string())
    }

    /// Returns the files of a commit, if they are few and small enough to be written.
    pub fn files_to_write(&self, commit: ObjectId) -> Result<Vec<TreeFile>, GitError> {
        checkout::list_bounded(&self.workshop, &commit.to_string())
    }

    /// Returns a commit and those it came from, the newest first, at most so many.
    pub fn commits_before(&self, commit: ObjectId, commits_max: usize) -> Result<Vec<ObjectId>, GitError> {
        self.follow(&[&commit.to_string()], commits_max)
    }

    /// Says whether a commit is another one, or among those which that one came from.
    pub fn leads_to(&self, old: ObjectId, new: ObjectId) -> Result<bool, GitError> {
        Ok(old == new || self.follow(&[&old.to_string(), &format!("^{new}")], 1)?.is_empty())
    }

    fn follow(&self, from: &[&str], commits_max: usize) -> Result<Vec<ObjectId>, GitError> {
        let count = format!("--max-count={commits_max}");
        let mut git = self.workshop.start(&[&["rev-list", &count], from].concat())?;
        let mut text = Vec::new();
        // An id has at most 64 digits and a line break.
        let bytes_max = (commits_max as u64).saturating_mul(65);
        let read = git.stdout.by_ref().take(bytes_max).read_to_end(&mut text).map(|_| ());
        read.map_err(|error| git.error(&error))?;
        match git.finish()? {
            Ok(()) => Ok(text.split(|byte| *byte == b'\n').filter_map(ObjectId::from_hex).collect()),
            Err(trouble) => {
                Err(GitError::failed(format!("commit {} could not be followed: {trouble}", from[0])))
            }
        }
    }

    /// Tips that are no commits are tags, which is well, or missing, which git was told to pass over.
    fn has_missing_tip(&self, history: &History) -> Result<bool, GitError> {
        let mut objects = self.objects()?;
        for id in self.tips.all.iter().filter(|id| !history.has_commit(id)) {
            if objects.info(&id.to_string())?.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
