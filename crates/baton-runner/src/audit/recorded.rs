//! Finds the handoffs of Baton's own log among the documents of an audit: they are judged by the files and receipts of
//! their turn, not by the files as they are today.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use baton_engine::word::{TaskId, TurnId};
use baton_evidence::claims::Claims;
use baton_evidence::facts::Facts;
use baton_store::BlobId;

use crate::desk::claims::turn_of;
use crate::desk::{Desk, DeskError};

/// The turn in which a handoff was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub task: TaskId,
    pub turn: TurnId,
}

/// The handoffs in the log of the project.
#[derive(Debug)]
pub struct Recorded {
    desk: Desk,
    by_content: BTreeMap<String, Origin>,
    /// Where each handoff is in the archive, from the root of the project.
    by_path: BTreeMap<PathBuf, Origin>,
}

impl Recorded {
    /// Reads which handoffs the log has.
    pub(crate) fn read(desk: Desk) -> Result<Self, DeskError> {
        let archive = desk.files().archive.clone();
        let (mut by_content, mut by_path) = (BTreeMap::new(), BTreeMap::new());
        for handed in desk.handed_over()? {
            let (Ok(task), Some(turn)) = (TaskId::new(handed.task.as_str()), turn_of(&handed.id)) else {
                continue;
            };
            let origin = Origin { task, turn };
            if let Some(archive) = &archive {
                by_path.insert(archive.join(&handed.task).join(&handed.id), origin.clone());
            }
            by_content.insert(handed.blob, origin);
        }
        Ok(Self { desk, by_content, by_path })
    }

    /// Returns the turn of a document: by its place in the archive, or else by its exact bytes.
    pub(super) fn origin(&self, path: Option<&str>, bytes: &[u8]) -> Option<Origin> {
        let by_path = path.and_then(|path| self.by_path.get(Path::new(path)));
        by_path.or_else(|| self.by_content.get(&BlobId::of(bytes).to_string())).cloned()
    }

    /// Yields the files of the archive, from the root of the project.
    pub(super) fn archived(&self) -> impl Iterator<Item = PathBuf> {
        self.by_path.keys().map(|path| self.desk.root().join(path))
    }

    pub(super) fn facts(&self, origin: &Origin, claims: &Claims) -> Result<Facts, DeskError> {
        self.desk.facts_of_recorded((&origin.task, &origin.turn), claims)
    }
}
