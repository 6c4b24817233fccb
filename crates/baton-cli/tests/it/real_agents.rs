//! `baton run` with real agents against a scripted model, where a rig for that is at hand.

use std::process::Command;

/// The folder of the rig. Only set where the agents are installed.
const RIG: &str = "BATON_AGENT_RIG";
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rig/drive.py");
/// The agents for which it is tried, when the variable with names does not say which.
const AGENTS: &str = "opencode gemini claude codex acp-claude";
/// More that speak the Agent Client Protocol, for which there is time in the long mode.
const MORE_AGENTS: &str = "acp-codex acp-opencode acp-gemini";

#[test]
fn real_agents_build_fail_hear_of_it_pass_and_are_verified() {
    let Ok(rig) = std::env::var(RIG) else {
        println!("LEFT OUT: {RIG} is not set, so no real agent was run");
        return;
    };
    let more = if std::env::var_os("BATON_LONG").is_some() { MORE_AGENTS } else { "" };
    let agents = std::env::var("BATON_AGENTS").unwrap_or_else(|_| format!("{AGENTS} {more}"));
    let mut python = Command::new("python3");
    python.arg(SCRIPT).arg(rig).arg(env!("CARGO_BIN_EXE_baton")).args(agents.split_whitespace());
    let run = python.output().expect("python3 runs");
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{told}\n{}", String::from_utf8_lossy(&run.stderr));
    println!("{told}");
}
