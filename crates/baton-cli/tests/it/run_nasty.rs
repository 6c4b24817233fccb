//! Agents that misbehave in every way, through `baton run`: each ends as it must, leaves nobody behind, and nothing that it
//! says or does is accepted; the good task beside it is not disturbed.

mod ways;

use std::path::PathBuf;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use baton_testkit::script::Step;
use serde_json::{Value, json};

use crate::scripted::{LONG, alive, flood, memory, none_lives, supervisor, until, until_none_lives};
use crate::support::{announce, is_long};
use crate::team::{GATED, HANDOFF, Started, Team, of, says, works, write};
use ways::{CODE_70, GATE_TASK, HALF, Nasty, Outcome, QUESTION_TASK, ending, endless};

/// Side by side, so that all are in each other's way.
const JOBS: &str = "8";
/// Of those that end by themselves every so many is tried in an ordinary run.
const SAMPLE_ONE_IN: usize = 4;
/// A minute is the shortest time that a stage gives. Whoever prints very much is not ended for that here.
const SHORT: &str = "[workflows.short]\n[[workflows.short.stages]]\nname = \"build\"\nagent = \"builder\"\n\
                     checkpoints = [\"validation\"]\nlimits = { turn_minutes = 1, turn_output_mib = 1048576 }\n";
/// The time that a turn of that workflow has, and how much later it has ended at the latest.
const SHORT_TURN: Duration = Duration::from_secs(60);
const ENDED_WITHIN: Duration = Duration::from_secs(5);
/// Much time, and no bound on what is printed that a test could reach.
const FLOODED: &str = "[workflows.flooded]\n[[workflows.flooded.stages]]\nname = \"build\"\nagent = \"builder\"\n\
                       checkpoints = [\"validation\"]\nlimits = { turn_output_mib = 1048576 }\n";
/// The task beside them is judged by something else: once its work is accepted, others begin with it.
const GOOD: &str = "[checks.good]\nrun = [\"grep\", \"-q\", \"good\", \"good.txt\"]\n[workflows.good]\n\
                    [[workflows.good.stages]]\nname = \"build\"\nagent = \"builder\"\ncheckpoints = [\"good\"]\n";

/// Fits the events of one turn, and what a person is told of it, to what had to come of it.
#[track_caller]
fn judged(team: &Team, (task, nasty): (&str, &Nasty), events: &[Value]) {
    let own = of(events, task);
    let has = |what: &str| own.iter().any(|event| event["event"] == what);
    let told = format!("{}: {own:#?}", nasty.name);
    let accepted = own.iter().any(|event| event["event"] == "decided" && event["disposition"] == "accept");
    assert!(!accepted && !has("integrated") && !has("ended"), "it was accepted: {told}");
    let (disposition, reason, is_handed_over) = match nasty.outcome {
        Outcome::Lost(_) => ("rework", "turn_lost", false),
        Outcome::Returned(reason) => ("rework", reason, true),
        Outcome::Escalated(reason) => ("escalate", reason, true),
        Outcome::Unfenced => {
            announce(&format!(
                "LEFT OUT: nothing here can confine an agent, so what came of this is not fixed: {told}"
            ));
            return;
        }
    };
    let decided = own.iter().find(|event| event["event"] == "decided").unwrap_or_else(|| panic!("{told}"));
    assert_eq!(
        (&decided["disposition"], &decided["reason"]),
        (&json!(disposition), &json!(reason)),
        "{told}"
    );
    assert_eq!((has("handed_over"), has("turn_ended")), (is_handed_over, !is_handed_over), "{told}");
    let standing = events.last().and_then(|summary| summary["tasks"].as_array()).expect("a summary");
    let standing = standing.iter().find(|standing| standing["task"] == task).expect("its standing");
    let status = standing["status"].as_str().unwrap_or_default();
    let waits = format!("waiting on a person for escalation: {reason}");
    let is_open = if disposition == "escalate" { status.starts_with(&waits) } else { status == "ready" };
    assert!(is_open && has("asks") == (disposition == "escalate"), "{status}: {told}");
    let why = team.baton(&["why", task]).ends_with(0).out();
    let is_told = nasty.told.iter().any(|words| why.contains(words));
    assert!(is_told && why.contains(&format!("[{reason}]")), "{why}\n{told}");
    if why.contains(CODE_70) {
        failed_as_it_must(team, (task, nasty));
    }
    is_kept(team, (task, nasty));
}

