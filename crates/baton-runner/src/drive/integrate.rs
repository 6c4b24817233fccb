//! Accepted work goes to the target branch, or back to where it was good.

use baton_engine::state::Task;
use baton_engine::word::{TaskId, TreeHash};
use serde_json::json;

use super::Drive;
use super::progress::{Progress, What};
use crate::desk::merge::NOTHING_CHANGED;
use crate::desk::{DeskError, tell};
use crate::workspace::{Integrated, TARGET_DEFAULT};

/// How often a lost race for the target branch is run again.
const RACES_MAX: usize = 16;

impl Drive<'_> {
    /// Brings accepted work to its target, and records what came of it.
    pub(super) fn merge(&mut self, task: &Task, tree: &TreeHash) -> Result<bool, DeskError> {
        match self.integrate(task, tree)? {
            Integrated::AlreadyThere { .. } if self.is_as_it_began(task, tree)? => {
                self.desk.record_merge(&task.id, tree.clone(), (true, NOTHING_CHANGED))?;
                self.say(Progress::new(&task.id, What::Unchanged, NOTHING_CHANGED));
                Ok(true)
            }
            Integrated::Merged { commit } | Integrated::AlreadyThere { commit } => {
                let details = format!("{TARGET_DEFAULT} is at {commit}");
                self.desk.record_merge(&task.id, tree.clone(), (true, &details))?;
                self.integrated(&task.id, &commit.to_string());
                Ok(true)
            }
            Integrated::Conflict { files } => {
                let details = format!("conflict with {TARGET_DEFAULT} in {}", files.join(", "));
                self.desk.record_merge(&task.id, tree.clone(), (false, &details))?;
                // Rework begins where the branch is now: with the old beginning it would conflict for ever.
                self.measured.remove(&task.id);
                self.desk.workspaces()?.renew(&task.id, tree)?;
                self.say(
                    Progress::new(&task.id, What::NotIntegrated, details).with(json!({ "files": files })),
                );
                Ok(true)
            }
            Integrated::Moved => Ok(false),
        }
    }

    fn integrate(&self, task: &Task, tree: &TreeHash) -> Result<Integrated, DeskError> {
        let workspaces = self.desk.workspaces()?;
        let handoff = task.run.submission.as_ref().map(|work| work.document.id.to_string());
        let message = format!(
            "{}: {}\n\nBaton-Task: {}\nBaton-Handoff: {}\n",
            task.id,
            task.title,
            task.id,
            handoff.unwrap_or_default()
        );
        for _ in 0..RACES_MAX {
            match workspaces.integrate(&task.id, tree, &message)? {
                Integrated::Moved => {}
                settled => return Ok(settled),
            }
        }
        Ok(Integrated::Moved)
    }

    /// Says whether the files are those that the first turn found.
    fn is_as_it_began(&self, task: &Task, tree: &TreeHash) -> Result<bool, DeskError> {
        let Some(first) = task.history.first() else { return Ok(false) };
        Ok(self.tree_before(&task.id, &first.turn)?.is_some_and(|before| before == *tree))
    }

    fn integrated(&mut self, id: &TaskId, commit: &str) {
        self.has_merged = true;
        let words = format!("is on {TARGET_DEFAULT} at {}", commit.get(..12).unwrap_or(commit));
        let data = json!({ "branch": TARGET_DEFAULT, "commit": commit });
        self.say(Progress::new(id, What::Integrated, words).with(data));
    }

    /// Tells once that a task has ended.
    pub(super) fn finish(&mut self, task: &Task) -> bool {
        if let Some(end) = task.end.filter(|_| self.ended.insert(task.id.clone())) {
            let words = format!("ended: {}", tell::status(task));
            self.say(Progress::new(&task.id, What::Ended, words).with(json!({ "end": end.name() })));
            // What cannot be removed is in nobody's way.
            let _ = self.desk.workspaces().map(|workspaces| workspaces.close_room(&task.id));
        }
        false
    }

    /// Puts the files of a task back to the last good ones. They are its own, so nobody has to be asked.
    pub(super) fn roll_back(&mut self, task: &Task) -> Result<bool, DeskError> {
        let (Some(good), Some(own)) = (&task.snapshot_good, self.desk.own_workspace(&task.id)?) else {
            return Ok(false);
        };
        self.measured.remove(&task.id);
        let rescue = own.restore(&good.tree)?;
        self.desk.record_rollback(&task.id, &rescue)?;
        let words = "rolled back to the last good files; what was there is kept".to_owned();
        self.say(Progress::new(&task.id, What::RolledBack, words));
        Ok(true)
    }
}
