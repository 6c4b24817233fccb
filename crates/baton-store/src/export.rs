//! The log as lines of JSON: one event each, with its hash, and a last line that says where the log ended.

use std::io::{BufRead, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;

use baton_engine::envelope::{Actor, Fresh, Recorded};
use serde_json::{Map, Value, json};

use crate::anchor::Key;
use crate::chain::{Fault, Finding, Verified, Verifier};
use crate::error::{Reason, StoreError};
use crate::hex;
use crate::limit;
use crate::log::{AppendError, Head, Log};
use crate::record;

const IMPORT: &str = "import a log";

/// Writes the whole log, and returns its head. With a key, the last line is signed, so that a cut tail is found.
pub fn export(log: &dyn Log, key: Option<&Key>, out: &mut dyn Write) -> Result<Head, StoreError> {
    let mut verifier = Verifier::new(None);
    let mut trouble = None;
    let mut head = Head::default();
    log.scan(0, &mut |event| match write_event(&mut verifier, event.map_err(|error| error.why), out) {
        Ok(at) => {
            head = at;
            ControlFlow::Continue(())
        }
        Err(error) => {
            trouble = Some(error);
            ControlFlow::Break(())
        }
    })?;
    if let Some(error) = trouble {
        return Err(error);
    }
    let mut end = json!({ "sequence": head.sequence, "hash": hex::encode(&head.hash) });
    if let (Some(key), Some(end)) = (key, end.as_object_mut()) {
        end.insert("signature".to_owned(), key.sign_export(&head).into());
    }
    writeln!(out, "{}", json!({ "end": end }))
        .and_then(|()| out.flush())
        .map_err(|error| cannot_write(&error))?;
    Ok(head)
}

/// What does not hold together is not carried on.
fn write_event(
    verifier: &mut Verifier,
    event: Result<&Recorded, String>,
    out: &mut dyn Write,
) -> Result<Head, StoreError> {
    let event = event.map_err(|why| StoreError::corrupt("export the log", why))?;
    verifier.take(event).map_err(|finding| StoreError::corrupt("export the log", finding.to_string()))?;
    writeln!(out, "{}", to_json(event)).map_err(|error| cannot_write(&error))?;
    Ok(record::head_of(event))
}

fn cannot_write(error: &std::io::Error) -> StoreError {
    let next = "free some space or choose another place, then export again";
    StoreError::new(Reason::Failed, "export the log", error.to_string(), next)
}

/// Verifies exported lines without storing them. The end must be there; with a key, it must be signed with it.
pub fn verify(lines: &mut dyn BufRead, key: Option<&Key>) -> Result<Result<Verified, Finding>, StoreError> {
    walk(lines, key, &mut |_| Ok(()))
}

/// Stores exported lines in an empty log, which then has the very same hashes. They are verified before the first is
/// stored.
pub fn import<R: BufRead + Seek>(
    lines: &mut R,
    key: Option<&Key>,
    log: &mut dyn Log,
) -> Result<Result<Verified, Finding>, StoreError> {
    if log.head()?.sequence != 0 {
        let next = "import into a new, empty store";
        return Err(StoreError::new(Reason::Occupied, IMPORT, "this store has events already", next));
    }
    let start = lines.stream_position().map_err(|error| cannot_read(&error))?;
    let verified = match verify(lines, key)? {
        Ok(verified) => verified,
        Err(finding) => return Ok(Err(finding)),
    };
    lines.seek(SeekFrom::Start(start)).map_err(|error| cannot_read(&error))?;
    let mut command: Vec<Recorded> = Vec::new();
    let walked = walk(lines, key, &mut |event| {
        let is_same = command.last().is_some_and(|last| last.stream == event.stream && last.key == event.key);
        if !is_same || event.key.is_none() {
            store(log, &mut command)?;
        }
        command.push(event);
        Ok(())
    })?;
    store(log, &mut command)?;
    Ok(walked.map(|_| verified))
}

/// The events of one command share its key, and go in together as they did the first time.
fn store(log: &mut dyn Log, command: &mut Vec<Recorded>) -> Result<(), StoreError> {
    let Some(first) = command.first() else { return Ok(()) };
    let fresh: Vec<Fresh> = command.iter().map(fresh).collect();
    let stored = match log.append(&first.stream, first.version - 1, &fresh) {
        Ok(stored) => stored,
        Err(AppendError::Storage(error)) => return Err(error),
        Err(error) => return Err(StoreError::corrupt(IMPORT, error.to_string())),
    };
    if stored != *command {
        return Err(StoreError::corrupt(IMPORT, format!("event {} came out as another", first.sequence)));
    }
    command.clear();
    Ok(())
}

fn fresh(event: &Recorded) -> Fresh {
    Fresh {
        at: event.at,
        actor: event.actor.clone(),
        kind: event.kind.clone(),
        schema: event.schema,
        body: event.body.clone(),
        key: event.key.clone(),
    }
}

/// Verifies line by line and hands on what holds.
fn walk(
    lines: &mut dyn BufRead,
    key: Option<&Key>,
    take: &mut dyn FnMut(Recorded) -> Result<(), StoreError>,
) -> Result<Result<Verified, Finding>, StoreError> {
    let mut verifier = Verifier::new(None);
    let mut next = 1;
    let mut line = Vec::new();
    loop {
        let broken = |why: &str| Finding { sequence: next, fault: Fault::Unreadable(why.to_owned()) };
        line.clear();
        let bounded = &mut (&mut *lines).take(limit::LINE_BYTES_MAX as u64);
        let read = bounded.read_until(b'\n', &mut line).map_err(|error| cannot_read(&error))?;
        if read == 0 {
            return Ok(Err(Finding { sequence: next, fault: Fault::Cut }));
        }
        let Ok(value) = serde_json::from_slice::<Value>(&line) else {
            return Ok(Err(broken("the line is not JSON")));
        };
        if let Some(end) = value.get("end") {
            let rest = lines.fill_buf().map_err(|error| cannot_read(&error))?;
            let after = if rest.is_empty() { Ok(()) } else { Err(broken("there are lines after the end")) };
            return Ok(after.and(finish(verifier, end, key)));
        }
        // What is more than the event, or other than we write it, was put there by somebody else.
        let Some(event) = from_json(&value).filter(|event| to_json(event) == value) else {
            return Ok(Err(broken("the line is not an event")));
        };
        if let Err(finding) = verifier.take(&event) {
            return Ok(Err(finding));
        }
        next += 1;
        take(event)?;
    }
}

fn finish(verifier: Verifier, end: &Value, key: Option<&Key>) -> Result<Verified, Finding> {
    let verified = verifier.finish()?;
    let head = verified.head;
    let sequence = end.get("sequence").and_then(Value::as_u64).unwrap_or(0);
    let wrong = |fault| Err(Finding { sequence: head.sequence + 1, fault });
    if sequence > head.sequence {
        return wrong(Fault::Cut);
    }
    let hash = end.get("hash").and_then(Value::as_str).and_then(hex::decode_hash);
    if sequence < head.sequence || hash != Some(head.hash) {
        return wrong(Fault::Unreadable("the last line names another end".to_owned()));
    }
    let signature = end.get("signature").and_then(Value::as_str).unwrap_or_default();
    match key {
        Some(key) if !key.accepts_export(&head, signature) => {
            wrong(Fault::Unreadable("the last line is not signed with this key".to_owned()))
        }
        Some(_) => Ok(Verified { anchored: head.sequence, unanchored: 0, ..verified }),
        None => Ok(verified),
    }
}

fn cannot_read(error: &std::io::Error) -> StoreError {
    let next = "check the file, then try again";
    StoreError::new(Reason::Failed, "read an exported log", error.to_string(), next)
}

fn to_json(event: &Recorded) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("sequence", event.sequence.into());
    put("stream", event.stream.clone().into());
    put("version", event.version.into());
    put("at", event.at.into());
    let actor = &event.actor;
    put("actor", json!({ "kind": actor.kind.name(), "name": actor.name, "turn": actor.turn }));
    put("kind", event.kind.clone().into());
    put("schema", event.schema.into());
    // Byte for byte: the body is text inside the line, not JSON that a program might write otherwise.
    match std::str::from_utf8(&event.body) {
        Ok(text) => put("body", text.into()),
        Err(_) => put("body_base16", hex::encode(&event.body).into()),
    };
    put("key", event.key.clone().into());
    put("previous", hex::encode(&event.previous).into());
    put("hash", hex::encode(&event.hash).into());
    Value::Object(fields)
}

fn from_json(value: &Value) -> Option<Recorded> {
    let text = |value: &Value, name: &str| value.get(name)?.as_str().map(str::to_owned);
    let optional = |value: &Value, name: &str| match value.get(name)? {
        Value::Null => Some(None),
        Value::String(text) => Some(Some(text.clone())),
        _ => None,
    };
    let actor = value.get("actor")?;
    let body = match text(value, "body") {
        Some(body) => body.into_bytes(),
        None => hex::decode(&text(value, "body_base16")?)?,
    };
    Some(Recorded {
        sequence: value.get("sequence")?.as_u64()?,
        stream: text(value, "stream")?,
        version: value.get("version")?.as_u64()?,
        at: value.get("at")?.as_i64()?,
        actor: Actor {
            kind: record::actor_kind(&text(actor, "kind")?)?,
            name: text(actor, "name")?,
            turn: optional(actor, "turn")?,
        },
        kind: text(value, "kind")?,
        schema: value.get("schema")?.as_u64()?.try_into().ok()?,
        body,
        key: optional(value, "key")?,
        previous: hex::decode_hash(&text(value, "previous")?)?,
        hash: hex::decode_hash(&text(value, "hash")?)?,
    })
}
