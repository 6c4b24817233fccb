//! What is known besides the handoffs: the history, the work tree, the clock.

mod ignored;
mod window;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use baton_handoff::project::Project;

use super::chain::Chain;
use super::dossier::Dossier;
use crate::git::{
    Blob, BlobIds, Change, ChangeKind, Commit, CommitIndex, Contents, History, ObjectId, Objects, Seen,
    WorkTree,
};
use baton_evidence::path::{self, Listed};
use ignored::Ignored;
pub use window::{CLOCK_SLACK, Window};

/// Largest file of which lines are counted.
const COUNTED_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Fewest folders and names that an end of a path must have to be matched by it alone.
const SUFFIX_PARTS_MIN: usize = 2;

/// A repository's history with a way to read its objects.
#[derive(Debug)]
pub struct Archive<'r> {
    pub history: History,
    pub objects: RefCell<Objects<'r>>,
}

/// Everything that claims are held against.
#[derive(Debug)]
pub struct World<'a> {
    /// In seconds.
    pub now: i64,
    pub work_tree: WorkTree,
    pub archive: Option<Archive<'a>>,
    /// The names of all stages, in lower case.
    pub stages: Vec<String>,
    /// The names of all checkpoints, in lower case.
    pub checkpoints: Vec<String>,
    dossiers: &'a [Dossier],
    windows: Vec<Window>,
    /// The handoffs that came with a commit, or name it.
    of_commit: BTreeMap<CommitIndex, Vec<usize>>,
    tasks_of_folder: BTreeMap<&'a str, BTreeSet<String>>,
    documents: BTreeSet<&'a str>,
    ignored: Ignored,
    /// What was looked up before: many handoffs name the same files.
    seen: RefCell<BTreeMap<String, bool>>,
    counted: RefCell<BTreeMap<ObjectId, Option<u64>>>,
}

/// Where a listed file is.
#[derive(Debug)]
pub enum Whereabouts {
    Now {
        path: String,
        by_suffix: bool,
    },
    /// It is in the history, and no longer there.
    Before {
        path: String,
        by_suffix: bool,
        /// The commit that touched it last.
        commit: String,
    },
    Nowhere,
    /// It cannot be told, for this reason.
    Unknown(String),
}

impl<'a> World<'a> {
    pub fn new(
        dossiers: &'a [Dossier],
        chains: &[Chain],
        project: &Project,
        work_tree: WorkTree,
        archive: Option<Archive<'a>>,
        now: i64,
    ) -> Self {
        let mut tasks_of_folder: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for dossier in dossiers {
            let task = dossier.task.as_ref().map_or_else(String::new, |task| task.text.trim().to_lowercase());
            tasks_of_folder.entry(dossier.folder()).or_default().insert(task);
        }
        let mut world = Self {
            now,
            work_tree,
            archive,
            stages: project.stages.iter().map(|stage| stage.name.to_lowercase()).collect(),
            checkpoints: project
                .stages
                .iter()
                .flat_map(|stage| &stage.checkpoints)
                .map(|name| name.to_lowercase())
                .collect(),
            dossiers,
            windows: Vec::new(),
            of_commit: BTreeMap::new(),
            tasks_of_folder,
            documents: dossiers.iter().filter_map(|dossier| dossier.repository_path.as_deref()).collect(),
            ignored: Ignored::default(),
            seen: RefCell::default(),
            counted: RefCell::default(),
        };
        world.windows = dossiers.iter().map(|dossier| Window::of(dossier, world.archive.as_ref())).collect();
        for chain in chains {
            let mut before = None;
            for &at in &chain.members {
                world.windows[at].guess_start(before, &dossiers[chain.members[0]]);
                before = Some(&dossiers[at]);
            }
        }
        for (at, window) in world.windows.iter().enumerate() {
            for commit in window.own.iter().chain(&window.named) {
                world.of_commit.entry(*commit).or_default().push(at);
            }
        }
        world
    }

    /// Returns the handoffs that came with a commit, or name it.
    pub fn sharing(&self, commit: CommitIndex) -> &[usize] {
        self.of_commit.get(&commit).map_or(&[], Vec::as_slice)
    }

    pub fn history(&self) -> Option<&History> {
        self.archive.as_ref().map(|archive| &archive.history)
    }

    pub fn window(&self, at: usize) -> &Window {
        &self.windows[at]
    }

