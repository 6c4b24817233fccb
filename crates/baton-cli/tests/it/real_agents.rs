//! `baton run` and `baton hook` with real agents against a scripted model, where a rig for that is at hand.

use std::process::Command;

use crate::support::{announce, is_long};

/// The folder of the rig. Only set where the agents are installed.
const RIG: &str = "BATON_AGENT_RIG";
const DRIVE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rig/drive.py");
const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rig/demo.py");
const BESIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rig/beside.py");
const TRUST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rig/trust.py");
/// Who obeys hooks of a project when it starts.
const OBEDIENT: &str = "claude gemini";
/// What is tried beside agents: `CASE` for all agents, `CASE:AGENT` for one, `over:FROM:TO` from one to another.
const CASES: &str = "repaired:claude lie:codex never:codex honest:gemini subagents over:claude:codex";
const CASES_ALL: &str =
    "repaired lie never honest question subagents over:claude:codex over:codex:claude opencode";
/// Who shows the demonstration.
const DEMO_AGENTS: &str = "codex";
const DEMO_AGENTS_ALL: &str = "codex claude";
/// The agents for which it is tried, when the variable with names does not say which.
const AGENTS: &str = "opencode gemini claude codex acp-claude";
/// Claim a file that doesn't exist, beside work that passes its check.
const LIARS: &str = "lie:claude lie:codex lie:gemini lie:opencode";
/// Are asked for a build plan before the work.
const PLANNERS: &str = "plan:claude plan:codex plan:gemini plan:opencode plan:acp-claude";
/// More that speak the Agent Client Protocol, for which there is time in the long mode.
const MORE_AGENTS: &str = "acp-codex acp-opencode acp-gemini";

/// Runs a script of the rig and returns what it told; nothing where there is no rig.
fn played(script: &str, agents: &str) -> Option<String> {
    let Ok(rig) = std::env::var(RIG) else {
        announce(&format!("LEFT OUT: {RIG} is not set, so no real agent was run"));
        return None;
    };
    let mut python = Command::new("python3");
    python.arg(script).arg(rig).arg(env!("CARGO_BIN_EXE_baton")).args(agents.split_whitespace());
    let run = python.output().expect("python3 runs");
    let told = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{told}\n{}", String::from_utf8_lossy(&run.stderr));
    println!("{told}");
    Some(told)
}

#[test]
fn real_agents_build_fail_hear_of_it_pass_and_are_verified() {
    let more = if is_long() { MORE_AGENTS } else { "" };
    let agents = std::env::var("BATON_AGENTS").unwrap_or_else(|_| format!("{AGENTS} {more}"));
    if let Some(told) = played(DRIVE, &agents) {
        let passed = told.lines().filter(|line| line.starts_with("PASS ")).count();
        assert_eq!(passed, agents.split_whitespace().count(), "{told}");
    }
}

#[test]
fn real_agents_that_claim_a_missing_file_are_sent_back_and_accepted_once_they_correct_it() {
    if let Some(told) = played(DRIVE, LIARS) {
        let is_passed = |case: &str| told.contains(&format!("PASS {case}:"));
        assert!(LIARS.split_whitespace().all(is_passed), "{told}");
    }
}

#[test]
fn real_agents_hand_in_their_plan_first_and_work_on_it_in_the_same_session() {
    if let Some(told) = played(DRIVE, PLANNERS) {
        let is_passed = |case: &str| told.contains(&format!("PASS {case}:"));
        assert!(PLANNERS.split_whitespace().all(is_passed), "{told}");
    }
}

#[test]
fn a_real_agent_shows_the_demonstration() {
    let agents = if is_long() { DEMO_AGENTS_ALL } else { DEMO_AGENTS };
    if let Some(told) = played(DEMO, agents) {
        let shown = |agent: &str| told.contains(&format!("PASS demo --agent {agent}"));
        assert!(agents.split_whitespace().all(shown), "{told}");
    }
}

#[test]
fn real_agents_obey_no_settings_that_nobody_trusts() {
    if let Some(told) = played(TRUST, OBEDIENT) {
        let shown = |agent: &str| told.contains(&format!("PASS trust {agent}"));
        assert!(OBEDIENT.split_whitespace().all(shown), "{told}");
    }
}

#[test]
fn real_agents_are_sent_back_by_their_hooks_repair_it_and_are_let_go() {
    if !is_long() {
        announce("LEFT OUT: BATON_LONG=1 tries everything with every agent");
    }
    played(BESIDE, if is_long() { CASES_ALL } else { CASES });
}
