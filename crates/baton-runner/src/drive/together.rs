//! Work that was accepted for itself is checked together with what others have brought to the target branch since it began, before
//! the branch gets it. One at a time, for whoever comes next would be checked with less than will be there.

use baton_engine::fact::Waivable;
use baton_engine::state::Task;
use baton_engine::verdict::Verdict;
use baton_engine::word::{CheckpointName, TaskId, TreeHash};
use serde_json::json;

use super::progress::{Progress, What};
use super::{Drive, Letter, outcome};
use crate::desk::DeskError;
use crate::desk::merge::Together;
use crate::desk::receipt::{Ran, run_check, were_seen};
use crate::git::ObjectId;
use crate::workspace::TARGET_DEFAULT;

/// What came of the checks.
#[derive(Debug)]
pub(super) struct Joint {
    together: Together,
    /// What was accepted for itself.
    accepted: TreeHash,
    /// The commit of the target that it was joined with.
    tip: ObjectId,
}

impl Drive<'_> {
    /// Starts the checks on what the target would become.
    pub(super) fn check_together(
        &mut self,
        task: &Task,
        tree: TreeHash,
        tip: ObjectId,
    ) -> Result<bool, DeskError> {
        let names = self.names(task);
        let Some(accepted) = task.tree.clone() else { return Ok(false) };
        if names.is_empty() {
            self.together.insert(task.id.clone(), Together { tree, ran: Vec::new() });
            return Ok(true);
        }
        if !self.has_room(&task.id) {
            return Ok(false);
        }
        let own = self.desk.workspaces()?.prepare(&task.id)?;
        let (room, checks) = (self.desk.room(&own, &tree)?, self.desk.checks().to_vec());
        let listed: Vec<&str> = names.iter().map(CheckpointName::as_str).collect();
        let words = format!("together with {TARGET_DEFAULT}: {}", listed.join(", "));
        let data = json!({ "checkpoints": listed, "together": true });
        self.say(Progress::new(&task.id, What::Checking, words).with(data));
        self.begin(&task.id, (None, None), move |id, post| {
            let started = |stopper| {
                let _ = post.send(Letter::Started(id.clone(), stopper));
            };
            let mut ran: Vec<Ran> = Vec::new();
            for name in &names {
                if ran.last().is_none_or(|last| !last.was_stopped) {
                    ran.push(run_check((&checks, name), &room, &started));
                }
            }
            Letter::Joined(id.clone(), Box::new(Joint { together: Together { tree, ran }, accepted, tip }))
        });
        if let Some(active) = self.active.get_mut(&task.id) {
            active.joins = true;
        }
        Ok(true)
    }

    /// Returns what the host settles in the last stage in which it settles anything. What a person waived is not asked for again.
    fn names(&self, task: &Task) -> Vec<CheckpointName> {
        let is_asked = |name: &&CheckpointName| {
            !task.is_waived(&Waivable::Checkpoint((*name).clone()), (self.request.clock)())
        };
        let stages = task.workflow.stages.iter().take(task.stage_index + 1).rev();
        let mut settled = stages.map(|stage| stage.host_checkpoints().cloned().collect::<Vec<_>>());
        let last = settled.find(|names| !names.is_empty()).unwrap_or_default();
        last.iter().filter(is_asked).cloned().collect()
    }

    pub(super) fn joined(&mut self, id: &TaskId, joint: Joint) -> Result<(), DeskError> {
        let Joint { together, accepted, tip } = joint;
        if self.were_ended(id, &together.ran) {
            return Ok(());
        }
        were_seen(id, &together.ran)?;
        let (words, data) = outcome::shown(&together.ran);
        let words = format!("together with {TARGET_DEFAULT}: {}", words.join(", "));
        self.say(
            Progress::new(id, What::Checked, words.clone()).with(json!({ "checks": data, "together": true })),
        );
        let has = |verdict| together.ran.iter().any(|ran| ran.result.verdict == verdict);
        if has(Verdict::Fail) {
            return self.does_not_go_together(id, (together, accepted), (tip, &words));
        }
        if has(Verdict::Inconclusive) {
            return Err(DeskError::Document {
                what: format!("it is accepted and not merged, for its checks settle nothing {words}"),
                next: format!(
                    "mend the check, then `baton run`; or `baton merge {id} --failed WORDS` sends the work back"
                ),
            });
        }
        self.together.insert(id.clone(), together);
        Ok(())
    }

    /// What passes for itself and fails with others is worked on again, with the work of the others.
    fn does_not_go_together(
        &mut self,
        id: &TaskId,
        (together, accepted): (Together, TreeHash),
        (tip, words): (ObjectId, &str),
    ) -> Result<(), DeskError> {
        let joined = together.tree.clone();
        let failed = together.ran.iter().filter(|ran| ran.result.verdict == Verdict::Fail);
        let told: Vec<String> =
            failed.map(|ran| format!("{} fails: {}", ran.result.checkpoint, ran.result.detail)).collect();
        // What fails comes first: of very much, only the beginning is kept.
        let details = format!(
            "it passes by itself, and not {words}\n{}\n{}",
            told.join("\n"),
            self.told_of_renewal(id, (&joined, tip))?
        );
        if !self.not_merged((id, &accepted), (&joined, tip), (&details, Some(together)))? {
            return Ok(());
        }
        let words = format!("is not merged: it does not go together with {TARGET_DEFAULT}");
        self.say(Progress::new(id, What::NotIntegrated, words));
        Ok(())
    }
}
