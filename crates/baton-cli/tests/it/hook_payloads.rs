//! `baton hook` with everything that agents' programs were seen to send, and with all that with parts missing, added, of
//! another type, or huge: an answer as the program expects it, no panic, and nothing lost.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Place, Run, announce};

/// The folder with recorded payloads, where there is one.
const SAMPLES: &str = "BATON_AGENT_SAMPLES";
const AGENTS: &[&str] = &["claude", "codex", "gemini", "opencode"];

/// Payloads of the shapes that were seen, for where no recordings are.
fn own() -> Vec<(&'static str, Value)> {
    let base = |event: &str| json!({ "session_id": "5f0c", "transcript_path": "/x/y.jsonl", "cwd": "/sandbox/repo", "hook_event_name": event });
    let with = |event: &str, more: Value| {
        let mut value = base(event);
        for (key, part) in more.as_object().into_iter().flatten() {
            value[key] = part.clone();
        }
        value
    };
    vec![
        (
            "claude",
            with(
                "Stop",
                json!({ "stop_hook_active": false, "last_assistant_message": "Done.", "background_tasks": [], "effort": { "level": "medium" } }),
            ),
        ),
        (
            "claude",
            with(
                "SubagentStop",
                json!({ "agent_id": "a1", "agent_type": "verifier", "last_assistant_message": "Done." }),
            ),
        ),
        ("claude", with("SessionStart", json!({ "source": "compact", "model": "m" }))),
        ("claude", with("UserPromptSubmit", json!({ "prompt": "Do it", "permission_mode": "plan" }))),
        ("claude", with("PreCompact", json!({ "trigger": "auto", "custom_instructions": null }))),
        ("claude", with("TaskCompleted", json!({ "task_id": "1", "task_subject": "T1" }))),
        (
            "claude",
            with("PreToolUse", json!({ "tool_name": "Bash", "tool_input": { "command": "$(id); `id`" } })),
        ),
        (
            "codex",
            with(
                "Stop",
                json!({ "turn_id": "t", "model": "m", "permission_mode": "default", "stop_hook_active": true, "last_assistant_message": null }),
            ),
        ),
        (
            "codex",
            with(
                "SubagentStop",
                json!({ "agent_id": "a", "agent_type": "default", "last_assistant_message": "Done." }),
            ),
        ),
        ("codex", with("SessionStart", json!({ "source": "resume" }))),
        (
            "gemini",
            with(
                "AfterAgent",
                json!({ "prompt": "p", "prompt_response": "Done.", "timestamp": "2026-11-15T22:14:21.488Z" }),
            ),
        ),
        ("gemini", with("BeforeAgent", json!({ "prompt": "p" }))),
        ("gemini", with("SessionStart", json!({ "source": "startup" }))),
        (
            "opencode",
            json!({ "event": "session.idle", "sessionID": "ses_1", "directory": "/sandbox/repo", "message": "Done." }),
        ),
        ("opencode", json!({ "event": "chat.message", "sessionID": "ses_1", "prompt": "p" })),
        ("opencode", json!({ "event": "session.start", "sessionID": "ses_1" })),
    ]
}

/// Recorded payloads, with the agent that sent each.
fn recorded() -> Vec<(&'static str, Value)> {
    let Some(folder) = std::env::var_os(SAMPLES).map(PathBuf::from) else {
        announce(&format!("LEFT OUT: {SAMPLES} is not set, so no recorded payload was tried"));
        return Vec::new();
    };
    let mut found = Vec::new();
    for agent in AGENTS {
        for name in ["hook-samples", ""] {
            let Ok(entries) = fs::read_dir(folder.join(agent).join(name)) else { continue };
            for path in entries.flatten().map(|entry| entry.path()) {
                found.extend(payloads(&path).into_iter().map(|value| (*agent, value)));
            }
        }
    }
    assert!(found.len() > 100, "{} recorded payloads in {}", found.len(), folder.display());
    println!("{} recorded payloads", found.len());
    found
}

