//! Several `baton` processes at one log: nothing is decided twice, and nothing that was acknowledged is lost.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::desk::{IMPLEMENTATION, Office};
use crate::support::is_long;

/// Processes at a time.
const HANDS: usize = 4;

/// Several people reach for the same tasks at the same time: each task is taken once, by whoever was told so.
#[test]
fn g1_two_hands_never_take_one_task() {
    let tasks = if is_long() { 1_000 } else { 60 };
    let office = Office::new();
    office.place.write("tides.txt", "06:12 low\n");
    let next = AtomicUsize::new(0);
    let each = |work: &(dyn Fn(usize) + Sync)| {
        next.store(0, Ordering::Relaxed);
        thread::scope(|scope| {
            for _ in 0..HANDS {
                scope.spawn(|| {
                    while let Some(number) =
                        Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < tasks)
                    {
                        work(number);
                    }
                });
            }
        });
    };
    each(&|number| {
        office.baton(&["task", "add", &format!("R{number}"), "Race", "--workflow", "single"]).ends_with(0);
    });
    let taken: Mutex<BTreeMap<usize, Vec<&str>>> = Mutex::default();
    let lost = AtomicUsize::new(0);
    let said: Mutex<Vec<String>> = Mutex::default();
    each(&|number| {
        let id = format!("R{number}");
        thread::scope(|scope| {
            for person in ["left", "right"] {
                let (office, taken, lost, said, id) = (&office, &taken, &lost, &said, id.as_str());
                scope.spawn(move || {
                    let run = office.baton(&["receive", id, "--as", person]);
                    match run.code {
                        Some(0) => taken.lock().expect("unpoisoned").entry(number).or_default().push(person),
                        Some(8) => {
                            lost.fetch_add(1, Ordering::Relaxed);
                            said.lock().expect("unpoisoned").push(format!("{id} by {person}: {}", run.err()));
                        }
                        other => panic!("{id} by {person}: {other:?}"),
                    }
                });
            }
        });
    });
    let taken = taken.into_inner().expect("unpoisoned");
    let nobodys = |said: &String| taken.keys().all(|number| !said.starts_with(&format!("R{number} ")));
    let said: Vec<String> = said.into_inner().expect("unpoisoned").into_iter().filter(nobodys).collect();
    assert_eq!((taken.len(), said), (tasks, Vec::new()), "somebody wins every race");
    assert!(taken.values().all(|winners| winners.len() == 1), "{taken:?}");
    assert_eq!(lost.into_inner(), tasks);
    let export = office.baton(&["audit-log", "export"]).ends_with(0).out();
    for (number, winners) in &taken {
        let own = format!("\"stream\":\"R{number}\"");
        let started: Vec<&str> =
            export.lines().filter(|line| line.contains(&own) && line.contains("turn_started")).collect();
        assert_eq!(started.len(), 1, "R{number}");
        assert!(started[0].contains(winners[0]), "R{number} went to {}: {}", winners[0], started[0]);
    }
    office.baton(&["audit-log", "verify"]).ends_with(0);
    office.baton(&["replay"]).ends_with(0);
    println!("{tasks} tasks, 2 for each: {tasks} taken, {tasks} refused, every turn once in the log");
}

/// Many act on one task at the same time: what was acknowledged is in the log, exactly once, and so are its backups.
#[test]
fn g1_no_acknowledged_act_is_lost() {
    let waivers = if is_long() { 400 } else { 48 };
    let office = Office::new();
    office
        .baton(&["task", "add", "F001", "Race", "--workflow", "single", "--criterion", "AC-1"])
        .ends_with(0);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..HANDS {
            scope.spawn(|| {
                while let Some(number) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < waivers)
                {
                    let reason = format!("reason number {number};");
                    let args = ["waive", "F001", "criterion:AC-1", &reason, "--until", "2999-01-01"];
                    office.baton(&args).ends_with(0);
                    if number % 16 == 0 {
                        let file = office.home.file(&format!("copy-{number}.sqlite")).display().to_string();
                        office.baton(&["backup", &file]).ends_with(0);
                        let into = office.home.file(&format!("back-{number}")).display().to_string();
                        office.baton(&["restore", &file, "--into", &into]).ends_with(0);
                    }
                }
            });
        }
    });
    let log = office.baton(&["log", "F001"]).ends_with(0).out();
    for number in 0..waivers {
        let reason = format!("reason number {number};");
        assert_eq!(log.matches(&reason).count(), 1, "{reason}");
    }
    office.baton(&["audit-log", "verify"]).ends_with(0);
}

