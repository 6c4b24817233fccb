//! What a run leaves to people: turns that no program takes, and work that somebody carries by hand in the checkout. A run has
//! no files of that and touches no checkout, so it leaves such a task alone until exactly these files are what a workspace would
//! begin with.

use baton_engine::pending::Effect;
use baton_engine::state::Task;
use baton_engine::word::AgentName;
use baton_engine::workflow::Role;

use super::Drive;
use crate::desk::DeskError;
use crate::desk::stuck::{self, Stuck};

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

    /// Returns why the turn of an agent is not given to a program, if it is not.
    pub(super) fn not_given(
        &mut self,
        task: &Task,
        (role, agent): (Role, &AgentName),
    ) -> Result<Option<Stuck>, DeskError> {
        let hand = self.request.crew.hand(agent);
        let stuck = match hand.map(|hand| &hand.program) {
            Some(Some(_)) if role == Role::Verifier => None,
            Some(Some(_)) => self.desk.not_named(task),
            Some(None) => {
                // A person works where programs do: what comes of it is judged and merged in the same way.
                let workspaces = self.desk.workspaces()?;
                let own = workspaces.prepare(&task.id)?;
                // Whoever looks later is told the same, though only this run knows who takes its turns.
                workspaces.leave_turn(&task.id, Some(agent))?;
                Some(self.desk.persons_turn(task, (role, agent), Some(own.root())))
            }
            None => Some(stuck::nobodys_turn(&task.id, agent)),
        };
        let table = hand.map(|hand| hand.agent.name.clone());
        Ok(stuck.or_else(|| self.refused(&task.id, &table?)))
    }
}
