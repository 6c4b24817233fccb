//! How everything stands when a run is over, and what whoever started it does next.

use baton_engine::fact::End;
use baton_engine::state::Task;
use baton_engine::word::TaskId;
use serde_json::{Value, json};

use crate::desk::tell;

/// How a run ended for one task.
#[derive(Clone, Debug)]
pub struct Standing {
    pub task: TaskId,
    pub title: String,
    pub status: String,
    pub spent_tokens: u64,
    pub end: Option<End>,
    /// What a person can do, where only they can.
    pub next: Option<String>,
}

/// How a run ended.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub tasks: Vec<Standing>,
    /// Somebody asked the run to stop before it was through.
    pub was_stopped: bool,
    /// Turns were not begun because they could have cost more than the run may.
    pub over_budget: bool,
}

impl Standing {
    pub(super) fn of(task: &Task) -> Self {
        Self {
            task: task.id.clone(),
            title: task.title.clone(),
            status: tell::status(task),
            spent_tokens: task.budget.spent_tokens,
            end: task.end,
            next: next(task),
        }
    }
}

/// Returns the command that a task waits for.
fn next(task: &Task) -> Option<String> {
    let id = &task.id;
    if task.end.is_some() || !task.status().waits_for_person() {
        return None;
    }
    if let Some((gate, _)) = task.open_gate() {
        return Some(format!("baton gate approve {id} {gate}"));
    }
    if let Some((question, _)) = task.open_clarifications().next() {
        return Some(format!("baton answer {id} {question} TEXT"));
    }
    Some(format!("baton why {id}"))
}

impl Summary {
    /// Says whether every task is done.
    pub fn is_done(&self) -> bool {
        self.tasks.iter().all(|task| task.end.is_some_and(End::releases))
    }

    pub fn spent_tokens(&self) -> u64 {
        self.tasks.iter().fold(0, |sum, task| sum.saturating_add(task.spent_tokens))
    }

    /// Counts the tasks that ended so.
    pub fn count(&self, end: End) -> usize {
        self.tasks.iter().filter(|task| task.end == Some(end)).count()
    }

    /// Returns it as one JSON object.
    pub fn json(&self) -> Value {
        let tasks: Vec<Value> = self
            .tasks
            .iter()
            .map(|task| {
                json!({
                    "task": task.task.as_str(),
                    "title": task.title,
                    "status": task.status,
                    "end": task.end.map(End::name),
                    "spent_tokens": task.spent_tokens,
                    "next": task.next,
                })
            })
            .collect();
        json!({
            "event": "summary",
            "is_done": self.is_done(),
            "was_stopped": self.was_stopped,
            "over_budget": self.over_budget,
            "spent_tokens": self.spent_tokens(),
            "tasks": tasks,
        })
    }
}
