//! An agent that has both hooks and tools: whoever handed over with a tool is not asked again when it stops.

use serde_json::{Value, json};

use super::talk::{HANDOFF, Harbour, Told};
use crate::support::Run;

/// Lets an agent's program call its hook.
fn hook(harbour: &Harbour, agent: &str, payload: &Value) -> Run {
    let mut command = harbour.command(&["hook", agent]);
    harbour.place.run_prepared(&mut command, payload.to_string().as_bytes())
}

fn moment(harbour: &Harbour, session: &str, event: &str) -> Value {
    json!({
        "session_id": session, "hook_event_name": event, "cwd": harbour.place.path(), "prompt": "Print the tides",
        "last_assistant_message": "Done.", "prompt_response": "Done.", "stop_hook_active": false,
    })
}

#[test]
fn whoever_handed_over_with_a_tool_may_stop() {
    for (agent, prompt, stop) in [
        ("claude", "UserPromptSubmit", "Stop"),
        ("codex", "UserPromptSubmit", "Stop"),
        ("gemini", "BeforeAgent", "AfterAgent"),
    ] {
        let harbour = Harbour::with_task("single");
        harbour.place.commit("begin");
        hook(&harbour, agent, &moment(&harbour, "s-1", prompt)).ends_with(0);
        let mut talk = harbour.greet((agent == "claude").then_some("s-1"), &json!({}));
        if agent == "gemini" {
            let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "gemini-cli-mcp-client", "version": "1" } });
            talk.ask("initialize", &hello);
        }
        let mut call = |tool: &str, arguments: Value| {
            let meta = if agent == "codex" { json!({ "threadId": "s-1" }) } else { json!({}) };
            Told::of(&talk.ask("tools/call", &json!({ "name": tool, "arguments": arguments, "_meta": meta })))
        };
        call("receive", json!({ "task": "T1" })).says(&["T1"]);
        harbour.place.write("tides.txt", "06:12 low\n");
        call("submit", json!({ "task": "T1", "document": HANDOFF })).says(&["accept"]);
        let stopped = hook(&harbour, agent, &moment(&harbour, "s-1", stop)).ends_with(0);
        assert!(
            !stopped.out().contains("block") && !stopped.out().contains("deny"),
            "{agent}: {}",
            stopped.out()
        );
        let status = harbour.baton(&["status"]).ends_with(0).out();
        assert!(!status.contains("Session of") && status.lines().count() == 1, "{agent}: {status}");
        // Another session is not excused by it, where the client says which is which.
        hook(&harbour, agent, &moment(&harbour, "s-2", prompt)).ends_with(0);
        harbour.place.write("heights.txt", "2.1 m\n");
        let other = hook(&harbour, agent, &moment(&harbour, "s-2", stop));
        let is_sent_back = other.code == Some(2) || other.out().contains("\"decision\"");
        assert!(is_sent_back || agent == "gemini", "{agent}: {}{}", other.out(), other.err());
    }
}