fn payloads(path: &Path) -> Vec<Value> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Ok(text) = fs::read_to_string(path) else { return Vec::new() };
    if path.parent().is_some_and(|folder| folder.ends_with("hook-samples")) {
        return serde_json::from_str(&text).into_iter().collect();
    }
    if !name.contains("hook-events") {
        return Vec::new();
    }
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.map(|line| line["stdin"].clone()).filter(|payload| !payload.is_null()).collect()
}

struct Project {
    place: Place,
}

impl Project {
    fn new() -> Self {
        let place = Place::new();
        place.write("readme.md", "# A project\n");
        place.write(".gitignore", ".state\n");
        place.commit("begin");
        Self { place }
    }

    fn hook(&self, agent: &str, payload: &[u8]) -> Run {
        let mut command = self.place.command(&["hook", agent]);
        command.current_dir(self.place.path()).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("XDG_STATE_HOME", self.place.file(".state"));
        self.place.run_prepared(&mut command, payload)
    }

    /// Whatever came, the answer is one that the agent's program understands and that stops nobody.
    fn understood(&self, agent: &str, payload: &[u8]) -> Run {
        let run = self.hook(agent, payload);
        let shown = String::from_utf8_lossy(&payload[..payload.len().min(300)]).into_owned();
        assert!(!run.late, "{agent} {shown}");
        assert!(!run.err().contains("panicked"), "{agent} {shown}: {}", run.err());
        match run.code {
            Some(0) => {
                let out = run.out();
                let value: Option<Value> =
                    (!out.is_empty()).then(|| serde_json::from_str(&out).expect("JSON alone"));
                let keys: Vec<&str> = value
                    .iter()
                    .filter_map(Value::as_object)
                    .flatten()
                    .map(|(key, _)| key.as_str())
                    .collect();
                let allowed: &[&str] = if agent == "opencode" {
                    &["action", "text"]
                } else {
                    &["hookSpecificOutput", "systemMessage"]
                };
                assert!(keys.iter().all(|key| allowed.contains(key)), "{agent} {shown}: {out}");
            }
            Some(1) => {
                assert!(
                    run.out().is_empty() && run.err().contains("not judged"),
                    "{agent} {shown}: {}",
                    run.err()
                );
            }
            code => panic!("{agent} {shown}: {code:?}\n{}{}", run.out(), run.err()),
        }
        run
    }
}

#[test]
fn every_payload_is_answered() {
    let project = Project::new();
    for (agent, payload) in own().into_iter().chain(recorded()) {
        let run = project.understood(agent, payload.to_string().as_bytes());
        let is_known = payload.get("hook_event_name").is_some() || payload.get("event").is_some();
        assert_eq!(run.code == Some(0), is_known, "{agent} {payload}: {}", run.err());
    }
    assert!(!project.place.file(".baton").exists(), "nothing was owed, so nothing was written");
}

#[test]
fn payloads_with_parts_missing_added_or_of_another_type_are_answered() {
    let project = Project::new();
    let strange = [
        json!(null),
        json!(7),
        json!([]),
        json!({ "a": { "b": 1 } }),
        json!(""),
        json!("; rm -rf ~ `id` $(id)\n\u{1b}[2J"),
    ];
    for (agent, payload) in own() {
        let keys: Vec<String> =
            payload.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
        for (number, key) in keys.iter().enumerate() {
            let mut missing = payload.clone();
            let mut wrong = payload.clone();
            missing.as_object_mut().expect("an object").remove(key);
            missing["added_by_a_newer_version"] = json!({ "deep": [1, { "er": null }] });
            project.understood(agent, missing.to_string().as_bytes());
            wrong[key] = strange[number % strange.len()].clone();
            project.understood(agent, wrong.to_string().as_bytes());
        }
    }
}

