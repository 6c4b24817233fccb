//! Many tasks in one run, and runs that are stopped, bounded or given only some of them.

use std::process::Command;

use baton_testkit::script::Step;
use serde_json::{Value, json};

use crate::scripted::{alive, sh, until};
use crate::support::is_long;
use crate::team::{HANDOFF, Team, all, lies, of, says, works, write};

/// Tasks of the large run: a few chains that meet now and then.
const TASKS: usize = 50;
const TASKS_SAMPLE: usize = 12;
const JOBS: usize = 8;
/// How often those that begin together look for each other, a tenth of a second apart: far less than an agent lives.
const LOOKS_MAX: usize = 900;

/// What a task waits for: the one some places before it, and every fifth one another too.
fn waits_for(task: usize) -> Vec<usize> {
    let mut on = Vec::new();
    if task > 8 {
        on.push(task - 7);
    }
    if task > 10 && task.is_multiple_of(5) {
        on.push(task - 9);
    }
    on
}

/// Goes on only when as many as may work side by side have begun, and ends badly when they do not come.
fn meets(team: &Team) -> Step {
    let begun = team.home().join("default/begun");
    let line = format!(
        "touch {0}-TASK; for look in $(seq {LOOKS_MAX}); do [ $(ls {0}-* | wc -l) -ge {JOBS} ] && exec touch met; \
         sleep 0.1; done",
        begun.display()
    );
    sh(&line)
}

