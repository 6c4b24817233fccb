//! `metrics`: how long turns took, how often work passed at once, what it cost; by agent, by stage and by task.
//!
//! An event that counts nothing is not even parsed, and one that does changes a handful of small rows.

use baton_engine::envelope::Recorded;
use baton_engine::event::Event;
use baton_engine::fact::{Account, Disposition, Finding, is_uncounted};
use baton_engine::workflow::Role;
use serde::{Deserialize, Serialize};

use super::{Rows, View, decode, put_row, row};
use crate::error::StoreError;
use crate::log::Log;

pub const NAME: &str = "metrics";
const ROWS_AT_ONCE: usize = 1000;

#[derive(Debug)]
pub struct Metrics;

/// What is counted for one agent, stage or task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Turns that ended.
    pub turns: u64,
    /// How long they took together, in milliseconds.
    pub turns_ms: u64,
    /// Turns that ended without a handoff or a report.
    pub lost: u64,
    /// Stages that were accepted.
    pub accepted: u64,
    /// Of these, those that were accepted at the first attempt, with no claim contradicted.
    pub first_pass: u64,
    /// Claims of handoffs that the evidence contradicted.
    pub contradicted_claims: u64,
    /// Handoffs that were not accepted and had such a claim.
    pub contradicted_turns: u64,
    /// Attempts that were sent back.
    pub reworks: u64,
    pub rollbacks: u64,
    pub escalations: u64,
    pub tokens: u64,
    /// Of these, what was set aside for turns of which nobody knows what they used.
    #[serde(default)]
    pub uncounted_tokens: u64,
    /// What agents counted, with what came from a cache.
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub cached_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
    /// In millionths of a dollar, of the turns whose agents say what they cost.
    #[serde(default)]
    pub cost_microdollars: u64,
}

impl Count {
    fn spend(&mut self, (tokens, reserved_tokens): (u64, u64), account: Option<&Account>) {
        let cost = account.and_then(|account| account.cost_microdollars).unwrap_or(0);
        let usage = account.and_then(|account| account.usage).unwrap_or_default();
        let uncounted = if is_uncounted(tokens, reserved_tokens, account) { tokens } else { 0 };
        for (sum, more) in [
            (&mut self.tokens, tokens),
            (&mut self.uncounted_tokens, uncounted),
            (&mut self.input_tokens, usage.input_tokens),
            (&mut self.cached_tokens, usage.cached_tokens),
            (&mut self.output_tokens, usage.output_tokens),
            (&mut self.cost_microdollars, cost),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

/// By what is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    Agent,
    Stage,
    Task,
}

impl By {
    pub const ALL: &[Self] = &[Self::Agent, Self::Stage, Self::Task];

    pub fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Stage => "stage",
            Self::Task => "task",
        }
    }
}

/// A turn, until its cost is known.
#[derive(Debug, Serialize, Deserialize)]
struct Turn {
    agent: String,
    stage: String,
    started_at: i64,
    is_open: bool,
    #[serde(default)]
    reserved_tokens: u64,
}

/// The attempts at the stage that a task is in.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Run {
    turn: Option<String>,
    /// Who worked last, not counting verifiers.
    agent: Option<String>,
    stage: String,
    /// Decisions on earlier work of the stage.
    returned: u64,
    /// Contradicted claims of the work at hand.
    contradicted: u64,
}

impl View for Metrics {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> u32 {
        4
    }

    fn apply(&self, event: &Recorded, rows: &mut dyn Rows) -> Result<(), StoreError> {
        if !KINDS.contains(&event.kind.as_str()) {
            return Ok(());
        }
        let mut counts = Counts { rows, task: &event.stream, at: event.at };
        match Event::read(&event.kind, event.schema, &event.body) {
            Event::TurnStarted { turn, stage, role, agent, reserved_tokens, .. } => {
                let mut run = counts.run()?;
                if role != Role::Verifier {
                    run.agent = Some(agent.to_string());
                }
                run.turn = Some(turn.to_string());
                run.stage = stage.to_string();
                counts.put_run(&run)?;
                let (agent, stage) = (agent.to_string(), stage.to_string());
                let begun = Turn { agent, stage, started_at: event.at, is_open: true, reserved_tokens };
                let key = counts.turn_key(turn.as_str());
                put_row(counts.rows, &key, &begun)
            }
            Event::HandoffReceived { turn, submission, .. } => {
                counts.contradicted(&submission.findings)?;
                counts.ended(turn.as_str(), |_, _| {})
            }
            Event::ReceiptRecorded { receipt } => counts.contradicted(&receipt.findings),
            Event::VerdictReported { turn, .. } | Event::VerdictVoided { turn, .. } => {
                counts.ended(turn.as_str(), |_, _| {})
            }
            Event::EscalationRaised { turn: Some(turn), .. } => counts.ended(turn.as_str(), |_, _| {}),
            Event::TurnEnded { turn, spent_tokens, account, .. } => {
                counts.ended(turn.as_str(), |count, begun| {
                    count.lost += 1;
                    count.spend((spent_tokens, begun.reserved_tokens), account.as_ref());
                })
            }
            Event::Spent { turn, tokens, account } => counts.of_turn(turn.as_str(), |count, begun| {
                count.spend((tokens, begun.reserved_tokens), account.as_ref());
            }),
            Event::DecisionMade { disposition, .. } => counts.decided(disposition),
            Event::StageAdvanced { to, .. } => {
                let stage = to.to_string();
                counts.put_run(&Run { stage, ..Run::default() })
            }
            _ => Ok(()),
        }
    }
}

