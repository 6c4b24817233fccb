//! What a person lets pass, passes; that, in those files, and nothing else.

use std::fs;

use serde_json::json;

use crate::team::{HANDOFF, Team, all, approves, says, write};

const GUIDANCE: &str = "Never skip a test.\n";

/// A project whose builder was asked to change the guidance as well, which guards the project.
fn team(work: &str) -> Team {
    let turn = vec![write("work.txt", work), write("AGENTS.md", "Write a test first.\n"), says(HANDOFF)];
    let team = Team::new().agent("builder", "command", &[turn]).agent("verifier", "command", &[approves()]);
    team.place.write("AGENTS.md", GUIDANCE);
    let team = team.ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    let events = team.run(9, &[]);
    assert_eq!(all(&events, "decided").last().expect("a decision")["reason"], "policy_conflict");
    team
}

#[test]
fn what_a_person_lets_pass_is_verified_and_accepted() {
    let team = team("done\n");
    let (seen, leave) = ("guard_edited: AGENTS.md", "`baton waive T1 violations WORDS`");
    for command in [&["inbox"][..], &["why", "T1"]] {
        let told = team.baton(command).ends_with(0).out();
        assert!(told.contains(seen) && told.contains(leave), "{command:?}: {told}");
    }
    assert_eq!(team.starts("verifier", "T1"), 0);
    team.baton(&["waive", "T1", "violations", " "]).ends_with(8);
    team.baton(&["waive", "T1", "violations", "I asked for this"]).ends_with(0);
    assert_eq!(team.baton(&["inbox", "--json"]).ends_with(0).json()["tasks"], json!([]));
    let events = team.run(0, &[]);
    assert_eq!(team.starts("builder", "T1"), 1, "nothing has to be done again");
    assert_eq!(team.starts("verifier", "T1"), 1, "it is judged like all work");
    // Work that leaned on a waiver is never called verified.
    assert_eq!(all(&events, "ended")[0]["end"], "done_unverified");
    assert_eq!(team.accepted("AGENTS.md"), "Write a test first.");
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(why.contains("I asked for this") && why.contains("not allowed, let pass by"), "{why}");
    assert!(why.contains("leaning on a waiver of what was seen in the files"), "{why}");
    team.holds("T1");
}

#[test]
fn leave_is_not_for_files_that_were_not_shown() {
    let team = team("done\n");
    fs::write(team.files("T1").join("work.txt"), "done otherwise\n").expect("a file");
    let refused = team.baton(&["waive", "T1", "violations", "I asked for this"]).ends_with(8).err();
    assert!(refused.contains("not those in which it was seen"), "{refused}");
    team.run(9, &[]);
    assert_eq!(team.starts("verifier", "T1"), 0);
}

#[test]
fn leave_lets_nothing_else_pass() {
    let team = team("almost\n");
    // The next turn does the work, and the guidance is still another one.
    team.script("builder", "turn-2", &[write("work.txt", "done\n"), says(HANDOFF)]);
    team.baton(&["waive", "T1", "violations", "I asked for this"]).ends_with(0);
    let events = team.run(9, &[]);
    let reasons: Vec<_> = all(&events, "decided").iter().map(|event| event["reason"].clone()).collect();
    assert_eq!(reasons, ["checks_failed", "policy_conflict"]);
    team.baton(&["waive", "T1", "violations", "these files too"]).ends_with(0);
    team.run(0, &[]);
    team.holds("T1");
}

#[test]
fn there_is_nothing_to_let_pass_where_nothing_was_seen() {
    let team = Team::new().ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    let refused = team.baton(&["waive", "T1", "violations", "anything"]).ends_with(8).err();
    assert!(refused.contains("nothing was seen"), "{refused}");
    team.baton(&["waive", "T1", "criterion:works", "no end"]).ends_with(2);
}
