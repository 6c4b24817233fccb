//! Work that passes by itself is merged only if it passes with what others have brought to the branch since it began.

use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::team::{GATED, HANDOFF, Team, all, handoff_of_work, of, says, write};

/// The work is there, and not two things that do not go together.
const CHECK: &str = "#!/bin/sh\ngrep -q done work.txt || exit 1\n\
                     if [ -f a.txt ] && [ -f b.txt ]; then echo a and b do not go together; exit 1; fi\n";

/// A handoff that names what it changed, as tasks with targets have to.
fn names(paths: &[&str]) -> String {
    let changed: String = paths
        .iter()
        .map(|path| format!("  - path: {path}\n    change_type: modify\n    description: did it\n"))
        .collect();
    format!("```yaml\noutcome: completed\nsummary: did it\nfiles_modified:\n{changed}```\n")
}

/// T1 makes `a.txt`, and waits for a person with it. T2 makes another file, which is merged meanwhile.
fn team(other: &str, check: &str) -> Team {
    let team = Team::new().configured(GATED).agent("builder", "command", &[]);
    team.place.write("check.sh", check);
    let makes =
        |path: &str| vec![write("work.txt", "done\n"), write(path, "x\n"), says(&names(&["work.txt", path]))];
    team.script("builder", "T1/turn-1", &makes("a.txt"));
    let others = [vec![write("theirs.txt", "x\n")], makes(other)].concat();
    team.script("builder", "T2/turn-1", &others);
    let team = team.ready();
    team.add("T1", "gated", &["--target", "work.txt", "--target", "a.txt", "--target", "b.txt"]);
    team.add("T2", "single", &[]);
    team.run(9, &[]);
    assert_eq!(team.accepted(other), "x");
    team
}

/// A person lets T1 go on, which began before T2 was merged.
fn approve(team: &Team) {
    team.baton(&["gate", "approve", "T1", "release"]).ends_with(0);
}

fn together(events: &[Value]) -> Vec<&Value> {
    all(events, "checked").into_iter().filter(|event| event["together"] == true).collect()
}

#[test]
fn what_passes_alone_and_fails_with_others_is_worked_on_again_with_theirs() {
    let team = team("b.txt", CHECK);
    let mend =
        vec![baton_testkit::script::Step::Remove { path: "b.txt".into() }, says(&names(&["a.txt", "b.txt"]))];
    team.script("builder", "T1/turn-2", &mend);
    approve(&team);
    let events = team.run(9, &[]);
    let seen = together(&events);
    assert_eq!((seen.len(), &seen[0]["checks"][0]["verdict"]), (1, &Value::from("fail")), "{events:?}");
    let reasons: Vec<&Value> = all(&events, "decided").iter().map(|event| &event["reason"]).collect();
    assert_eq!(reasons[1], "merge_conflict", "{reasons:?}");
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("a and b do not go together") && told.contains("baton/accepted"), "{told}");
    assert_eq!(team.accepted("b.txt"), "x", "the branch is as it was");
    // The work of the others is there to be worked on, and is not taken for the task's own.
    let last = all(&events, "checked").pop().expect("the last check");
    assert_eq!(
        (&last["violations"], &last["findings"]),
        (&Value::from(Vec::<Value>::new()), &last["violations"])
    );
    for part in
        ["must stay: b.txt, theirs.txt, work.txt\n", "still there in: a.txt\n", "Apply your change again"]
    {
        assert!(told.contains(part), "{part} in {told}");
    }
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(why.contains("not merged: it passes by itself"), "{why}");
    approve(&team);
    let events = team.run(0, &[]);
    assert!(together(&events).is_empty(), "what was checked is what the branch gets: {events:?}");
    let names = team.place.git(&["ls-tree", "--name-only", "baton/accepted"]);
    assert!(names.contains("a.txt") && !names.contains("b.txt"), "{names}");
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(
        !why.contains("not merged") && team.log("T1").contains("not merged: it passes by itself"),
        "{why}"
    );
    team.holds("T1");
}

#[test]
fn what_goes_with_others_is_merged_with_the_receipt_of_both() {
    let team = team("c.txt", CHECK);
    approve(&team);
    let events = team.run(0, &[]);
    assert_eq!(together(&events).len(), 1, "{events:?}");
    assert_eq!((team.accepted("a.txt"), team.accepted("c.txt")), ("x".to_owned(), "x".to_owned()));
    let merged = team.log("T1").lines().find(|line| line.contains("merged:")).expect("a merge").to_owned();
    let receipt = merged.split("; together: receipt ").nth(1).and_then(|rest| rest.split(':').next());
    let receipt = team.baton(&["show", "T1", receipt.expect("a receipt")]).ends_with(0).out();
    assert!(receipt.contains("./check.sh"), "{receipt}");
    assert!(together(&of_first(&events)).is_empty(), "T2 found nobody there");
    team.holds("T1");
}

