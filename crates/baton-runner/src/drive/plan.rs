//! The step before the work: a program is asked for its plan and may change nothing. When the plan is taken, the same turn
//! begins the work, in the same session where the agent can resume one.

use baton_engine::state::Turn;
use baton_engine::word::TaskId;
use baton_engine::workflow::Role;
use serde_json::json;

use super::Drive;
use super::lost::Lost;
use super::outcome::took;
use super::progress::{Progress, What};
use super::session::{Cost, Sessions};
use super::step::Recorded;
use super::turn::TurnDone;
use crate::desk::DeskError;
use crate::desk::handover::Brought;
use crate::desk::program::NotTaken;

impl Drive<'_> {
    /// Says whether what a program brought is to be judged as a plan: one is owed, or it brought another one in place of work.
    /// An agent that can't go on has nothing to plan.
    pub(super) fn is_plan_due(&self, id: &TaskId, turn: &Turn, brought: &Brought) -> Result<bool, DeskError> {
        let task = self.desk.task(id)?;
        let has_planned = task.run.plan.as_ref().is_some_and(|taken| taken.turn == turn.id);
        let is_other = turn.role != Role::Verifier && !has_planned && brought.is_plan();
        Ok(is_other || task.owes_plan() && !brought.has_block())
    }

    /// Takes a plan and begins the work, or ends the turn with what is wrong with the plan.
    pub(super) fn planned(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        done: &TurnDone,
        (brought, early, cost): (&Brought, &[String], Cost),
    ) -> Result<(), DeskError> {
        let judged = self.desk.plan_for(id, turn, brought.bytes(), (&self.request.project, early));
        let taken = match judged {
            Ok(taken) => taken,
            Err(NotTaken::Failed(error)) => return Err(error),
            Err(NotTaken::Refused(why)) => {
                return self.without_handoff(id, turn, done, (Lost::plan_refused(why), cost));
            }
        };
        Sessions::open(self.desk.folder(), id).begin_work(&turn.id);
        let targets = match taken.targets.as_slice() {
            [] => "no file".to_owned(),
            targets => targets.join(", "),
        };
        let words = format!("@{} plans to change {targets} ({})", turn.agent, took(done, cost));
        let data = json!({
            "turn": turn.id.as_str(),
            "file_targets": taken.targets,
            "spent_tokens": cost.tokens,
        });
        self.say(Progress::new(id, What::Planned, words).with(data));
        match self.request.crew.hand(&turn.agent).cloned() {
            Some(hand) => self.start(id, turn, (&hand, Recorded::Planned)),
            None => Ok(()),
        }
    }

    /// Puts the files back that a program changed while its plan was owed, however it ended, and returns them. They are saved
    /// first.
    pub(super) fn put_back(&self, id: &TaskId, turn: &Turn) -> Result<Vec<String>, DeskError> {
        let is_owed = turn.role != Role::Verifier && self.desk.task(id)?.owes_plan();
        let (true, Some(own), Some(before)) = (is_owed, self.desk.own_workspace(id)?, &turn.snapshot) else {
            return Ok(Vec::new());
        };
        if own.measure().is_ok_and(|now| now == before.tree) {
            return Ok(Vec::new());
        }
        let after = match own.keep() {
            Ok(after) => after,
            Err(_) => {
                self.put_aside(id, turn);
                own.keep()?
            }
        };
        let changed = own.changes(&before.tree, &after)?;
        own.restore(&before.tree)?;
        Ok(changed.into_iter().map(|change| change.path).collect())
    }
}
