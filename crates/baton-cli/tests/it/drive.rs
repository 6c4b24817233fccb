//! `baton run` with scripted agents: what they say decides nothing, and what was cut short is gone on with.

use std::fs;

use baton_testkit::script::Step;
use serde_json::{Value, json};

use crate::scripted::{alive, until};
use crate::support::{Place, is_long};
use crate::team::{GATED, HANDOFF, Team, all, approves, claude, lies, says, works, write};

#[test]
fn work_is_checked_verified_merged_and_the_checkout_is_left_alone() {
    let team = Team::new()
        .agent("builder", "command", &[works()])
        .agent("verifier", "command", &[approves()])
        .ready();
    team.add("T1", "waypoint", &["--criterion", "works"]);
    let events = team.run(0, &[]);
    assert_eq!(events.last().expect("a summary")["tasks"][0]["end"], "done");
    assert_eq!(team.accepted("work.txt"), "done");
    assert_eq!(team.place.read("work.txt"), "begin\n", "the checkout is the person's");
    assert_eq!(team.place.git(&["status", "--porcelain"]), "");
    let asked = team.given("verifier", "T1", "prompt-1");
    assert!(!asked.contains("did it"), "the builder's story is not the verifier's business:\n{asked}");
    team.holds("T1");
}

#[test]
fn a_failed_check_comes_back_as_feedback_in_the_same_session() {
    let first = vec![write("work.txt", "half\n"), claude(HANDOFF, json!({}))];
    let second = vec![write("work.txt", "done\n"), claude(HANDOFF, json!({}))];
    let team = Team::new().agent("builder", "claude", &[first, second]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    let summary = events.last().expect("a summary");
    assert_eq!(
        (&summary["tasks"][0]["end"], &summary["spent_tokens"]),
        (&json!("done_unverified"), &json!(30))
    );
    assert!(!team.given("builder", "T1", "arguments-1").contains("--resume"));
    assert!(team.given("builder", "T1", "arguments-2").contains("--resume 5e55-10"));
    let again = team.given("builder", "T1", "prompt-2");
    assert!(again.contains("### Checkpoint: validation\n") && again.contains("./check.sh"), "{again}");
    assert!(again.len() < team.given("builder", "T1", "prompt-1").len(), "what it knows is not said again");
    assert_eq!(team.accepted("work.txt"), "done");
    team.holds("T1");
}

#[test]
fn a_lie_never_becomes_done() {
    let team = Team::new().agent("builder", "command", &[lies(), lies(), lies(), lies()]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &[]);
    assert!(all(&events, "decided").iter().all(|event| event["disposition"] != "accept"));
    let asks = all(&events, "asks");
    assert_eq!(asks.len(), 1, "a person is asked, once");
    assert!(!team.place.git(&["branch", "--list", "baton/accepted"]).contains("accepted"));
    assert!(events.last().expect("a summary")["tasks"][0]["next"].is_string());
    team.holds("T1");
}

#[test]
fn a_turn_without_a_handoff_is_lost_by_its_own_name() {
    let silent = vec![write("work.txt", "done\n")];
    let crash = vec![says(HANDOFF), Step::Abort];
    let failing = vec![says(HANDOFF), Step::Exit { code: 3 }];
    let team = Team::new().agent("builder", "command", &[silent, crash, failing, works()]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    let endings: Vec<_> = all(&events, "turn_ended").iter().map(|event| event["ending"].clone()).collect();
    assert_eq!(endings, [json!("no_handoff"), json!("crash"), json!("crash")]);
    assert_eq!(team.starts("builder", "T1"), 4);
    team.holds("T1");
}

#[test]
fn a_limit_of_the_provider_is_waited_out_and_burns_no_attempt() {
    let limit = vec![claude("slow down", json!({ "is_error": true, "api_error_status": 429 }))];
    let work = vec![write("work.txt", "done\n"), claude(HANDOFF, json!({}))];
    let team = Team::new().agent("builder", "claude", &[limit, work]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "turn_ended")[0]["ending"], "limit");
    assert_eq!(all(&events, "waits").len(), 1);
    let attempts: Vec<_> =
        all(&events, "turn_started").iter().map(|event| event["attempt"].clone()).collect();
    assert_eq!(attempts, [json!(1), json!(1)]);
    team.holds("T1");
}

/// Rests in seconds after each fault of a provider, by a quarter longer or shorter. No more than the first ones are waited for
/// in an ordinary run.
const RESTS: [f64; 5] = [1.0, 4.0, 16.0, 60.0, 60.0];
const RESTS_SAMPLE: usize = 2;

fn seconds(words: &Value) -> f64 {
    let words = words.as_str().and_then(|words| words.strip_prefix("tries again in ")?.strip_suffix(" s"));
    words.and_then(|number| number.parse().ok()).expect("a number of seconds")
}

#[test]
fn a_provider_is_left_alone_longer_each_time_and_never_longer_than_a_minute() {
    let rests = if is_long() { &RESTS[..] } else { &RESTS[..RESTS_SAMPLE] };
    let limit = || vec![claude("slow down", json!({ "is_error": true, "api_error_status": 429 }))];
    let mut turns: Vec<_> = rests.iter().map(|_| limit()).collect();
    turns.push(vec![write("work.txt", "done\n"), claude(HANDOFF, json!({}))]);
    let team = Team::new().agent("builder", "claude", &turns).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    let told: Vec<f64> = all(&events, "waits").iter().map(|event| seconds(&event["words"])).collect();
    assert_eq!(told.len(), rests.len(), "{events:#?}");
    for (told, rest) in told.iter().zip(rests) {
        assert!((*rest * 0.7..=*rest * 1.3).contains(told), "{told} s, around {rest} s");
    }
    let (started, ended) = (team.recorded("T1", "turn_started"), team.recorded("T1", "turn_ended"));
    assert_eq!((started.len(), ended.len()), (rests.len() + 1, rests.len()));
    for ((rest, ended), next) in rests.iter().zip(&ended).zip(&started[1..]) {
        let rested = next.duration_since(*ended).as_secs_f64();
        // What is told is what was left of the rest by then.
        assert!(rested >= rest * 0.7, "the record says that it rested {rested} s, around {rest} s");
    }
    team.holds("T1");
}

#[test]
fn a_verifier_that_writes_has_judged_nothing() {
    let mut meddles = vec![write("work.txt", "done, and better\n")];
    meddles.extend(approves());
    let team = Team::new()
        .agent("builder", "command", &[works()])
        .agent("verifier", "command", &[meddles, approves()])
        .ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    team.run(0, &[]);
    assert_eq!(team.starts("verifier", "T1"), 2, "the first report counts for nothing");
    assert_eq!(team.accepted("work.txt"), "done");
    team.holds("T1");
}

#[test]
fn a_trick_in_the_work_stops_it_before_a_person() {
    let skips = vec![
        write("work.txt", "done\n"),
        write(
            "tests/test_work.py",
            "import pytest\n\n\n@pytest.mark.skip\ndef test_work():\n    assert open('work.txt').read() == 'done'\n",
        ),
        says(HANDOFF),
    ];
    let team = Team::new().agent("builder", "command", &[skips]);
    team.place
        .write("tests/test_work.py", "def test_work():\n    assert open('work.txt').read() == 'done'\n");
    let team = team.ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &[]);
    let seen = &all(&events, "checked")[0]["violations"];
    assert!(seen[0].as_str().is_some_and(|words| words.contains("tests/test_work.py")), "{seen}");
    assert_eq!(all(&events, "decided")[0]["reason"], "policy_conflict");
    team.holds("T1");
}

