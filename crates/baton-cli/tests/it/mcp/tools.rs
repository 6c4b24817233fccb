//! What the tools cost every agent in every session, and the public tools that try a server.

use std::process::Command;

use baton_runner::desk::context::{VOCABULARY, count_tokens};
use serde_json::json;

use super::talk::Harbour;
use crate::support::announce;

/// All that agents are told of the tools must stay below this.
const TOKENS_MAX: usize = 1_200;
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rig");

#[test]
fn the_list_of_tools_is_short() {
    let harbour = Harbour::new();
    let mut talk = harbour.greet(None, &json!({}));
    let listed = talk.ask("tools/list", &json!({}));
    let text = listed["result"].to_string();
    let tokens = count_tokens(&text);
    println!("tools/list has {tokens} tokens ({VOCABULARY}), {} bytes", text.len());
    let tools = listed["result"]["tools"].as_array().expect("a list");
    for tool in tools {
        println!("  {:<9} {}", tool["name"].as_str().unwrap_or_default(), count_tokens(&tool.to_string()));
        assert_eq!(tool["inputSchema"]["type"], "object");
    }
    assert_eq!(tools.len(), 9);
    assert!(tokens < TOKENS_MAX, "{tokens} tokens");
}

/// The inspector, the official client and the conformance suite, where they are installed.
#[cfg(target_os = "linux")]
#[test]
fn the_inspector_and_the_conformance_suite_find_what_is_expected() {
    let what = "neither the MCP inspector nor the conformance suite";
    scripted("mcp.py", what, &[]);
}

/// Real agents with Baton as their server, where they are installed.
#[cfg(target_os = "linux")]
#[test]
fn real_agents_take_a_task_hear_of_a_failed_check_and_are_accepted() {
    let agents = std::env::var("BATON_AGENTS")
        .unwrap_or_else(|_| "claude codex gemini opencode lie:opencode".to_owned());
    let agents: Vec<&str> = agents.split_whitespace().collect();
    scripted("mcp_agents.py", "no real agent", &agents);
}

/// Runs a script of the rig, or says what was left out.
#[cfg(target_os = "linux")]
fn scripted(name: &str, what: &str, arguments: &[&str]) {
    let (Ok(rig), true) = (std::env::var("BATON_AGENT_RIG"), std::env::var("RIG_NPM").is_ok()) else {
        announce(&format!("LEFT OUT: BATON_AGENT_RIG and RIG_NPM are not set, so {what} was run"));
        return;
    };
    let mut python = Command::new("python3");
    python.arg(format!("{SCRIPTS}/{name}")).arg(rig).arg(env!("CARGO_BIN_EXE_baton")).args(arguments);
    let run = python.output().expect("python3 runs");
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{told}\n{}", String::from_utf8_lossy(&run.stderr));
    println!("{told}");
}
