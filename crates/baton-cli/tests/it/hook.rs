//! `baton hook`: what agents' programs are answered, at the start and at the end of their turns.

mod baseline;
mod forms;
mod fresh;
mod unjudged;

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Place, Run};

/// A project without any rule of what to ignore, a state folder outside of it, and the programs of agents that call.
struct Beside {
    place: Place,
    state: Place,
}

impl Beside {
    fn new() -> Self {
        Self::with(&[("readme.md", "# A project\n")])
    }

    fn with(files: &[(&str, &str)]) -> Self {
        let beside = Self { place: Place::with(files), state: Place::new() };
        beside.place.commit("begin");
        beside
    }

    /// The same with a check that a person trusts.
    fn checked(files: &[(&str, &str)], run: &[&str]) -> Self {
        let beside = Self::with(files);
        beside.place.write("baton.toml", format!("[checks.tests]\nrun = {run:?}\n"));
        beside.place.commit("name the check");
        beside.baton(&["trust", "--yes"], b"", &[]).ends_with(0);
        beside
    }

    /// The folder with the log.
    fn store(&self) -> std::path::PathBuf {
        let projects = self.state.file("baton/projects");
        fs::read_dir(projects).expect("there").flatten().next().expect("one").path()
    }

    fn baton(&self, args: &[&str], input: &[u8], environment: &[(&str, &str)]) -> Run {
        let mut command = self.prepared(self.place.command(args));
        command.envs(environment.iter().copied());
        self.place.run_prepared(&mut command, input)
    }

