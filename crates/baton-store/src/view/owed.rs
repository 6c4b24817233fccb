//! `owed`: which tasks may have something to be done that needs nobody's judgement.
//!
//! A row is a hint and nothing is decided from it: it only says whose state is worth folding. So a crash between two
//! appends is healed by whatever comes next, and nobody reads every task to find out.

use std::collections::BTreeSet;

use baton_engine::envelope::Recorded;
use baton_engine::event::Event;

use super::{Rows, View, put_row, row};
use crate::error::StoreError;
use crate::log::Log;

pub const NAME: &str = "owed";
/// The tasks that may have something owed, and what.
const DUE: &str = "due:";
/// For each task that is there: the task that delegated it, and under which name.
const TASK: &str = "task:";
/// For each task that ended.
const ENDED: &str = "ended:";
/// For each task, those that wait for it.
const WAITS: &str = "waits:";
const ROWS_AT_ONCE: usize = 1000;

#[derive(Debug)]
pub struct Owed;

impl View for Owed {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> u32 {
        1
    }

    fn apply(&self, event: &Recorded, rows: &mut dyn Rows) -> Result<(), StoreError> {
        if !KINDS.contains(&event.kind.as_str()) {
            return Ok(());
        }
        let mut hints = Hints { rows };
        let own = event.stream.as_str();
        match Event::read(&event.kind, event.schema, &event.body) {
            Event::DependencyDeclared { task, on } => hints.declared(task.as_str(), on.as_str()),
            Event::TaskAdded { depends_on, lineage, .. } => {
                let parent =
                    lineage.last().map(|above| (above.task.to_string(), above.delegation.to_string()));
                put_row(hints.rows, &format!("{TASK}{own}"), &parent)?;
                if let Some((caller, delegation)) = parent {
                    hints.settled(&caller, &format!("child {delegation}"))?;
                }
                depends_on.iter().try_for_each(|on| hints.waits(own, on.as_str()))
            }
            Event::DependencyAdded { on } => {
                hints.settled(own, &format!("depend {on}"))?;
                hints.waits(own, on.as_str())
            }
            Event::DependencyReleased { on, .. } | Event::DependencyFailed { on, .. } => {
                hints.settled(own, &format!("release {on}"))?;
                hints.change(&format!("{WAITS}{on}"), |waiting| waiting.remove(own))
            }
            Event::TurnStarted { .. } => {
                // Once work has begun, no edge is added any more.
                hints.change(&format!("{DUE}{own}"), |due| {
                    due.retain(|what| !what.starts_with("depend "));
                    due.insert("launch".to_owned())
                })
            }
            Event::TurnLaunched { .. } | Event::TurnEnded { .. } => hints.settled(own, "launch"),
            Event::ReceiptRecorded { .. } | Event::VerdictReported { .. } => hints.due(own, "gate"),
            Event::GateAsked { .. } => hints.settled(own, "gate"),
            Event::DecisionMade { notify, .. } => {
                hints.settled(own, "gate")?;
                if notify.is_some() { hints.due(own, "notice") } else { Ok(()) }
            }
            Event::NoticeSent { .. } => hints.settled(own, "notice"),
            Event::Delegated { delegation, .. } => hints.due(own, &format!("child {delegation}")),
            Event::DelegationReturned { delegation, .. } => {
                hints.settled(own, &format!("return {delegation}"))
            }
            Event::TaskEnded { .. } => hints.ended(own),
            _ => Ok(()),
        }
    }
}

/// The kinds of events that change a row; all others are not even parsed.
const KINDS: &[&str] = &[
    "dependency_declared",
    "task_added",
    "dependency_added",
    "dependency_released",
    "dependency_failed",
    "turn_started",
    "turn_launched",
    "turn_ended",
    "receipt_recorded",
    "verdict_reported",
    "gate_asked",
    "decision_made",
    "notice_sent",
    "delegated",
    "delegation_returned",
    "task_ended",
];

struct Hints<'r> {
    rows: &'r mut dyn Rows,
}

impl Hints<'_> {
    /// Changes a row that is a set; an empty one is no row.
    fn change(
        &mut self,
        key: &str,
        change: impl FnOnce(&mut BTreeSet<String>) -> bool,
    ) -> Result<(), StoreError> {
        let mut set: BTreeSet<String> = row(self.rows, key)?.unwrap_or_default();
        change(&mut set);
        match set.is_empty() {
            true => self.rows.remove(key),
            false => put_row(self.rows, key, &set)?,
        }
        Ok(())
    }

    fn due(&mut self, task: &str, what: &str) -> Result<(), StoreError> {
        self.change(&format!("{DUE}{task}"), |due| due.insert(what.to_owned()))
    }

    fn settled(&mut self, task: &str, what: &str) -> Result<(), StoreError> {
        self.change(&format!("{DUE}{task}"), |due| due.remove(what))
    }

    /// An edge is drawn in the project before the task knows of it. A task that is not there yet brings it along.
    fn declared(&mut self, task: &str, on: &str) -> Result<(), StoreError> {
        match self.rows.get(&format!("{TASK}{task}"))?.is_some() {
            true => self.due(task, &format!("depend {on}")),
            false => Ok(()),
        }
    }

    fn waits(&mut self, task: &str, on: &str) -> Result<(), StoreError> {
        match self.rows.get(&format!("{ENDED}{on}"))?.is_some() {
            true => self.due(task, &format!("release {on}")),
            false => self.change(&format!("{WAITS}{on}"), |waiting| waiting.insert(task.to_owned())),
        }
    }

    fn ended(&mut self, task: &str) -> Result<(), StoreError> {
        self.rows.put(&format!("{ENDED}{task}"), b"true".to_vec());
        self.rows.remove(&format!("{DUE}{task}"));
        let waiting: Option<BTreeSet<String>> = row(self.rows, &format!("{WAITS}{task}"))?;
        for waiter in waiting.into_iter().flatten() {
            self.due(&waiter, &format!("release {task}"))?;
        }
        let parent: Option<Option<(String, String)>> = row(self.rows, &format!("{TASK}{task}"))?;
        match parent.flatten() {
            Some((caller, delegation)) => self.due(&caller, &format!("return {delegation}")),
            None => Ok(()),
        }
    }
}

/// Returns the tasks that may have something owed.
pub fn tasks(log: &dyn Log) -> Result<Vec<String>, StoreError> {
    let mut tasks = Vec::new();
    let mut after = DUE.to_owned();
    loop {
        let rows = log.rows(NAME, &after, ROWS_AT_ONCE)?;
        let Some(last) = rows.last() else { return Ok(tasks) };
        after.clone_from(&last.key);
        for row in &rows {
            let Some(task) = row.key.strip_prefix(DUE) else { return Ok(tasks) };
            tasks.push(task.to_owned());
        }
    }
}
