//! What an agent brought and was not taken is called what it is, to the agent that tries again and to people.

use baton_testkit::script::Step;
use serde_json::json;

use crate::team::{HANDOFF, Team, all, approves, claude, lies, of, says, works, write};

/// The work is done, and handed over where nobody asked for it: its stage wants a plan first.
fn unplanned() -> Vec<Step> {
    vec![says(HANDOFF)]
}

#[test]
fn a_handoff_that_is_not_taken_is_told_with_the_reason_and_what_the_agent_can_do() {
    let team = Team::new().agent("builder", "command", &[works()]);
    let team = team.agent("verifier", "command", &[approves()]).ready();
    team.script("builder", "plan-1", &unplanned());
    team.add("T1", "waypoint", &["--criterion", "works"]);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "turn_ended")[0]["ending"], "plan_refused");
    assert_eq!(all(&events, "decided")[0]["reason"], "plan_invalid");
    let attempts: Vec<_> =
        all(&events, "turn_started").iter().map(|event| event["attempt"].clone()).collect();
    assert_eq!(attempts, [1, 2, 2], "it counts as an attempt");
    let told = team.given("builder", "T1", "plan-prompt-2");
    assert!(told.contains("It holds no build plans"), "{told}");
    assert!(told.contains("\"artifact_type\": \"build-plan\"") && !told.contains("`baton plan"), "{told}");
    let failure = team.baton(&["show", "T1", "failure-turn-1"]).ends_with(0).out();
    assert!(failure.contains("brought a plan that was not taken"), "{failure}");
    assert!(failure.contains("It holds no build plans") && !failure.contains("no_handoff"), "{failure}");
    team.holds("T1");
}

/// The handoff of a builder that names this task.
fn handoff_of(task: &str) -> Vec<Step> {
    let handoff = HANDOFF.replace("outcome:", &format!("task_id: {task}\noutcome:"));
    vec![write("work.txt", "done\n"), says(&handoff)]
}

/// The report of a verifier about this task, with this evidence.
fn report_of(task: &str, evidence: &str) -> Vec<Step> {
    let report = json!({
        "artifact_type": "verification-report",
        "waypoint_id": task,
        "criterion_verdicts": [{ "criterion": "works", "verdict": "pass", "evidence": [evidence] }],
        "unresolved_doubts": [],
    });
    vec![says(&format!("```json\n{report}\n```\n"))]
}

#[test]
fn a_document_that_names_another_task_of_the_project_is_not_taken() {
    let team = Team::new().agent("builder", "command", &[handoff_of("T2"), handoff_of("T1")]);
    let reports = [report_of("T2", "RECEIPT"), report_of("T1", "RECEIPT")];
    let team = team.agent("verifier", "command", &reports).ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    team.add("T2", "verified", &["--criterion", "works", "--after", "T1"]);
    team.script("builder", "T2/always", &works());
    team.script("verifier", "T2/always", &approves());
    let events = team.run(0, &[]);
    let endings: Vec<_> = of(&events, "T1").iter().filter_map(|event| event["ending"].as_str()).collect();
    assert_eq!(endings, ["handoff_refused", "handoff_refused"]);
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("it names `T2`, and the task of this turn is T1"), "{told}");
    let told = team.given("verifier", "T1", "prompt-2");
    assert!(told.contains("it names `T2`, and the task of this turn is T1"), "{told}");
    team.holds("T1");
}

#[test]
fn a_name_that_no_task_of_the_project_has_is_refused_too() {
    let named = "'Task t1: the work'";
    let team = Team::new().agent("builder", "command", &[handoff_of("PROJ-77"), handoff_of(named)]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "turn_ended")[0]["ending"], "handoff_refused", "{events:#?}");
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("BT1018: it names `PROJ-77`, and the task of this turn is T1"), "{told}");
}

#[test]
fn the_receipt_of_another_task_is_no_evidence() {
    let team = Team::new().agent("builder", "command", &[lies(), works()]);
    let team = team.agent("verifier", "command", &[approves()]).ready();
    team.script("builder", "T2/always", &works());
    team.add("T1", "verified", &["--criterion", "works"]);
    team.run(0, &[]);
    // It took two attempts, so that the other task, which takes one, has no receipt of this name.
    let seen = team.given("verifier", "T1", "prompt-1");
    let receipt = seen.split(|next: char| next != '-' && !next.is_ascii_alphanumeric());
    let receipt =
        receipt.into_iter().find(|word| word.starts_with("receipt-")).expect("a receipt").to_owned();
    team.script("verifier", "T2/always", &report_of("T2", &receipt));
    team.add("T2", "verified", &["--criterion", "works"]);
    team.run(9, &[]);
    let own = team.given("verifier", "T2", "prompt-1");
    assert!(!own.contains(&receipt), "{own}");
    let why = team.baton(&["why", "T2"]).ends_with(0).out();
    assert!(why.contains("works passes without a receipt of these files"), "{why}");
}

