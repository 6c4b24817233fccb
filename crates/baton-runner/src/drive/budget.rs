//! What holds for a run as a whole: what it may spend, and that its programs are confined.
//!
//! What a task may spend is the engine's to decide. A run sets aside what a turn may cost before it begins, and counts what
//! it did cost when that is settled, both read off the log.

use baton_engine::state::{Task, Turn};
use baton_engine::word::TaskId;
use serde_json::json;

use super::Drive;
use super::progress::{Progress, What};
use crate::desk::DeskError;
use crate::sandbox::Demand;
use crate::supervise::Supervisor;

/// What a run has spent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunBudget {
    /// What the tasks had spent and set aside when the run began.
    before_tokens: u64,
    pub(super) is_over: bool,
}

/// Refuses a run that demands confinement where nothing can enforce it.
pub(super) fn can_enforce(demand: Demand) -> Result<(), DeskError> {
    let best = || Supervisor::of_this_program().ok().and_then(|supervisor| supervisor.ladder().best());
    match demand {
        Demand::Enforced if best().is_none() => Err(DeskError::Document {
            what: "`baton.toml` demands confinement, and nothing on this machine can enforce it".to_owned(),
            next: "install bubblewrap, or use Linux from 6.2 with Landlock; nothing was started".to_owned(),
        }),
        Demand::Enforced | Demand::WhereAvailable => Ok(()),
    }
}

impl Drive<'_> {
    /// Notes what was spent before.
    pub(super) fn open_budget(&mut self) -> Result<(), DeskError> {
        self.budget.before_tokens = self.committed_tokens()?;
        Ok(())
    }

    /// Says whether the run may begin a turn of a task: the turn may cost all that its stage allows.
    pub(super) fn affords_turn(&mut self, task: &Task) -> Result<bool, DeskError> {
        let Some(cap_tokens) = self.desk.run_rules().budget_tokens else { return Ok(true) };
        let turn_tokens = task.stage().map_or(0, |stage| stage.limits.turn_tokens);
        let used_tokens = self.committed_tokens()?.saturating_sub(self.budget.before_tokens);
        if used_tokens.saturating_add(turn_tokens) <= cap_tokens {
            return Ok(true);
        }
        // What others have set aside may come back when they end.
        if self.active.is_empty() {
            self.budget.is_over = true;
            self.set_aside.insert(task.id.clone());
            let words = format!(
                "run_budget_exhausted: a turn may cost {turn_tokens} tokens, and of {cap_tokens} the run has used \
                 {used_tokens}"
            );
            let data = json!({ "budget_tokens": cap_tokens, "used_tokens": used_tokens, "turn_tokens": turn_tokens });
            self.say(Progress::new(&task.id, What::OverBudget, words).with(data));
        }
        Ok(false)
    }

    /// Says when a turn has cost more than was set aside for it. All of it counts against the budgets of task and run.
    pub(super) fn tell_of_cost(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        spent: Option<u64>,
    ) -> Result<(), DeskError> {
        let turn_tokens = self.desk.task(id)?.budget.reserved_for(turn.id.as_str());
        let Some(spent_tokens) = spent.filter(|spent| *spent > turn_tokens) else { return Ok(()) };
        let words = format!(
            "turn_budget_exceeded: {} of @{} cost {spent_tokens} tokens, and {turn_tokens} were set aside",
            turn.id, turn.agent
        );
        let data =
            json!({ "turn": turn.id.as_str(), "spent_tokens": spent_tokens, "turn_tokens": turn_tokens });
        self.say(Progress::new(id, What::OverBudget, words).with(data));
        Ok(())
    }

    fn committed_tokens(&self) -> Result<u64, DeskError> {
        self.tasks
            .iter()
            .try_fold(0_u64, |sum, id| Ok(sum.saturating_add(self.desk.task(id)?.budget.committed_tokens())))
    }
}
