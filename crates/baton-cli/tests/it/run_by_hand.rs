//! Runs beside people: what somebody carries in the checkout is judged there and nowhere else, what agents did is put back
//! where they did it, and nobody is told of work that no process does.

use std::fs;

use baton_testkit::script::Step;

use crate::scripted::until;
use crate::support::announce;
use crate::team::{BLOCKED, HANDOFF, Team, all, approves, says, works, write};

/// Hands over what lies in the checkout.
fn submit(team: &Team) {
    let handoff = team.home().join("handoff.md");
    fs::write(&handoff, HANDOFF.replace("FILES", "work.txt")).expect("a handoff");
    team.baton(&["submit", "T1", handoff.to_str().expect("UTF-8")]).ends_with(0);
}

#[test]
fn work_in_the_checkout_is_not_judged_by_other_files() {
    let works = vec![write("work.txt", "done\n"), write("TASK.txt", "done\n"), says(HANDOFF)];
    let team = Team::new().agent("builder", "command", &[works]).ready();
    // What is committed passes, and what is handed over does not.
    team.place.write("work.txt", "done\n");
    team.place.commit("passes");
    team.add("T1", "single", &[]);
    team.baton(&["receive", "T1"]).ends_with(0);
    team.place.write("work.txt", "broken\n");
    submit(&team);

    let events = team.run(9, &[]);
    let summary = &events.last().expect("a summary")["tasks"][0];
    assert!(summary["end"].is_null(), "{events:#?}");
    assert_eq!(summary["next"], "`baton task check T1`", "{events:#?}");
    assert_eq!(all(&events, "asks").len(), 1, "{events:#?}");
    assert!(!team.store().join("work/T1").exists(), "nothing was made for programs");

    let checked = team.baton(&["task", "check", "T1"]).ends_with(0).out();
    assert!(checked.contains("validation: fail"), "{checked}");
    team.baton(&["decide", "T1"]).ends_with(0);

    // An agent would find none of it, until it is committed.
    let events = team.run(9, &[]);
    assert!(all(&events, "turn_started").is_empty(), "{events:#?}");
    let next = events.last().expect("a summary")["tasks"][0]["next"].to_string();
    assert!(next.contains("baton receive T1") && next.contains("commit these files"), "{next}");
    team.place.commit("what was handed over");
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "turn_started").len(), 1, "{events:#?}");
    assert_eq!(team.accepted("work.txt"), "done");
    team.holds("T1");
}

#[test]
fn a_verifier_judges_work_of_the_checkout_once_it_is_committed() {
    let team = Team::new().agent("verifier", "command", &[approves()]).ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    team.baton(&["receive", "T1"]).ends_with(0);
    team.place.write("work.txt", "done\n");
    submit(&team);
    team.baton(&["task", "check", "T1"]).ends_with(0);
    assert!(all(&team.run(9, &[]), "turn_started").is_empty(), "the files are nowhere but in the checkout");
    team.place.commit("by hand");
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "turn_started")[0]["role"], "verifier", "{events:#?}");
    assert!(team.log("T1").contains("task ended: done"), "{}", team.log("T1"));
}

/// Commits a file that the rules of the project ignore.
fn commit_ignored(team: &Team) {
    team.place.write("always.log", "committed, though ignored\n");
    team.place.git(&["add", "--force", "always.log"]);
    team.place.commit("ignored");
}

#[test]
fn a_file_that_is_committed_and_ignored_is_work() {
    let team = Team::new().agent("verifier", "command", &[approves()]).ready();
    commit_ignored(&team);
    team.add("T1", "verified", &["--criterion", "works"]);
    team.baton(&["receive", "T1"]).ends_with(0);
    team.place.write("work.txt", "done\n");
    submit(&team);
    team.baton(&["task", "check", "T1"]).ends_with(0);
    // What was checked is not what lies there now.
    team.place.write("always.log", "changed\n");
    let stale = team.baton(&["decide", "T1"]).ends_with(8).err();
    assert!(stale.contains("baton task check T1"), "{stale}");
    team.baton(&["task", "check", "T1"]).ends_with(0);
    team.place.commit("by hand");
    // The verifier has the same files, and its first report counts.
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "turn_started").len(), 1, "{events:#?}");
    assert!(team.log("T1").contains("task ended: done"), "{}", team.log("T1"));
}

#[test]
fn a_file_that_is_committed_and_ignored_keeps_no_agent_from_going_on() {
    let team = Team::new().agent("builder", "command", &[works()]).ready();
    commit_ignored(&team);
    team.add("T1", "single", &[]);
    team.baton(&["receive", "T1"]).ends_with(0);
    team.place.write("work.txt", "broken\n");
    submit(&team);
    team.baton(&["task", "check", "T1"]).ends_with(0);
    team.baton(&["decide", "T1"]).ends_with(0);
    assert!(all(&team.run(9, &[]), "turn_started").is_empty(), "the files are not committed yet");
    team.place.commit("by hand");
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "turn_started")[0]["role"], "builder", "{events:#?}");
    assert_eq!(team.accepted("work.txt"), "done");
}

