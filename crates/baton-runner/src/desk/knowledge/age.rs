//! What became of the file that a lesson is about: looked up in the work tree and in the history, never stored.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::Path;

use baton_engine::knowledge::Lesson;
use baton_engine::knowledge::lesson::Ageing;

use crate::git::{Blob, Change, ChangeKind, Contents, History, ObjectId, Repository, Seen, WorkTree};

/// Largest file whose lines are compared, in bytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// A file has changed much when fewer than this many of a hundred of its lines are still there.
const LINES_KEPT_PERCENT_MIN: usize = 50;

/// Looks at files, and reads the history once, when it is first needed.
#[derive(Debug)]
pub(super) struct Ages {
    tree: WorkTree,
    history: OnceCell<Option<(Repository, History)>>,
}

impl Ages {
    pub(super) fn new(root: &Path) -> Self {
        Self { tree: WorkTree::new(root), history: OnceCell::new() }
    }

    /// Lets a lesson age by its files since it was last said or approved. One that is gone counts when all are.
    pub(super) fn apply(&self, lesson: &mut Lesson, since: i64) {
        let seen: Vec<(String, Option<Ageing>)> =
            lesson.paths.iter().map(|path| (path.clone(), self.of(path, since))).collect();
        let is_gone = |ageing: &Option<Ageing>| matches!(ageing, Some(Ageing::Gone { .. }));
        let all_gone = !seen.is_empty() && seen.iter().all(|(_, ageing)| is_gone(ageing));
        let worst = match all_gone {
            true => seen.into_iter().find_map(|(_, ageing)| ageing),
            false => seen.into_iter().find_map(|(path, ageing)| match ageing? {
                Ageing::Gone { .. } => Some(Ageing::Changed { path, how: "it is gone".to_owned() }),
                changed @ Ageing::Changed { .. } => Some(changed),
            }),
        };
        if let Some(ageing) = worst {
            lesson.age(&ageing);
        }
    }

    fn of(&self, path: &str, since: i64) -> Option<Ageing> {
        match self.tree.look(path) {
            Seen::Missing => Some(self.missing(path)),
            Seen::File { .. } if self.is_newer(path, since) => self.changed(path, since),
            _ => None,
        }
    }

    /// A file that was not written since needs no history.
    fn is_newer(&self, path: &str, since: i64) -> bool {
        let written =
            std::fs::symlink_metadata(self.tree.root().join(path)).and_then(|found| found.modified());
        let millis = written
            .ok()
            .and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok())
            .map(|at| at.as_millis());
        millis.is_none_or(|millis| i64::try_from(millis).unwrap_or(i64::MAX) > since)
    }

    fn missing(&self, path: &str) -> Ageing {
        let moved = self.history().and_then(|(_, history)| moved_to(history, path));
        match moved {
            Some(to) => Ageing::Changed { path: path.to_owned(), how: format!("it is now {to}") },
            None => Ageing::Gone { path: path.to_owned() },
        }
    }

    fn changed(&self, path: &str, since: i64) -> Option<Ageing> {
        let (repository, history) = self.history()?;
        let changes = history.changes_of(path.as_bytes());
        let then = version_at(history, changes, since)?;
        let Ok(Blob::Bytes(before)) = repository.objects().ok()?.blob(then, FILE_BYTES_MAX) else {
            return None;
        };
        let Contents::Bytes(now) = self.tree.read(path, FILE_BYTES_MAX) else { return None };
        let (kept, all) = lines_kept(&before, &now);
        (all > 0 && kept * 100 < all * LINES_KEPT_PERCENT_MIN).then(|| Ageing::Changed {
            path: path.to_owned(),
            how: format!("{kept} of {all} lines are left"),
        })
    }

    fn history(&self) -> Option<&(Repository, History)> {
        let read = || {
            let repository = Repository::open(self.tree.root()).ok().flatten()?;
            // Paths are from the root of the project; elsewhere they would name other files.
            let same =
                std::fs::canonicalize(repository.root()).ok() == std::fs::canonicalize(self.tree.root()).ok();
            let history = repository.history(&mut |_| {}).ok().filter(|_| same)?;
            Some((repository, history))
        };
        self.history.get_or_init(read).as_ref()
    }
}

/// Returns the file as it was then: the last commit before, or the first after for a file that was not committed yet.
fn version_at(history: &History, changes: &[Change], since: i64) -> Option<ObjectId> {
    let is_file =
        |change: &&Change| change.kind != ChangeKind::Deleted && history.commit(change.commit).on_head;
    let at = |change: &&Change| history.commit(change.commit).committer_time.saturating_mul(1000);
    let before = changes.iter().filter(is_file).filter(|change| at(change) <= since).max_by_key(at);
    let after = || changes.iter().filter(is_file).min_by_key(at);
    before.or_else(after).map(|change| change.blob)
}

/// Returns where a file went: another with the same content came in the commit that took it away.
fn moved_to(history: &History, path: &str) -> Option<String> {
    let changes = history.changes_of(path.as_bytes());
    let deleted = changes.iter().rfind(|change| change.kind == ChangeKind::Deleted)?;
    let known: Vec<ObjectId> = changes
        .iter()
        .filter(|change| change.kind != ChangeKind::Deleted)
        .map(|change| change.blob)
        .collect();
    let mut beside = history.changes_in(deleted.commit);
    let found = beside.find(|(_, change)| change.kind == ChangeKind::Added && known.contains(&change.blob));
    found.map(|(path, _)| String::from_utf8_lossy(path).into_owned())
}

/// Counts the lines that are still there, whatever their order, and all lines that were. Blank lines do not count.
fn lines_kept(before: &[u8], now: &[u8]) -> (usize, usize) {
    let lines = |bytes: &'_ [u8]| -> Vec<Vec<u8>> {
        let trimmed = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        trimmed.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let mut there: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    for line in lines(now) {
        *there.entry(line).or_default() += 1;
    }
    let before = lines(before);
    let kept = before.iter().filter(|line| match there.get_mut(*line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    });
    (kept.count(), before.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_once_each() {
        assert_eq!(lines_kept(b"a\nb\n\nb\n", b"b\n  a\n"), (2, 3));
        assert_eq!(lines_kept(b"", b"x"), (0, 0));
    }
}
