//! What the work of a session is compared with: the files at its start, and only what was accepted since.

use std::fs;

use serde_json::json;

use super::{AGENTS, Beside, handoff};
use crate::mcp::talk::Talk;

const CHANGES_TIDES: &str = "Done.\n\n```yaml\noutcome: completed\nsummary: the tides are right\nfiles_modified:\n  - {path: tides.txt, change_type: modify, description: a minute later}\n```\n";

fn harbour() -> Beside {
    Beside::checked(&[("tides.txt", "06:12 low\n")], &["grep", "-q", "low", "tides.txt"])
}

/// Returns what a file was before the first turn of the session's first task, as the log has it.
fn before(beside: &Beside, path: &str) -> String {
    let board = beside.baton(&["status", "--json"], b"", &[]).ends_with(0).json();
    let task = board["tasks"][0]["task"].as_str().expect("a task").to_owned();
    let folder = beside.state.file("before").to_string_lossy().into_owned();
    beside.baton(&["recover", &task, "before-turn-1", "--into", &folder], b"", &[]).ends_with(0);
    let text = fs::read_to_string(beside.state.file("before").join(path)).expect("it was there");
    fs::remove_dir_all(folder).expect("removed");
    text
}

#[test]
fn a_session_is_compared_with_the_files_at_its_start() {
    for agent in AGENTS {
        let beside = harbour();
        beside.start(agent, "s1");
        beside.prompt(agent, "s1");
        beside.place.write("tides.txt", "06:13 low\n");
        assert_eq!(beside.stop(agent, "s1", CHANGES_TIDES), None, "{agent}");
        assert!(beside.told(&["status"]).contains("done-unverified"), "{agent}");
        assert_eq!(before(&beside, "tides.txt"), "06:12 low\n", "{agent}");
    }
}

#[test]
fn what_a_person_committed_is_what_a_session_that_nobody_saw_begin_is_compared_with() {
    let beside = harbour();
    beside.place.write("tides.txt", "06:13 low\n");
    assert_eq!(beside.stop("claude", "s1", CHANGES_TIDES), None, "{}", beside.told(&["log"]));
    assert!(beside.told(&["status"]).contains("done-unverified"));
    assert_eq!(before(&beside, "tides.txt"), "06:12 low\n");
    let beside = harbour();
    beside.place.write("tides.txt", "06:13 low\n");
    let text = beside.stop("claude", "s1", "Good night.").expect("it owes a handoff");
    assert!(text.contains("changed tides.txt"), "{text}");
    // Without a commit nobody knows, and nobody says that nothing was changed.
    let beside = Beside { place: crate::support::Place::new(), state: crate::support::Place::new() };
    beside.place.write("tides.txt", "06:13 low\n");
    assert_eq!(beside.stop("claude", "s1", CHANGES_TIDES), None, "{}", beside.told(&["log"]));
    let status = beside.told(&["status"]);
    assert!(status.contains("done-unverified"), "{status}");
}

#[test]
fn accepted_work_is_the_next_baseline_and_unfinished_work_is_not() {
    let beside = harbour();
    beside.start("codex", "s1");
    beside.prompt("codex", "s1");
    beside.place.write("one.txt", "1\n");
    assert_eq!(beside.stop("codex", "s1", &handoff("completed", &["one.txt"])), None);
    beside.prompt("codex", "s1");
    beside.place.write("two.txt", "2\n");
    let text = beside.stop("codex", "s1", &handoff("completed", &["one.txt", "two.txt"]));
    assert!(text.expect("one.txt is older").contains("one.txt"));
    assert_eq!(beside.stop("codex", "s1", &handoff("completed", &["two.txt"])), None);
    beside.prompt("codex", "s1");
    beside.place.write("three.txt", "3\n");
    let partial = handoff("partial", &["three.txt"]).replace(
        "summary: wrote a greeting\n",
        "summary: half of it\nsuggested_next_steps:\n  - {step: write four, priority: high}\nblockers:\n  - {blocker: it is late, impact: no four, suggested_resolution: tomorrow, blocking_tasks: []}\n",
    );
    assert_eq!(beside.stop("codex", "s1", &partial), None, "it may go");
    beside.prompt("codex", "s1");
    beside.place.write("four.txt", "4\n");
    let both = handoff("completed", &["three.txt", "four.txt"]);
    assert_eq!(beside.stop("codex", "s1", &both), None, "{}", beside.told(&["log"]));
    assert!(!beside.told(&["status"]).contains("ready"), "{}", beside.told(&["status"]));
}

#[test]
fn what_was_escalated_is_still_compared_with_the_files_before_it() {
    let beside = harbour();
    beside.start("claude", "s1");
    beside.prompt("claude", "s1");
    beside.place.write("tides.txt", "06:13 hgih\n");
    for _ in 0..4 {
        beside.stop("claude", "s1", CHANGES_TIDES);
    }
    assert!(beside.told(&["inbox"]).contains("retries_exhausted"));
    beside.prompt("claude", "s1");
    assert_eq!(beside.stop("claude", "s1", "The answer is 42."), None, "a question is answered");
    // It is repaired after all: the file differs from before all of it.
    beside.prompt("claude", "s1");
    beside.place.write("tides.txt", "06:13 low\n");
    assert_eq!(beside.stop("claude", "s1", CHANGES_TIDES), None, "{}", beside.told(&["log"]));
    assert!(beside.told(&["status"]).contains("done-unverified"));
}