#[test]
fn a_rollback_of_what_agents_did_leaves_the_checkout_alone() {
    let team = Team::new().agent("builder", "command", &[vec![write("bad.txt", "bad\n"), says(BLOCKED)]]);
    let team = team.ready();
    team.add("T1", "single", &[]);
    team.run(9, &[]);
    let bad = team.files("T1").join("bad.txt");
    assert!(bad.exists());
    team.place.write("work.txt", "my own edit\n");
    team.place.write("notes.txt", "mine\n");

    let resolved = team.baton(&["resolve", "T1", "rollback", "go back"]).ends_with(0).out();
    assert!(resolved.contains("next: `baton run`"), "{resolved}");
    let planned = team.baton(&["rollback", "T1", "--dry-run"]).ends_with(0).out();
    assert!(planned.contains("remove bad.txt") && !planned.contains("notes.txt"), "{planned}");
    team.baton(&["rollback", "T1"]).ends_with(0);
    assert!(!bad.exists(), "its files went back");
    assert_eq!(fs::read_to_string(team.place.file("work.txt")).expect("a file"), "my own edit\n");
    assert_eq!(fs::read_to_string(team.place.file("notes.txt")).expect("a file"), "mine\n");

    let into = team.home().join("saved");
    team.baton(&["recover", "T1", "rescue-1", "--into", into.to_str().expect("UTF-8")]).ends_with(0);
    assert_eq!(fs::read_to_string(into.join("bad.txt")).expect("what was there is saved"), "bad\n");
    team.holds("T1");
}

#[test]
fn a_turn_without_a_run_is_not_shown_as_work() {
    let team = Team::new().agent("builder", "command", &[vec![write("begun", ""), Step::Hang]]).ready();
    team.add("T1", "single", &[]);
    let mut run = team.start(&["run"]);
    until("the agent works", || team.files("T1").join("begun").exists());
    let status = team.baton(&["status"]).ends_with(0).out();
    assert!(status.contains("working") && !status.contains("cut short"), "{status}");

    run.kill().expect("it is killed");
    run.wait().expect("it is our child");
    let cut = "working: its turn was cut short: no run goes on";
    let status = team.baton(&["status"]).ends_with(0).out();
    assert!(status.contains(cut), "{status}");
    let json = team.baton(&["status", "--json"]).ends_with(0).json();
    assert_eq!(
        (&json["tasks"][0]["details"], &json["tasks"][0]["waits_for_person"]),
        (&cut.into(), &true.into())
    );
    for command in ["inbox", "why"] {
        let words = if command == "why" { vec!["why", "T1"] } else { vec!["inbox"] };
        let told = team.baton(&words).ends_with(0).out();
        assert!(told.contains("no run goes on") && told.contains("next: `baton run`"), "{told}");
    }

    let told = team.baton(&["task", "cancel", "T1", "not needed"]).ends_with(0).out();
    assert_eq!(told, "T1 is cancelled once its turn is stopped; next: `baton run`\n");
    let told = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(told.contains("next: `baton run` stops its turn"), "{told}");
    team.run(9, &[]);
    assert!(team.log("T1").contains("task ended: cancelled"), "{}", team.log("T1"));
}

/// Modes are mended by Baton itself, so the folder is somebody else's; only root can give it away.
#[test]
fn files_of_agents_that_cannot_be_put_back_lie_with_a_person_and_the_steps() {
    let blocked = "```yaml\noutcome: blocked\nsummary: stuck\nblockers: [{blocker: which tide}]\n```\n";
    for words in [&["rollback", "T1"][..], &["run"]] {
        let turn = vec![write("locked/bad.txt", "bad\n"), says(blocked)];
        let Some(team) = Team::new().agent("builder", "command", &[turn]).ready().of_no_root() else {
            return;
        };
        team.add("T1", "single", &[]);
        team.run(9, &[]);
        if std::os::unix::fs::chown(team.files("T1").join("locked"), Some(0), Some(0)).is_err() {
            announce("LEFT OUT: nobody but root can give a folder away");
            return;
        }
        team.baton(&["resolve", "T1", "rollback", "go back"]).ends_with(0);
        let ended = team.baton(words).out();
        let why = team.baton(&["why", "T1"]).ends_with(0).out();
        for part in ["to do: Mend what was in the way", "locked/bad.txt", "baton rollback T1 --by-hand"] {
            assert!(why.contains(part), "{words:?}: {part}: {why}\n{ended}");
        }
    }
}