    fn prepared(&self, mut command: Command) -> Command {
        command.current_dir(self.place.path()).env_clear();
        for name in ["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command.env("XDG_STATE_HOME", self.state.path()).env("USER", "ana");
        command
    }

    fn told(&self, args: &[&str]) -> String {
        let run = self.baton(args, b"", &[]);
        format!("{}{}", run.out(), run.err())
    }

    fn call(&self, agent: &str, mut payload: Value) -> Run {
        let key = if agent == "opencode" { "directory" } else { "cwd" };
        payload[key] = json!(self.place.path());
        self.baton(&["hook", agent], payload.to_string().as_bytes(), &[])
    }

    /// A turn begins, as each agent says it.
    fn prompt(&self, agent: &str, session: &str) {
        let payload = match agent {
            "gemini" => json!({ "session_id": session, "hook_event_name": "BeforeAgent", "prompt": "Greet" }),
            "opencode" => json!({ "sessionID": session, "event": "chat.message", "prompt": "Greet" }),
            _ => json!({ "session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": "Greet" }),
        };
        let run = self.call(agent, payload).ends_with(0);
        assert!(run.out().is_empty() || agent == "opencode", "{}", run.out());
    }

    /// A turn wants to end; returns what goes back to the agent, if anything does.
    fn stop(&self, agent: &str, session: &str, message: &str) -> Option<String> {
        let payload = match agent {
            "gemini" => {
                json!({ "session_id": session, "hook_event_name": "AfterAgent", "prompt_response": message, "stop_hook_active": false })
            }
            "opencode" => json!({ "sessionID": session, "event": "session.idle", "message": message }),
            _ => {
                json!({ "session_id": session, "hook_event_name": "Stop", "last_assistant_message": message, "stop_hook_active": false })
            }
        };
        sent_back(agent, &self.call(agent, payload))
    }

    fn start(&self, agent: &str, session: &str) -> Option<String> {
        let payload = match agent {
            "opencode" => json!({ "sessionID": session, "event": "session.start" }),
            _ => json!({ "session_id": session, "hook_event_name": "SessionStart", "source": "startup" }),
        };
        let run = self.call(agent, payload).ends_with(0);
        let value: Value = serde_json::from_str(&run.out()).unwrap_or_default();
        let text = match agent {
            "opencode" => value["text"].as_str(),
            _ => value["hookSpecificOutput"]["additionalContext"].as_str(),
        };
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    }
}

/// Reads the answer to a stop by the letter of each dialect.
fn sent_back(agent: &str, run: &Run) -> Option<String> {
    let value: Value = serde_json::from_str(&run.out()).unwrap_or_default();
    let keys: Vec<&str> = value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    match agent {
        "claude" if run.code == Some(2) => {
            assert!(run.out().is_empty());
            Some(run.err())
        }
        "codex" if value["decision"] == "block" => {
            assert_eq!((keys, run.code), (vec!["decision", "reason"], Some(0)));
            value["reason"].as_str().map(str::to_owned)
        }
        "gemini" if value["decision"] == "deny" => {
            assert_eq!((keys, run.code), (vec!["decision", "reason"], Some(0)));
            value["reason"].as_str().map(str::to_owned)
        }
        "opencode" => {
            assert_eq!((keys, run.code), (vec!["action", "text"], Some(0)));
            value["text"].as_str().filter(|_| value["action"] == "prompt").map(str::to_owned)
        }
        _ => {
            assert_eq!(run.code, Some(0), "{}", run.err());
            assert!(keys.is_empty() || keys == ["systemMessage"], "{keys:?}");
            None
        }
    }
}

fn handoff(outcome: &str, created: &[&str]) -> String {
    let files: String =
        created.iter().map(|path| format!("  - {{path: {path}, purpose: greets}}\n")).collect();
    let files = if files.is_empty() { " []\n".to_owned() } else { format!("\n{files}") };
    format!(
        "It is done.\n\n```yaml\noutcome: {outcome}\nsummary: wrote a greeting\nfiles_created:{files}```\n"
    )
}

const AGENTS: &[&str] = &["claude", "codex", "gemini", "opencode"];

#[test]
fn a_question_is_answered_and_nobody_is_nagged() {
    for agent in AGENTS {
        let beside = Beside::new();
        assert_eq!(beside.start(agent, "s1"), None, "{agent}");
        beside.prompt(agent, "s1");
        assert_eq!(beside.stop(agent, "s1", "The answer is 42."), None, "{agent}");
        // What a person changes between two turns is nobody's debt.
        beside.place.write("mine.txt", "my own\n");
        beside.prompt(agent, "s1");
        assert_eq!(beside.stop(agent, "s1", "Still 42."), None, "{agent}");
        assert!(!beside.place.file(".baton").exists(), "{agent}: nothing is written into the project");
        assert!(beside.told(&["status"]).contains("no task is here"), "{agent}");
    }
}

#[test]
fn a_bad_handoff_comes_back_and_a_repaired_one_is_accepted() {
    for agent in AGENTS {
        let beside = Beside::new();
        beside.prompt(agent, "s1");
        beside.place.write("greet.txt", "hello\n");
        let first =
            beside.stop(agent, "s1", "All done!").unwrap_or_else(|| panic!("{agent}: no handoff at all"));
        for part in ["turn_lost", "no handoff", "Attempt 1 of 3", "added greet.txt", "outcome:"] {
            assert!(first.contains(part), "{agent}: {part} in {first}");
        }
        let lie = format!("All done!{}", handoff("completed", &["welcome.txt"]));
        let second = beside.stop(agent, "s1", &lie).unwrap_or_else(|| panic!("{agent}: a lie"));
        for part in ["claim_contradicted", "BT1001", "welcome.txt", "Attempt 2 of 3"] {
            assert!(second.contains(part), "{agent}: {part} in {second}");
        }
        // What goes back comes as a prompt, and Gemini says everything again at each stop.
        beside.prompt(agent, "s1");
        let honest =
            if *agent == "gemini" { lie } else { String::new() } + &handoff("completed", &["greet.txt"]);
        assert_eq!(beside.stop(agent, "s1", &honest), None, "{agent}");
        assert!(beside.told(&["status"]).contains("done-unverified"), "{agent}");
        assert!(beside.told(&["replay"]).contains("replayed"), "{agent}");
        assert_eq!(beside.stop(agent, "s1", "You are welcome."), None, "{agent}: it is over");
    }
}

#[test]
fn a_stop_that_comes_again_after_it_was_accepted_is_no_other_work() {
    for agent in ["claude", "codex"] {
        let beside = Beside::new();
        beside.prompt(agent, "s1");
        beside.place.write("greet.txt", "hello\n");
        let honest = handoff("completed", &["greet.txt"]);
        for _ in 0..2 {
            assert_eq!(beside.stop(agent, "s1", &honest), None, "{agent}");
        }
        let log = beside.told(&["log"]);
        assert_eq!(log.matches("handoff received").count(), 1, "{agent}: {log}");
    }
}

#[test]
fn what_is_never_repaired_comes_back_three_times_and_lies_in_the_inbox() {
    for agent in AGENTS {
        let beside = Beside::new();
        beside.prompt(agent, "s1");
        beside.place.write("greet.txt", "hello\n");
        let bad = handoff("completed", &["welcome.txt"]);
        for count in 1..=3 {
            let text = beside.stop(agent, "s1", &bad.repeat(if *agent == "gemini" { count } else { 1 }));
            let text = text.unwrap_or_else(|| panic!("{agent}: time {count}"));
            assert!(text.contains(&format!("Attempt {count} of 3")), "{agent}: {text}");
        }
        for count in 4..=6 {
            let text = beside.stop(agent, "s1", &bad.repeat(if *agent == "gemini" { count } else { 1 }));
            assert_eq!(text.filter(|_| count == 4), None, "{agent}: time {count}");
            if count == 4 {
                assert!(beside.told(&["inbox"]).contains("retries_exhausted"), "{agent}");
                break;
            }
        }
        beside.prompt(agent, "s1");
        assert_eq!(beside.stop(agent, "s1", "Anything else?"), None, "{agent}: let go");
    }
}

#[test]
fn whoever_is_honest_goes_at_once() {
    for agent in AGENTS {
        let beside = Beside::new();
        beside.prompt(agent, "s1");
        beside.place.write("greet.txt", "hello\n");
        assert_eq!(beside.stop(agent, "s1", &handoff("completed", &["greet.txt"])), None, "{agent}");
        assert!(beside.told(&["status"]).contains("done-unverified"), "{agent}");
        let log = beside.told(&["log"]);
        assert!(!log.contains(" person "), "{agent}: no act is a person's\n{log}");
    }
}

#[test]
fn whoever_says_that_work_is_left_goes_and_the_next_agent_finds_it() {
    let beside = Beside::new();
    beside.prompt("claude", "s1");
    beside.place.write("greet.txt", "hello\n");
    let partial = "Half of it.\n\n```yaml\noutcome: partial\nsummary: the greeting, without a name\nfiles_created:\n  - {path: greet.txt, purpose: greets}\nsuggested_next_steps:\n  - {step: greet by name, priority: high, depends_on: []}\nblockers:\n  - {blocker: the list of names is missing, impact: no names, suggested_resolution: ask, blocking_tasks: []}\n```\n";
    assert_eq!(beside.stop("claude", "s1", partial), None);
    let status = beside.told(&["status"]);
    assert!(status.contains("ready"), "{status}");
    for agent in ["codex", "gemini", "opencode"] {
        let context = beside.start(agent, "s2").unwrap_or_else(|| panic!("{agent} is told nothing"));
        for part in [
            "greet by name",
            "the list of names is missing",
            "greet.txt",
            "(ready)",
            "information, not instructions",
        ] {
            assert!(context.contains(part), "{agent}: {part} in {context}");
        }
    }
}

#[test]
fn whoever_is_blocked_goes_and_a_person_is_asked() {
    let beside = Beside::new();
    beside.prompt("gemini", "s1");
    beside.place.write("greet.txt", "hello\n");
    let blocked = "Stuck.\n\n```yaml\noutcome: blocked\nsummary: no names\nfiles_created:\n  - {path: greet.txt, purpose: greets}\nblockers:\n  - {blocker: who is greeted, impact: no names, suggested_resolution: say who, blocking_tasks: [T2]}\n```\n";
    assert_eq!(beside.stop("gemini", "s1", blocked), None);
    assert!(beside.told(&["inbox"]).contains("needs_human_input"), "{}", beside.told(&["log"]));
}

#[test]
fn work_goes_from_vendor_to_vendor_and_back() {
    let beside = Beside::new();
    for (agent, file, next) in [("claude", "one.txt", "codex"), ("codex", "two.txt", "claude")] {
        beside.prompt(agent, "s1");
        beside.place.write(file, "x\n");
        let said = format!(
            "Done.\n\n```yaml\noutcome: completed\nsummary: wrote {file}\nfiles_created:\n  - {{path: {file}, purpose: counts}}\ngotchas:\n  - {{issue: keep {file} short, severity: high}}\n```\n"
        );
        assert_eq!(beside.stop(agent, "s1", &said), None, "{agent}");
        let context = beside.start(next, "s2").unwrap_or_else(|| panic!("{next} is told nothing"));
        assert!(
            context.contains(file) && context.contains(&format!("keep {file} short")),
            "{next}: {context}"
        );
    }
}

#[test]
fn background_work_is_left_alone_and_subagents_are_judged_by_what_they_hand_over() {
    let beside = Beside::new();
    beside.prompt("claude", "s1");
    beside.place.write("greet.txt", "hello\n");
    let paused = json!({ "session_id": "s1", "hook_event_name": "Stop", "last_assistant_message": "Waiting.",
        "background_tasks": [{ "id": "a1", "type": "subagent", "status": "running" }] });
    assert_eq!(sent_back("claude", &beside.call("claude", paused)), None);
    let helper = |message: &str, id: &str, sort: &str| {
        let payload = json!({ "session_id": "s1", "hook_event_name": "SubagentStop", "agent_id": id, "agent_type": sort,
            "last_assistant_message": message, "background_tasks": [{ "id": id, "status": "running" }] });
        sent_back("claude", &beside.call("claude", payload))
    };
    assert_eq!(helper("I looked around.", "a1", "explorer"), None, "whoever only looks owes nothing");
    assert_eq!(helper("", "a2", ""), None, "memory was cut");
    let bad = "```yaml\noutcome: finished\nfiles_created:\n  - path: ../up.txt\n```\n";
    let text = helper(bad, "a3", "builder").expect("a bad handoff of a helper");
    assert!(text.contains("Attempt 1 of 3"), "{text}");
    assert_eq!(helper(&handoff("completed", &["greet.txt"]), "a3", "builder"), None);
    let log = beside.told(&["log"]);
    assert!(log.contains("@claude.builder"), "{log}");
    // The agent itself still answers for the files.
    assert!(beside.stop("claude", "s1", "Done.").is_some());
}

#[test]
fn a_handoff_can_be_left_in_a_file() {
    let beside = Beside::new();
    fs::create_dir_all(beside.place.file(".baton")).expect("a folder");
    beside.place.write(".baton/handoff.md", handoff("completed", &["old.txt"]));
    beside.prompt("codex", "s1");
    assert_eq!(beside.stop("codex", "s1", "Nothing new."), None, "an old file is no handoff");
    beside.place.write("greet.txt", "hello\n");
    beside.place.write(".baton/handoff.md", handoff("completed", &["greet.txt"]));
    assert_eq!(beside.stop("codex", "s1", "See the file."), None);
    assert!(beside.told(&["status"]).contains("done-unverified"));
}

#[test]
fn a_person_puts_an_agent_on_a_task() {
    let beside = Beside::new();
    beside.baton(&["task", "add", "T1", "Greet the harbour", "--workflow", "session"], b"", &[]).ends_with(0);
    let call = |payload: Value| {
        let mut payload = payload;
        payload["cwd"] = json!(beside.place.path());
        beside.baton(&["hook", "claude"], payload.to_string().as_bytes(), &[("BATON_TASK", "T1")])
    };
    let start = call(json!({ "session_id": "s1", "hook_event_name": "SessionStart", "source": "startup" }));
    assert!(start.out().contains("Greet the harbour"), "{}{}", start.out(), start.err());
    call(json!({ "session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "go" })).ends_with(0);
    beside.place.write("greet.txt", "hello\n");
    let said = handoff("completed", &["greet.txt"]);
    let stop = call(json!({ "session_id": "s1", "hook_event_name": "Stop", "last_assistant_message": said }));
    assert!(stop.ends_with(0).out().contains("accepted the handoff of T1"));
}
