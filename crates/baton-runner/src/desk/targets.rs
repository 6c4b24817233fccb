//! What a task may change: the targets it was added with, and those of plans that were handed in before the work.

use std::collections::BTreeSet;

use baton_engine::state::Task;
use baton_engine::workflow::Role;
use baton_handoff::document;
use baton_handoff::field::Field;
use serde_json::Value;

use super::criteria::order_of;
use super::plan::{is_declared, plan_of};
use super::{Desk, DeskError};
use crate::cheat::is_named;

/// Most targets of a task, and the longest of them in characters. They are in every prompt of those who build.
const TARGETS_MAX: usize = 200;
const TARGET_CHARS_MAX: usize = 400;
/// Most files that are told as left out of a handoff.
const LEFT_OUT_MAX: usize = 50;

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
            for plan in document::read(text).handoffs.iter().filter(|plan| is_declared(&plan.record)) {
                planned.extend(
                    plan.record.texts(Field::FileTargets).iter().map(|path| path.as_str().trim().to_owned()),
                );
            }
        }
        planned.remove("");
        Ok(planned.into_iter().take(TARGETS_MAX).collect())
    }

    /// Returns the changed files that the handoff at hand leaves out, where it says at all which files it made or changed.
    pub(crate) fn left_out<'c>(
        &self,
        task: &Task,
        changed: impl Iterator<Item = &'c str>,
    ) -> Result<Vec<String>, DeskError> {
        let Some(submission) = &task.run.submission else { return Ok(Vec::new()) };
        let bytes = self.document(&submission.document.blob)?.unwrap_or_default();
        let Ok(text) = document::decode(&bytes) else { return Ok(Vec::new()) };
        let (mut named, mut says_which) = (Vec::new(), false);
        for handoff in &document::read(text).handoffs {
            says_which |= handoff.record.has(Field::FilesCreated) || handoff.record.has(Field::FilesModified);
            for field in [Field::FilesCreated, Field::FilesModified, Field::FilesDeleted, Field::Artifacts] {
                let files = handoff.record.records(field).iter().filter_map(|file| file.str(Field::Path));
                named.extend(files.map(|path| path.trim().to_owned()));
            }
        }
        let left_out = changed.filter(|path| says_which && !is_named(path, &named));
        Ok(left_out.take(LEFT_OUT_MAX).map(str::to_owned).collect())
    }
}
