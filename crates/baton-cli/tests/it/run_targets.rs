//! A task that names its targets is held to them; one that names none may change all.

use serde_json::{Value, json};

use crate::team::{HANDOFF, Team, all, approves, plan, says, write};

/// A handoff that names the files it changed.
const NAMES_FILES: &str = "```yaml\noutcome: completed\nsummary: did it\n\
                           files_modified:\n  - path: work.txt\n    change_type: modify\n    description: did it\n```\n";

/// A handoff that names the page too.
fn names_both() -> String {
    let page = "  - path: docs/deep/page.md\n    change_type: add\n    description: more\n```\n";
    NAMES_FILES.trim_end_matches("```\n").to_owned() + page
}

/// A task whose builder changes a file beside the work.
fn team(handoff: &str, more: &[&str]) -> Team {
    let turn = vec![write("work.txt", "done\n"), write("docs/deep/page.md", "more\n"), says(handoff)];
    let team = Team::new().agent("builder", "command", &[turn]).agent("verifier", "command", &[approves()]);
    let team = team.ready();
    let mut words = vec!["--criterion", "works"];
    words.extend(more);
    team.add("T1", "verified", &words);
    team
}

fn ran(code: i32, handoff: &str, more: &[&str]) -> (Team, Vec<Value>) {
    let team = team(handoff, more);
    let events = team.run(code, &[]);
    (team, events)
}

#[track_caller]
fn violations(events: &[Value]) -> Value {
    all(events, "checked")[0]["violations"].clone()
}

#[test]
fn what_lies_outside_of_the_targets_goes_to_a_person() {
    let (team, events) = ran(9, &names_both(), &["--target", "work.txt", "--target", "src/**"]);
    let outside = "out_of_scope: docs/deep/page.md: the task does not name it as a target";
    assert_eq!(violations(&events), json!([outside]));
    assert_eq!(all(&events, "decided")[0]["reason"], "policy_conflict");
    assert!(
        team.given("builder", "T1", "prompt-1").contains("- Change only `work.txt`, `src/**`. If"),
        "the agent is told"
    );
    assert_eq!(
        team.baton(&["task", "show", "T1", "--json"]).json()["targets"],
        json!(["work.txt", "src/**"])
    );
    assert!(team.baton(&["inbox"]).ends_with(0).out().contains(outside));
    team.baton(&["waive", "T1", "violations", "the page is wanted too"]).ends_with(0);
    team.run(0, &[]);
    assert_eq!(team.accepted("docs/deep/page.md"), "more");
}

#[test]
fn what_the_targets_name_is_accepted() {
    let (_, events) = ran(0, HANDOFF, &["--target", "work.txt", "--target", "docs/**/*.md"]);
    assert_eq!((violations(&events), &all(&events, "ended")[0]["end"]), (json!([]), &json!("done")));
}

#[test]
fn a_file_that_the_handoff_leaves_out_is_told() {
    let (team, events) = ran(0, NAMES_FILES, &[]);
    let left_out = "it changed files that it doesn't name: docs/deep/page.md";
    assert_eq!(violations(&events), json!([]), "without targets it stands in nobody's way");
    let findings = all(&events, "checked")[0]["findings"].to_string();
    assert!(findings.contains("unsupported, BT1006") && findings.contains(left_out), "{findings}");
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(why.contains(left_out), "{why}");
    let (_, events) = ran(0, NAMES_FILES, &["--target", "work.txt", "--target", "docs"]);
    assert_eq!(violations(&events), json!([]), "the targets allow it");
}

#[test]
fn the_plan_that_was_handed_in_before_the_work_holds() {
    let team = team(HANDOFF, &[]);
    team.place.write(".baton/plan.json", plan(&["work.txt"]).to_string().replace("TASK", "T1"));
    team.place.write(".baton/part.md", "```yaml\noutcome: partial\nsummary: only planned\n```\n");
    team.baton(&["receive", "T1"]).ends_with(0);
    team.baton(&["plan", "T1", ".baton/plan.json"]).ends_with(0);
    team.baton(&["submit", "T1", ".baton/part.md"]).ends_with(0);
    let events = team.run(9, &[]);
    let outside = "out_of_scope: docs/deep/page.md: the plan does not name it as a target";
    assert_eq!(violations(&events), json!([outside]));
    let told = team.given("builder", "T1", "prompt-1");
    assert!(
        told.contains("Baton took this plan before the work") && told.contains("\"file_targets\""),
        "{told}"
    );
}

#[test]
fn targets_lie_in_the_project() {
    let team = Team::new().ready();
    for bad in ["../other", "/etc", "~/x", "", "./"] {
        let refused = team.baton(&["task", "add", "T1", "Do it", "--target", bad]).ends_with(8).err();
        assert!(refused.contains("names nothing in the project"), "{bad}: {refused}");
    }
}
