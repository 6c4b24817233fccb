//! What never ends by itself ends at its bound, and every command is a restart.

use crate::desk::{IMPLEMENTATION, Office};
use crate::support::is_long;

/// Questions that a stage is allowed, and the one that is too many.
const ASKED_MAX: usize = 3;

fn office() -> Office {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "Print the tides", "--workflow", "single"]).ends_with(0);
    office
}

/// Hands in the same kind of work until somebody else has to act; returns the decisions.
fn until_escalated(office: &Office, document: &str) -> Vec<String> {
    let mut decisions = Vec::new();
    // A fresh session is asked for when nothing moves, so everybody comes once.
    for person in ["ann", "ben", "cat", "dan", "eve", "fay"] {
        office.baton(&["receive", "F001", "--as", person]).ends_with(0);
        office.baton(&["submit", "F001", document, "--as", person]).ends_with(0);
        let _ = office.baton(&["task", "check", "F001"]);
        let decided = office.baton(&["decide", "F001"]).ends_with(0).out();
        let first = decided.lines().next().expect("a line").to_owned();
        decisions.push(first);
        if decided.contains("escalate") {
            break;
        }
    }
    decisions
}

#[test]
fn k1_work_that_always_fails_is_tried_four_times() {
    let office = office();
    let decisions = until_escalated(&office, &office.stage("implementation", IMPLEMENTATION));
    assert!(decisions.len() <= 4, "three retries at most: {decisions:?}");
    assert!(decisions.last().is_some_and(|last| last.starts_with("escalate")), "{decisions:?}");
    let refused = office.baton(&["receive", "F001", "--as", "gus"]).ends_with(8).err();
    assert!(refused.contains("a person has to act"), "{refused}");
    let inbox = office.baton(&["inbox"]).ends_with(0).out();
    assert!(inbox.contains("F001"), "{inbox}");
}

/// Work that moves, and never passes, has all the attempts that there are.
#[test]
fn k1_exactly_three_retries_are_given() {
    let office = office();
    let mut decisions = Vec::new();
    for (attempt, person) in ["ann", "ben", "cat", "dan"].iter().enumerate() {
        office.baton(&["receive", "F001", "--as", person]).ends_with(0);
        office.place.write(&format!("part-{attempt}.txt"), "a little more\n");
        let document = office.stage("implementation", &IMPLEMENTATION[..=attempt]);
        office.baton(&["submit", "F001", &document, "--as", person]).ends_with(0);
        office.baton(&["task", "check", "F001"]).ends_with(0);
        let decided = office.baton(&["decide", "F001"]).ends_with(0).out();
        decisions.push(decided.lines().next().expect("a line").to_owned());
    }
    let starts: Vec<&str> =
        decisions.iter().map(|decision| decision.split(' ').next().expect("a word")).collect();
    assert_eq!(starts, ["rework", "rework", "rework", "escalate"], "{decisions:?}");
    office.baton(&["receive", "F001", "--as", "eve"]).ends_with(8);
}

#[test]
fn k1_work_that_always_needs_one_more_fix_ends_with_a_person() {
    let office = office();
    office.place.write("tides.txt", "06:12 low\n");
    let text =
        std::fs::read_to_string(office.stage("implementation", IMPLEMENTATION)).expect("it was just written");
    let partial = text
        .replace("status: complete", "status: in_progress")
        .replace("handoff_ready: true", "handoff_ready: false");
    let decisions = until_escalated(&office, &office.document("partial.md", &partial));
    assert!(
        decisions.len() <= 4 && decisions.last().is_some_and(|last| last.starts_with("escalate")),
        "{decisions:?}"
    );
}

#[test]
fn k1_whoever_always_asks_is_answered_a_few_times() {
    let office = office();
    office.baton(&["receive", "F001", "--as", "ann"]).ends_with(0);
    let mut asked = 0;
    for number in 1..=10 {
        let run = office.baton(&["clarify", "F001", &format!("And then? ({number})"), "--as", "ann"]);
        if run.code != Some(0) {
            break;
        }
        asked += 1;
        let answered = office.baton(&["answer", "F001", &format!("q{number}"), "Go on"]);
        if answered.code != Some(0) {
            break;
        }
    }
    assert_eq!(asked, ASKED_MAX, "asked {asked} times");
    let decided = office.baton(&["decide", "F001"]).ends_with(0).out();
    assert!(decided.contains("escalate"), "{decided}");
}

/// A thousand escalations are one digest, and none of them is lost.
#[test]
fn k7_a_storm_is_told_by_its_causes() {
    let tasks = if is_long() { 1_000 } else { 52 };
    let office = Office::new();
    std::thread::scope(|scope| {
        for hand in 0..4 {
            let office = &office;
            scope.spawn(move || {
                for number in (hand..tasks).step_by(4) {
                    let (id, need) =
                        (format!("S{number}"), if number == 7 { "scope-change" } else { "human-input" });
                    office
                        .baton(&["task", "add", &id, "Print the tides", "--workflow", "single"])
                        .ends_with(0);
                    office.baton(&["escalate", &id, need, "what now?"]).ends_with(0);
                    office.baton(&["decide", &id]).ends_with(0);
                }
            });
        }
    });
    let digest = office.baton(&["inbox"]).ends_with(0).out();
    assert!(digest.lines().count() <= 4, "{digest}");
    assert!(digest.contains(&format!("{tasks} tasks are here; `baton inbox --all`")), "{digest}");
    assert!(
        digest.contains(&format!(
            "{:>6}  waiting on a person for escalation: needs_human_input: S0 ",
            tasks - 1
        )),
        "{digest}"
    );
    assert!(digest.contains("     1  waiting on a person for escalation: scope_change: S7"), "{digest}");
    let all = office.baton(&["inbox", "--all"]).ends_with(0).out();
    let json = office.baton(&["inbox", "--json"]).ends_with(0).out();
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((all.lines().count(), json["tasks"].as_array().map(Vec::len)), (tasks, Some(tasks)));
}
