//! `tasks`: a line for each task on the board, so that a list of all tasks costs one row each.

use baton_engine::envelope::{PROJECT_STREAM, Recorded};
use baton_engine::state::Task;
use serde::{Deserialize, Serialize};

use super::{Rows, View};
use crate::error::StoreError;
use crate::log::Log;

pub const NAME: &str = "tasks";
/// Lines of the board that are read at once.
const LINES_AT_ONCE: usize = 1000;

/// Folds the streams of tasks.
#[derive(Debug)]
pub struct Tasks;

/// How one task stands, for a list of many.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub task: String,
    pub title: String,
    pub workflow: String,
    pub stage: Option<String>,
    pub status: String,
    pub waits_for_person: bool,
    pub has_ended: bool,
}

impl View for Tasks {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> u32 {
        2
    }

    fn apply(&self, event: &Recorded, rows: &mut dyn Rows) -> Result<(), StoreError> {
        if event.stream == PROJECT_STREAM {
            return Ok(());
        }
        let Some(task) = &rows.state_after(event)?.task else { return Ok(()) };
        let line = encode(&event.stream, &line(task))?;
        // Most events change nothing that a list shows, and a row that is not written costs nothing.
        if rows.get(&event.stream)?.as_ref() != Some(&line) {
            rows.put(&event.stream, line);
        }
        Ok(())
    }
}

fn line(task: &Task) -> Line {
    let status = task.status();
    Line {
        task: task.id.to_string(),
        title: task.title.clone(),
        workflow: task.workflow.name.to_string(),
        stage: task.stage().filter(|_| task.end.is_none()).map(|stage| stage.name.to_string()),
        status: status.kind().name().to_owned(),
        waits_for_person: status.waits_for_person(),
        has_ended: task.end.is_some(),
    }
}

fn encode(stream: &str, value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    let wrong = |error: serde_json::Error| StoreError::corrupt(format!("fold `{stream}`"), error.to_string());
    serde_json::to_vec(value).map_err(wrong)
}

/// Says whether the list shows a task as it is.
pub fn shows(log: &dyn Log, task: &Task) -> Result<bool, StoreError> {
    let stream = task.id.as_str();
    Ok(log.row(NAME, stream)? == Some(encode(stream, &line(task))?))
}

/// Returns a line for every task, by their ids.
pub fn board(log: &dyn Log) -> Result<Vec<Line>, StoreError> {
    let mut lines = Vec::new();
    let mut after = String::new();
    loop {
        let rows = log.rows(NAME, &after, LINES_AT_ONCE)?;
        let Some(last) = rows.last() else { return Ok(lines) };
        after.clone_from(&last.key);
        for row in &rows {
            let wrong = |error: serde_json::Error| StoreError::corrupt("read the board", error.to_string());
            lines.push(serde_json::from_slice(&row.value).map_err(wrong)?);
        }
    }
}
