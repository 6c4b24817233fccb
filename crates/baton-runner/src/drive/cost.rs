//! What a turn has cost: as its agent counts, or as holds for one of which nobody knows.

use baton_engine::fact::Ending;
use baton_engine::state::Turn;
use baton_engine::word::TaskId;
use serde_json::{Value, json};

use super::Drive;
use super::over::OverLimit;
use super::session::{Cost, Sessions, Went};
use super::turn::TurnDone;
use crate::agent::Usage;
use crate::desk::DeskError;

impl Drive<'_> {
    /// Remembers the session and what it has counted; returns what the turn cost, if the agent said.
    pub(super) fn note(&self, id: &TaskId, turn: &Turn, done: &TurnDone, ending: Option<&Ending>) -> Cost {
        let Some(hand) = self.request.crew.hand(&turn.agent) else { return Cost::default() };
        let driver = hand.agent.driver;
        // A session that crashed may not be fit to be resumed, and one that says nothing is not asked again.
        let is_fit = ending != Some(&Ending::Crash) && !done.is_silent();
        let id_known = done.close.session.as_deref().filter(|_| is_fit);
        let went = Went {
            session: &turn.session,
            driver: driver.name,
            id: id_known,
            usage: done.close.usage,
            session_usage: done.close.session_usage,
            session_microdollars: done.close.session_microdollars,
        };
        let cost = Sessions::open(self.desk.folder(), id).note(&turn.id, &went);
        // The last word on its cost is the agent's; whoever was stopped before it has told enough to be charged.
        Cost { tokens: cost.tokens.max(done.over.and_then(OverLimit::spent_tokens)), ..cost }
    }

    /// Returns what counts for a turn: what it cost, or what holds for one of which nobody knows.
    pub(super) fn charged(&self, id: &TaskId, turn: &Turn, spent: Option<u64>) -> Result<u64, DeskError> {
        match spent {
            Some(spent) => Ok(spent),
            None => Ok(self.desk.task(id)?.unknown_cost(&turn.id)),
        }
    }
}

/// Returns what the agent counted in a turn.
pub(super) fn shown(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "cached_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
    })
}
