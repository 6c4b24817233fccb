//! Checks that guard: work that breaks what they watch is taken back by the run itself, and kept.

use crate::team::{HANDOFF, Team, all, says, write};

/// Two checks: the one of every project here, and one for what must not break.
const GUARDED: &str = "[workflows.guarded]\n[[workflows.guarded.stages]]\nname = \"build\"\nagent = \"builder\"\n\
                       checkpoints = [\"validation\", \"smoke\"]\n";

fn team(guards: &str, turns: &[(&str, &str)]) -> Team {
    let smoke = "[checks.smoke]\nrun = [\"grep\", \"-q\", \"alive\", \"pulse.txt\"]\n";
    let turns: Vec<_> = turns
        .iter()
        .map(|(work, pulse)| vec![write("work.txt", work), write("pulse.txt", pulse), says(HANDOFF)])
        .collect();
    let team = Team::new().configured(&format!("{GUARDED}{smoke}{guards}"));
    team.place.write("pulse.txt", "alive\n");
    team.agent("builder", "command", &turns).ready()
}

fn decisions(events: &[serde_json::Value]) -> Vec<(String, String)> {
    let word = |event: &serde_json::Value, key: &str| event[key].as_str().expect("a word").to_owned();
    all(events, "decided").iter().map(|event| (word(event, "disposition"), word(event, "reason"))).collect()
}

fn reworked_and_accepted(events: &[serde_json::Value]) -> usize {
    let made = decisions(events);
    let (last, others) = made.split_last().expect("a decision");
    assert_eq!(last.0, "accept", "{events:#?}");
    assert!(others.iter().all(|made| *made == pair("rework", "checks_failed")), "{events:#?}");
    others.len()
}

fn pair(disposition: &str, reason: &str) -> (String, String) {
    (disposition.to_owned(), reason.to_owned())
}

#[test]
fn what_breaks_is_rolled_back_and_can_be_brought_back() {
    let team = team("guards = \"regression\"\n", &[("done\n", "dead\n"), ("done\n", "alive\n")]);
    team.add("T1", "guarded", &[]);
    let events = team.run(9, &[]);
    assert_eq!(decisions(&events), [pair("rollback", "regression")], "{events:#?}");
    assert_eq!(team.starts("builder", "T1"), 1, "nobody is sent back to it");
    assert_eq!(all(&events, "rolled_back").len(), 1, "{events:#?}");
    let files = team.files("T1");
    let read = |name: &str| std::fs::read_to_string(files.join(name)).expect("a file");
    assert_eq!((read("pulse.txt").as_str(), read("work.txt").as_str()), ("alive\n", "begin\n"));
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(why.contains("danger: regression"), "{why}");
    let saved = team.baton(&["recover", "T1"]).ends_with(0).out();
    assert!(saved.lines().count() > 1, "{saved}");
}

#[test]
fn only_work_that_breaks_something_is_taken_back() {
    let guards = "guards = \"regression\"\n";
    // What fails another check is sent back.
    let other = team(guards, &[("half\n", "alive\n"), ("done\n", "alive\n")]);
    other.add("T1", "guarded", &[]);
    assert_eq!(reworked_and_accepted(&other.run(0, &[])), 1);
    // So is what fails the one that guards, where it failed before.
    let mended = team(guards, &[("done\n", "weak\n"), ("done\n", "alive\n")]);
    mended.place.write("pulse.txt", "dead\n");
    mended.place.commit("it stands still");
    mended.add("T1", "guarded", &[]);
    assert_eq!(reworked_and_accepted(&mended.run(0, &[])), 1);
}

#[test]
fn what_a_person_lets_fail_guards_nothing() {
    let team = team("guards = \"safety\"\n", &[("done\n", "dead\n")]);
    team.add("T1", "guarded", &[]);
    team.baton(&["waive", "T1", "checkpoint:smoke", "it may be still", "--until", "2999-01-01"]).ends_with(0);
    team.run(0, &[]);
}

#[test]
fn what_is_unsafe_goes_back_at_once() {
    let team = team("guards = \"safety\"\n", &[("dane\n", "dead\n"), ("done\n", "alive\n")]);
    team.add("T1", "guarded", &[]);
    let events = team.run(9, &[]);
    assert_eq!(decisions(&events), [pair("rollback", "safety")], "{events:#?}");
    let shown = team.baton(&["trust", "--yes"]).ends_with(0).err();
    assert!(shown.contains("and work that fails it is rolled back, for safety"), "{shown}");
}
