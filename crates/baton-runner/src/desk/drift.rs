//! What has changed since the handoffs were written: the files they name, held against the work tree, and checks that passed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use baton_engine::context::order::Drift;
use baton_engine::event::{Entry, Event};
use baton_engine::fact::Submission;
use baton_engine::knowledge::{self, Finding, Item, Journal, Source};
use baton_engine::state::Task;
use baton_engine::word::TaskId;
use baton_store::log::Log;
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
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }
}

/// Returns where the latest findings come from, the newest first.
pub(super) fn latest(findings: &[Finding]) -> Vec<&Source> {
    let sources: BTreeMap<u64, &Source> =
        findings.iter().map(|finding| (finding.source.sequence, &*finding.source)).collect();
    sources.into_values().rev().take(HANDOFFS_MAX).collect()
}
