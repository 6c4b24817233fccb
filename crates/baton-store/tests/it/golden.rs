//! Logs that older programs wrote. They load, verify and lift for ever; none of these files is ever changed.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use baton_engine::envelope::{Actor, ActorKind, Fresh};
use baton_store::memory::MemoryLog;
use baton_store::upcast::{Step, UpcastError, Upcaster};
use baton_store::{Log, export};
use serde_json::{Value, json};

use crate::support::{Place, event};

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/golden"))
}

#[test]
fn golden_logs_load_and_verify() {
    if std::env::var_os("BATON_GOLDEN").is_some_and(|value| value == "write") {
        write_missing();
    }
    let mut count = 0;
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read(&path).unwrap();
        let place = Place::new();
        let mut log = place.open();
        let verified = export::import(&mut Cursor::new(&text), None, &mut log).unwrap();
        let verified = verified.unwrap_or_else(|finding| panic!("{}: {finding}", path.display()));
        let mut again = Vec::new();
        export::export(&log, None, &mut again).unwrap();
        assert!(verified.head.sequence > 0 && again == text, "{}", path.display());
        for event in log.read_all(0, 1_000).unwrap() {
            upcaster().lift(&event).unwrap();
        }
        count += 1;
    }
    assert!(count > 0, "no golden log is there");
}

/// The words of the golden logs as this test understands them today.
fn upcaster() -> Upcaster {
    let steps = [
        Step { kind: "noted", from: 1, becomes: "noted", lift: |body| Ok(json!({ "text": body["note"] })) },
        Step { kind: "noted", from: 2, becomes: "remarked", lift: wrapped },
    ];
    Upcaster::new(&[("remarked", 3), ("task_added", 1), ("noted", 2)], &steps)
}

fn wrapped(mut body: Value) -> Result<Value, String> {
    match body.get_mut("text").map(Value::take) {
        Some(text) => Ok(json!({ "remark": { "text": text } })),
        None => Err("it has no text".to_owned()),
    }
}

#[test]
fn old_events_are_lifted_step_by_step() {
    let mut log = MemoryLog::default();
    let mut known = event("hello");
    log.append("a", 0, std::slice::from_ref(&known)).unwrap();
    let lift = |log: &MemoryLog| upcaster().lift(&log.read("a", 0).unwrap().pop().unwrap());
    let lifted = lift(&log).unwrap();
    assert_eq!((lifted.kind.as_str(), lifted.schema), ("remarked", 3));
    assert_eq!(lifted.body, json!({ "remark": { "text": "hello" } }));

    known.kind = "remarked".to_owned();
    known.schema = 9;
    log.append("a", 1, std::slice::from_ref(&known)).unwrap();
    assert_eq!(
        lift(&log).unwrap_err(),
        UpcastError::Newer { kind: "remarked".to_owned(), schema: 9, known: 3 }
    );
    known.kind = "dreamt".to_owned();
    log.append("a", 2, std::slice::from_ref(&known)).unwrap();
    assert!(matches!(lift(&log), Err(UpcastError::Unknown { .. })));
    known = Fresh { schema: 2, body: b"{}".to_vec(), ..event("") };
    log.append("a", 3, &[known]).unwrap();
    assert!(matches!(lift(&log), Err(UpcastError::Broken { schema: 2, .. })));
}

/// Writes the first golden log where there is none. A file that exists is never written again.
fn write_missing() {
    let path = folder().join("0001-first.jsonl");
    if path.exists() {
        return;
    }
    let mut log = MemoryLog::default();
    let actor = |kind, name: &str, turn: Option<&str>| Actor {
        kind,
        name: name.to_owned(),
        turn: turn.map(str::to_owned),
    };
    let actors = [
        actor(ActorKind::Person, "ana", None),
        actor(ActorKind::Agent, "@builder", Some("T-1")),
        actor(ActorKind::Orchestrator, "baton", None),
        actor(ActorKind::Host, "host", Some("")),
    ];
    for (number, actor) in actors.iter().cycle().take(24).enumerate() {
        let stream = ["F001", "F002", "@project"][number % 3];
        let version = (number / 3) as u64;
        let mut fresh = event(&format!("note {number}, with “quotes”, a \\ and \u{1f600}"));
        fresh.at = 1_800_000_000_000 + number as i64 * 1_000;
        fresh.actor = actor.clone();
        fresh.key = (number % 2 == 0).then(|| format!("command-{number}"));
        if version == 0 {
            fresh.kind = "task_added".to_owned();
            fresh.body = format!("{{\"task\":\"{stream}\"}}").into_bytes();
        }
        fresh.body = String::from_utf8(fresh.body).unwrap().replace(" \\ ", " \\\\ ").into_bytes();
        log.append(stream, version, &[fresh]).unwrap();
    }
    let mut text = Vec::new();
    export::export(&log, None, &mut text).unwrap();
    fs::write(path, text).unwrap();
}
