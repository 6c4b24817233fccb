//! What a task may change: the targets it was added with, and those of plans that were handed in before the work.

use std::collections::BTreeSet;

use baton_engine::state::Task;
use baton_engine::workflow::Role;
use baton_handoff::document;
use baton_handoff::field::Field;
use serde_json::Value;

use super::criteria::order_of;
use super::plan::plan_of;
use super::{Desk, DeskError};

/// Most targets of a task, and the longest of them in characters. They are in every prompt of those who build.
const TARGETS_MAX: usize = 200;
const TARGET_CHARS_MAX: usize = 400;

/// Refuses targets that name nothing in a project.
pub(super) fn judged(targets: &[String]) -> Result<(), DeskError> {
    let refused = |what: String| DeskError::Document {
        what,
        next: "name files, folders or patterns from the root of the project, as `src/api` or `docs/**/*.md`"
            .to_owned(),
    };
    if targets.len() > TARGETS_MAX {
        return Err(refused(format!(
            "{} targets are too many, at most {TARGETS_MAX} are kept",
            targets.len()
        )));
    }
    let is_bad = |target: &&String| {
        let parts = || target.split('/').filter(|part| !matches!(*part, "" | "."));
        target.starts_with(['/', '~'])
            || target.contains('\\')
            || target.chars().any(char::is_control)
            || target.chars().count() > TARGET_CHARS_MAX
            || parts().any(|part| part == "..")
            || parts().next().is_none()
    };
    match targets.iter().find(is_bad) {
        Some(bad) => Err(refused(format!("the target `{bad}` names nothing in the project"))),
        None => Ok(()),
    }
}

impl Desk {
    /// Returns the files, folders and patterns that a task may change; none when it may change all.
    pub fn targets(&self, task: &Task) -> Result<Vec<String>, DeskError> {
        let order: Value =
            serde_json::from_slice(&self.artifact(task, &order_of(&task.id))?).unwrap_or_default();
        let targets = order["targets"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(targets.map(str::to_owned).collect())
    }

    /// Returns the targets that the plans for the stage at hand name.
    pub(crate) fn planned(&self, task: &Task) -> Result<Vec<String>, DeskError> {
        let stage = task.stage().map(|stage| &stage.name);
        let mut planned = BTreeSet::new();
        for attempt in &task.history {
            if Some(&attempt.stage) != stage || attempt.role == Role::Verifier {
                continue;
            }
            let bytes = self.artifact(task, &plan_of(attempt.turn.as_str()))?;
            let Ok(text) = document::decode(&bytes) else { continue };
            for plan in document::read(text).handoffs.iter() {
                planned.extend(
                    plan.record.texts(Field::FileTargets).iter().map(|path| path.as_str().trim().to_owned()),
                );
            }
        }
        planned.remove("");
        Ok(planned.into_iter().take(TARGETS_MAX).collect())
    }
}
