//! `tasks`: the state of every stream, folded, and a line for each task on the board.
//!
//! With it nobody reads a stream from its beginning, and a list of all tasks costs one row each.

use baton_engine::envelope::{PROJECT_STREAM, Recorded};
use baton_engine::event::Entry;
use baton_engine::evolve;
use baton_engine::state::{State, Task};
use serde::{Deserialize, Serialize};

use super::{Rows, View};
use crate::error::StoreError;
use crate::log::Log;

pub const NAME: &str = "tasks";
const STATE: &str = "state:";
const BOARD: &str = "board:";
/// Lines of the board that are read at once.
const LINES_AT_ONCE: usize = 1000;

/// Folds the streams of tasks and of the project.
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
        1
    }

    fn apply(&self, event: &Recorded, rows: &mut dyn Rows) -> Result<(), StoreError> {
        let key = format!("{STATE}{}", event.stream);
        let before = match rows.get(&key)? {
            Some(bytes) => read_state(&event.stream, &bytes)?,
            None => State::default(),
        };
        let state = evolve(before, &Entry::read(event));
        if let Some(task) = &state.task {
            rows.put(&format!("{BOARD}{}", event.stream), encode(&event.stream, &line(task))?);
        }
        rows.put(&key, encode(&event.stream, &state)?);
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

fn read_state(stream: &str, bytes: &[u8]) -> Result<State, StoreError> {
    let wrong = |error: serde_json::Error| {
        StoreError::corrupt(format!("read the state of `{stream}`"), error.to_string())
    };
    serde_json::from_slice(bytes).map_err(wrong)
}

/// Returns the folded state of a stream.
pub fn state(log: &dyn Log, stream: &str) -> Result<State, StoreError> {
    match log.row(NAME, &format!("{STATE}{stream}"))? {
        Some(bytes) => read_state(stream, &bytes),
        None => Ok(State::default()),
    }
}

/// Returns the folded state of the project's own stream.
pub fn project(log: &dyn Log) -> Result<State, StoreError> {
    state(log, PROJECT_STREAM)
}

/// Returns a line for every task, by their ids.
pub fn board(log: &dyn Log) -> Result<Vec<Line>, StoreError> {
    let mut lines = Vec::new();
    let mut after = BOARD.to_owned();
    loop {
        let rows = log.rows(NAME, &after, LINES_AT_ONCE)?;
        let Some(last) = rows.last() else { return Ok(lines) };
        after.clone_from(&last.key);
        for row in &rows {
            if !row.key.starts_with(BOARD) {
                return Ok(lines);
            }
            let wrong = |error: serde_json::Error| StoreError::corrupt("read the board", error.to_string());
            lines.push(serde_json::from_slice(&row.value).map_err(wrong)?);
        }
    }
}
