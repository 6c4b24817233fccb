//! Claude Code. A stop is answered by exit code 2 with the feedback on standard error: as JSON it would reach the model
//! twice. Nothing rests on `stop_hook_active`: the log counts.

use serde_json::{Value, json};

use super::Dialect;
use super::call::{Answer, Call, Moment, Reply, Trouble};
use super::read::claude_shaped;

/// The exit code by which Claude Code goes on with what is on standard error.
const GO_ON: u8 = 2;

pub(super) const DIALECT: Dialect = Dialect { name: "claude", read, write };

fn moment(event: &str) -> Moment {
    match event {
        "SessionStart" => Moment::Start,
        "UserPromptSubmit" => Moment::Prompt,
        // The end of an item of a list says no more than the files do: it is judged by the handoff that was left.
        "Stop" | "TaskCompleted" => Moment::Stop,
        "SubagentStop" => Moment::SubagentStop,
        _ => Moment::Other,
    }
}

fn read(value: &Value) -> Result<Call, Trouble> {
    let mut call = claude_shaped(value, moment)?;
    let background = value.get("background_tasks").and_then(Value::as_array);
    // Whoever works for the agent is in that list itself while it ends.
    call.is_paused = call.event == "Stop" && background.is_some_and(|tasks| !tasks.is_empty());
    // When memory is cut, a helper without a sort ends; it hands nothing over.
    if call.subagent.as_ref().is_some_and(|(_, sort)| sort.is_empty()) {
        call.moment = Moment::Other;
    }
    Ok(call)
}

fn write(call: &Call, answer: &Answer) -> Reply {
    match answer {
        Answer::Silent => Reply::silent(),
        Answer::Context(text) => Reply::json(&json!({
            "hookSpecificOutput": { "hookEventName": call.event, "additionalContext": text },
        })),
        Answer::SendBack(text) => Reply { stdout: String::new(), stderr: text.clone(), code: GO_ON },
        Answer::Tell(text) => Reply::json(&json!({ "systemMessage": text })),
        Answer::NotJudged(text) => Reply::json(&json!({ "systemMessage": text })).said(text),
    }
}
