//! What cannot be judged is never accepted and never silent, and the failing work is never the next baseline.

use std::fs;

use serde_json::{Value, json};

use super::{AGENTS, Beside, handoff, sent_back};
use crate::support::{Place, Run};

/// A project with this check, trusted, and work on it that a session hands over.
fn worked(check: &str, agent: &str) -> Beside {
    let beside = Beside::with(&[("readme.md", "# A project\n")]);
    beside.place.write("baton.toml", format!("[checks.tests]\n{check}\n"));
    beside.place.commit("name the check");
    beside.baton(&["trust", "--yes"], b"", &[]).ends_with(0);
    work(&beside, agent);
    beside
}

fn work(beside: &Beside, agent: &str) {
    beside.start(agent, "s1");
    beside.prompt(agent, "s1");
    beside.place.write("greet.txt", "hello\n");
}

fn said() -> String {
    handoff("completed", &["greet.txt"])
}

fn stop_payload(beside: &Beside, message: &str) -> Vec<u8> {
    let payload = json!({ "session_id": "s1", "hook_event_name": "Stop", "cwd": beside.place.path(),
        "last_assistant_message": message, "stop_hook_active": false });
    payload.to_string().into_bytes()
}

/// What the person of an agent's program reads.
fn told(run: &Run) -> String {
    let value: Value = serde_json::from_str(&run.out()).unwrap_or_default();
    let text = value["systemMessage"].as_str().or(value["text"].as_str());
    text.unwrap_or_else(|| panic!("nothing is said: {}{}", run.out(), run.err())).to_owned()
}

fn stop_raw(beside: &Beside, agent: &str, message: &str) -> Run {
    let payload = match agent {
        "gemini" => {
            json!({ "session_id": "s1", "hook_event_name": "AfterAgent", "prompt_response": message })
        }
        "opencode" => json!({ "sessionID": "s1", "event": "session.idle", "message": message }),
        _ => json!({ "session_id": "s1", "hook_event_name": "Stop", "last_assistant_message": message }),
    };
    beside.call(agent, payload)
}

fn is_never_accepted(beside: &Beside, what: &str) {
    let log = beside.told(&["log"]);
    assert!(!log.contains("decided: accept"), "{what}: {log}");
    assert!(beside.told(&["replay"]).contains("replayed"), "{what}");
}

#[test]
fn a_check_that_nobody_trusts_waits_in_the_inbox_at_once() {
    for agent in AGENTS {
        let beside = Beside::new();
        beside
            .place
            .write("baton.toml", "[checks.greets]\nrun = [\"grep\", \"-q\", \"hello\", \"greet.txt\"]\n");
        beside.place.commit("name the check");
        beside.start(agent, "s1");
        beside.prompt(agent, "s1");
        beside.place.write("greet.txt", "hullo\n");
        let run = stop_raw(&beside, agent, &said());
        assert_eq!(sent_back(agent, &run), None, "{agent}: it cannot change that");
        let words = told(&run);
        for part in ["check_unavailable", "greets", "not accepted", "baton inbox"] {
            assert!(words.contains(part), "{agent}: {part} in {words}");
        }
        let inbox = beside.told(&["inbox"]);
        assert!(inbox.contains("check_unavailable"), "{agent}: {inbox}");
        is_never_accepted(&beside, agent);
        // Once a person trusts it, the same work is checked, and it fails.
        beside.baton(&["trust", "--yes"], b"", &[]).ends_with(0);
        beside.place.write("greet.txt", "hallo!\n");
        let repeated = if *agent == "gemini" { said() } else { String::new() } + &said();
        let text = beside.stop(agent, "s1", &repeated).unwrap_or_else(|| panic!("{agent}: it fails"));
        assert!(text.contains("greets: fail"), "{agent}: {text}");
        beside.place.write("greet.txt", "hello\n");
        assert_eq!(beside.stop(agent, "s1", &format!("{repeated}{}", said())), None, "{agent}");
        assert!(beside.told(&["status"]).contains("done-unverified"), "{agent}");
    }
}