#[test]
fn what_is_no_payload_is_let_through_and_kept_where_there_is_a_log() {
    let project = Project::new();
    let bad: &[&[u8]] = &[
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe{}",
        b"{\"hook_event_name\":\"Stop\"}",
        b"not json at all",
        &[b'['; 200_000],
    ];
    for payload in bad {
        for agent in AGENTS {
            let run = project.understood(agent, payload);
            // Gemini CLI has no event of this name, and what Baton has nothing to do with is no mistake.
            let is_foreign = *agent == "gemini" && payload.ends_with(b"\"Stop\"}");
            assert_eq!(run.code, Some(if is_foreign { 0 } else { 1 }), "{agent}");
        }
    }
    assert!(!project.place.file(".state/baton").exists(), "no log is begun by that");
    let mut add = project.place.command(&["task", "add", "T1", "Greet"]);
    add.current_dir(project.place.path())
        .env("XDG_STATE_HOME", project.place.file(".state"))
        .env("USER", "ana");
    project.place.run_prepared(&mut add, b"").ends_with(0);
    let run = project.understood("claude", b"{ this came from somewhere");
    let kept =
        run.err().split("kept as ").nth(1).and_then(|rest| rest.lines().next()).expect("a place").to_owned();
    assert_eq!(fs::read(kept).expect("it is there"), b"{ this came from somewhere");
    let mut log = project.place.command(&["log"]);
    log.current_dir(project.place.path()).env("XDG_STATE_HOME", project.place.file(".state"));
    let told = project.place.run_prepared(&mut log, b"").ends_with(0).out();
    assert!(told.contains("not_judged") && told.contains("claude"), "{told}");
    let mut status = project.place.command(&["status"]);
    status.current_dir(project.place.path()).env("XDG_STATE_HOME", project.place.file(".state"));
    let told = project.place.run_prepared(&mut status, b"").ends_with(0).err();
    assert!(told.contains("hooks judged nothing 1 times"), "{told}");
}

#[test]
fn huge_payloads_are_answered() {
    let project = Project::new();
    let words = "All is well. ".repeat(1_000_000);
    for agent in AGENTS {
        let mut payload = own().into_iter().find(|(name, _)| name == agent).expect("one").1;
        let key = match *agent {
            "gemini" => "prompt_response",
            "opencode" => "message",
            _ => "last_assistant_message",
        };
        payload[key] = json!(words);
        payload["more"] = json!("x".repeat(1_000_000));
        assert_eq!(project.understood(agent, payload.to_string().as_bytes()).code, Some(0), "{agent}");
    }
    let many: Vec<u8> = vec![b' '; 64 * 1024 * 1024 + 2];
    assert_eq!(project.understood("claude", &many).code, Some(1));
}

#[test]
fn a_hook_that_cannot_work_stops_nobody_and_accepts_nothing() {
    let project = Project::new();
    let stop = json!({ "session_id": "s", "hook_event_name": "Stop", "last_assistant_message": "Done.\n\n```yaml\noutcome: completed\nfiles_created: []\n```\n", "cwd": project.place.path() });
    // A configuration that cannot be read.
    project.place.write("baton.toml", "[checks\n");
    let run = project.understood("claude", stop.to_string().as_bytes());
    assert!(run.code == Some(0) && run.err().contains("baton.toml"), "{}", run.err());
    assert!(run.out().contains("systemMessage") && run.out().contains("not accepted"), "{}", run.out());
    fs::remove_file(project.place.file("baton.toml")).expect("removed");
    // No place for a log.
    let mut command = project.place.command(&["hook", "claude"]);
    command.current_dir(project.place.path()).env_clear();
    let run = project.place.run_prepared(&mut command, stop.to_string().as_bytes());
    assert!(run.code == Some(1) && run.err().contains("XDG_STATE_HOME"), "{}", run.err());
    // A command line of another version: 2 would send the agent back for ever.
    for args in [&["hook", "parrot"][..], &["hook"], &["hook", "claude", "--newer"]] {
        let mut command = project.place.command(args);
        command.current_dir(project.place.path()).env_clear();
        assert_eq!(project.place.run_prepared(&mut command, b"{}").code, Some(1), "{args:?}");
    }
    // A log that is none.
    let state = project.place.file(".state");
    project.understood(
        "claude",
        json!({ "session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": project.place.path() })
            .to_string()
            .as_bytes(),
    );
    let projects =
        fs::read_dir(state.join("baton/projects")).expect("there").flatten().next().expect("one").path();
    fs::write(projects.join("log.sqlite"), "this is no log").expect("written");
    project.place.write("new.txt", "x\n");
    let run = project.understood("claude", stop.to_string().as_bytes());
    assert!(run.code == Some(0) && run.err().contains("not accepted"), "{}", run.err());
}
