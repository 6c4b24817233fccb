//! Whether a document is about the task that it was brought for.

use baton_engine::state::Task;
use baton_engine::word::TaskId;
use baton_handoff::document;
use baton_handoff::field::Field;
use baton_handoff::record::Record;

use super::handover::Brought;
use super::{Desk, DeskError};

/// Keys under which agents name their task.
const TASK_KEYS: &[&str] = &["task", "task_id", "waypoint_id"];
/// Longest name that is told.
const NAME_CHARS_MAX: usize = 100;

impl Desk {
    /// Says why a document is not for this task: it names another one that the project has. What names no task at all is what its
    /// turn is about.
    pub(crate) fn about_another(&self, id: &TaskId, brought: &Brought) -> Result<Option<String>, DeskError> {
        let named = brought.task.as_deref().and_then(|named| TaskId::new(named).ok());
        let Some(named) = named.filter(|named| named != id) else { return Ok(None) };
        let is_known = self.state(named.as_str())?.task.is_some();
        // Whoever does a part of a task may call it by the name of the whole.
        let is_whole = self.task(id)?.lineage.iter().any(|above| above.task == named);
        Ok((is_known && !is_whole)
            .then(|| format!("it names {named} as its task, and this turn is about {id}; name {id} in it")))
    }

    /// Returns what the handoff at hand calls its task, where that is not what it is called here.
    pub(crate) fn misnamed(&self, task: &Task) -> Result<Option<String>, DeskError> {
        let Some(submission) = &task.run.submission else { return Ok(None) };
        let bytes = self.document(&submission.document.blob)?.unwrap_or_default();
        let Ok(text) = document::decode(&bytes) else { return Ok(None) };
        let read = document::read(text);
        let named = read.handoffs.first().and_then(|handoff| named_task(&handoff.record));
        let named = named.filter(|named| is_id(named) && !can_be(&task.id, named));
        Ok(named.map(|named| crate::secret::mask(named).chars().take(NAME_CHARS_MAX).collect()))
    }
}

/// Returns what a document calls its task, also in a dialect that has no key for it.
pub(super) fn named_task<'r>(record: &'r Record<'_>) -> Option<&'r str> {
    let own = record.extensions.iter().find(|extension| TASK_KEYS.contains(&&*extension.key));
    record.str(Field::Task).or_else(|| own?.value.text()).map(str::trim)
}

/// Says whether a name is meant as an id: words alone are what the task is about.
fn is_id(named: &str) -> bool {
    TaskId::new(named).is_ok() && named.contains(|next: char| next.is_ascii_digit())
}

/// Says whether what a handoff calls its task can be this one: in another case, or with words around it.
fn can_be(task: &TaskId, named: &str) -> bool {
    named.to_lowercase().contains(&task.as_str().to_lowercase())
}