#[test]
fn sessions_run_all_checks_of_the_project_also_those_that_come_later() {
    let beside = Beside::new();
    beside.prompt("claude", "s1");
    beside.place.write("one.txt", "1\n");
    assert_eq!(
        beside.stop("claude", "s1", &handoff("completed", &["one.txt"])),
        None,
        "no check is configured"
    );
    let checks =
        "[checks.first]\nrun = [\"true\"]\n[checks.second]\nrun = [\"test\", \"-f\", \"wanted.txt\"]\n";
    beside.place.write("baton.toml", checks);
    beside.baton(&["trust", "--yes"], b"", &[]).ends_with(0);
    for session in ["s1", "s2"] {
        beside.prompt("claude", session);
        beside.place.write("two.txt", session);
        let said = handoff("completed", &["two.txt"]);
        let said = if session == "s1" {
            said
        } else {
            said.replace("files_created", "files_modified")
                .replace("purpose: greets", "change_type: modify, description: greets")
        };
        let text =
            beside.stop("claude", session, &said).unwrap_or_else(|| panic!("{session}: the second fails"));
        assert!(text.contains("second: fail") && !text.contains("first: "), "{session}: {text}");
    }
    let shown = beside.told(&["workflow", "show", "session"]);
    assert!(shown.contains("first") && shown.contains("second"), "{shown}");
}

/// A client of the session s1 of Claude Code, on a task of its own.
fn over_mcp(beside: &Beside) -> Talk {
    beside.baton(&["task", "add", "T1", "Print the tides", "--workflow", "session"], b"", &[]).ends_with(0);
    beside.prompt("claude", "s1");
    let mut command = beside.prepared(beside.place.command(&["mcp"]));
    command.env("CLAUDE_CODE_SESSION_ID", "s1");
    let mut talk = Talk::with(&mut command);
    let client = json!({ "name": "rig", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    talk.ask("initialize", &hello);
    talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    talk.call("receive", &json!({ "task": "T1" }));
    talk
}

#[test]
fn work_that_came_back_over_mcp_does_not_end_with_the_turn() {
    let beside = harbour();
    let mut talk = over_mcp(&beside);
    beside.place.write("tides.txt", "06:13 hgih\n");
    let told = talk.call("submit", &json!({ "task": "T1", "document": CHANGES_TIDES })).text;
    assert!(told.contains("checks_failed"), "{told}");
    let text = beside.stop("claude", "s1", "Good night.").expect("it may not go with failing work");
    assert!(text.contains("Attempt 1 of 3"), "{text}");
}

#[test]
fn what_changes_after_work_was_accepted_over_mcp_is_owed() {
    for changes_more in [false, true] {
        let beside = harbour();
        let mut talk = over_mcp(&beside);
        beside.place.write("tides.txt", "06:13 low\n");
        let told = talk.call("submit", &json!({ "task": "T1", "document": CHANGES_TIDES })).text;
        assert!(told.contains("accept because of"), "{told}");
        if changes_more {
            beside.place.write("tides.txt", "06:13 hgih\n");
        }
        let back = beside.stop("claude", "s1", "Good night.");
        assert_eq!(back.is_some(), changes_more, "{back:?}");
    }
}

#[test]
fn ignored_files_of_the_checkout_are_there_for_the_check_and_others_are_its_own() {
    let beside = Beside::with(&[("tides.txt", "06:12 low\n"), (".gitignore", "tools/\n*.env\n")]);
    fs::create_dir_all(beside.place.file("tools/bin")).expect("a folder");
    beside.place.write("tools/bin/judge", "#!/bin/sh\n. ./local.env\necho ran >> tools/seen\necho new > report.txt\ntest \"$NAME\" = pier && git rev-parse HEAD && grep -q low tides.txt\n");
    let judge = beside.place.file("tools/bin/judge");
    fs::set_permissions(judge, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a program");
    beside.place.write("local.env", "NAME=pier\n");
    beside.place.write("baton.toml", "[checks.judged]\nrun = [\"./tools/bin/judge\"]\n");
    beside.place.commit("name the check");
    beside.baton(&["trust", "--yes"], b"", &[]).ends_with(0);
    beside.prompt("claude", "s1");
    beside.place.write("tides.txt", "06:13 low\n");
    assert_eq!(beside.stop("claude", "s1", CHANGES_TIDES), None, "{}", beside.told(&["log"]));
    assert!(beside.told(&["status"]).contains("done-unverified"), "{}", beside.told(&["inbox"]));
    assert!(beside.place.file("tools/seen").exists(), "ignored folders can be written, as they can by hand");
    assert!(!beside.place.file("report.txt").exists(), "all else stays in the room");
}

#[test]
fn a_check_that_changes_a_followed_file_settles_nothing() {
    let beside = Beside::checked(
        &[("tides.txt", "06:12 low\n"), ("count.txt", "0\n")],
        &["sh", "-c", "date +%s%N > count.txt; grep -q low tides.txt"],
    );
    beside.prompt("claude", "s1");
    beside.place.write("tides.txt", "06:13 low\n");
    let text = beside.stop("claude", "s1", CHANGES_TIDES).expect("it is seen");
    assert!(text.contains("changed the work that it looked at: count.txt"), "{text}");
}

#[test]
fn a_formatter_that_rewrites_new_work_is_seen() {
    let beside = Beside::checked(
        &[("tides.txt", "06:12 low\n")],
        &["sh", "-c", "for one in *.src; do tr a-z A-Z < $one > t && mv t $one; done"],
    );
    beside.prompt("claude", "s1");
    beside.place.write("new.src", "lower\n");
    let text = beside.stop("claude", "s1", &handoff("completed", &["new.src"])).expect("it is seen");
    assert!(text.contains("changed the work that it looked at: new.src"), "{text}");
}
