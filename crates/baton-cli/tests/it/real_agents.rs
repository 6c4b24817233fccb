//! `baton run` and `baton hook` with real agents against a scripted model, where a rig for that is at hand.

use std::process::Command;

/// The folder of the rig. Only set where the agents are installed.
const RIG: &str = "BATON_AGENT_RIG";
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rig/drive.py");
const BESIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rig/beside.py");
/// What is tried beside agents: `CASE` for all agents, `CASE:AGENT` for one, `over:FROM:TO` from one to another.
const CASES: &str = "repaired:claude never:codex honest:gemini subagents over:claude:codex";
const CASES_ALL: &str =
    "repaired never honest question subagents over:claude:codex over:codex:claude opencode";
/// The agents for which it is tried, when the variable with names does not say which.
const AGENTS: &str = "claude codex";

#[test]
fn real_agents_build_fail_hear_of_it_pass_and_are_verified() {
    let Ok(rig) = std::env::var(RIG) else {
        println!("LEFT OUT: {RIG} is not set, so no real agent was run");
        return;
    };
    let agents = std::env::var("BATON_AGENTS").unwrap_or_else(|_| AGENTS.to_owned());
    succeeds(SCRIPT, &rig, &agents);
}

#[test]
fn real_agents_are_sent_back_by_their_hooks_repair_it_and_are_let_go() {
    let Ok(rig) = std::env::var(RIG) else {
        println!("LEFT OUT: {RIG} is not set, so no real agent called a hook");
        return;
    };
    let is_long = std::env::var("BATON_LONG").is_ok_and(|long| long == "1");
    if !is_long {
        println!("LEFT OUT: BATON_LONG=1 tries everything with every agent");
    }
    succeeds(BESIDE, &rig, if is_long { CASES_ALL } else { CASES });
}

fn succeeds(script: &str, rig: &str, words: &str) {
    let mut python = Command::new("python3");
    python.arg(script).arg(rig).arg(env!("CARGO_BIN_EXE_baton")).args(words.split_whitespace());
    let run = python.output().expect("python3 runs");
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{told}\n{}", String::from_utf8_lossy(&run.stderr));
    println!("{told}");
}