#[test]
fn a_check_that_the_agent_rewrote_settles_nothing() {
    let rewrites = vec![write("check.sh", "#!/bin/sh\nexit 0\n"), says(HANDOFF)];
    let team = Team::new().agent("builder", "command", &[rewrites]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &[]);
    let seen = all(&events, "checked")[0]["violations"].to_string();
    assert!(seen.contains("check_edited: check.sh"), "{seen}");
    assert_eq!(all(&events, "decided")[0]["disposition"], "escalate");
}

#[test]
fn six_tasks_go_side_by_side_in_the_order_of_their_dependencies() {
    let work = vec![write("TASK.txt", "here\n"), write("work.txt", "done\n"), says(HANDOFF)];
    let team = Team::new().agent("default", "command", &[work]).ready();
    for task in ["T1", "T2", "T3"] {
        team.add(task, "single", &[]);
    }
    team.add("T4", "single", &["--after", "T1"]);
    team.add("T5", "single", &["--after", "T2"]);
    team.add("T6", "single", &["--after", "T4", "--after", "T5"]);
    let events = team.run(0, &["--jobs", "3"]);
    assert_eq!(all(&events, "integrated").len(), 6);
    for task in 1..=6 {
        assert_eq!(team.accepted(&format!("T{task}.txt")), "here");
        team.holds(&format!("T{task}"));
    }
    let place = |name: &str, task: &str| {
        events.iter().position(|event| event["event"] == name && event["task"] == task).expect("it happened")
    };
    for (after, on) in [("T4", "T1"), ("T5", "T2"), ("T6", "T4"), ("T6", "T5")] {
        assert!(
            place("integrated", on) < place("turn_started", after),
            "{after} began before {on} was there"
        );
    }
}

