//! What the tools cost every agent in every session, and the public tools that try a server.

use std::process::Command;

use baton_runner::desk::context::{VOCABULARY, count_tokens};
use serde_json::json;

use super::talk::Harbour;

/// All that agents are told of the tools must stay below this.
const TOKENS_MAX: usize = 1_200;
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rig/mcp.py");

#[test]
fn the_list_of_tools_is_short() {
    let harbour = Harbour::new();
    let mut talk = harbour.greet(None, &json!({}));
    let listed = talk.ask("tools/list", json!({}));
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

/// The inspector and the conformance suite, where they are installed.
#[cfg(target_os = "linux")]
#[test]
fn the_inspector_and_the_conformance_suite_find_what_is_expected() {
    let (Ok(rig), true) = (std::env::var("BATON_AGENT_RIG"), std::env::var("RIG_NPM").is_ok()) else {
        println!(
            "LEFT OUT: BATON_AGENT_RIG and RIG_NPM are not set, so neither the MCP inspector nor the conformance suite was run"
        );
        return;
    };
    let run = Command::new("python3").arg(SCRIPT).arg(rig).arg(env!("CARGO_BIN_EXE_baton")).output();
    let run = run.expect("python3 runs");
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{told}\n{}", String::from_utf8_lossy(&run.stderr));
    println!("{told}");
}