/// One who is stopped in the middle of a command goes on after others have moved on: it changes nothing.
#[cfg(unix)]
#[test]
fn g2_whoever_was_stopped_comes_too_late() {
    let office = Office::new();
    office.place.write("tides.txt", "06:12 low\n");
    office.baton(&["task", "add", "F001", "Race", "--workflow", "single"]).ends_with(0);
    office.baton(&["receive", "F001", "--as", "ann"]).ends_with(0);
    let document =
        std::fs::read(office.stage("implementation", IMPLEMENTATION)).expect("it was just written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
    command.args(["submit", "F001", "-", "--as", "ann"]).current_dir(office.place.path()).env_clear();
    command.env("HOME", office.home.path()).envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    let mut stopped = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let signal = |name: &str| {
        let status =
            Command::new("kill").args([name, &stopped.id().to_string()]).status().expect("kill is there");
        assert!(status.success());
    };
    // It has the log open and waits for its document; now it stands still.
    signal("-STOP");
    office.baton(&["task", "cancel", "F001", "taken over"]).ends_with(0);
    signal("-CONT");
    stopped.stdin.take().expect("standard input").write_all(&document).expect("it reads");
    let output = stopped.wait_with_output().expect("it ends");
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(8), "{talk}");
    let log = office.baton(&["log", "F001"]).ends_with(0).out();
    assert!(!log.contains("handoff received"), "{log}");
    office.baton(&["replay"]).ends_with(0);
}

/// One stage with a question to a person behind it, merged when it is accepted.
const RACED: &str = "[workflows.raced]\nintegration = \"merge\"\n[[workflows.raced.stages]]\nname = \"build\"\n\
                     agent = \"builder\"\ncheckpoints = [\"validation\"]\ngates = [{ name = \"publish\" }]\n";

/// Two processes do the same at the same time: one of them has done it, once, and the other is told that it came too late.
fn raced(office: &Office, kind: &str, acts: [&[&str]; 2]) {
    raced_to(office, kind, acts, &[8]);
}

/// The same, where whoever comes second may end with any of these codes.
fn raced_to(office: &Office, kind: &str, acts: [&[&str]; 2], second: &[i32]) {
    let before = happened(office, acts[0], kind);
    let codes: Vec<Option<i32>> = thread::scope(|scope| {
        let racing: Vec<_> = acts.iter().map(|act| scope.spawn(|| office.baton(act))).collect();
        racing.into_iter().map(|run| run.join().expect("a run").code).collect()
    });
    let mut sorted = codes.clone();
    sorted.sort_unstable();
    let is_second = sorted[1].is_some_and(|code| second.contains(&code));
    assert!(sorted[0] == Some(0) && is_second, "{acts:?}: {codes:?}");
    assert_eq!(happened(office, acts[0], kind), before + 1, "{acts:?} happened once");
}

/// How often something happened to the task that an act names.
fn happened(office: &Office, act: &[&str], kind: &str) -> usize {
    let task = act.iter().find(|word| word.starts_with('R')).expect("a task");
    let log = office.baton(&["log", task, "--json"]).ends_with(0).json();
    let events = log["events"].as_array().expect("events").clone();
    events.iter().filter(|event| event["kind"] == kind).count()
}

/// Everything that decides about a task, by two at once.
#[test]
fn g1_every_deciding_act_happens_once() {
    let rounds = if is_long() { 60 } else { 2 };
    let office = Office::new();
    let config = office.place.read("baton.toml");
    office.place.write("baton.toml", format!("{config}{RACED}"));
    office.place.write("tides.txt", "06:12 low\n");
    office.baton(&["trust", "--yes"]).ends_with(0);
    let document = office.stage("implementation", IMPLEMENTATION);
    for round in 0..rounds {
        let id = format!("R{round}");
        let id = id.as_str();
        office.baton(&["task", "add", id, "Race", "--workflow", "raced"]).ends_with(0);
        office.baton(&["receive", id, "--as", "ann"]).ends_with(0);
        office.baton(&["clarify", id, "Which?", "--as", "ann"]).ends_with(0);
        raced(
            &office,
            "clarification_answered",
            [&["answer", id, "q1", "this"], &["answer", id, "q1", "that"]],
        );
        let own = std::fs::read_to_string(&document).expect("it was just written").replace("F001", id);
        let own = office.document("own.md", &own);
        let submit: &[&str] = &["submit", id, &own, "--as", "ann"];
        office.work();
        // A repeat of what was taken gets the same answer, so both may end well.
        raced_to(&office, "handoff_received", [submit, submit], &[0, 8]);
        office.baton(&["task", "check", id]).ends_with(0);
        let answers: [&[&str]; 2] =
            [&["gate", "approve", id, "publish"], &["gate", "approve", id, "publish", "--as", "bob"]];
        raced(&office, "gate_answered", answers);
        raced(&office, "decision_made", [&["decide", id], &["decide", id]]);
        raced(&office, "merge_recorded", [&["merge", id], &["merge", id]]);

        let id = format!("RB{round}");
        let id = id.as_str();
        office.baton(&["task", "add", id, "Race", "--workflow", "single"]).ends_with(0);
        office.baton(&["receive", id, "--as", "ann"]).ends_with(0);
        let raise: &[&str] = &["escalate", id, "human-input", "it went wrong", "--as", "ann"];
        raced(&office, "escalation_raised", [raise, raise]);
        raced(&office, "decision_made", [&["decide", id], &["decide", id]]);
        let resolve: &[&str] = &["resolve", id, "rollback", "put it back"];
        raced(&office, "escalation_resolved", [resolve, resolve]);
        raced(&office, "rollback_recorded", [&["rollback", id], &["rollback", id]]);
    }
    office.baton(&["audit-log", "verify"]).ends_with(0);
    office.baton(&["replay"]).ends_with(0);
    println!("{} races of two, each won once", rounds * 9);
}