/// Returns the events of T2.
fn of_first(events: &[Value]) -> Vec<Value> {
    of(events, "T2").into_iter().cloned().collect()
}

#[test]
fn what_a_person_committed_in_between_counts_too() {
    let team = team("c.txt", CHECK);
    team.place.git(&["merge", "--quiet", "baton/accepted"]);
    team.place.write("b.txt", "by hand\n");
    team.place.commit("b");
    approve(&team);
    let events = team.run(9, &[]);
    assert_eq!(together(&events)[0]["checks"][0]["verdict"], "fail", "{events:?}");
    assert!(!team.place.git(&["ls-tree", "--name-only", "baton/accepted"]).contains("a.txt"));
}

#[test]
fn what_nothing_settles_together_waits_and_costs_no_attempt() {
    let breaks =
        "#!/bin/sh\n[ -f a.txt ] && [ -f c.txt ] && [ ! -f ok.txt ] && kill -9 $$\ngrep -q done work.txt\n";
    let team = team("c.txt", breaks);
    approve(&team);
    let events = team.run(9, &[]);
    assert_eq!(together(&events)[0]["checks"][0]["verdict"], "inconclusive", "{events:?}");
    let inbox = team.baton(&["status"]).ends_with(0).out();
    assert_eq!(team.starts("builder", "T1"), 1, "{inbox}");
    // A person mends what hindered it, on the branch.
    team.place.git(&["merge", "--quiet", "baton/accepted"]);
    team.place.write("ok.txt", "ok\n");
    team.place.commit("ok");
    team.run(0, &[]);
    assert_eq!((team.starts("builder", "T1"), team.accepted("a.txt").as_str()), (1, "x"));
}

/// T1 and T2 change the same line. When they are brought together, somebody works in the folder of T1.
fn in_conflict() -> (Team, Child) {
    let team = Team::new().configured(GATED).agent("builder", "command", &[]);
    for task in ["T1", "T2"] {
        let does = [write("work.txt", &format!("done by {task}\n")), says(HANDOFF)];
        team.script("builder", &format!("{task}/turn-1"), &does);
    }
    let team = team.ready();
    team.add("T1", "gated", &[]);
    team.add("T2", "single", &[]);
    team.run(9, &[]);
    approve(&team);
    let mut shell = Command::new("sleep");
    // It keeps nothing open of whoever runs the tests.
    shell.arg("3000").current_dir(team.files("T1")).stdout(Stdio::null()).stderr(Stdio::null());
    let shell = shell.spawn().expect("a process");
    team.run(9, &[]);
    assert!(note(&team).exists(), "it is not made anew while somebody works there");
    team.baton(&["decide", "T1"]).ends_with(0);
    (team, shell)
}

/// Says that the workspace of T1 has to be made anew.
fn note(team: &Team) -> std::path::PathBuf {
    team.store().join("work/.renewal-T1")
}

fn end(mut process: Child) {
    process.kill().expect("our own child");
    process.wait().expect("our own child");
}

#[test]
fn a_person_who_takes_the_turn_after_a_conflict_begins_where_the_branch_is() {
    let (team, shell) = in_conflict();
    let work = team.files("T1").join("work.txt");
    let refused = team.baton(&["receive", "T1"]).err();
    assert!(refused.contains("works in"), "{refused}");
    assert_eq!(fs::read_to_string(&work).expect("a file"), "done by T1\n");
    end(shell);
    team.baton(&["receive", "T1"]).ends_with(0);
    assert_eq!(fs::read_to_string(&work).expect("a file"), "done by T2\n");
    assert!(!note(&team).exists());
    fs::write(&work, "done by both\n").expect("a file");
    let handoff = team.home().join("handoff.md");
    fs::write(&handoff, handoff_of_work()).expect("a handoff");
    team.baton(&["submit", "T1", handoff.to_str().expect("UTF-8")]).ends_with(0);
    team.run(9, &[]);
    approve(&team);
    team.run(0, &[]);
    assert_eq!(team.accepted("work.txt"), "done by both");
}
