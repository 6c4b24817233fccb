//! `many_events FOLDER EVENTS`: writes a log with so many events over a thousand tasks, most of which have ended. Each has
//! handed over; two of the traps that it names were met by others too.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use baton_engine::command::{Act, Command};
use baton_engine::envelope::{Actor, ActorKind};
use baton_engine::event::Event;
use baton_engine::fact::{Document, End};
use baton_engine::word::{ArtifactId, BlobId, TaskId, TreeHash};
use baton_engine::workflow::{SESSION, Workflow};
use baton_store::sqlite::{Options, SqliteLog};
use baton_store::{Append, Log};
use serde_json::{Value, json};

const TASKS: usize = 1_000;
/// One task in so many is still open.
const OPEN_EACH: usize = 100;
/// The events of a task that are not about its trees.
const EVENTS_OWN: usize = 5;
/// The project has so many files, and the traps are as many.
const FILES: usize = 100;
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
        let document = handoff(number);
        let events = Event::seal(&history((&task, number), each, &document)?, &command);
        log.append_with(&Append { stream: &task, expected: 0, events: &events, documents: &[&document] })?;
    }
    Ok(())
}

/// What a task hands over.
fn handoff(number: usize) -> Vec<u8> {
    let (file, trap) = (number % FILES, number % FILES + 1);
    format!(
        "## Handoff\n\n```yaml\noutcome: completed\nfiles_modified:\n  - path: file-{file}.txt\n    description: part {number}\n\
         patterns_discovered:\n  - pattern: Part {number} keeps its words in file-{file}.txt\n    location: file-{file}.txt\n    \
         applies_to: [parts]\ngotchas:\n  - issue: Trap {file} of this session shuts without a sound\n    mitigation: look twice\n    \
         severity: high\n  - issue: Trap {trap} of this session shuts without a sound\n    mitigation: look twice\n    severity: medium\n\
         suggested_next_steps:\n  - step: Go on with part {number}\n    priority: high\n```\n"
    )
    .into_bytes()
}

fn history(
    (task, number): (&str, usize),
    events: usize,
    handoff: &[u8],
) -> Result<Vec<Event>, Box<dyn Error>> {
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
    let paper = json!({ "id": "handoff-turn-1", "blob": baton_store::BlobId::of(handoff).to_string() });
    history.push(read(
        "turn_started",
        &json!({ "turn": "turn-1", "stage": "work", "role": "builder", "agent": "claude", "session": "bench", "performer": "guest",
            "attempt": 1, "epoch": 1, "expires_at": 0, "reserved_tokens": 0, "request": null }),
    )?);
    history.push(read(
        "handoff_received",
        &json!({ "turn": "turn-1", "attempt": 1, "submission": { "document": paper, "outcome": "completed", "problems": [],
            "claims": {}, "block": null, "on_failure": null, "tree": "0".repeat(40) } }),
    )?);
    history.push(read(
        "decision_made",
        &json!({ "document": paper, "disposition": "accept", "reason": "self_checked", "refs": [], "charge": "nothing", "next": null,
            "feedback": null, "fingerprint": null, "waived": [], "notify": null }),
    )?);
    for version in EVENTS_OWN..events {
        history
            .push(Event::TreeObserved { tree: TreeHash::new(format!("{version:040x}"))?, definition: None });
    }
    history.push(match number % OPEN_EACH {
        0 => Event::TreeObserved { tree: TreeHash::new("f".repeat(40))?, definition: None },
        _ => Event::TaskEnded { end: End::DoneUnverified },
    });
    Ok(history)
}

fn read(kind: &str, fields: &Value) -> Result<Event, Box<dyn Error>> {
    let mut body = fields.clone();
    body["kind"] = json!(kind);
    match Event::read(kind, 1, &serde_json::to_vec(&body)?) {
        Event::Unknown { .. } => Err(format!("{kind} is not what the engine reads").into()),
        event => Ok(event),
    }
}
