//! `handoffs`: every handoff that was received, who wrote it, where it went and what became of it.

use std::collections::BTreeMap;

use baton_engine::envelope::Recorded;
use baton_engine::event::Event;
use baton_engine::fact::Disposition;
use serde::{Deserialize, Serialize};

use super::{Rows, View, decode, put_row, row};
use crate::error::StoreError;
use crate::log::Log;

pub const NAME: &str = "handoffs";
const COUNT: &str = "count";
const HANDOFF: &str = "handoff:";
const TASK: &str = "task:";

#[derive(Debug)]
pub struct Handoffs;

/// One handoff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handed {
    pub id: String,
    pub task: String,
    /// Milliseconds since 1970.
    pub at: i64,
    pub from: Option<String>,
    /// Who works next because of it.
    pub to: Option<String>,
    pub status: String,
    /// The bytes, by their hash.
    pub blob: String,
}

/// What is known of a task while its events come.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Cursor {
    agent: Option<String>,
    /// The agent of each stage.
    stages: BTreeMap<String, String>,
    /// Which handoffs are its own, by their numbers.
    handoffs: Vec<u64>,
}

impl View for Handoffs {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> u32 {
        1
    }

    fn apply(&self, event: &Recorded, rows: &mut dyn Rows) -> Result<(), StoreError> {
        let wanted = [
            "task_added",
            "turn_started",
            "handoff_received",
            "decision_made",
            "stage_advanced",
            "task_ended",
        ];
        if !wanted.contains(&event.kind.as_str()) {
            return Ok(());
        }
        let key = format!("{TASK}{}", event.stream);
        let mut cursor: Cursor = row(rows, &key)?.unwrap_or_default();
        match Event::read(&event.kind, event.schema, &event.body) {
            Event::TaskAdded { workflow, .. } => {
                let stages = workflow.stages.iter();
                cursor.stages =
                    stages.map(|stage| (stage.name.to_string(), stage.agent.to_string())).collect();
            }
            Event::TurnStarted { agent, .. } => cursor.agent = Some(agent.to_string()),
            Event::HandoffReceived { submission, .. } => {
                let number = row::<u64>(rows, COUNT)?.unwrap_or(0) + 1;
                put_row(rows, COUNT, &number)?;
                cursor.handoffs.push(number);
                let handed = Handed {
                    id: submission.document.id.to_string(),
                    task: event.stream.clone(),
                    at: event.at,
                    from: cursor.agent.clone(),
                    to: None,
                    status: "received".to_owned(),
                    blob: submission.document.blob.to_string(),
                };
                put_row(rows, &place(number), &handed)?;
            }
            Event::DecisionMade { disposition, next, .. } => change(rows, &cursor, |last| {
                last.status = word(disposition).to_owned();
                last.to = next.map(|next| next.agent.to_string());
            })?,
            Event::StageAdvanced { to, .. } => {
                let agent = cursor.stages.get(to.as_str()).cloned();
                change(rows, &cursor, |last| last.to = agent)?;
            }
            _ => return Ok(()),
        }
        put_row(rows, &key, &cursor)
    }
}

fn word(disposition: Disposition) -> &'static str {
    match disposition {
        Disposition::Accept => "completed",
        Disposition::Rework => "returned",
        Disposition::Rollback => "rolled back",
        Disposition::Escalate => "escalated",
    }
}

/// Numbers have as many digits as any of them can have, so that rows are in the order of the log.
fn place(number: u64) -> String {
    format!("{HANDOFF}{number:020}")
}

fn change(rows: &mut dyn Rows, cursor: &Cursor, change: impl FnOnce(&mut Handed)) -> Result<(), StoreError> {
    let Some(number) = cursor.handoffs.last() else { return Ok(()) };
    let key = place(*number);
    if let Some(mut handed) = row::<Handed>(rows, &key)? {
        change(&mut handed);
        put_row(rows, &key, &handed)?;
    }
    Ok(())
}

/// Returns the handoffs of a task, in order.
pub fn of_task(log: &dyn Log, task: &str) -> Result<Vec<Handed>, StoreError> {
    let key = format!("{TASK}{task}");
    let Some(bytes) = log.row(NAME, &key)? else { return Ok(Vec::new()) };
    let cursor: Cursor = decode(&key, &bytes)?;
    let mut found = Vec::new();
    for number in cursor.handoffs {
        let key = place(number);
        if let Some(bytes) = log.row(NAME, &key)? {
            found.push(decode(&key, &bytes)?);
        }
    }
    Ok(found)
}

/// Returns the last handoffs of all tasks, in order, at most so many.
pub fn latest(log: &dyn Log, max: usize) -> Result<Vec<Handed>, StoreError> {
    let Some(bytes) = log.row(NAME, COUNT)? else { return Ok(Vec::new()) };
    let count: u64 = decode(COUNT, &bytes)?;
    let rows = log.rows(NAME, &place(count.saturating_sub(max as u64)), max)?;
    rows.iter().filter(|row| row.key.starts_with(HANDOFF)).map(|row| decode(&row.key, &row.value)).collect()
}
