//! Work that somebody carries by hand in the checkout. A run has no files of it and touches no checkout, so it leaves such a
//! task alone until exactly these files are what a workspace would begin with.

use baton_engine::pending::Effect;
use baton_engine::state::Task;

use super::Drive;
use crate::desk::DeskError;
use crate::desk::stuck::Stuck;

impl Drive<'_> {
    /// Says whether what is owed for a task is for whoever carries it by hand, and tells them once.
    pub(super) fn is_left_to_hand(&mut self, task: &Task, effect: &Effect) -> Result<bool, DeskError> {
        let id = &task.id;
        let Some(tree) = task.tree.as_ref().filter(|_| !self.desk.is_for_programs(id)) else {
            return Ok(false);
        };
        let next = match effect {
            Effect::RunChecks { .. } => format!("`baton task check {id}`"),
            Effect::Merge { .. } => format!("commit the accepted files, then `baton merge {id}`"),
            Effect::GiveTurn { .. } if self.desk.begins_with(tree)? => return Ok(false),
            Effect::GiveTurn { .. } => format!(
                "`baton receive {id}` to go on yourself; or commit these files on top of all accepted work, then `baton run`"
            ),
            Effect::TakeSnapshot { .. }
            | Effect::StartAgent { .. }
            | Effect::StopAgent { .. }
            | Effect::SettleCost { .. }
            | Effect::Expire { .. }
            | Effect::Decide(_)
            | Effect::AskGate { .. }
            | Effect::AskPerson { .. }
            | Effect::RollBack
            | Effect::AddChild { .. }
            | Effect::ReturnChild { .. }
            | Effect::Release { .. }
            | Effect::Notify { .. }
            | Effect::RecordDependency { .. } => return Ok(false),
        };
        let stuck = Stuck::new("its work lies in the checkout, where no agent works", next);
        self.ask(id, &stuck.what, None);
        self.stuck.insert(id.clone(), stuck);
        Ok(true)
    }
}
