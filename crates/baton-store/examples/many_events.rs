//! `many_events FOLDER EVENTS`: writes a log with so many events over a thousand tasks, most of which have ended.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use baton_engine::command::{Act, Command};
use baton_engine::envelope::{Actor, ActorKind};
use baton_engine::event::Event;
use baton_engine::fact::{Document, End};
use baton_engine::word::{ArtifactId, BlobId, TaskId, TreeHash};
use baton_engine::workflow::{SESSION, Workflow};
use baton_store::Log;
use baton_store::sqlite::{Options, SqliteLog};

const TASKS: usize = 1_000;
/// One task in so many is still open.
const OPEN_EACH: usize = 100;
const START: i64 = 1_770_000_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, events] = arguments.as_slice() else {
        return Err("usage: many_events FOLDER EVENTS".into());
    };
    std::fs::create_dir_all(folder)?;
    let mut log = SqliteLog::open(&Path::new(folder).join("log.sqlite"), Options::default())?;
    let each = events.parse::<usize>()? / TASKS;
    for number in 0..TASKS {
        let task = format!("T{number:04}");
        let actor = Actor::new(ActorKind::Host, "bench");
        let command = Command { at: START + number as i64, actor, key: None, act: Act::Resume {} };
        log.append(&task, 0, &Event::seal(&history(&task, number, each)?, &command))?;
    }
    Ok(())
}

fn history(task: &str, number: usize, events: usize) -> Result<Vec<Event>, Box<dyn Error>> {
    let workflow = Workflow::built_in(SESSION).ok_or("there is no such workflow")?;
    let document = Document { id: ArtifactId::new("order")?, blob: BlobId::new("0".repeat(64))? };
    let mut history = vec![Event::TaskAdded {
        task: TaskId::new(task)?,
        title: format!("Task number {number}"),
        document,
        budget_tokens: workflow.budget_tokens,
        workflow,
        criteria: BTreeSet::new(),
        depends_on: BTreeSet::new(),
        lineage: Vec::new(),
    }];
    for version in 2..events {
        history.push(Event::TreeObserved { tree: TreeHash::new(format!("{version:040x}"))? });
    }
    history.push(match number % OPEN_EACH {
        0 => Event::TreeObserved { tree: TreeHash::new("f".repeat(40))? },
        _ => Event::TaskEnded { end: End::DoneUnverified },
    });
    Ok(history)
}
