//! The prompt of an independent verifier: what Baton measured, and no word of whoever built it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use baton_engine::state::Task;
use baton_engine::workflow::Role;

use super::Brief;
use super::form::{IN_LAST_MESSAGE, handoff_form};
use crate::desk::{Desk, DeskError};

/// The file with the whole diff, among the temporary ones of a turn.
const DIFF_FILE: &str = "work.diff";

/// Writes the whole diff of the work that is judged among the temporary files of its turn, where the packet has only a part of
/// it, and returns where.
pub(in crate::drive) fn diff_file(
    desk: &Desk,
    task: &Task,
    scratch: &Path,
) -> Result<Option<String>, DeskError> {
    let Some(diff) = desk.diff_beyond_packet(task)? else { return Ok(None) };
    let path = scratch.join(DIFF_FILE);
    fs::write(&path, diff).map_err(|error| DeskError::Io(path.clone(), error))?;
    Ok(Some(path.display().to_string()))
}

pub(super) fn write(text: &mut String, brief: &Brief<'_>) {
    let received = brief.received;
    let task = &received.task;
    let _ = writeln!(
        text,
        "You are the independent verifier (@{}) for task {}. You didn't do this work and you don't get its author's account. \
         Try to show that it misses its criteria. Report what you find either way. The current folder is a read-only copy of \
         the work.",
        received.turn.agent, task.id
    );
    let _ = writeln!(text, "{}", received.context.trim_end());
    if let Some(path) = brief.diff_file {
        let _ = writeln!(text, "- Read the whole diff in `{path}`.");
    }
    if let Some(feedback) = &received.news {
        let _ = writeln!(text, "# Last report\n{}", feedback.trim());
    }
    let _ = writeln!(text, "# Report\n{}", handoff_form(task, Role::Verifier, IN_LAST_MESSAGE).trim_end());
}