/// The output that was kept of an agent names the step that failed, and why: it was refused, and nothing else was wrong.
#[track_caller]
fn failed_as_it_must(team: &Team, (task, nasty): (&str, &Nasty)) {
    let output = team.baton(&["show", task, "output-turn-1"]).ends_with(0).out();
    let failed = nasty.steps.iter().find_map(|step| {
        let words = format!("{step:?}: ").replace("TASK", task);
        output.lines().find_map(|line| Some((step, line.split_once(&words)?.1)))
    });
    let (step, error) = failed.unwrap_or_else(|| panic!("{}: no step failed: {output}", nasty.name));
    let refusals: &[&str] = match step {
        Step::Signal { .. } => &["Operation not permitted (os error 1)"],
        _ => &["Permission denied (os error 13)", "Read-only file system (os error 30)"],
    };
    assert!(refusals.contains(&error), "{}: {output}", nasty.name);
}

/// What a turn found and what it handed over is saved; of one without a handoff the host wrote what it saw.
#[track_caller]
fn is_kept(team: &Team, (task, nasty): (&str, &Nasty)) {
    let saved = team.baton(&["recover", task]).ends_with(0).out();
    assert!(saved.contains("before-turn-1 "), "{}: {saved}", nasty.name);
    let Outcome::Lost(ending) = nasty.outcome else {
        assert!(saved.contains("after-turn-1 "), "{}: {saved}", nasty.name);
        return;
    };
    assert!(team.log(task).contains(&format!("turn-1 ended: {ending}")), "{}", nasty.name);
    let failure = team.baton(&["show", task, "failure-turn-1"]).ends_with(0).out();
    assert!(failure.contains(&format!("blocker: \"{ending}: ")), "{}: {failure}", nasty.name);
    let wrote =
        nasty.steps.iter().any(|step| matches!(step, Step::Write { path, .. } if path.ends_with(HALF)));
    assert_eq!(failure.contains(&format!("path: \"{HALF}\"")), wrote, "{}: {failure}", nasty.name);
    assert_eq!(team.files(task).join(HALF).exists(), wrote, "{}: its files stay", nasty.name);
}

fn team() -> Team {
    let team =
        Team::new().configured(SHORT).configured(GATED).configured(GOOD).agent("builder", "command", &[]);
    team.script("builder", "always", &works());
    team.script("builder", "G1/always", &[write("good.txt", "good\n"), says(HANDOFF)]);
    team.ready()
}

fn script(team: &Team, task: &str, turn: usize) -> PathBuf {
    team.bench("builder", task).join(format!("script-{turn}"))
}

/// The good task beside them went its way.
#[track_caller]
fn is_undisturbed(team: &Team, task: &str) {
    assert!(team.log(task).contains("task ended: done_unverified"), "{}", team.log(task));
    assert_eq!(team.starts("builder", task), 1);
}

/// Leaves an open gate and an open question, for those to try who may not answer them.
fn open_for_people(team: &Team) {
    team.script("builder", &format!("{GATE_TASK}/always"), &works());
    team.add(GATE_TASK, "gated", &[]);
    team.run(9, &[GATE_TASK]);
    assert!(team.log(GATE_TASK).contains("gate release asked"), "{}", team.log(GATE_TASK));
    team.add(QUESTION_TASK, "single", &[]);
    team.baton(&["receive", QUESTION_TASK]).ends_with(0);
    let asked = team.baton(&["clarify", QUESTION_TASK, "Which one?"]).ends_with(0).out();
    assert!(asked.contains("asked as q1"), "{asked}");
}

/// Nobody but a person has answered, and a person still can.
#[track_caller]
fn are_still_open(team: &Team) {
    let (gated, asked) = (team.log(GATE_TASK), team.log(QUESTION_TASK));
    assert!(!gated.contains("gate release: "), "{gated}");
    assert!(!asked.contains("answered q1"), "{asked}");
    team.baton(&["gate", "approve", GATE_TASK, "release"]).ends_with(0);
    team.baton(&["answer", QUESTION_TASK, "q1", "this"]).ends_with(0);
}

