//! Accepted work goes to the target branch, or back to where it was good.

use baton_engine::fact::Ending;
use baton_engine::state::Task;
use baton_engine::word::{TaskId, TreeHash};
use serde_json::json;

use super::Drive;
use super::brought_together::named;
use super::progress::{Progress, What};
use crate::desk::merge::{NOTHING_CHANGED, Together};
use crate::desk::{DeskError, tell};
use crate::git::ObjectId;
use crate::workspace::{Integrated, TARGET_DEFAULT};

/// How often a lost race for the target branch is run again.
const RACES_MAX: usize = 16;

impl Drive<'_> {
    /// Brings accepted work to its target, and records what came of it. What others brought there first has to go with it.
    pub(super) fn merge(&mut self, task: &Task, tree: &TreeHash) -> Result<bool, DeskError> {
        // What would come of it is not known before the one that is being checked is there.
        if self.active.values().any(|active| active.joins) {
            self.waiting.insert(task.id.clone());
            return Ok(false);
        }
        for _ in 0..RACES_MAX {
            let prospect = self.desk.workspaces()?.prospect(&task.id, tree)?;
            if let Some(joined) = &prospect.tree
                && self.together.get(&task.id).is_none_or(|seen| seen.tree != *joined)
            {
                return self.check_together(task, joined.clone(), prospect.tip);
            }
            let message = message_of(task);
            let workspaces = self.desk.workspaces()?;
            match workspaces.integrate(&task.id, tree, (prospect.tip, &message))? {
                Integrated::Moved => {}
                settled => return self.merged(task, tree, settled).map(|()| true),
            }
        }
        Ok(false)
    }

    fn merged(&mut self, task: &Task, tree: &TreeHash, integrated: Integrated) -> Result<(), DeskError> {
        let together = self.together.remove(&task.id);
        if !matches!(integrated, Integrated::Conflict { .. }) {
            self.desk.workspaces()?.drop_renewal(&task.id)?;
        }
        match integrated {
            Integrated::AlreadyThere { .. } if self.is_as_it_began(task, tree)? => {
                self.desk.record_merge(&task.id, tree.clone(), (true, NOTHING_CHANGED), None)?;
                self.say(Progress::new(&task.id, What::Unchanged, NOTHING_CHANGED));
            }
            Integrated::Merged { commit } | Integrated::AlreadyThere { commit } => {
                let details = format!("{TARGET_DEFAULT} is at {commit}");
                self.desk.record_merge(&task.id, tree.clone(), (true, &details), together)?;
                self.integrated(&task.id, &commit.to_string());
            }
            Integrated::Conflict { files } => {
                let words = format!("conflict with {TARGET_DEFAULT} in {}", named(&files));
                let base = self.desk.workspaces()?.base_of(&task.id)?;
                let details = format!("{words}\n{}", self.told_of_renewal(&task.id, (tree, base))?);
                let renewal = (tree, base);
                if self.not_merged((&task.id, tree), renewal, (&details, None))? {
                    let told = Progress::new(&task.id, What::NotIntegrated, words);
                    self.say(told.with(json!({ "files": files })));
                }
            }
            Integrated::Moved => {}
        }
        Ok(())
    }

    /// Records that accepted work is not merged, and begins it again where the branch is now: with the old beginning it would not
    /// go together for ever. Says no where the task went another way meanwhile.
    pub(super) fn not_merged(
        &mut self,
        (id, accepted): (&TaskId, &TreeHash),
        renewal: (&TreeHash, ObjectId),
        (details, together): (&str, Option<Together>),
    ) -> Result<bool, DeskError> {
        self.desk.workspaces()?.plan_renewal(id, renewal)?;
        match self.desk.record_merge(id, accepted.clone(), (false, details), together) {
            Ok(()) => {}
            Err(DeskError::Refused(_)) => {
                self.desk.workspaces()?.drop_renewal(id)?;
                return Ok(false);
            }
            Err(error) => return Err(error),
        }
        let (tree, since) = renewal;
        self.desk.workspaces()?.renew(id, tree, since)?;
        self.forget_files(id);
        Ok(true)
    }

    /// Does it where a run was ended before it was done.
    pub(super) fn finish_renewal(&mut self, task: &Task) -> Result<(), DeskError> {
        if self.desk.finish_renewal(&task.id)? {
            self.forget_files(&task.id);
        }
        Ok(())
    }

    /// Brings what delegated work left on the branch into the workspace of the task that resumes with it.
    pub(super) fn bring_results(&mut self, task: &Task) -> Result<(), DeskError> {
        let is_back = task.history.last().is_some_and(|last| last.ending == Some(Ending::Delegated));
        if is_back && self.desk.workspaces()?.bring_up_to_date(&task.id)? {
            self.forget_files(&task.id);
        }
        Ok(())
    }

    /// What was seen of the files of a task, and of those before its work, was seen on others.
    fn forget_files(&mut self, id: &TaskId) {
        self.measured.remove(id);
        self.before.remove(id);
    }

    /// Says whether the files are those that the first turn found.
    fn is_as_it_began(&self, task: &Task, tree: &TreeHash) -> Result<bool, DeskError> {
        Ok(self.began_with(task)?.is_some_and(|before| before == *tree))
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
        // What could not be put back lies with a person from here on, with the steps.
        if self.desk.put_back_own(&task.id, &own, good)?.remediation.is_empty() {
            let words = "rolled back to the last good files; what was there is kept".to_owned();
            self.say(Progress::new(&task.id, What::RolledBack, words));
        }
        Ok(true)
    }
}

fn message_of(task: &Task) -> String {
    let handoff = task.run.submission.as_ref().map(|work| work.document.id.to_string());
    format!(
        "{}: {}\n\nBaton-Task: {}\nBaton-Handoff: {}\n",
        task.id,
        task.title,
        task.id,
        handoff.unwrap_or_default()
    )
}
