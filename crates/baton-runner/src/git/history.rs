//! What happened in a repository: every commit that a branch or tag reaches, and what each changed.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::ObjectId;
use super::log::Draft;
use super::object_id::Prefix;

/// How many paths [`History::paths_with_suffix`] answers at most.
pub const PATHS_WITH_SUFFIX_MAX: usize = 64;

/// The number of a commit. The oldest has the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitIndex(pub(super) u32);

/// A commit, without its text.
#[derive(Clone, Copy, Debug)]
pub struct Commit {
    pub id: ObjectId,
    /// Seconds since 1970; zero when the commit has no time that can be read.
    pub author_time: i64,
    pub committer_time: i64,
    pub is_merge: bool,
    /// Whether it is the commit at `HEAD` or an ancestor of it.
    pub on_head: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    /// From a file to a link, say.
    TypeChanged,
}

/// What one commit did to one path. A merge is compared with its first parent.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub commit: CommitIndex,
    pub(super) path: u32,
    /// What is there after the change; zero after a deletion.
    pub blob: ObjectId,
    pub kind: ChangeKind,
    pub is_link: bool,
    pub is_submodule: bool,
}

/// Why a history may lack commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// It is a shallow clone. Its oldest commits seem to add all files.
    Shallow,
    /// The repository borrows objects from another, and those are not read.
    BorrowsObjects,
    /// There is more than the bounds allow.
    TooLarge,
    /// A reference is broken, or names what is not there.
    BrokenReference,
    /// Git gave up, and said this.
    Broken(String),
}

/// A commit that an abbreviation stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    One(CommitIndex),
    Several,
    None,
}

#[derive(Debug, Default)]
pub struct History {
    /// Oldest first.
    commits: Vec<Commit>,
    parents: Vec<u32>,
    /// One more than commits, as in all lists of starts.
    parent_starts: Vec<u32>,
    /// Commits in the order of their ids.
    by_id: Vec<u32>,
    /// In the order of their bytes.
    paths: Vec<Box<[u8]>>,
    /// Paths in the order of their bytes read backwards, where equal endings are neighbours.
    by_ending: Vec<u32>,
    /// By path, then oldest first.
    changes: Vec<Change>,
    path_starts: Vec<u32>,
    /// Changes by commit, then by path.
    by_commit: Vec<u32>,
    commit_starts: Vec<u32>,
    incomplete: Vec<Incomplete>,
}

impl History {
    pub fn len(&self) -> usize {
        self.commits.len()
    }

    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// Says whether what is not found here never was on a branch or tag of this repository.
    pub fn is_complete(&self) -> bool {
        self.incomplete.is_empty()
    }

    pub fn why_incomplete(&self) -> &[Incomplete] {
        &self.incomplete
    }

    /// Yields the numbers of all commits, oldest first.
    pub fn commits(&self) -> impl DoubleEndedIterator<Item = CommitIndex> + use<> {
        (0..self.commits.len() as u32).map(CommitIndex)
    }

    pub fn commit(&self, index: CommitIndex) -> &Commit {
        &self.commits[index.0 as usize]
    }