#[test]
fn whatever_an_agent_does_at_its_end_nothing_of_it_is_accepted() {
    let team = team();
    let mut all = ending(&team);
    assert!(all.len() >= 40, "there are {} ways", all.len());
    if !is_long() {
        let mut number = 0;
        all.retain(|nasty| {
            number += 1;
            number % SAMPLE_ONE_IN == 1 || nasty.is_persons
        });
    }
    open_for_people(&team);
    let task = |number: usize| format!("N{}", number + 1);
    for (number, nasty) in all.iter().enumerate() {
        let works = matches!(nasty.outcome, Outcome::Returned("checks_failed"));
        let half = works.then(|| write("half.txt", "half\n"));
        let steps: Vec<Step> = half.into_iter().chain(nasty.steps.clone()).collect();
        team.script("builder", &format!("{}/always", task(number)), &steps);
        team.add(&task(number), "single", &["--criterion", "works"]);
    }
    team.add("G1", "good", &[]);
    let begun = Instant::now();
    let events = team.run(9, &["--once", "--jobs", JOBS]);
    let took = begun.elapsed();
    let scripts: Vec<PathBuf> = (0..all.len()).map(|number| script(&team, &task(number), 1)).collect();
    none_lives(&scripts);
    for (number, nasty) in all.iter().enumerate() {
        judged(&team, (&task(number), nasty), &events);
        assert_eq!(team.starts("builder", &task(number)), 1, "{}", nasty.name);
    }
    is_undisturbed(&team, "G1");
    assert_eq!(team.place.read("check.sh").lines().count(), 2, "the checkout is as it was");
    let is_untouched = team.place.read("work.txt") == "begin\n";
    assert!(is_untouched || supervisor().ladder().best().is_none(), "one wrote into the checkout");
    assert!(!team.home().join("fired").exists(), "nothing of an agent's repository runs");
    team.holds("G1");
    are_still_open(&team);
    println!("{} ways to end in {took:?}: none accepted, none alive", all.len());
}