    pub fn dossier(&self, at: usize) -> &'a Dossier {
        &self.dossiers[at]
    }

    /// Returns the commit that brought the handoff as it is now.
    pub fn brought(&self, at: usize) -> Option<&Commit> {
        Some(self.history()?.commit(self.windows[at].brought?))
    }

    /// Says whether a folder holds the handoffs of one task alone.
    pub fn holds_one_task(&self, folder: &str) -> bool {
        self.tasks_of_folder.get(folder).is_none_or(|tasks| tasks.len() <= 1)
    }

    /// Says whether a path is a handoff, or lies in a folder of evidence.
    pub fn is_paperwork(&self, path: &str) -> bool {
        let in_evidence =
            path.split('/').any(|part| matches!(part, "evidence" | "logs") || part.ends_with("-evidence"));
        in_evidence || self.documents.contains(path)
    }

    /// Says whether anything but paperwork was committed between two handoffs; nothing where that cannot be told.
    pub fn changed_between(&self, earlier: usize, later: usize) -> Option<bool> {
        let history = self.history().filter(|history| history.is_complete())?;
        let (from, to) = (self.window(earlier).brought?, self.window(later).brought?);
        let between = history.commits().filter(|index| from < *index && *index <= to);
        Some(from == to || between.into_iter().any(|index| self.is_work(history, index)))
    }

    /// Says whether anything but paperwork was committed on the branch that is checked out since a handoff came.
    pub fn changed_since(&self, at: usize) -> Option<bool> {
        let history = self.history()?;
        let brought = self.window(at).brought?;
        let since = history.commits().filter(|index| brought < *index && history.commit(*index).on_head);
        Some(since.into_iter().any(|index| self.is_work(history, index)))
    }

    fn is_work(&self, history: &History, index: CommitIndex) -> bool {
        history.changes_in(index).any(|(path, _)| !self.is_paperwork(&String::from_utf8_lossy(path)))
    }

    /// Returns when a commit was made, in words.
    pub fn told(&self, commit: &Commit) -> String {
        let time = commit.author_time.max(commit.committer_time);
        jiff::Timestamp::from_second(time)
            .map_or_else(|_| time.to_string(), |at| format!("committed at {at}"))
    }

    pub fn changes_of(&self, path: &str) -> &[Change] {
        self.history().map_or(&[], |history| history.changes_of(path.as_bytes()))
    }

    /// Finds a file that a handoff lists: at the root, or below a folder that holds the handoff.
    pub fn whereabouts(&self, dossier: &Dossier, text: &str) -> Whereabouts {
        let listed = match path::read(text, &self.work_tree.root().to_string_lossy()) {
            Ok(listed) => listed,
            Err(reason) => return Whereabouts::Unknown(reason.to_owned()),
        };
        let path = match listed {
            Listed::Foreign(parts) => return self.by_suffix(&parts),
            Listed::Relative(path) => path,
        };
        let folders = ancestors(dossier.folder());
        let candidates = || folders.iter().map(|folder| joined(folder, &path));
        let now = candidates().find(|candidate| self.is_there(candidate));
        if let Some(path) = now {
            return Whereabouts::Now { path, by_suffix: false };
        }
        if let Some(found) = candidates().find_map(|candidate| self.before(candidate, false)) {
            return found;
        }
        self.nowhere(&path, candidates())
    }

    fn is_there(&self, path: &str) -> bool {
        if let Some(known) = self.seen.borrow().get(path) {
            return *known;
        }
        let seen = self.work_tree.look(path);
        let is_there = matches!(seen, Seen::File { .. } | Seen::Folder | Seen::Link | Seen::Unreadable);
        self.seen.borrow_mut().insert(path.to_owned(), is_there);
        is_there
    }

    fn is_in_submodule(&self, path: &str) -> bool {
        let submodule = |folder: &&str| self.changes_of(folder).iter().any(|change| change.is_submodule);
        ancestors(path).iter().any(submodule)
    }

    /// Says why a file that was not found may still have been there.
    fn nowhere(&self, path: &str, candidates: impl Iterator<Item = String>) -> Whereabouts {
        let Some(history) = self.history() else {
            return Whereabouts::Unknown(
                "it is not there now, and there is no git history to ask".to_owned(),
            );
        };
        for candidate in candidates {
            if self.ignored.covers(&self.work_tree, &candidate) {
                return Whereabouts::Unknown("it is not there now, and git ignores it".to_owned());
            }
            if self.is_in_submodule(&candidate) {
                return Whereabouts::Unknown("it lies in a submodule, which is not read".to_owned());
            }
        }
        let parts: Vec<&str> = path.split('/').collect();
        if parts.len() >= SUFFIX_PARTS_MIN
            && let Some(found) = self.with_suffix(path)
        {
            return found;
        }
        if !history.is_complete() {
            return Whereabouts::Unknown("it is not there now, and the history is not complete".to_owned());
        }
        Whereabouts::Nowhere
    }

    fn before(&self, path: String, by_suffix: bool) -> Option<Whereabouts> {
        let history = self.history()?;
        if let Some(last) = history.changes_of(path.as_bytes()).last() {
            let commit = history.commit(last.commit).id.short();
            return Some(Whereabouts::Before { path, by_suffix, commit });
        }
        history.has_folder(path.as_bytes()).then(|| Whereabouts::Before {
            path,
            by_suffix,
            commit: "in the history".to_owned(),
        })
    }

    /// Finds a path of another machine by its end: the longest one that names exactly one file here.
    fn by_suffix(&self, parts: &[String]) -> Whereabouts {
        for skip in 0..parts.len().saturating_sub(SUFFIX_PARTS_MIN - 1) {
            let suffix = parts[skip..].join("/");
            if self.is_there(&suffix) {
                return Whereabouts::Now { path: suffix, by_suffix: true };
            }
            if let Some(found) = self.with_suffix(&suffix) {
                return found;
            }
        }
        Whereabouts::Unknown("it is a path of another machine, and no file here ends like it".to_owned())
    }

    fn with_suffix(&self, suffix: &str) -> Option<Whereabouts> {
        let found = self.history()?.paths_with_suffix(suffix);
        let [path] = found.as_slice() else {
            let many = !found.is_empty();
            return many.then(|| Whereabouts::Unknown("several files here end like it".to_owned()));
        };
        let path = String::from_utf8_lossy(path).into_owned();
        match self.is_there(&path) {
            true => Some(Whereabouts::Now { path, by_suffix: true }),
            false => self.before(path, true),
        }
    }

    /// Says whether a file of the work tree differs from what is committed.
    pub fn is_dirty(&self, path: &str) -> bool {
        let committed = self
            .changes_of(path)
            .iter()
            .rev()
            .find(|change| self.history().is_some_and(|history| history.commit(change.commit).on_head));
        let Contents::Bytes(bytes) = self.work_tree.read(path, COUNTED_BYTES_MAX) else { return false };
        let is_it = |change: &Change| BlobIds::of(&bytes).matches(&change.blob);
        committed.is_none_or(|change| change.kind == ChangeKind::Deleted || !is_it(change))
    }

    /// Counts the lines of a version; nothing when it is too large, binary or gone.
    pub fn lines_of(&self, change: &Change) -> Option<u64> {
        if let Some(known) = self.counted.borrow().get(&change.blob) {
            return *known;
        }
        let archive = self.archive.as_ref()?;
        let counted = match archive.objects.borrow_mut().blob(change.blob, COUNTED_BYTES_MAX) {
            Ok(Blob::Bytes(bytes)) => lines(&bytes),
            Ok(Blob::TooLarge(_) | Blob::Missing | Blob::Unreadable) | Err(_) => None,
        };
        self.counted.borrow_mut().insert(change.blob, counted);
        counted
    }

    pub fn lines_now(&self, path: &str) -> Option<u64> {
        match self.work_tree.read(path, COUNTED_BYTES_MAX) {
            Contents::Bytes(bytes) => lines(&bytes),
            Contents::TooLarge(_) | Contents::NotAFile(_) => None,
        }
    }
}

fn lines(bytes: &[u8]) -> Option<u64> {
    if bytes.contains(&0) {
        return None;
    }
    let ends = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
    Some(ends + u64::from(!bytes.is_empty() && !bytes.ends_with(b"\n")))
}

/// Yields the root and every folder down to this one.
fn ancestors(folder: &str) -> Vec<&str> {
    let mut folders = vec![""];
    folders.extend(folder.match_indices('/').map(|(at, _)| &folder[..at]));
    if !folder.is_empty() {
        folders.push(folder);
    }
    folders
}

fn joined(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}
