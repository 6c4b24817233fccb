//! What the work of a handoff changed, and what has changed since: the files that it names, compared with the work tree, and
//! checks that passed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use baton_engine::context::order::Drift;
use baton_engine::event::{Entry, Event};
use baton_engine::fact::Submission;
use baton_engine::knowledge::measured::{ChangedFile, Measured};
use baton_engine::knowledge::{self, FileChange, Finding, Item, ItemKind, Journal, Source};
use baton_engine::state::Task;
use baton_engine::word::{TaskId, TreeHash};
use baton_store::log::Log;
use sha2::{Digest, Sha256};

use super::claims::Span;
use super::{Desk, DeskError};
use crate::git::{Blob, Contents, Difference, Snapshots, TreeFile, WorkTree};

/// Most files of one handoff that are looked at.
const FILES_MAX: usize = 256;
/// Most files that are noted as changed; first those that the handoff names.
const CHANGED_MAX: usize = 1_000;
/// Larger files are not compared.
const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// How many handoffs are held against the work tree: the latest.
const HANDOFFS_MAX: usize = 16;

/// Returns what the files that a handoff names look like: their hashes, or nothing where there is no file.
fn named_files(root: &Path, items: &[Item]) -> BTreeMap<String, Option<String>> {
    let named: BTreeSet<&str> = items.iter().filter_map(|item| item.path.as_deref()).collect();
    let tree = WorkTree::new(root);
    named.into_iter().filter_map(|path| Some((path.to_owned(), look(&tree, path)?))).take(FILES_MAX).collect()
}

/// Returns what happened to each file between two states, with the lines of those that a handoff names with lines.
fn changed_files(
    snapshots: &Snapshots,
    (before, after): (&TreeHash, &TreeHash),
    items: &[Item],
) -> Result<BTreeMap<String, ChangedFile>, DeskError> {
    let is_named = |path: &str| {
        items.iter().filter(|item| item.kind == ItemKind::File).any(|item| item.path.as_deref() == Some(path))
    };
    let has_lines =
        |path: &str| items.iter().any(|item| item.lines.is_some() && item.path.as_deref() == Some(path));
    let text = |file: &Option<TreeFile>| match file {
        Some(file) => match snapshots.objects().blob(file.id, FILE_BYTES_MAX) {
            Ok(Blob::Bytes(bytes)) => String::from_utf8(bytes).ok(),
            Ok(Blob::TooLarge(_) | Blob::Missing | Blob::Unreadable) | Err(_) => None,
        },
        None => Some(String::new()),
    };
    let mut found = match before == after {
        true => Vec::new(),
        false => snapshots.differing(before.as_str(), after.as_str())?,
    };
    let path_of = |one: &Difference| {
        let file = one.after.as_ref().or(one.before.as_ref())?;
        String::from_utf8(file.path.clone()).ok()
    };
    // Where there are too many, those that the handoff names count.
    found.sort_by_key(|one| !path_of(one).is_some_and(|path| is_named(&path)));
    let one = |difference: Difference| {
        let path = path_of(&difference)?;
        let change = match (&difference.before, &difference.after) {
            (None, _) => FileChange::Created,
            (Some(_), Some(_)) => FileChange::Modified,
            (Some(_), None) => FileChange::Deleted,
        };
        let lines = match has_lines(&path) {
            true => changed_lines(&text(&difference.before)?, &text(&difference.after)?),
            false => None,
        };
        Some((path, ChangedFile { change, lines }))
    };
    Ok(found.into_iter().filter_map(one).take(CHANGED_MAX).collect())
}

/// Returns the lines of a text from the first that changed to the last.
fn changed_lines(before: &str, after: &str) -> Option<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let alike = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old[alike..].iter().rev().zip(new[alike..].iter().rev());
    let behind = rest.take_while(|(old, new)| old == new).count();
    let (first, last) = (alike + 1, new.len() - behind);
    (first <= last).then(|| format!("{first}-{last}"))
}

/// Returns the hash of a file, the inner nothing where there is none, and nothing at all where it cannot be told.
fn look(tree: &WorkTree, path: &str) -> Option<Option<String>> {
    match tree.read(path, FILE_BYTES_MAX) {
        Contents::Bytes(bytes) => {
            Some(Some(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect()))
        }
        Contents::NotAFile(crate::git::Seen::Missing) => Some(None),
        Contents::NotAFile(_) | Contents::TooLarge(_) => None,
    }
}

impl Desk {
    /// Returns what the files look like that a handoff names, in the workspace where its turn was taken, and what its work
    /// changed. It goes into the log with the handoff, so that what is told of it later rests on nothing else.
    pub(super) fn measured(
        &self,
        (task, bytes): (&Task, &[u8]),
        span: Option<&Span<'_>>,
        after: &TreeHash,
    ) -> Result<Measured, DeskError> {
        let items = knowledge::read(bytes);
        let mut measured = Measured { named: named_files(&self.place_of(&task.id)?, &items), changed: None };
        let is_measured = |item: &Item| item.kind == ItemKind::File || item.kind.is_lesson();
        if let Some(span) = span.filter(|_| items.iter().any(is_measured)) {
            measured.changed = Some(changed_files(&self.snapshots()?, (&span.stage, after), &items)?);
        }
        Ok(measured)
    }

    /// Returns where the turns of a task are taken: in a workspace of its own where it has one.
    fn place_of(&self, id: &TaskId) -> Result<PathBuf, DeskError> {
        let own = self.own_workspace(id)?;
        Ok(own.as_ref().map_or_else(|| self.root(), |own| own.root()).to_owned())
    }

    /// Holds the latest handoffs before a turn against what is there now.
    pub(super) fn drift(&self, task: &Task, journal: &Journal) -> Result<Drift, DeskError> {
        let mut drift = Drift { failing: journal.failing.clone(), ..Drift::default() };
        let mut compared = BTreeSet::new();
        let tree = WorkTree::new(&self.place_of(&task.id)?);
        for source in latest(&journal.findings) {
            for (path, known) in self.files_at(source)? {
                // A later handoff knew the file better.
                if !compared.insert(path.clone()) {
                    continue;
                }
                match (known, look(&tree, &path)) {
                    (Some(_), Some(None)) => drift.gone.push(path),
                    (Some(known), Some(Some(now))) if known != now => drift.changed.push(path),
                    (None, Some(Some(_))) => drift.changed.push(path),
                    (_, _) => {}
                }
            }
        }
        drift.gone.sort();
        drift.changed.sort();
        Ok(drift)
    }

    /// Returns the files as they were when a handoff was handed over: the event that brought it names them.
    fn files_at(&self, source: &Source) -> Result<BTreeMap<String, Option<String>>, DeskError> {
        let before = source.sequence.saturating_sub(1);
        let event = self.log.read_all(before, 1)?.pop().map(|recorded| Entry::read(&recorded).event);
        let bytes = match event {
            Some(Event::HandoffReceived { submission: Submission { files: Some(files), .. }, .. }) => {
                self.document(&files.blob)?.unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let measured: Measured = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(measured.named)
    }
}

/// Returns where the latest findings come from, the newest first.
pub(super) fn latest(findings: &[Finding]) -> Vec<&Source> {
    let sources: BTreeMap<u64, &Source> =
        findings.iter().map(|finding| (finding.source.sequence, &*finding.source)).collect();
    sources.into_values().rev().take(HANDOFFS_MAX).collect()
}
