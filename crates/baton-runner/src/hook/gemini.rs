//! Gemini CLI. `AfterAgent` is asked again without a bound, and what the agent said grows from time to time: both are
//! counted here.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::Dialect;
use super::call::{Answer, Call, Moment, Reply, Trouble};
use super::read::{claude_shaped, text};

pub(super) const DIALECT: Dialect = Dialect { name: "gemini", read, write };

fn moment(event: &str) -> Moment {
    match event {
        "SessionStart" => Moment::Start,
        "BeforeAgent" => Moment::Prompt,
        "AfterAgent" => Moment::Stop,
        _ => Moment::Other,
    }
}

fn read(value: &Value) -> Result<Call, Trouble> {
    let mut call = claude_shaped(value, moment)?;
    call.cwd = text(value, "cwd").map(PathBuf::from);
    call.message = text(value, "prompt_response").map(str::to_owned);
    call.accumulates = true;
    Ok(call)
}

fn write(call: &Call, answer: &Answer) -> Reply {
    match answer {
        Answer::Silent => Reply::silent(),
        Answer::Context(text) => Reply::json(&json!({
            "hookSpecificOutput": { "hookEventName": call.event, "additionalContext": text },
        })),
        Answer::SendBack(text) => Reply::json(&json!({ "decision": "deny", "reason": text })),
        Answer::Tell(text) => Reply::json(&json!({ "systemMessage": text })),
        Answer::NotJudged(text) => Reply::json(&json!({ "systemMessage": text })).said(text),
    }
}
