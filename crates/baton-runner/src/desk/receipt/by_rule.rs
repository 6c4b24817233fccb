//! Checkpoints that the host settles without a command: gathers what their rules read, from the log and the saved files.

use std::cell::OnceCell;

use baton_engine::state::{Attempt, Task};
use baton_engine::word::TreeHash;
use baton_engine::workflow::{Role, SettledBy};
use baton_handoff::document;

use super::Ran;
use crate::desk::{Desk, DeskError};
use crate::evaluator::{self, Facts, Files};
use crate::git::{Blob, Snapshots};
use crate::workspace::{FileChange, changes};

/// Largest file whose text a rule reads.
const TEXT_BYTES_MAX: u64 = 1024 * 1024;

impl Desk {
    /// Returns what the host sees of the checkpoints that no command settles: in the handoff, in what changed, and in the earlier
    /// documents of the task.
    pub(crate) fn by_rule(&self, task: &Task, after: &TreeHash) -> Result<Vec<Ran>, DeskError> {
        let (Some(stage), Some(submission)) = (task.stage(), &task.run.submission) else {
            return Ok(Vec::new());
        };
        let own = stage.checkpoints.iter().filter(|checkpoint| checkpoint.settled_by == SettledBy::Agent);
        let own: Vec<_> =
            own.filter(|checkpoint| evaluator::of(checkpoint.name.as_str()).is_some()).collect();
        if own.is_empty() {
            return Ok(Vec::new());
        }
        let bytes = self.document(&submission.document.blob)?.unwrap_or_default();
        let Ok(handoff) = document::decode(&bytes) else { return Ok(Vec::new()) };
        let snapshots = self.snapshots()?;
        let began = self.began_with(task)?;
        let stage_began = self.stage_began_with(task)?;
        let between = |from: Option<&TreeHash>, to: &TreeHash| match from {
            Some(from) if snapshots.has(from.as_str()) && snapshots.has(to.as_str()) => {
                if from == to {
                    Ok(Some(Vec::new()))
                } else {
                    changes(&snapshots, from, to).map(Some)
                }
            }
            _ => Ok(None),
        };
        let since = between(began.as_ref(), after)?;
        let documents = between(stage_began.as_ref(), after)?.unwrap_or_default();
        let before = match &stage_began {
            Some(stage_began) => between(began.as_ref(), stage_began)?.unwrap_or_default(),
            None => Vec::new(),
        };
        let facts = Facts {
            handoff,
            criteria: &self.criteria(task)?,
            changes: since.as_deref(),
            documents: &documents,
            earlier: &self.earlier(task, &before)?,
            files: &SavedFiles { snapshots: &snapshots, tree: after, paths: OnceCell::new() },
        };
        let found = evaluator::evaluate(own.iter().map(|checkpoint| checkpoint.name.as_str()), &facts);
        let ran = found.into_iter().filter_map(|(name, finding)| {
            let checkpoint = own.iter().find(|checkpoint| checkpoint.name.as_str() == name)?;
            Some(Ran::derived(&checkpoint.name, finding))
        });
        Ok(ran.collect())
    }

    /// Returns the files before the task, or those that its work was brought to since.
    fn began_with(&self, task: &Task) -> Result<Option<TreeHash>, DeskError> {
        let renewed = self.own_workspace(&task.id)?.and_then(|own| own.renewed().cloned());
        Ok(renewed.or_else(|| task.began_with.clone()))
    }

    /// Returns the files before the first turn of the stage at hand.
    fn stage_began_with(&self, task: &Task) -> Result<Option<TreeHash>, DeskError> {
        let Some(stage) = task.stage() else { return Ok(None) };
        let first = task.history.iter().find(|attempt| attempt.stage == stage.name && works(attempt));
        let Some(first) = first else { return Ok(None) };
        let name = format!("before-{}", first.turn);
        Ok(self.saved(&task.id)?.into_iter().find(|saved| saved.name == name).map(|saved| saved.tree))
    }

    /// Returns the last handoff of every stage before, and the documents of the project that changed in them.
    fn earlier(&self, task: &Task, before: &[FileChange]) -> Result<Vec<String>, DeskError> {
        let mut all = Vec::new();
        for stage in task.workflow.stages.iter().take(task.stage_index) {
            let last = task.history.iter().rfind(|attempt| attempt.stage == stage.name && works(attempt));
            let Some(last) = last else { continue };
            let bytes = self.artifact(task, &format!("handoff-{}", last.turn))?;
            all.extend(document::decode(&bytes).ok().map(str::to_owned));
        }
        all.extend(evaluator::documents(before));
        Ok(all)
    }
}

fn works(attempt: &Attempt) -> bool {
    attempt.role != Role::Verifier
}

/// The files of a snapshot.
struct SavedFiles<'a> {
    snapshots: &'a Snapshots,
    tree: &'a TreeHash,
    paths: OnceCell<Vec<String>>,
}

impl Files for SavedFiles<'_> {
    fn paths(&self) -> &[String] {
        self.paths.get_or_init(|| {
            let files = self.snapshots.files(self.tree.as_str()).unwrap_or_default();
            files.into_iter().filter_map(|file| String::from_utf8(file.path).ok()).collect()
        })
    }

    fn text(&self, path: &str) -> Option<String> {
        let info = self.snapshots.at(self.tree.as_str(), path).ok()??;
        match self.snapshots.objects().blob(info.id, TEXT_BYTES_MAX) {
            Ok(Blob::Bytes(bytes)) => String::from_utf8(bytes).ok(),
            Ok(Blob::TooLarge(_) | Blob::Missing | Blob::Unreadable) | Err(_) => None,
        }
    }
}