#[test]
fn many_tasks_lose_nothing_and_keep_their_order() {
    let tasks = if is_long() { TASKS } else { TASKS_SAMPLE };
    let work = vec![write("TASK.txt", "here\n"), write("work.txt", "done\n"), says(HANDOFF)];
    let team = Team::new().agent("default", "command", std::slice::from_ref(&work));
    // The first ones wait for nothing but each other, so that all of them are at work at the same moment.
    let together = [vec![meets(&team), Step::Remove { path: "met".into() }], work].concat();
    for task in 1..=JOBS {
        assert!(waits_for(task).is_empty());
        team.script("default", &format!("T{task}/turn-1"), &together);
    }
    let team = team.ready();
    for task in 1..=tasks {
        let after: Vec<String> = waits_for(task).iter().map(|on| format!("T{on}")).collect();
        let words: Vec<&str> = after.iter().flat_map(|on| ["--after", on.as_str()]).collect();
        team.add(&format!("T{task}"), "single", &words);
    }
    let events = team.run(0, &["--jobs", &JOBS.to_string()]);
    let place = |name: &str, task: usize| {
        let id = format!("T{task}");
        let found = events.iter().position(|event| event["event"] == name && event["task"] == id);
        found.unwrap_or_else(|| panic!("{name} of {id} never happened"))
    };
    for task in 1..=tasks {
        assert_eq!(team.accepted(&format!("T{task}.txt")), "here");
        for on in waits_for(task) {
            assert!(place("integrated", on) < place("turn_started", task), "T{task} began before T{on}");
        }
        assert!(place("integrated", task) < place("ended", task), "it is done when it is there");
    }
    let merges = team.place.git(&["log", "--format=%(trailers:key=Baton-Task,valueonly)", "baton/accepted"]);
    let mut merged: Vec<&str> = merges.lines().filter(|line| !line.is_empty()).collect();
    merged.sort_unstable();
    let count = merged.len();
    merged.dedup();
    assert_eq!((merged.len(), count), (tasks, tasks), "each is integrated once");
    let names: Vec<String> = (1..=tasks).map(|task| format!("T{task}")).collect();
    team.all_hold(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for task in 1..=JOBS {
        assert_eq!(
            team.starts("default", &format!("T{task}")),
            1,
            "T{task} found the others at its first try"
        );
    }
}

#[test]
fn once_gives_every_task_one_turn() {
    let team = Team::new().agent("builder", "command", &[lies(), works()]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &["--once"]);
    assert_eq!((team.starts("builder", "T1"), all(&events, "turn_started").len()), (1, 1));
    assert_eq!(all(&events, "decided")[0]["disposition"], "rework");
    team.run(0, &["--once"]);
    assert_eq!(team.starts("builder", "T1"), 2, "the next run gives the next turn");
}

#[test]
fn only_the_tasks_that_are_named_are_worked_on() {
    let team = Team::new().agent("builder", "command", &[works()]).ready();
    team.add("T1", "single", &[]);
    team.add("T2", "single", &[]);
    team.run(0, &["T2"]);
    assert_eq!((team.starts("builder", "T1"), team.starts("builder", "T2")), (0, 1));
    team.baton(&["run", "T3"]).ends_with(8);
    team.baton(&["run", "--jobs", "0"]).ends_with(2);
}

fn signal(name: &str, process: u32) {
    let done = Command::new("kill").arg(name).arg(process.to_string()).status().expect("kill runs");
    assert!(done.success());
}

#[test]
fn the_first_interruption_lets_a_turn_finish_and_begins_no_other() {
    for name in ["-INT", "-TERM"] {
        let handoff = HANDOFF.replace("FILES", "FILES and go");
        let slow = vec![Step::WaitFor { path: "go".into() }, write("work.txt", "done\n"), says(&handoff)];
        let team = Team::new().agent("builder", "command", &[slow]).ready();
        team.add("T1", "single", &[]);
        team.add("T2", "single", &[]);
        let script = team.bench("builder", "T1").join("script-1");
        let mut baton = team.start(&["run", "--jobs", "1"]);
        until("the agent works", || alive(&script) > 0);
        signal(name, baton.id());
        std::fs::write(team.files("T1").join("go"), "").expect("a sign");
        assert_eq!(baton.wait().expect("our own child").code(), Some(9), "{name}");
        assert!(team.log("T1").contains("handoff-turn-1"), "{}", team.log("T1"));
        assert_eq!(team.starts("builder", "T2"), 0, "{name}: nothing more is begun");
        let left = team.run(0, &["T1"]);
        assert_eq!(team.starts("builder", "T1"), 1, "what was handed over is checked later: {left:?}");
    }
}

#[test]
fn an_agent_without_a_handoff_leaves_one_that_the_host_made() {
    let crash = vec![write("half.txt", "half\n"), write("work.txt", "half\n"), Step::Exit { code: 3 }];
    let silent = vec![Step::Remove { path: "half.txt".into() }];
    let team = Team::new().agent("builder", "command", &[crash, silent, works()]).ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    let first = team.baton(&["show", "T1", "failure-turn-1"]).ends_with(0).out();
    for part in ["outcome: failed", "crash: its program ended with 3", "half.txt", "work.txt"] {
        assert!(first.contains(part), "{part} in:\n{first}");
    }
    let second = team.baton(&["show", "T1", "failure-turn-2"]).ends_with(0).out();
    assert!(second.contains("no_handoff") && second.contains("change_type: delete"), "{second}");
    for (name, text) in [("one.md", &first), ("two.md", &second)] {
        team.place.write(name, text);
        team.baton(&["check", name]).ends_with(0);
    }
    let log = team.baton(&["log", "T1", "--json"]).ends_with(0).out();
    let rests = log.contains("decision_made") && log.matches("failure-turn-1").count() >= 2;
    assert!(rests, "a decision rests on it: {log}");
    team.holds("T1");
}

#[test]
fn what_a_new_session_is_told_of_a_failure_is_told_once() {
    let team = Team::new().agent("builder", "command", &[lies(), works()]).ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    let told = team.given("builder", "T1", "prompt-2");
    assert_eq!(told.matches("`./check.sh` ended with 1").count(), 1, "{told}");
    assert!(told.contains("## Validation Failed\n"), "{told}");
}

#[test]
fn files_of_a_handoff_are_looked_for_where_its_agent_works() {
    let named =
        "Done.\n\n```yaml\noutcome: completed\nsummary: did it\nfiles_created: [notes.txt, other.txt]\n```\n";
    let half = vec![write("notes.txt", "one\n"), write("other.txt", "one\n"), says(named)];
    let team = Team::new().agent("builder", "command", &[half.clone(), half, works()]).ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    assert!(team.baton(&["show", "T1", "build-turn-1"]).ends_with(0).out().contains("notes.txt"));
    for prompt in ["prompt-2", "prompt-3"] {
        let told = team.given("builder", "T1", prompt);
        assert!(!told.contains("Changes since"), "nothing changed since:\n{told}");
    }
}

#[test]
fn a_file_that_the_work_hides_from_git_is_seen_all_the_same() {
    let hides = vec![
        write("work.txt", "done\n"),
        write(".gitignore", ".baton/\n*.log\nhidden/\ntarget/\n"),
        write("hidden/tests/test_add.py", "import os\nos._exit(0)\n"),
        write("target/debug/made", "by a tool\n"),
        write("seen.log", "ignored before\n"),
        says(HANDOFF),
    ];
    let team = Team::new().agent("builder", "command", &[hides]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &[]);
    let seen = all(&events, "checked")[0]["violations"].to_string();
    assert!(seen.contains("early_exit: hidden/tests/test_add.py"), "{seen}");
    let saved = team.place.file("saved");
    team.baton(&["recover", "T1", "after-turn-1", "--into", &saved.display().to_string()]).ends_with(0);
    assert!(saved.join("hidden/tests/test_add.py").exists(), "it counts as work");
    assert!(!saved.join("target").exists() && !saved.join("seen.log").exists(), "and these never did");
}

#[test]
fn what_cannot_be_measured_stops_its_own_task_only() {
    let huge = vec![
        Step::Run { argv: ["truncate", "--size", "300M", "huge.bin"].map(str::to_owned).to_vec() },
        write("work.txt", "done\n"),
        says(HANDOFF),
    ];
    let team = Team::new().agent("builder", "command", &[works()]).ready();
    team.script("builder", "T1/always", &huge);
    team.add("T1", "single", &[]);
    team.add("T2", "single", &[]);
    let events = team.run(9, &["--jobs", "1"]);
    let end = |task: &str| -> Value {
        let summary = events.last().expect("a summary");
        let tasks = summary["tasks"].as_array().expect("tasks");
        tasks.iter().find(|one| one["task"] == task).expect("the task")["end"].clone()
    };
    assert_eq!((end("T1"), end("T2")), (Value::Null, json!("done_unverified")));
    let troubles = of(&events, "T1");
    let said = troubles.iter().any(|event| event["words"].to_string().contains("huge.bin"));
    assert!(said, "{troubles:?}");
}
