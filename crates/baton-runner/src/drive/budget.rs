//! What holds for a run as a whole: what it may spend, and that its programs are confined.
//!
//! What a task may spend is the engine's to decide. A run sets aside what a turn may cost before it begins, and counts what
//! it did cost when that is settled, both read off the log.

use std::collections::BTreeMap;
use std::time::Duration;

use baton_engine::fact::Performer;
use baton_engine::state::{Task, Turn, is_worth_beginning};
use baton_engine::word::TaskId;
use baton_engine::workflow::{Limits, Role};
use serde_json::{Value, json};

use super::Drive;
use super::over::OverLimit;
use super::progress::{Progress, What};
use super::summary::{RunLimit, Spending};
use crate::desk::DeskError;
use crate::desk::tell::dollars;
use crate::sandbox::Demand;
use crate::supervise::Supervisor;

/// What a run has spent.
#[derive(Clone, Debug, Default)]
pub(super) struct RunBudget {
    /// What the tasks had spent and set aside when the run began.
    before: Used,
    /// What each of them had spent.
    pub(super) spent_before: BTreeMap<TaskId, Spending>,
    /// What was the first to be used up.
    pub(super) exhausted: Option<RunLimit>,
}

/// What tasks have spent, and what is set aside for turns that are being taken.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    tokens: u64,
    microdollars: u64,
    /// Turns of which nobody knows the dollars.
    unpriced_turns: u64,
}

impl Used {
    fn of(task: &Task) -> Self {
        let live = task.turn.as_ref().filter(|turn| turn.performer == Performer::Program);
        let limits = live.and_then(|turn| task.limits_for(turn.role));
        let aside = limits.and_then(|limits| limits.turn_microdollars).unwrap_or(0);
        Self {
            tokens: task.budget.committed_tokens(),
            microdollars: task.budget.used_microdollars().saturating_add(aside),
            unpriced_turns: task.budget.unpriced_turns,
        }
    }

    fn and(self, more: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(more.tokens),
            microdollars: self.microdollars.saturating_add(more.microdollars),
            unpriced_turns: self.unpriced_turns.saturating_add(more.unpriced_turns),
        }
    }

    fn since(self, before: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(before.tokens),
            microdollars: self.microdollars.saturating_sub(before.microdollars),
            unpriced_turns: self.unpriced_turns.saturating_sub(before.unpriced_turns),
        }
    }
}

/// Why the run begins no turn.
struct Lack {
    limit: RunLimit,
    words: String,
    data: Value,
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
        self.budget.before = self.used()?;
        for id in &self.tasks {
            self.budget.spent_before.insert(id.clone(), Spending::of(&self.desk.task(id)?));
        }
        Ok(())
    }

    /// Says whether the run may begin a turn of a task: the turn may take all that its stage allows.
    pub(super) fn affords_turn(&mut self, task: &Task, role: Role) -> Result<bool, DeskError> {
        let limits = task.limits_for(role).unwrap_or_default();
        let used = self.used()?.since(self.budget.before);
        let lack = self.lacks_time(&limits);
        let lack =
            lack.or_else(|| self.lacks_tokens(&limits, used)).or_else(|| self.lacks_dollars(&limits, used));
        let Some(Lack { limit, words, data }) = lack else { return Ok(true) };
        // What others have set aside may come back when they end; time does not.
        if self.active.is_empty() || limit == RunLimit::Time {
            self.budget.exhausted.get_or_insert(limit);
            self.set_aside.insert(task.id.clone());
            let words = format!("{}: {words}", limit.name());
            self.say(Progress::new(&task.id, What::OverBudget, words).with(data));
        }
        Ok(false)
    }

    /// Returns how much time is left to the turns of this run; nothing where there is no bound.
    pub(super) fn left_of_run(&self) -> Option<Duration> {
        self.desk.run_rules().budget_time.map(|cap| cap.saturating_sub(self.begun_at.elapsed()))
    }

    fn lacks_time(&self, limits: &Limits) -> Option<Lack> {
        let (cap, left) = self.desk.run_rules().budget_time.zip(self.left_of_run())?;
        let ms = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        (!is_worth_beginning(limits, ms(left), ms(cap))).then(|| Lack {
            limit: RunLimit::Time,
            words: format!("{} s are left of {} s", left.as_secs(), cap.as_secs()),
            data: json!({ "budget_ms": ms(cap), "left_ms": ms(left) }),
        })
    }

    fn lacks_tokens(&self, limits: &Limits, used: Used) -> Option<Lack> {
        let (cap_tokens, turn_tokens) = (self.desk.run_rules().budget_tokens?, limits.turn_tokens);
        let used_tokens = used.tokens;
        (used_tokens.saturating_add(turn_tokens) > cap_tokens).then(|| Lack {
            limit: RunLimit::Tokens,
            words: format!(
                "a turn may cost {turn_tokens} tokens, and of {cap_tokens} the run has used {used_tokens}"
            ),
            data: json!({ "budget_tokens": cap_tokens, "used_tokens": used_tokens, "turn_tokens": turn_tokens }),
        })
    }

    fn lacks_dollars(&self, limits: &Limits, used: Used) -> Option<Lack> {
        let cap = self.desk.run_rules().budget_microdollars?;
        let (turn, used, unpriced) =
            (limits.turn_microdollars.unwrap_or(0), used.microdollars, used.unpriced_turns);
        let words = match unpriced {
            0 if used < cap && used.saturating_add(turn) <= cap => return None,
            0 => format!(
                "of {} the run has used {}, and a turn may cost {}",
                dollars(cap),
                dollars(used),
                dollars(turn)
            ),
            _ => format!(
                "nobody knows what is left of {}: a turn told no dollars, and its stage has no `turn_dollars`",
                dollars(cap)
            ),
        };
        let data = json!({
            "budget_microdollars": cap,
            "used_microdollars": used,
            "turn_microdollars": turn,
            "unpriced_turns": unpriced,
        });
        Some(Lack { limit: RunLimit::Dollars, words, data })
    }

    /// Says when a turn has taken more than it may. All that it cost counts against the budgets of task and run.
    pub(super) fn tell_of_cost(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        (spent, over): (Option<u64>, Option<OverLimit>),
    ) -> Result<(), DeskError> {
        let turn_tokens = self.desk.task(id)?.budget.reserved_for(turn.id.as_str());
        let whose = format!("turn_budget_exceeded: {} of @{}", turn.id, turn.agent);
        let (words, data) = match (spent.filter(|spent| *spent > turn_tokens), over) {
            (Some(spent_tokens), _) => (
                format!("{whose} cost {spent_tokens} tokens, and {turn_tokens} were set aside"),
                json!({ "turn": turn.id.as_str(), "limit": "turn_tokens", "spent_tokens": spent_tokens, "turn_tokens": turn_tokens }),
            ),
            (None, Some(over)) => (
                format!("{whose} {}", over.told()),
                json!({ "turn": turn.id.as_str(), "limit": over.name() }),
            ),
            (None, None) => return Ok(()),
        };
        self.say(Progress::new(id, What::OverBudget, words).with(data));
        Ok(())
    }

    fn used(&self) -> Result<Used, DeskError> {
        self.tasks.iter().try_fold(Used::default(), |sum, id| Ok(sum.and(Used::of(&self.desk.task(id)?))))
    }
}