    pub fn parents(&self, index: CommitIndex) -> impl Iterator<Item = CommitIndex> + '_ {
        slice(&self.parents, &self.parent_starts, index.0).iter().copied().map(CommitIndex)
    }

    /// Returns all changes of a path, oldest first.
    pub fn changes_of(&self, path: &[u8]) -> &[Change] {
        match self.paths.binary_search_by(|known| known.as_ref().cmp(path)) {
            Ok(number) => slice(&self.changes, &self.path_starts, number as u32),
            Err(_) => &[],
        }
    }

    /// Yields what a commit changed, in the order of the paths.
    pub fn changes_in(&self, index: CommitIndex) -> impl Iterator<Item = (&[u8], &Change)> {
        slice(&self.by_commit, &self.commit_starts, index.0).iter().map(|number| {
            let change = &self.changes[*number as usize];
            (self.paths[change.path as usize].as_ref(), change)
        })
    }

    /// Says whether any path ever lay under a folder.
    pub fn has_folder(&self, path: &[u8]) -> bool {
        let path = path.strip_suffix(b"/").unwrap_or(path);
        let prefix = [path, b"/"].concat();
        let place = self.paths.partition_point(|known| known.as_ref() < prefix.as_slice());
        self.paths.get(place).is_some_and(|known| known.starts_with(&prefix))
    }

    /// Finds the commit that an id or the beginning of one stands for, among the commits of this history.
    pub fn find_commit(&self, hex_prefix: &str) -> Found {
        let Some(prefix) = Prefix::from_hex(hex_prefix) else { return Found::None };
        let place = self.by_id.partition_point(|number| prefix.is_after(&self.commits[*number as usize].id));
        let matches = |number: &&u32| self.commits[**number as usize].id.starts_with(&prefix);
        let mut matching = self.by_id[place..].iter().take_while(matches);
        match (matching.next(), matching.next()) {
            (None, _) => Found::None,
            (Some(number), None) => Found::One(CommitIndex(*number)),
            (Some(_), Some(_)) => Found::Several,
        }
    }

    /// Returns the paths that are `suffix` or end with it after a slash, at most [`PATHS_WITH_SUFFIX_MAX`] of them.
    pub fn paths_with_suffix(&self, suffix: &str) -> Vec<&[u8]> {
        let suffix = suffix.trim_start_matches('/').as_bytes();
        if suffix.is_empty() {
            return Vec::new();
        }
        let ending = [b"/", suffix].concat();
        let path = |number: &u32| self.paths[*number as usize].as_ref();
        let place =
            self.by_ending.partition_point(|number| backwards(path(number), &ending) == Ordering::Less);
        let exact = self.paths.binary_search_by(|known| known.as_ref().cmp(suffix)).ok();
        let longer = self.by_ending[place..].iter().map(path).take_while(|known| known.ends_with(&ending));
        exact
            .map(|number| self.paths[number].as_ref())
            .into_iter()
            .chain(longer)
            .take(PATHS_WITH_SUFFIX_MAX)
            .collect()
    }

    pub(super) fn new(draft: Draft, head: Option<ObjectId>, incomplete: Vec<Incomplete>) -> Self {
        let mut history = Self { incomplete, ..Self::default() };
        history.add_commits(&draft, head);
        history.add_changes(draft);
        history
    }

    pub(super) fn add_reason(&mut self, reason: Incomplete) {
        self.incomplete.push(reason);
    }

    /// Says whether a commit with exactly this id is known.
    pub(super) fn has_commit(&self, id: &ObjectId) -> bool {
        self.by_id.binary_search_by(|number| self.commits[*number as usize].id.cmp(id)).is_ok()
    }

    fn add_commits(&mut self, draft: &Draft, head: Option<ObjectId>) {
        let numbers: HashMap<ObjectId, u32> =
            draft.commits.iter().rev().zip(0..).map(|(commit, number)| (commit.id, number)).collect();
        self.parent_starts.push(0);
        for (place, commit) in draft.commits.iter().enumerate().rev() {
            let start = place.checked_sub(1).map_or(0, |before| draft.commits[before].parents_end);
            let parents = &draft.parents[start as usize..commit.parents_end as usize];
            self.parents.extend(parents.iter().filter_map(|id| numbers.get(id)));
            self.parent_starts.push(self.parents.len() as u32);
            self.commits.push(Commit {
                id: commit.id,
                author_time: commit.author_time,
                committer_time: commit.committer_time,
                is_merge: parents.len() > 1,
                on_head: false,
            });
        }
        self.by_id = (0..self.commits.len() as u32).collect();
        self.by_id.sort_unstable_by_key(|number| self.commits[*number as usize].id);
        self.mark_head(head.and_then(|id| numbers.get(&id).copied()));
    }

    fn mark_head(&mut self, head: Option<u32>) {
        let mut to_visit: Vec<u32> = head.into_iter().collect();
        while let Some(number) = to_visit.pop() {
            let commit = &mut self.commits[number as usize];
            if !commit.on_head {
                commit.on_head = true;
                to_visit.extend_from_slice(slice(&self.parents, &self.parent_starts, number));
            }
        }
    }

    fn add_changes(&mut self, draft: Draft) {
        let mut paths: Vec<(Box<[u8]>, u32)> = draft.paths.into_iter().collect();
        paths.sort_unstable();
        let mut renumbered = vec![0; paths.len()];
        for ((_, old), new) in paths.iter().zip(0..) {
            renumbered[*old as usize] = new;
        }
        self.paths = paths.into_iter().map(|(path, _)| path).collect();
        self.by_ending = (0..self.paths.len() as u32).collect();
        self.by_ending.sort_unstable_by(|a, b| backwards(&self.paths[*a as usize], &self.paths[*b as usize]));

        let newest = self.commits.len().saturating_sub(1) as u32;
        self.changes = draft.changes;
        for change in &mut self.changes {
            change.commit = CommitIndex(newest - change.commit.0);
            change.path = renumbered[change.path as usize];
        }
        self.changes.sort_unstable_by_key(|change| (change.path, change.commit));
        self.changes.shrink_to_fit();
        self.path_starts = starts(self.paths.len(), self.changes.iter().map(|change| change.path));
        self.commit_starts = starts(self.commits.len(), self.changes.iter().map(|change| change.commit.0));

        let mut next = self.commit_starts.clone();
        self.by_commit = vec![0; self.changes.len()];
        for (change, number) in self.changes.iter().zip(0..) {
            let place = &mut next[change.commit.0 as usize];
            self.by_commit[*place as usize] = number;
            *place += 1;
        }
    }
}

fn slice<'a, T>(list: &'a [T], starts: &[u32], number: u32) -> &'a [T] {
    &list[starts[number as usize] as usize..starts[number as usize + 1] as usize]
}

/// Returns where the things of each owner start when they are put in the order of their owners, and where the last end.
fn starts(owners: usize, owned: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0; owners + 1];
    owned.for_each(|owner| starts[owner as usize + 1] += 1);
    (1..starts.len()).for_each(|place| starts[place] += starts[place - 1]);
    starts
}

fn backwards(one: &[u8], other: &[u8]) -> Ordering {
    one.iter().rev().cmp(other.iter().rev())
}

#[cfg(test)]
mod tests;
