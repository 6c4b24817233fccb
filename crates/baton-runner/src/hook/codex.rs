//! Codex. Its output is read strictly: one key too many, and the whole answer counts for nothing.

use serde_json::{Value, json};

use super::Dialect;
use super::call::{Answer, Call, Moment, Reply, Trouble};
use super::read::claude_shaped;

pub(super) const DIALECT: Dialect = Dialect { name: "codex", read, write };

fn moment(event: &str) -> Moment {
    match event {
        "SessionStart" => Moment::Start,
        "UserPromptSubmit" => Moment::Prompt,
        "Stop" => Moment::Stop,
        "SubagentStop" => Moment::SubagentStop,
        _ => Moment::Other,
    }
}

fn read(value: &Value) -> Result<Call, Trouble> {
    claude_shaped(value, moment)
}

fn write(call: &Call, answer: &Answer) -> Reply {
    match answer {
        Answer::Silent => Reply::silent(),
        Answer::Context(text) => Reply::json(&json!({
            "hookSpecificOutput": { "hookEventName": call.event, "additionalContext": text },
        })),
        Answer::SendBack(text) => Reply::json(&json!({ "decision": "block", "reason": text })),
        Answer::Tell(text) => Reply::json(&json!({ "systemMessage": text })),
        Answer::NotJudged(text) => Reply::json(&json!({ "systemMessage": text })).said(text),
    }
}