#[test]
fn a_killed_run_is_gone_on_with_and_nothing_is_launched_twice() {
    let hangs = vec![write("work.txt", "half\n"), Step::Hang];
    let team = Team::new().agent("builder", "command", &[hangs, works()]).ready();
    team.add("T1", "single", &[]);
    let script = team.bench("builder", "T1").join("script-1");
    let mut baton = team.start(&["run"]);
    until("the agent works", || alive(&script) > 0);
    team.baton(&["run"]).ends_with(8);
    baton.kill().expect("our own child");
    baton.wait().expect("our own child");
    until("its agent ends with it", || alive(&script) == 0);
    let events = team.run(0, &[]);
    assert_eq!(events.last().expect("a summary")["tasks"][0]["end"], "done_unverified");
    assert_eq!(team.starts("builder", "T1"), 2);
    assert!(team.log("T1").contains("turn-1 ended: crash"), "{}", team.log("T1"));
    team.holds("T1");
    assert!(team.run(0, &[]).len() == 1, "there is nothing left to do");
}

#[test]
fn a_gate_waits_for_a_person_and_their_answer_is_taken_up() {
    let team = Team::new().configured(GATED).agent("builder", "command", &[works()]).ready();
    team.add("T1", "gated", &[]);
    let events = team.run(9, &[]);
    let next = events.last().expect("a summary")["tasks"][0]["next"].clone();
    assert_eq!(next, "baton gate approve T1 release");
    team.baton(&["gate", "approve", "T1", "release"]).ends_with(0);
    team.run(0, &[]);
    assert_eq!(team.starts("builder", "T1"), 1);
    assert_eq!(team.accepted("work.txt"), "done");
    team.holds("T1");
}

#[test]
fn a_cancelled_task_loses_its_agent() {
    let team = Team::new().agent("builder", "command", &[vec![Step::Hang]]).ready();
    team.add("T1", "single", &[]);
    let script = team.bench("builder", "T1").join("script-1");
    let mut baton = team.start(&["run"]);
    until("the agent works", || alive(&script) > 0);
    team.baton(&["task", "cancel", "T1", "not needed"]).ends_with(0);
    let code = baton.wait().expect("our own child").code();
    assert_eq!((code, alive(&script)), (Some(9), 0));
    assert!(team.log("T1").contains("task ended: cancelled"));
}

#[test]
fn nothing_of_the_repository_runs_before_somebody_trusts_it() {
    let team = Team::new().agent("builder", "command", &[works()]).ready();
    team.add("T1", "single", &[]);
    let config = format!("{}# changed\n", team.place.read("baton.toml"));
    team.place.write("baton.toml", config);
    team.baton(&["run"]).ends_with(7);
    assert_eq!(team.starts("builder", "T1"), 0);
}

#[test]
fn who_has_no_agent_is_told_what_was_looked_for() {
    let team = Team::new().ready();
    team.add("T1", "single", &[]);
    let mut command = team.command(&["run"]);
    let run = command.env("PATH", "/nowhere").output().expect("baton runs");
    assert_eq!(run.status.code(), Some(2));
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(told.contains("claude") && told.contains("[agents.default]"), "{told}");
}

