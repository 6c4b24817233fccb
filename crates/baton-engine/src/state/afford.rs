//! What is left to a task of what it may spend: tokens, dollars and time.

use super::Task;
use crate::fact::Performer;
use crate::workflow::{Limits, Role};

/// A turn with less time than this is not begun, unless there never was much more.
const TURN_MS_LEAST: i64 = 60_000;

/// Says whether a turn is begun with so much time left of `cap_ms`.
pub fn is_worth_beginning(limits: &Limits, left_ms: i64, cap_ms: i64) -> bool {
    left_ms > 0 && left_ms >= TURN_MS_LEAST.min(limits.turn_ms).min(cap_ms / 2)
}

impl Task {
    /// Returns what a turn of this role may take in the stage at hand.
    pub fn limits_for(&self, role: Role) -> Option<Limits> {
        self.stage().map(|stage| stage.limits_for(role))
    }

    /// Says whether what is left covers a turn of a program in this role.
    pub fn affords_turn(&self, role: Role, now: i64) -> bool {
        self.limits_for(role).is_none_or(|limits| {
            self.budget.can_afford(limits.turn_tokens)
                && self.affords_dollars(&limits)
                && self.affords_time(&limits, now)
        })
    }

    /// Returns how much time the programs' turns may still take together; nothing where there is no bound.
    pub fn left_ms(&self, now: i64) -> Option<i64> {
        self.workflow.budget_ms.map(|cap| cap.saturating_sub(self.spent_ms(now)).max(0))
    }

    /// Returns how long programs have worked on it, the turn that is being taken included.
    pub fn spent_ms(&self, now: i64) -> i64 {
        let turns = self.history.iter().filter(|attempt| attempt.performer == Performer::Program);
        turns.fold(0, |sum: i64, turn| {
            let lasted = turn.ended_at.unwrap_or(now).saturating_sub(turn.started_at);
            sum.saturating_add(lasted.max(0))
        })
    }

    fn affords_dollars(&self, limits: &Limits) -> bool {
        self.workflow.budget_microdollars.is_none_or(|cap| {
            let used = self.budget.used_microdollars();
            let with_turn = used.saturating_add(limits.turn_microdollars.unwrap_or(0));
            self.budget.unpriced_turns == 0 && used < cap && with_turn <= cap
        })
    }

    fn affords_time(&self, limits: &Limits, now: i64) -> bool {
        let bound = self.left_ms(now).zip(self.workflow.budget_ms);
        bound.is_none_or(|(left, cap)| is_worth_beginning(limits, left, cap))
    }
}
