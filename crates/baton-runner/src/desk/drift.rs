//! What has changed since the handoffs were written: the files they name, held against the work tree, and checks that passed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use baton_engine::context::order::Drift;
use baton_engine::envelope::Recorded;
use baton_engine::event::{Entry, Event};
use baton_engine::fold;
use baton_engine::knowledge::{self, Item, Journal, Source};
use baton_engine::state::{State, Task};
use baton_engine::verdict::Verdict;
use baton_engine::word::{CheckpointName, TaskId};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::paper::Paper;
use super::{Desk, DeskError};
use crate::git::{Contents, WorkTree};

/// Most files of one handoff that are looked at.
const FILES_MAX: usize = 256;
/// Larger files are not compared.
const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// How many handoffs are held against the work tree: the latest.
const HANDOFFS_MAX: usize = 16;

/// Notes what the files that a handoff names look like: their hashes, or nothing where there is no file. It goes into the
/// log with the handoff, so that the comparison at the next turn rests on nothing else.
fn named_files(root: &Path, items: &[Item], turn: &str) -> Result<Paper, DeskError> {
    let named: BTreeSet<&str> = items.iter().filter_map(|item| item.path.as_deref()).collect();
    let tree = WorkTree::new(root);
    let files: serde_json::Map<String, Value> = named
        .into_iter()
        .filter_map(|path| Some((path.to_owned(), look(&tree, path)?)))
        .take(FILES_MAX)
        .map(|(path, hash)| (path, json!(hash)))
        .collect();
    Paper::of(&format!("files-{turn}"), format!("{}\n", Value::Object(files)).into_bytes())
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
    /// Keeps what the files look like that a handoff names, in the workspace where its turn was taken.
    pub(super) fn named_files(&self, id: &TaskId, bytes: &[u8], turn: &str) -> Result<Paper, DeskError> {
        named_files(&self.place_of(id)?, &knowledge::read(bytes), turn)
    }

    /// Returns where the turns of a task are taken: in a workspace of its own where it has one.
    fn place_of(&self, id: &TaskId) -> Result<PathBuf, DeskError> {
        let own = self.own_workspace(id)?;
        Ok(own.as_ref().map_or_else(|| self.root(), |own| own.root()).to_owned())
    }

    /// Holds the latest handoffs before a turn against what is there now.
    pub(super) fn drift(&self, task: &Task, journal: &Journal) -> Result<Drift, DeskError> {
        let sources: BTreeMap<u64, &Source> =
            journal.findings.iter().map(|finding| (finding.source.sequence, &*finding.source)).collect();
        let latest: Vec<&Source> = sources.into_values().rev().take(HANDOFFS_MAX).collect();
        let mut streams = BTreeMap::new();
        for id in latest.iter().map(|source| &source.task).chain([&task.id]) {
            if !streams.contains_key(id) {
                streams.insert(id, self.entries(Some(id))?);
            }
        }
        let mut drift = Drift { failing: failing(&streams), ..Drift::default() };
        let states: BTreeMap<&TaskId, State> =
            streams.into_iter().map(|(id, entries)| (id, folded(entries))).collect();
        let mut compared = BTreeSet::new();
        let tree = WorkTree::new(&self.place_of(&task.id)?);
        for source in &latest {
            let task = states.get(&source.task).and_then(|state| state.task.as_ref());
            for (path, known) in self.files_at(task, source)? {
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

    /// Returns the files as they were when a handoff was handed over.
    fn files_at(
        &self,
        task: Option<&Task>,
        source: &Source,
    ) -> Result<BTreeMap<String, Option<String>>, DeskError> {
        let name = format!("files-{}", source.turn);
        let kept = task.and_then(|task| task.artifacts.iter().find(|(id, _)| id.as_str() == name));
        let bytes = match kept {
            Some((_, artifact)) => self.document(&artifact.blob)?.unwrap_or_default(),
            None => Vec::new(),
        };
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }
}

/// Everything that one task has in the log.
type Stream = Vec<(Recorded, Entry)>;

fn folded(entries: Stream) -> State {
    let entries: Vec<Entry> = entries.into_iter().map(|(_, entry)| entry).collect();
    fold(State::default(), &entries)
}

/// Returns the checkpoints that passed once and do not pass in the newest receipt that speaks of them.
fn failing(streams: &BTreeMap<&TaskId, Stream>) -> Vec<CheckpointName> {
    let mut receipts = BTreeMap::new();
    for (recorded, entry) in streams.values().flatten() {
        if let Event::ReceiptRecorded { receipt } = &entry.event {
            receipts.insert(recorded.sequence, receipt);
        }
    }
    let mut passed: BTreeSet<&CheckpointName> = BTreeSet::new();
    let mut last: BTreeMap<&CheckpointName, Verdict> = BTreeMap::new();
    for receipt in receipts.values() {
        for check in &receipt.checks {
            let verdict = receipt.verdict(&check.checkpoint);
            if verdict == Verdict::Pass {
                passed.insert(&check.checkpoint);
            }
            last.insert(&check.checkpoint, verdict);
        }
    }
    let fails = |(name, verdict): (&CheckpointName, Verdict)| {
        (verdict != Verdict::Pass && passed.contains(name)).then(|| name.clone())
    };
    last.into_iter().filter_map(fails).collect()
}
