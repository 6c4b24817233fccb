//! What is told while a run goes on: one line for a person, the same as data for a program.

use baton_engine::word::TaskId;
use serde_json::{Value, json};

/// Something that happened to a task.
#[derive(Clone, Debug)]
pub struct Progress {
    pub task: TaskId,
    pub what: What,
    /// The same for a person, in one line; what a program said is in it as it came.
    pub words: String,
    /// More of it, by names.
    pub data: Value,
}

/// What sort of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    TurnStarted,
    /// What the agent is doing right now; only worth showing while it is so.
    Doing,
    TurnEnded,
    HandedOver,
    Checked,
    Reported,
    Decided,
    Integrated,
    /// Accepted work could not be brought to its target.
    NotIntegrated,
    RolledBack,
    /// A provider gives nothing for now; it is tried again later.
    Waits,
    /// A turn cost more than it may, or the run may not spend what the next one could cost.
    OverBudget,
    /// A person is needed.
    Asks,
    Ended,
    /// What ran for it was ended because somebody asked for it.
    Stopped,
    /// Something stopped this task for this run.
    Trouble,
}

impl What {
    /// The word for it in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::TurnStarted => "turn_started",
            Self::Doing => "doing",
            Self::TurnEnded => "turn_ended",
            Self::HandedOver => "handed_over",
            Self::Checked => "checked",
            Self::Reported => "reported",
            Self::Decided => "decided",
            Self::Integrated => "integrated",
            Self::NotIntegrated => "not_integrated",
            Self::RolledBack => "rolled_back",
            Self::Waits => "waits",
            Self::OverBudget => "over_budget",
            Self::Asks => "asks",
            Self::Ended => "ended",
            Self::Stopped => "stopped",
            Self::Trouble => "trouble",
        }
    }
}

impl Progress {
    pub(super) fn new(task: &TaskId, what: What, words: impl Into<String>) -> Self {
        Self { task: task.clone(), what, words: words.into(), data: Value::Null }
    }

    pub(super) fn with(self, data: Value) -> Self {
        Self { data, ..self }
    }

    /// Returns it as one JSON object.
    pub fn json(&self) -> Value {
        let mut value = json!({ "task": self.task.as_str(), "event": self.what.name(), "words": self.words });
        if let (Value::Object(value), Value::Object(data)) = (&mut value, &self.data) {
            value.extend(data.clone());
        }
        value
    }
}
