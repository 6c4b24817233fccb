//! Reads the stream of `git log --raw -z`, byte for byte, into a draft of the history.

use std::collections::HashMap;
use std::io::{BufRead, Read};

use super::child::Git;
use super::history::{Change, ChangeKind, CommitIndex};
use super::{GitError, ObjectId};

/// Bounds on what is kept. The newest commits come first, so it is the oldest that are left out beyond them.
pub const COMMITS_MAX: usize = 500_000;
pub const CHANGES_MAX: usize = 5_000_000;
pub const PARENTS_MAX: usize = 2_000_000;
/// All different paths together.
pub const PATH_BYTES_MAX: usize = 256 * 1024 * 1024;
/// One path, or one commit with the ids of its parents.
pub const FIELD_BYTES_MAX: usize = 64 * 1024;
const PROGRESS_COMMITS: usize = 1_000;

/// The first line of options settles what git shows, the others that nothing is run or left out for it.
pub(super) const ARGUMENTS: &[&str] = &[
    "log",
    "--ignore-missing",
    "--stdin",
    "-z",
    "--raw",
    "--no-abbrev",
    "--date-order",
    "--format=%H %at %ct %P",
    "--no-renames",
    "--diff-merges=first-parent",
    "--ignore-submodules=none",
    "--no-ext-diff",
    "--no-textconv",
    "--no-show-signature",
    "--no-mailmap",
    "--no-notes",
    "--no-decorate",
    "--no-color",
];

/// What came out of git, newest commit first, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) commits: Vec<DraftCommit>,
    pub(super) parents: Vec<ObjectId>,
    /// Their commits count from the newest, and their paths in the order of `paths`.
    pub(super) changes: Vec<Change>,
    pub(super) paths: HashMap<Box<[u8]>, u32>,
    path_bytes: usize,
}

#[derive(Debug)]
pub(super) struct DraftCommit {
    pub(super) id: ObjectId,
    pub(super) author_time: i64,
    pub(super) committer_time: i64,
    /// Where its parents end and those of the next begin.
    pub(super) parents_end: u32,
    changes_start: u32,
}

/// How the stream ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Whole,
    /// A bound was reached.
    Bound,
    /// In the midst of a record.
    Torn,
}

enum Field {
    Whole,
    TooLong,
    Torn,
    None,
}

/// Reads until the end or a bound; a commit that was not read to its end is dropped.
pub(super) fn read(git: &mut Git, progress: &mut dyn FnMut(usize)) -> Result<(Draft, End), GitError> {
    let mut draft = Draft::default();
    let mut field = Vec::new();
    let end = loop {
        match next_field(git, &mut field)? {
            Field::Whole => {}
            Field::None => break End::Whole,
            Field::TooLong => break End::Bound,
            Field::Torn => break End::Torn,
        }
        // The first change of a commit stands after a line break.
        let text = field.strip_prefix(b"\n").unwrap_or(&field);
        if text.first() != Some(&b':') {
            if !draft.add_commit(text)? {
                // The commit before is whole, so nothing has to be dropped.
                return Ok((draft, End::Bound));
            }
            if draft.commits.len().is_multiple_of(PROGRESS_COMMITS) {
                progress(draft.commits.len());
            }
            continue;
        }
        let mut change = draft.change(text)?;
        match next_field(git, &mut field)? {
            Field::Whole => {}
            Field::TooLong => break End::Bound,
            Field::None | Field::Torn => break End::Torn,
        }
        match draft.path(&field) {
            Some(path) if draft.changes.len() < CHANGES_MAX => {
                change.path = path;
                draft.changes.push(change);
            }
            _ => break End::Bound,
        }
    };
    if end != End::Whole {
        draft.drop_last();
    }
    progress(draft.commits.len());
    Ok((draft, end))
}

/// Reads up to the next NUL, which is taken off.
fn next_field(git: &mut Git, field: &mut Vec<u8>) -> Result<Field, GitError> {
    field.clear();
    let read = git.stdout.by_ref().take(FIELD_BYTES_MAX as u64 + 1).read_until(0, field);
    read.map_err(|error| git.error(&error))?;
    match field.pop() {
        None => Ok(Field::None),
        Some(0) => Ok(Field::Whole),
        Some(_) if field.len() == FIELD_BYTES_MAX => Ok(Field::TooLong),
        Some(_) => Ok(Field::Torn),
    }
}

impl Draft {
    /// Adds a commit, if there is room.
    fn add_commit(&mut self, text: &[u8]) -> Result<bool, GitError> {
        let mut words = text.split(|byte| *byte == b' ');
        let id = words.next().and_then(ObjectId::from_hex).ok_or_else(|| not_understood(text))?;
        // A commit may have any nonsense for a time; then it has none.
        let mut time =
            || words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse().ok()).unwrap_or(0);
        let (author_time, committer_time) = (time(), time());
        if self.commits.len() == COMMITS_MAX || self.parents.len() > PARENTS_MAX {
            return Ok(false);
        }
        for word in words.filter(|word| !word.is_empty()) {
            self.parents.push(ObjectId::from_hex(word).ok_or_else(|| not_understood(text))?);
        }
        self.commits.push(DraftCommit {
            id,
            author_time,
            committer_time,
            parents_end: self.parents.len() as u32,
            changes_start: self.changes.len() as u32,
        });
        Ok(true)
    }

    /// Reads `:100644 100644 bcd1234 0123456 M`.
    fn change(&self, text: &[u8]) -> Result<Change, GitError> {
        let words: Vec<&[u8]> = text.split(|byte| *byte == b' ').collect();
        let [before, after, _, blob, status] = words[..] else { return Err(not_understood(text)) };
        let kind = match status {
            b"A" => ChangeKind::Added,
            b"M" => ChangeKind::Modified,
            b"D" => ChangeKind::Deleted,
            b"T" => ChangeKind::TypeChanged,
            _ => return Err(not_understood(text)),
        };
        let mode = if kind == ChangeKind::Deleted { &before[1..] } else { after };
        match (ObjectId::from_hex(blob), self.commits.len().checked_sub(1)) {
            (Some(blob), Some(commit)) => Ok(Change {
                commit: CommitIndex(commit as u32),
                path: 0,
                blob,
                kind,
                is_link: mode == b"120000",
                is_submodule: mode == b"160000",
            }),
            _ => Err(not_understood(text)),
        }
    }

    /// Returns the number of a path, if there is room for it.
    fn path(&mut self, path: &[u8]) -> Option<u32> {
        if let Some(number) = self.paths.get(path) {
            return Some(*number);
        }
        self.path_bytes += path.len();
        if self.path_bytes > PATH_BYTES_MAX {
            return None;
        }
        let number = self.paths.len() as u32;
        self.paths.insert(path.into(), number);
        Some(number)
    }

    fn drop_last(&mut self) {
        if let Some(last) = self.commits.pop() {
            self.changes.truncate(last.changes_start as usize);
            let parents_end = self.commits.last().map_or(0, |commit| commit.parents_end);
            self.parents.truncate(parents_end as usize);
        }
    }
}

fn not_understood(text: &[u8]) -> GitError {
    let text = String::from_utf8_lossy(&text[..text.len().min(80)]).into_owned();
    GitError::failed(format!("git answered something that is not understood: {text:?}"))
}
