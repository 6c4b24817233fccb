//! `tasks`: a line for each task on the board, so that a list of all tasks costs one row each.

use baton_engine::envelope::{PROJECT_STREAM, Recorded};
use baton_engine::state::{Status, Task, Whom};
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
    /// It was accepted, and its files are as they were before anybody worked on it.
    pub is_unchanged: bool,
    /// What the status alone does not say. The tasks that a pending one waits for can be thousands, and are not repeated.
    pub wait: Option<Wait>,
}

/// What a task waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    Host { for_what: String, since: i64 },
    Person { for_what: String, since: i64 },
    Agent { agent: String, for_what: String, since: i64 },
    Blocked { why: String },
}

impl Wait {
    fn of(status: &Status) -> Option<Self> {
        match status {
            Status::Waiting { on, for_what, since } => {
                let (for_what, since) = (for_what.clone(), *since);
                Some(match on {
                    Whom::Host => Self::Host { for_what, since },
                    Whom::Person => Self::Person { for_what, since },
                    Whom::Agent(agent) => Self::Agent { agent: agent.to_string(), for_what, since },
                })
            }
            Status::Blocked { why } => Some(Self::Blocked { why: why.clone() }),
            Status::Pending { .. }
            | Status::Ready
            | Status::Working
            | Status::Checking
            | Status::Verifying
            | Status::Done
            | Status::DoneUnverified
            | Status::Failed
            | Status::RolledBack
            | Status::Cancelled => None,
        }
    }
}

impl View for Tasks {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> u32 {
        4
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

/// Returns the line of a task as it is.
pub fn line(task: &Task) -> Line {
    let status = task.status();
    Line {
        task: task.id.to_string(),
        title: task.title.clone(),
        workflow: task.workflow.name.to_string(),
        stage: task.stage().filter(|_| task.end.is_none()).map(|stage| stage.name.to_string()),
        status: status.kind().name().to_owned(),
        waits_for_person: status.waits_for_person(),
        has_ended: task.end.is_some(),
        is_unchanged: task.is_unchanged(),
        wait: Wait::of(&status),
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
            lines.push(read(&row.value)?);
        }
    }
}

fn read(row: &[u8]) -> Result<Line, StoreError> {
    serde_json::from_slice(row).map_err(|error| StoreError::corrupt("read the board", error.to_string()))
}

/// `open_tasks`: which tasks have not ended, so that whoever asks for those does not read all the others.
#[derive(Debug)]
pub struct Open;

const OPEN: &str = "open_tasks";

impl View for Open {
    fn name(&self) -> &'static str {
        OPEN
    }

    fn version(&self) -> u32 {
        1
    }

    fn apply(&self, event: &Recorded, rows: &mut dyn Rows) -> Result<(), StoreError> {
        match event.kind.as_str() {
            "task_added" => rows.put(&event.stream, b"true".to_vec()),
            "task_ended" => rows.remove(&event.stream),
            _ => {}
        }
        Ok(())
    }
}

/// Returns the lines of the first tasks that have not ended, by their ids, and how many more there are.
pub fn open(log: &dyn Log, most: usize) -> Result<(Vec<Line>, usize), StoreError> {
    let (mut lines, mut beyond) = (Vec::new(), 0);
    let mut after = String::new();
    loop {
        let rows = log.rows(OPEN, &after, LINES_AT_ONCE)?;
        let Some(last) = rows.last() else { return Ok((lines, beyond)) };
        after.clone_from(&last.key);
        for row in &rows {
            if lines.len() >= most {
                beyond += 1;
            } else if let Some(line) = log.row(NAME, &row.key)? {
                lines.push(read(&line)?);
            }
        }
    }
}
