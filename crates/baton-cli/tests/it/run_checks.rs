//! Checks that say nothing of the work, whatever an agent does: a person hears of it before turns are spent.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::team::{Team, all, says, works, write};

/// One stage with a check that a project has to name.
const WORKFLOW: &str = "[workflows.named]\n[[workflows.named.stages]]\nname = \"build\"\nagent = \"builder\"\n\
                        checkpoints = [\"lint\"]\n";

fn because(events: &[serde_json::Value]) -> String {
    events.last().expect("a summary")["tasks"][0]["because"].to_string()
}

#[test]
fn no_turn_is_taken_where_no_check_is_named() {
    let team = Team::new().configured(WORKFLOW).agent("builder", "command", &[works()]).ready();
    team.add("T1", "named", &[]);
    let events = team.run(9, &[]);
    assert!(all(&events, "turn_started").is_empty(), "{events:#?}");
    let told = because(&events);
    assert!(
        told.contains("`baton.toml` names no trusted check for `lint`, so no work on it can pass"),
        "{told}"
    );
    assert!(
        told.contains("name a command under `[checks.lint]`, then `baton trust` and `baton run`"),
        "{told}"
    );
    let waived = ["waive", "T1", "checkpoint:lint", "none yet", "--until", "2999-01-01"];
    let told = team.baton(&waived).ends_with(0).out();
    assert!(told.starts_with("waived until 2999-01-01T23:59:59Z"), "{told}");
    assert!(!told.contains("baton waive"), "only what is left to do: {told}");
    team.run(0, &[]);
}

#[test]
fn a_check_that_does_not_end_in_time_twice_is_for_a_person() {
    let slow = format!("{WORKFLOW}[checks.lint]\nrun = [\"sleep\", \"60\"]\ntimeout_seconds = 1\n");
    let more = |text: &str| vec![write("work.txt", text), says(crate::team::HANDOFF)];
    let turns = [more("1\n"), more("2\n"), more("3\n"), more("4\n")];
    let team = Team::new().configured(&slow).agent("builder", "command", &turns).ready();
    team.add("T1", "named", &[]);
    let events = team.run(9, &[]);
    let reasons: Vec<&serde_json::Value> =
        all(&events, "decided").iter().map(|event| &event["reason"]).collect();
    assert_eq!(reasons, ["insufficient_evidence", "check_unavailable"], "{events:#?}");
    assert!(because(&events).contains("`timeout_seconds` under `[checks.lint]`"), "{events:#?}");
}

#[test]
fn a_check_of_the_repository_that_cannot_be_run_is_mended_where_the_task_has_it() {
    let team = Team::new().agent("builder", "command", &[works()]);
    let check = team.place.file("check.sh");
    fs::set_permissions(&check, fs::Permissions::from_mode(0o644)).expect("no program");
    let team = team.ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &[]);
    assert_eq!(all(&events, "decided")[0]["reason"], "check_unavailable", "{events:#?}");
    let own = team.files("T1").join("check.sh");
    let told = because(&events);
    assert!(
        told.contains("the task keeps the files that it began with, so a commit does not reach it"),
        "{told}"
    );
    assert!(told.contains(&format!("mend {}", own.display())) && !told.contains("install it"), "{told}");
    assert!(told.contains("`baton waive T1 violations WORDS` lets the changed check pass"), "{told}");
    // A person does what is said, in that order.
    fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).expect("a program");
    team.baton(&["resolve", "T1", "again", "it is executable now"]).ends_with(0);
    let events = team.run(9, &[]);
    assert_eq!(all(&events, "decided")[0]["reason"], "policy_conflict", "{events:#?}");
    team.baton(&["waive", "T1", "violations", "I did that"]).ends_with(0);
    team.run(0, &[]);
    assert_eq!((team.starts("builder", "T1"), team.accepted("work.txt").as_str()), (1, "done"));
}
