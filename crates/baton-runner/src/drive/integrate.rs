//! Accepted work goes to the target branch, or back to where it was good.

use baton_engine::fact::End;
use baton_engine::state::Task;
use baton_engine::word::{TaskId, TreeHash};
use baton_engine::workflow::Integration;
use serde_json::json;

use super::Drive;
use super::progress::{Progress, What};
use crate::desk::DeskError;
use crate::workspace::{Integrated, TARGET_DEFAULT};

/// How often a lost race for the target branch is run again.
const RACES_MAX: usize = 16;

impl Drive<'_> {
    /// Brings accepted work to its target, and records what came of it.
    pub(super) fn merge(&mut self, task: &Task, tree: &TreeHash) -> Result<bool, DeskError> {
        match self.integrate(task, tree)? {
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

    fn integrated(&mut self, id: &TaskId, commit: &str) {
        let words = format!("is on {TARGET_DEFAULT} at {}", commit.get(..12).unwrap_or(commit));
        let data = json!({ "branch": TARGET_DEFAULT, "commit": commit });
        self.say(Progress::new(id, What::Integrated, words).with(data));
    }

    /// A task that is done where its workflow says nothing of merging leaves its work in its workspace: it goes to the target
    /// too, before anybody builds on it.
    pub(super) fn finish(&mut self, task: &Task) -> Result<bool, DeskError> {
        if !self.ended.insert(task.id.clone()) {
            return Ok(false);
        }
        if let Some(end) = task.end {
            let words = format!("ended: {}", end.name());
            self.say(Progress::new(&task.id, What::Ended, words).with(json!({ "end": end.name() })));
        }
        self.bring(task).map(|()| false)
    }

    /// Makes up for a run that ended between an acceptance and its integration.
    pub(super) fn catch_up(&mut self) -> Result<(), DeskError> {
        for task in self.desk.tasks()?.iter().filter(|task| task.end.is_some()) {
            self.bring(task)?;
        }
        Ok(())
    }

    fn bring(&mut self, task: &Task) -> Result<(), DeskError> {
        let is_ours = task.workflow.integration == Integration::InPlace
            && task.end.is_some_and(End::releases)
            && self.desk.own_workspace(&task.id)?.is_some();
        let Some(tree) = task.tree.as_ref().filter(|_| is_ours) else { return Ok(()) };
        match self.integrate(task, tree)? {
            Integrated::Merged { commit } => self.integrated(&task.id, &commit.to_string()),
            Integrated::AlreadyThere { .. } => {}
            Integrated::Conflict { files } => {
                let words = format!(
                    "accepted, but not on {TARGET_DEFAULT}: it conflicts in {}; the work lies on baton/{}",
                    files.join(", "),
                    task.id
                );
                self.say(Progress::new(&task.id, What::NotIntegrated, words).with(json!({ "files": files })));
            }
            Integrated::Moved => {
                let words = format!("accepted, but {TARGET_DEFAULT} moved again and again; run it again");
                self.say(Progress::new(&task.id, What::NotIntegrated, words));
            }
        }
        Ok(())
    }

    /// Puts the files of a task back to the last good ones. They are its own, so nobody has to be asked.
    pub(super) fn roll_back(&mut self, task: &Task) -> Result<bool, DeskError> {
        let (Some(good), Some(own)) = (&task.snapshot_good, self.desk.own_workspace(&task.id)?) else {
            return Ok(false);
        };
        let rescue = own.restore(&good.tree)?;
        self.desk.record_rollback(&task.id, &rescue)?;
        let words = "rolled back to the last good files; what was there is kept".to_owned();
        self.say(Progress::new(&task.id, What::RolledBack, words));
        Ok(true)
    }
}
