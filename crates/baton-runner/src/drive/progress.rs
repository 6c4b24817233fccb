//! What is told while a run goes on: one line for a person, the same as data for a program.

use baton_engine::state::Task;
use baton_engine::word::TaskId;
use serde_json::{Value, json};

/// Something that happened to a task.
#[derive(Clone, Debug)]
pub struct Progress {
    pub task: TaskId,
    pub what: What,
    /// The stage that it belongs to; nothing where it is about the whole task.
    pub stage: Option<String>,
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
    /// What the turn has cost so far; only worth showing while it goes on.
    Counted,
    TurnEnded,
    /// The agent's build plan was taken, and its work begins.
    Planned,
    HandedOver,
    /// The host runs its checks; only worth showing while it does.
    Checking,
    Checked,
    Reported,
    Decided,
    Integrated,
    /// Accepted work is what the target branch has already.
    Unchanged,
    /// Accepted work could not be brought to its target.
    NotIntegrated,
    RolledBack,
    /// A provider gives nothing for now; it is tried again later.
    Waits,
    /// A turn cost more than it may, or the run may not spend what the next one could cost.
    OverBudget,
    /// A person is needed.
    Asks,
    /// A gate has something that a person should know.
    Informs,
    Ended,
    /// What ran for it was ended because somebody asked for it.
    Stopped,
    /// Something stopped this task for this run.
    Trouble,
}

impl What {
    /// Says whether it belongs to one stage, and not to the whole task.
    pub(super) fn is_of_stage(self) -> bool {
        match self {
            Self::Integrated | Self::Unchanged | Self::NotIntegrated | Self::RolledBack | Self::Ended => {
                false
            }
            // Whoever shows these knows it from what came before.
            Self::Doing | Self::Counted => false,
            Self::TurnStarted
            | Self::TurnEnded
            | Self::Planned
            | Self::HandedOver
            | Self::Checking
            | Self::Checked
            | Self::Reported
            | Self::Decided
            | Self::Waits
            | Self::OverBudget
            | Self::Asks
            | Self::Informs
            | Self::Stopped
            | Self::Trouble => true,
        }
    }

    /// The word for it in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::TurnStarted => "turn_started",
            Self::Doing => "doing",
            Self::Counted => "counted",
            Self::TurnEnded => "turn_ended",
            Self::Planned => "planned",
            Self::HandedOver => "handed_over",
            Self::Checking => "checking",
            Self::Checked => "checked",
            Self::Reported => "reported",
            Self::Decided => "decided",
            Self::Integrated => "integrated",
            Self::Unchanged => "unchanged",
            Self::NotIntegrated => "not_integrated",
            Self::RolledBack => "rolled_back",
            Self::Waits => "waits",
            Self::OverBudget => "over_budget",
            Self::Asks => "asks",
            Self::Informs => "informs",
            Self::Ended => "ended",
            Self::Stopped => "stopped",
            Self::Trouble => "trouble",
        }
    }
}

/// Longest words of others in a line, in characters.
const WORDS_CHARS_MAX: usize = 400;

/// Returns what others said as one line that is not too long.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(WORDS_CHARS_MAX).collect()
}

impl Progress {
    pub(super) fn new(task: &TaskId, what: What, words: impl Into<String>) -> Self {
        Self { task: task.clone(), what, stage: None, words: words.into(), data: Value::Null }
    }

    /// Of the stage that a task is in.
    pub(super) fn at(self, task: &Task) -> Self {
        Self { stage: task.stage().map(|stage| stage.name.to_string()), ..self }
    }

    pub(super) fn with(self, data: Value) -> Self {
        Self { data, ..self }
    }

    /// Returns it as one JSON object.
    pub fn json(&self) -> Value {
        let mut value = json!({ "task": self.task.as_str(), "event": self.what.name(), "words": self.words });
        if let Some(stage) = &self.stage {
            value["stage"] = json!(stage);
        }
        if let (Value::Object(value), Value::Object(data)) = (&mut value, &self.data) {
            value.extend(data.clone());
        }
        value
    }
}