/// Lets all endless ones work, and a good one beside them to its end.
fn busy(team: &Team, workflow: &str) -> (Started, Vec<(String, &'static str)>) {
    let mut tasks = Vec::new();
    for (number, (name, steps)) in endless(team).into_iter().enumerate() {
        if !is_long() && number % SAMPLE_ONE_IN != 1 {
            continue;
        }
        let task = format!("N{}", number + 1);
        team.script("builder", &format!("{task}/turn-1"), &steps);
        team.add(&task, workflow, &[]);
        tasks.push((task, name));
    }
    team.add("G1", "good", &[]);
    let baton = team.start(&["run", "--once", "--jobs", "32"]);
    for (task, name) in &tasks {
        until(name, || alive(&script(team, task, 1)) > 0);
    }
    until("the good one is through", || team.log("G1").contains("task ended"));
    (baton, tasks)
}

fn ask(signal: &str, baton: &Child) {
    let done = Command::new("kill").arg(signal).arg(baton.id().to_string()).status().expect("kill runs");
    assert!(done.success());
}

#[test]
fn who_interrupts_twice_ends_everybody() {
    for (first, second) in [("-INT", "-INT"), ("-TERM", "-INT")] {
        if first == "-TERM" && !is_long() {
            continue;
        }
        let team = team();
        let (mut baton, tasks) = busy(&team, "single");
        ask(first, &baton);
        // Two that come at once are one.
        until("the first is answered", || team.heard().contains("once more ends them"));
        ask(second, &baton);
        assert_eq!(baton.wait().expect("our own child").code(), Some(9));
        let scripts: Vec<PathBuf> = tasks.iter().map(|(task, _)| script(&team, task, 1)).collect();
        none_lives(&scripts);
        for (task, name) in &tasks {
            let log = team.log(task);
            let is_over = log.contains("turn-1 ended: stopped") || log.contains("turn-1 ended: crash");
            assert!(is_over && !log.contains("accept"), "{name}: {log}");
            is_not_heard(&team, task, name);
        }
        is_undisturbed(&team, "G1");
        println!("{first} {second}: {} stopped, none alive", tasks.len());
    }
}

#[test]
fn a_killed_run_leaves_nobody_and_the_next_one_resolves_every_turn_once() {
    let team = team();
    let (mut baton, tasks) = busy(&team, "single");
    baton.kill().expect("our own child");
    baton.wait().expect("our own child");
    let scripts: Vec<PathBuf> = tasks.iter().map(|(task, _)| script(&team, task, 1)).collect();
    let after = until_none_lives(&scripts);
    // Nothing is timed on a machine that does other things too, unless all of the proof was asked for.
    assert!(!is_long() || after <= ENDED_WITHIN, "some lived {after:?} longer than Baton");
    team.run(0, &["--jobs", JOBS]);
    for (task, name) in &tasks {
        let log = team.log(task);
        assert_eq!(log.matches("turn-1 ended: crash").count(), 1, "{name}: {log}");
        assert_eq!(team.starts("builder", task), 2, "{name}");
        assert!(log.contains("task ended: done_unverified"), "{name}: {log}");
        team.holds(task);
    }
    is_undisturbed(&team, "G1");
    println!("killed: {} turns, none alive {after:?} later, all resolved once", tasks.len());
}

/// Returns how long the first turn of a task took, as it is recorded.
fn took(team: &Team, task: &str) -> Duration {
    let first = |kind| *team.recorded(task, kind).first().expect("its first turn");
    Duration::try_from(first("turn_ended").duration_since(first("turn_started"))).expect("no way back")
}

/// What was said when nobody waited for it any more moves nothing.
#[track_caller]
fn is_not_heard(team: &Team, task: &str, name: &str) {
    let log = team.log(task);
    let moved = ["handoff received", "decided: accept", "task ended"];
    assert!(!moved.iter().any(|words| log.contains(words)), "{name}: {log}");
}

#[test]
fn a_deadline_ends_everybody() {
    if !is_long() {
        announce("LEFT OUT: a deadline is a minute at least (`BATON_LONG=1`)");
        return;
    }
    let team = team();
    let (mut baton, tasks) = busy(&team, "short");
    let begun = Instant::now();
    while baton.try_wait().expect("our own child").is_none() {
        assert!(begun.elapsed() < LONG * 10, "it does not end");
        thread::sleep(Duration::from_millis(20));
    }
    let scripts: Vec<PathBuf> = tasks.iter().map(|(task, _)| script(&team, task, 1)).collect();
    none_lives(&scripts);
    for (task, name) in &tasks {
        assert!(team.log(task).contains("turn-1 ended: timeout"), "{name}: {}", team.log(task));
        let took = took(&team, task);
        let allowed = SHORT_TURN..=SHORT_TURN + ENDED_WITHIN;
        assert!(allowed.contains(&took), "{name}: the record says that the turn took {took:?}");
        is_not_heard(&team, task, name);
        let handoff = team.baton(&["show", task, "failure-turn-1"]).ends_with(0).out();
        assert!(handoff.contains("timeout"), "{handoff}");
    }
    is_undisturbed(&team, "G1");
    println!("deadline: {} turns, none alive", tasks.len());
}

/// What Baton itself may take more for an agent that says very much.
const SWOLLEN_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Lets an agent do this in a run, and returns the most memory that Baton took.
fn most_memory(steps: &[Step]) -> u64 {
    let team = Team::new().configured(FLOODED).agent("builder", "command", &[]);
    team.script("builder", "always", steps);
    let team = team.ready();
    team.add("T1", "flooded", &[]);
    let mut baton = team.start(&["run"]);
    let mut most = 0;
    until("the run ends", || {
        most = memory(baton.id(), "VmHWM").unwrap_or(0).max(most);
        baton.try_wait().expect("our own child").is_some()
    });
    assert!(team.log("T1").contains("task ended: done_unverified"), "{}", team.log("T1"));
    most
}

#[test]
fn a_flood_does_not_swell_baton() {
    let bytes = if is_long() { 4_000_000_000 } else { 200_000_000 };
    let quiet = most_memory(&works());
    for line in [4096, 0] {
        let floods = [vec![flood(bytes, line, baton_testkit::script::To::Err)], works()].concat();
        let more = most_memory(&floods).saturating_sub(quiet);
        assert!(
            more <= SWOLLEN_BYTES_MAX,
            "{bytes} bytes in lines of {line}: {more} bytes more than {quiet}"
        );
        println!("{bytes} bytes in lines of {line}: Baton took {} KiB more", more / 1024);
    }
}
