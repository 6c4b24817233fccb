//! OpenCode. It has no hook that can stop it from ending; a small plugin listens, asks here, and prompts the session again.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::Dialect;
use super::call::{Answer, Call, Moment, Reply, Trouble};
use super::read::{id, last_bytes, text};

pub(super) const DIALECT: Dialect = Dialect { name: "opencode", read, write };

/// The plugin that `baton init` writes.
pub const PLUGIN: &str = include_str!("opencode.js");

fn read(value: &Value) -> Result<Call, Trouble> {
    let Some(event) = text(value, "event") else {
        return Err(Trouble::new("the payload has no `event`"));
    };
    let moment = match event {
        "session.start" => Moment::Start,
        "chat.message" => Moment::Prompt,
        "session.idle" => Moment::Stop,
        _ => Moment::Other,
    };
    if moment == Moment::Other {
        return Ok(Call::new(moment, event, ""));
    }
    let Some(session) = id(value, "sessionID") else {
        return Err(Trouble::new("the payload has no `sessionID`"));
    };
    let mut call = Call::new(moment, event, session);
    call.cwd = text(value, "directory").map(PathBuf::from);
    call.message = text(value, "message").map(last_bytes);
    call.prompt = text(value, "prompt").map(str::to_owned);
    Ok(call)
}

fn write(_call: &Call, answer: &Answer) -> Reply {
    let (action, text) = match answer {
        Answer::Silent => ("none", ""),
        Answer::Context(text) => ("context", text.as_str()),
        Answer::SendBack(text) => ("prompt", text.as_str()),
        Answer::Tell(text) | Answer::NotJudged(text) => ("tell", text.as_str()),
    };
    let reply = Reply::json(&json!({ "action": action, "text": text }));
    if matches!(answer, Answer::NotJudged(_)) { reply.said(text) } else { reply }
}