const KINDS: &[&str] = &[
    "turn_started",
    "handoff_received",
    "receipt_recorded",
    "verdict_reported",
    "verdict_voided",
    "escalation_raised",
    "turn_ended",
    "spent",
    "decision_made",
    "stage_advanced",
];

struct Counts<'r> {
    rows: &'r mut dyn Rows,
    task: &'r str,
    at: i64,
}

impl Counts<'_> {
    fn turn_key(&self, turn: &str) -> String {
        format!("turn:{}/{turn}", self.task)
    }

    fn run(&mut self) -> Result<Run, StoreError> {
        Ok(row(self.rows, &format!("run:{}", self.task))?.unwrap_or_default())
    }

    fn put_run(&mut self, run: &Run) -> Result<(), StoreError> {
        put_row(self.rows, &format!("run:{}", self.task), run)
    }

    fn ended(&mut self, turn: &str, more: impl Fn(&mut Count, &Turn)) -> Result<(), StoreError> {
        let key = self.turn_key(turn);
        let Some(begun) = row::<Turn>(self.rows, &key)?.filter(|begun| begun.is_open) else { return Ok(()) };
        let took = u64::try_from(self.at.saturating_sub(begun.started_at)).unwrap_or(0);
        self.of_turn(turn, |count, begun| {
            count.turns += 1;
            count.turns_ms = count.turns_ms.saturating_add(took);
            more(count, begun);
        })?;
        put_row(self.rows, &key, &Turn { is_open: false, ..begun })
    }

    fn of_turn(&mut self, turn: &str, change: impl Fn(&mut Count, &Turn)) -> Result<(), StoreError> {
        let key = self.turn_key(turn);
        let Some(begun) = row::<Turn>(self.rows, &key)? else { return Ok(()) };
        self.change(Some(&begun.agent), &begun.stage, |count| change(count, &begun))
    }

    /// Keeps how many claims of the work at hand are contradicted; a later receipt replaces an earlier one.
    fn contradicted(&mut self, findings: &[Finding]) -> Result<(), StoreError> {
        let mut run = self.run()?;
        let count = findings.iter().filter(|finding| finding.is_contradicted()).count() as u64;
        if run.contradicted == count {
            return Ok(());
        }
        run.contradicted = count;
        self.put_run(&run)
    }

    fn decided(&mut self, disposition: Disposition) -> Result<(), StoreError> {
        let mut run = self.run()?;
        let is_first = run.returned == 0 && run.contradicted == 0;
        let is_accepted = disposition == Disposition::Accept;
        let contradicted = std::mem::take(&mut run.contradicted);
        let change = |count: &mut Count| {
            count.contradicted_claims += contradicted;
            count.contradicted_turns += u64::from(contradicted > 0 && !is_accepted);
            match disposition {
                Disposition::Accept => {
                    count.accepted += 1;
                    count.first_pass += u64::from(is_first);
                }
                Disposition::Rework => count.reworks += 1,
                Disposition::Rollback => count.rollbacks += 1,
                Disposition::Escalate => count.escalations += 1,
            }
        };
        self.change(run.agent.as_deref(), &run.stage, change)?;
        run.returned += u64::from(!is_accepted);
        self.put_run(&run)
    }

    fn change(
        &mut self,
        agent: Option<&str>,
        stage: &str,
        change: impl Fn(&mut Count),
    ) -> Result<(), StoreError> {
        let subjects = [(By::Agent, agent), (By::Stage, Some(stage)), (By::Task, Some(self.task))];
        for (by, name) in subjects {
            let Some(name) = name.filter(|name| !name.is_empty()) else { continue };
            let key = format!("{}:{name}", by.name());
            let mut count: Count = row(self.rows, &key)?.unwrap_or_default();
            change(&mut count);
            put_row(self.rows, &key, &count)?;
        }
        Ok(())
    }
}

/// Returns what was counted for every agent, stage or task, by their names.
pub fn counts(log: &dyn Log, by: By) -> Result<Vec<(String, Count)>, StoreError> {
    let prefix = format!("{}:", by.name());
    let mut found = Vec::new();
    let mut after = prefix.clone();
    loop {
        let rows = log.rows(NAME, &after, ROWS_AT_ONCE)?;
        let Some(last) = rows.last() else { return Ok(found) };
        after.clone_from(&last.key);
        for row in &rows {
            let Some(name) = row.key.strip_prefix(&prefix) else { return Ok(found) };
            found.push((name.to_owned(), decode(&row.key, &row.value)?));
        }
    }
}