#[test]
fn people_are_told_of_a_handoff_that_was_not_taken() {
    let team = Team::new().agent("builder", "command", &[]);
    team.script("builder", "plan", &unplanned());
    let team = team.ready();
    team.add("T1", "waypoint", &["--criterion", "works"]);
    let run = team.baton(&["run"]).ends_with(9);
    assert!(run.err().contains("brought a plan that was not taken"), "{}", run.err());
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(why.contains("brought a plan that was not taken"), "{why}");
    assert!(why.contains("It holds no build plans"), "{why}");
    let inbox = team.baton(&["inbox"]).ends_with(0).out();
    for told in [run.out(), inbox] {
        let last = "last: turn-4 brought a plan that was not taken: plan_refused: It holds no build plans";
        assert!(told.contains(last) && told.contains("`baton why T1` says more"), "{told}");
    }
    team.holds("T1");
}

#[test]
fn a_verifier_is_told_why_its_last_report_counted_for_nothing_and_nothing_of_the_builder() {
    let crash = vec![Step::Exit { code: 3 }];
    let team = Team::new().agent("builder", "command", &[crash, works()]);
    let prose = vec![says("It looks fine to me.\n")];
    let lies = || vec![says(HANDOFF)];
    let team = team.agent("verifier", "command", &[lies(), prose, lies(), approves()]).ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    let events = team.run(9, &[]);
    assert_eq!(all(&events, "decided").last().expect("a decision")["reason"], "verification_exhausted");
    let told = |number: usize| team.given("verifier", "T1", &format!("prompt-{number}"));
    assert!(!told(1).contains("Validation Failed") && !told(1).contains("turn_lost"), "{}", told(1));
    assert!(!told(1).contains("didn't count"), "{}", told(1));
    let second = told(2);
    assert!(second.contains("(turn-3) didn't count: no_report: this is no verification report"), "{second}");
    assert!(told(3).contains("(turn-4) didn't count: no_handoff: its program ended with 0"), "{}", told(3));
    let inbox = team.baton(&["inbox"]).ends_with(0).out();
    assert!(inbox.contains("last: the report of turn-5 counted for nothing: no_report"), "{inbox}");
    assert!(inbox.contains("asks a verifier again, for the work stands"), "{inbox}");
    team.baton(&["resolve", "T1", "again", "write the report as you are shown"]).ends_with(0);
    team.run(0, &[]);
    assert_eq!(team.starts("builder", "T1"), 2, "the work stands");
    assert!(told(4).contains("write the report as you are shown"), "{}", told(4));
    team.holds("T1");
}

#[test]
fn people_are_told_what_came_last_where_nothing_more_is_tried() {
    let login = claude("Not logged in · Please run /login", json!({ "is_error": true }));
    let crash = vec![says("no room\n"), Step::Exit { code: 3 }];
    let refuses = json!({
        "artifact_type": "verification-report",
        "waypoint_id": "TASK",
        "criterion_verdicts": [{ "criterion": "works", "verdict": "fail", "evidence": [] }],
        "unresolved_doubts": [],
    });
    let refuses = vec![says(&format!("```json\n{refuses}\n```\n"))];
    let log_in =
        "next: log in with `claude`, the own program of @builder, then `baton resolve T1 again WORDS`";
    for (driver, built, words) in [
        ("claude", vec![login], &["Not logged in · Please run /login", log_in][..]),
        (
            "command",
            crash,
            &["last: turn-4 ended without a handoff: crash: its program ended with 3, and said: no room"],
        ),
        ("command", works(), &["last: the verifier says: works fail"]),
    ] {
        let team = Team::new().agent("builder", driver, &[]).agent("verifier", "command", &[]);
        team.script("builder", "always", &built);
        team.script("verifier", "always", &refuses);
        let team = team.ready();
        team.add("T1", "verified", &["--criterion", "works"]);
        let run = team.baton(&["run"]).ends_with(9).out();
        for told in [run, team.baton(&["inbox"]).ends_with(0).out()] {
            let words = words.iter().chain(&["`baton why T1` says more"]);
            words.for_each(|words| assert!(told.contains(words), "{words} in {told}"));
        }
    }
}