#[test]
fn the_agent_hears_with_the_next_prompt_why_its_work_was_not_judged() {
    let beside = worked("run = [\"no-such-program-at-all\"]", "claude");
    let run = stop_raw(&beside, "claude", &said());
    assert!(told(&run).contains("check_unavailable"), "{}", told(&run));
    let payload = json!({ "session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "And now?" });
    let context = beside.call("claude", payload).ends_with(0).json();
    let text = context["hookSpecificOutput"]["additionalContext"].as_str().expect("it is told");
    assert!(text.contains("check_unavailable") && text.contains("no-such-program-at-all"), "{text}");
}

#[test]
fn a_missing_program_waits_in_the_inbox_at_once() {
    let beside = worked("run = [\"no-such-program-at-all\"]", "codex");
    let run = stop_raw(&beside, "codex", &said());
    assert_eq!(sent_back("codex", &run), None);
    assert!(told(&run).contains("no-such-program-at-all"), "{}", told(&run));
    assert!(beside.told(&["inbox"]).contains("check_unavailable"));
    is_never_accepted(&beside, "missing");
}

#[test]
fn a_check_that_is_killed_or_hangs_goes_back_to_the_agent_and_ends_with_a_person() {
    for (what, check, most) in [
        ("killed", "run = [\"sh\", \"-c\", \"kill -9 $$\"]", 3),
        ("out of time", "run = [\"sleep\", \"60\"]\ntimeout_seconds = 1", 3),
    ] {
        let beside = worked(check, "claude");
        let back = (0..5).take_while(|_| beside.stop("claude", "s1", &said()).is_some()).count();
        assert!((1..=most).contains(&back), "{what}: {back} times");
        let inbox = beside.told(&["inbox"]);
        assert!(
            inbox.contains("retries_exhausted") || inbox.contains("check_unavailable"),
            "{what}: {inbox}"
        );
        is_never_accepted(&beside, what);
    }
}

#[test]
fn a_broken_configuration_waits_in_the_inbox_and_the_work_stays_owed() {
    let beside = worked("run = [\"grep\", \"-q\", \"hello\", \"greet.txt\"]", "claude");
    let config = beside.place.read("baton.toml");
    beside.place.write("baton.toml", "[checks\n");
    for _ in 0..2 {
        let run = stop_raw(&beside, "claude", &said());
        assert_eq!(sent_back("claude", &run), None);
        let words = told(&run);
        for part in ["could not judge", "baton.toml", "not accepted", "waits for a person as claude-"] {
            assert!(words.contains(part), "{part} in {words}");
        }
        assert!(run.err().contains("could not judge"), "{}", run.err());
    }
    beside.place.write("baton.toml", config);
    assert_eq!(
        beside.told(&["inbox"]).matches("escalation: needs_human_input").count(),
        1,
        "{}",
        beside.told(&["inbox"])
    );
    is_never_accepted(&beside, "configuration");
    // The work is still owed, and judged once that can be.
    assert!(beside.stop("claude", "s1", "Good night.").is_some());
    assert_eq!(beside.stop("claude", "s1", &said()), None, "{}", beside.told(&["log"]));
    assert!(beside.told(&["status"]).contains("done-unverified"), "{}", beside.told(&["status"]));
}

#[test]
fn a_disk_that_takes_no_more_accepts_nothing() {
    let beside = worked("run = [\"grep\", \"-q\", \"hello\", \"greet.txt\"]", "claude");
    beside.place.write("greet.txt", "hullo\n");
    // No file may grow, for the hook and all that it starts. Pipes are no files.
    let baton = env!("CARGO_BIN_EXE_baton");
    let mut full = std::process::Command::new("sh");
    full.args(["-c", &format!("trap '' XFSZ; ulimit -f 0; exec '{baton}' hook claude")]);
    let mut full = beside.prepared(full);
    for _ in 0..2 {
        let run = beside.place.run_prepared(&mut full, &stop_payload(&beside, &said()));
        assert!(!run.err().contains("panicked"), "{}", run.err());
        let words = told(&run);
        for part in ["could not judge", "not accepted"] {
            assert!(words.contains(part), "{part} in {words}");
        }
    }
    assert!(!beside.told(&["log"]).contains("decided: accept"), "{}", beside.told(&["log"]));
    // There is room again: the failing work is owed, also when its agent has nothing more to say.
    let text = beside.stop("claude", "s1", "Good night.").expect("it is owed");
    assert!(text.contains("Attempt 1 of 3"), "{text}");
    let text = beside.stop("claude", "s1", &said()).expect("the check fails");
    assert!(text.contains("tests: fail"), "{text}");
    beside.place.write("greet.txt", "hello\n");
    assert_eq!(beside.stop("claude", "s1", &said()), None, "{}", beside.told(&["log"]));
}

#[test]
fn a_room_that_cannot_be_made_waits_in_the_inbox_at_once() {
    let beside = worked("run = [\"grep\", \"-q\", \"hello\", \"greet.txt\"]", "claude");
    fs::write(beside.store().join("checkout-rooms"), "in the way").expect("written");
    let run = stop_raw(&beside, "claude", &said());
    assert_eq!(sent_back("claude", &run), None);
    assert!(told(&run).contains("could not judge"), "{}", told(&run));
    assert!(beside.told(&["inbox"]).contains("check_unavailable"), "{}", beside.told(&["inbox"]));
    is_never_accepted(&beside, "no room");
    fs::remove_file(beside.store().join("checkout-rooms")).expect("removed");
    assert_eq!(beside.stop("claude", "s1", &said()), None, "{}", beside.told(&["log"]));
    assert!(beside.told(&["status"]).contains("done-unverified"));
}

#[test]
fn a_file_that_no_snapshot_holds_goes_back_to_the_agent() {
    let beside = worked("run = [\"true\"]", "codex");
    let large = fs::File::create(beside.place.file("large.bin")).expect("created");
    large.set_len(300 * 1024 * 1024).expect("a hole");
    let text = beside.stop("codex", "s1", &said()).expect("it can be taken away");
    assert!(text.contains("large.bin") && text.contains("Attempt 1 of 3"), "{text}");
    fs::remove_file(beside.place.file("large.bin")).expect("removed");
    assert_eq!(beside.stop("codex", "s1", &said()), None, "{}", beside.told(&["log"]));
}

#[test]
fn an_unreadable_log_accepts_nothing_and_the_work_stays_owed() {
    for agent in AGENTS {
        let beside = worked("run = [\"grep\", \"-q\", \"hello\", \"greet.txt\"]", agent);
        let log = beside.store().join("log.sqlite");
        fs::write(&log, "this is no log").expect("written");
        let run = stop_raw(&beside, agent, &said());
        assert_eq!(sent_back(agent, &run), None, "{agent}");
        let words = told(&run);
        for part in ["could not judge", "not accepted", "could not be asked in the log"] {
            assert!(words.contains(part), "{agent}: {part} in {words}");
        }
        fs::remove_file(&log).expect("removed");
        let message = if *agent == "gemini" { said() + "Good night." } else { "Good night.".to_owned() };
        let text = beside.stop(agent, "s1", &message).unwrap_or_else(|| panic!("{agent}: it is owed"));
        assert!(text.contains("added greet.txt"), "{agent}: {text}");
    }
}

#[test]
fn a_record_of_the_session_that_cannot_be_read_owes_a_handoff() {
    let beside = worked("run = [\"grep\", \"-q\", \"hello\", \"greet.txt\"]", "claude");
    beside.place.write("greet.txt", "hullo\n");
    for entry in fs::read_dir(beside.store().join("sessions")).expect("there").flatten() {
        fs::write(entry.path(), "this is no record").expect("written");
    }
    assert!(beside.stop("claude", "s1", "Good night.").is_some(), "nobody knows what it owes");
    let text = beside.stop("claude", "s1", &said()).expect("the check fails");
    assert!(text.contains("tests: fail"), "{text}");
}

#[test]
fn a_place_for_the_log_that_cannot_be_had_is_said() {
    let beside = Beside { place: Place::new(), state: Place::new() };
    let mut command = beside.place.command(&["hook", "claude"]);
    command.current_dir(beside.place.path()).env_clear();
    let run = beside.place.run_prepared(&mut command, &stop_payload(&beside, &said()));
    assert!(run.code == Some(1) && run.err().contains("not judged"), "{:?} {}", run.code, run.err());
}