#[test]
fn a_handoff_in_a_file_counts_once() {
    let leaves = vec![write("work.txt", "half\n"), write("out/handoff.md", HANDOFF)];
    let forgets = vec![write("work.txt", "done\n")];
    let again = vec![write("out/handoff.md", &HANDOFF.replace("did it", "did it now"))];
    let team = Team::new().agent("builder", "command", &[leaves, forgets, again]);
    let team = team.configured("handoff_file = \"out/handoff.md\"\n").ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "handed_over").len(), 2);
    assert_eq!(all(&events, "turn_ended")[0]["ending"], "no_handoff", "the file was there before");
    assert!(fs::exists(team.place.file("out")).is_ok_and(|there| !there));
}

#[test]
fn the_demonstration_shows_a_failure_a_lie_their_correction_and_an_acceptance() {
    let place = Place::new();
    let shown = place.baton(&["demo", "--into", "demo"]).ends_with(0).out();
    let mut rest = shown.as_str();
    for step in [
        "tests fail: no low tide is said",
        "rework: checks_failed",
        "     | no low tide is said",
        "check_edited: check.sh",
        "escalate: policy_conflict",
        "resolved",
        "tests pass",
        "reports 1 of 1",
        "gate release",
        "accept: all_criteria_pass",
        "is on baton/accepted",
        "hold together",
    ] {
        let at = rest.find(step).unwrap_or_else(|| panic!("no `{step}` in its place:\n{shown}"));
        rest = &rest[at..];
    }
    assert!(place.read("demo/run/project/tides.sh").contains("high"), "the checkout is there");
    assert!(!place.read("demo/run/project/tides.sh").contains("low"), "and was not touched");
}

/// Every run gives one turn, and every run is a restart: the count of the faults is in the log.
#[test]
fn k4_a_provider_that_never_answers_burns_no_attempt_and_ends_with_a_person() {
    for status in [429, 529] {
        let fault = || vec![claude("no", json!({ "is_error": true, "api_error_status": status }))];
        let turns: Vec<_> = (0..8).map(|_| fault()).collect();
        let team = Team::new().agent("builder", "claude", &turns).ready();
        team.add("T1", "single", &[]);
        let mut asked = Vec::new();
        for _ in 0..8 {
            let events = team.run(9, &["--once"]);
            let attempts = all(&events, "turn_started");
            assert!(attempts.iter().all(|event| event["attempt"] == 1), "{status}: {attempts:?}");
            asked.extend(all(&events, "asks").into_iter().cloned());
            if !asked.is_empty() {
                break;
            }
        }
        assert_eq!(asked.len(), 1, "{status}: a person is asked");
        let starts = team.starts("builder", "T1");
        assert_eq!(starts, 6, "{status}: once, and five times more");
        team.run(9, &["--once"]);
        assert_eq!(team.starts("builder", "T1"), starts, "{status}: and then nobody is bothered any more");
        team.holds("T1");
    }
}

#[test]
fn k4_a_session_that_says_nothing_is_not_asked_again() {
    let silent = vec![claude("", json!({}))];
    let work = vec![write("work.txt", "done\n"), claude(HANDOFF, json!({}))];
    let team = Team::new().agent("builder", "claude", &[silent, work]).ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    assert!(!team.given("builder", "T1", "arguments-2").contains("--resume"), "it begins anew");
    team.holds("T1");
}

/// The hash is the same before and after. The kernel keeps it from writing; where nothing does, the times of the files tell.
#[test]
fn e7_a_verifier_cannot_edit_and_put_it_back() {
    let tried = Step::Append { path: "work.txt".into(), text: "and better\n".to_owned() };
    let mut meddles = vec![tried, write("work.txt", "done\n")];
    meddles.extend(approves());
    let team = Team::new()
        .agent("builder", "command", &[works()])
        .agent("verifier", "command", &[meddles, approves()])
        .ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    team.run(0, &[]);
    assert_eq!(team.starts("verifier", "T1"), 2, "whoever tries to write has judged nothing");
    team.holds("T1");
}
