//! The criteria of a task in words. The log holds their ids; the words stand in the order that the task was added with.

use std::collections::BTreeMap;

use baton_engine::state::Task;
use baton_engine::word::{CriterionId, TaskId};
use serde_json::{Value, json};

use super::{Desk, DeskError};

pub use baton_engine::context::order::Criterion;

/// Longest words of a criterion, in characters. They are in every prompt, and never cut.
const WORDS_CHARS_MAX: usize = 1_000;

/// Returns the name of the document that a task was added with.
pub(super) fn order_of(id: &TaskId) -> String {
    format!("order-{id}")
}

/// Writes criteria as the order of a task holds them.
pub(super) fn written(criteria: &BTreeMap<CriterionId, Option<String>>) -> Result<Vec<Value>, DeskError> {
    let one = |(id, words): (&CriterionId, &Option<String>)| match words {
        Some(words) if words.trim().is_empty() || words.chars().count() > WORDS_CHARS_MAX => {
            Err(DeskError::Document {
                what: format!("the words of criterion {id} cannot be kept: they are none, or too many"),
                next: format!(
                    "say in 1 to {WORDS_CHARS_MAX} characters what must be shown, or give the id alone"
                ),
            })
        }
        Some(words) => Ok(json!({ "id": id.as_str(), "criterion": words.trim() })),
        None => Ok(json!({ "id": id.as_str() })),
    };
    criteria.iter().map(one).collect()
}

impl Desk {
    /// Returns the criteria that the stage at hand is judged by, in words where there are any.
    pub fn criteria(&self, task: &Task) -> Result<Vec<Criterion>, DeskError> {
        let order: Value =
            serde_json::from_slice(&self.artifact(task, &order_of(&task.id))?).unwrap_or_default();
        let words = |id: &CriterionId| {
            let mut written = order["criteria"].as_array().into_iter().flatten();
            let own = written.find(|own| own["id"] == id.as_str())?;
            own["criterion"].as_str().map(str::to_owned)
        };
        let all = task.criteria_in_force().into_iter();
        Ok(all.map(|id| Criterion { text: words(&id), id }).collect())
    }

    /// Returns a document of a task by its name; empty when there is none.
    pub(super) fn artifact(&self, task: &Task, name: &str) -> Result<Vec<u8>, DeskError> {
        let kept = task.artifacts.iter().find(|(known, _)| known.as_str() == name);
        match kept {
            Some((_, artifact)) => Ok(self.document(&artifact.blob)?.unwrap_or_default()),
            None => Ok(Vec::new()),
        }
    }
}
