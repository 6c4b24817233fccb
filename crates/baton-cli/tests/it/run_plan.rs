//! The plan comes before the first write: asked for in a step of its own, judged, and binding for the work.

use baton_testkit::script::Step;
use serde_json::{Value, json};

use crate::team::{HANDOFF, Started, Team, all, approves, claude, plan, plans, says, works, write};

/// A builder of this driver and a verifier who approves, with one task that wants a plan.
fn team(driver: &str, turns: &[Vec<Step>], more: &[&str]) -> Team {
    let team =
        Team::new().agent("builder", driver, turns).agent("verifier", "command", &[approves()]).ready();
    add(&team, more);
    team
}

fn add(team: &Team, more: &[&str]) {
    let mut words = vec!["--criterion", "works"];
    words.extend(more);
    team.add("T1", "waypoint", &words);
}

/// The good plan with other values under some keys.
fn bent(own: &Value) -> Value {
    let mut plan = plan(&["work.txt"]);
    if let (Value::Object(plan), Value::Object(own)) = (&mut plan, own) {
        plan.extend(own.clone());
    }
    plan
}

fn fenced(plan: &Value) -> String {
    format!("```json\n{plan}\n```\n")
}

/// Each plan that goes back, with what is said of it.
fn bad() -> Vec<(Value, &'static str)> {
    vec![
        (json!({ "criterion_coverage": {} }), "doesn't cover the criterion `works`"),
        (json!({ "criterion_coverage": { "works": "" } }), "doesn't cover the criterion `works`"),
        (
            json!({ "criterion_coverage": { "works": "the line", "shines": "too" } }),
            "names `shines`, and no criterion of the task is called so (works)",
        ),
        (json!({ "validation_plan": [] }), "`validation_plan` has no validation"),
        (json!({ "validation_plan": ["none"] }), "`validation_plan` has no validation"),
        (json!({ "waypoint_id": "T2" }), "BT1018: it names `T2`, and the task of this turn is"),
        (json!({ "file_targets": [] }), "`file_targets` is empty"),
        (json!({ "file_targets": ["**"] }), "The target `**` stands for every file"),
        (json!({ "file_targets": ["../other"] }), "The target `../other` names nothing in the project"),
        (json!({ "file_targets": ["docs/page.md"] }), "outside of the task's targets: work.txt, src"),
        (json!({ "budget": {} }), "`budget` says no amount"),
        (json!({ "budget": { "tokens": 999_999_999 } }), "`budget` wants 999999999 tokens, and the turn has"),
    ]
}

#[test]
fn a_bad_plan_goes_back_with_its_reasons_and_a_good_one_is_worked_on_in_the_same_session() {
    let first = vec![claude(&fenced(&bent(&json!({ "validation_plan": [] }))), json!({}))];
    let second = vec![claude(&fenced(&plan(&["work.txt"])), json!({}))];
    let work = vec![write("work.txt", "done\n"), claude(HANDOFF, json!({}))];
    let team = team("claude", &[work], &[]);
    team.script("builder", "plan-1", &first);
    team.script("builder", "plan-2", &second);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "turn_ended")[0]["ending"], "plan_refused");
    assert_eq!(all(&events, "decided")[0]["reason"], "plan_invalid");
    let planned = all(&events, "planned");
    assert_eq!((planned.len(), &planned[0]["file_targets"]), (1, &json!(["work.txt"])));
    assert_eq!(all(&events, "turn_started").len(), 3, "plan and work are one turn");
    let again = team.given("builder", "T1", "plan-prompt-2");
    assert!(again.contains("`validation_plan` has no validation"), "{again}");
    assert!(again.len() < team.given("builder", "T1", "plan-prompt-1").len(), "it remembers the task");
    let work = team.given("builder", "T1", "prompt-1");
    assert!(work.contains("Baton took your plan") && !work.contains("file_targets\""), "{work}");
    assert!(!team.given("builder", "T1", "plan-arguments-1").contains("--resume"));
    for arguments in ["plan-arguments-2", "arguments-1"] {
        assert!(team.given("builder", "T1", arguments).contains("--resume 5e55-10"), "{arguments}");
    }
    let read_only = team.given("builder", "T1", "plan-arguments-1");
    assert!(read_only.contains("Read,Grep,Glob"), "it may read and not write: {read_only}");
    assert_eq!(events.last().expect("a summary")["tasks"][0]["end"], "done");
    // Three programs of the builder, 15 tokens each.
    assert_eq!(events.last().expect("a summary")["spent_tokens"], 45, "{events:#?}");
    for name in ["prompt-plan-turn-1", "prompt-plan-turn-2", "prompt-turn-2", "plan-turn-2"] {
        team.baton(&["show", "T1", name]).ends_with(0);
    }
    team.holds("T1");
}

#[test]
fn an_agent_that_cannot_resume_gets_its_plan_back() {
    let team = team("command", &[works()], &[]);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "planned").len(), 1);
    let asked = team.given("builder", "T1", "plan-prompt-1");
    for part in ["build plan before the first change", "\"works\"", "work may use", "`./check.sh`"] {
        assert!(asked.contains(part), "{part} in {asked}");
    }
    let work = team.given("builder", "T1", "prompt-1");
    assert!(work.contains("Baton took this plan before the work"), "{work}");
    assert!(work.contains("\"validation_plan\": [\n    \"`./check.sh` ends with 0\""), "{work}");
    assert_eq!(team.accepted("work.txt"), "done");
    team.holds("T1");
}

#[test]
fn each_bad_plan_goes_back_by_run() {
    let targets = ["--target", "work.txt", "--target", "src"];
    let team =
        Team::new().agent("builder", "command", &[works()]).agent("verifier", "command", &[approves()]);
    let team = team.ready();
    for (number, (own, _)) in bad().iter().enumerate() {
        let task = format!("B{number}");
        let mut words = vec!["--criterion", "works"];
        words.extend(targets);
        team.add(&task, "waypoint", &words);
        team.script("builder", &format!("{task}/plan-1"), &[says(&fenced(&bent(own)))]);
        team.script("builder", &format!("{task}/plan"), &[plans(&["work.txt", "src"])]);
        let work = [write("work.txt", "done\n"), write(&format!("src/{task}.txt"), "done\n"), says(HANDOFF)];
        team.script("builder", &format!("{task}/always"), &work);
    }
    team.run(0, &[]);
    for (number, (own, reason)) in bad().iter().enumerate() {
        let told = team.given("builder", &format!("B{number}"), "plan-prompt-2");
        assert!(told.contains(reason), "{own}: {reason} in {told}");
        assert!(!team.bench("builder", &format!("B{number}")).join("plan-prompt-3").exists(), "{own}");
    }
}

#[test]
fn each_bad_plan_goes_back_by_hand_and_a_good_one_is_taken_as_plan_or_handoff() {
    let team = team("command", &[works()], &["--target", "work.txt", "--target", "src"]);
    let received = team.baton(&["receive", "T1"]).ends_with(0).out();
    assert!(received.contains("\"artifact_type\": \"build-plan\""), "{received}");
    let hand_in = |plan: &Value, command| {
        team.place.write(".baton/plan.json", plan.to_string().replace("TASK", "T1"));
        team.baton(&[command, "T1", ".baton/plan.json"])
    };
    for (own, reason) in bad() {
        for command in ["plan", "submit"] {
            let refused = hand_in(&bent(&own), command).ends_with(8).err();
            assert!(refused.contains(reason), "{own} by {command}: {reason} in {refused}");
        }
    }
    let taken = hand_in(&plan(&["work.txt", "src/*.rs"]), "submit").ends_with(0).out();
    assert!(taken.contains("the plan is taken; next: `baton submit T1 FILE`"), "{taken}");
    let again = hand_in(&plan(&["work.txt"]), "plan").ends_with(8).err();
    assert!(again.contains("this turn has handed in its plan"), "{again}");
}

#[test]
fn work_that_began_before_its_plan_is_not_planned() {
    let team = team("command", &[works()], &[]);
    team.baton(&["receive", "T1"]).ends_with(0);
    team.place.write(".baton/plan.json", plan(&["work.txt"]).to_string().replace("TASK", "T1"));
    team.place.write("notes.txt", "somebody else's\n");
    team.place.write("work.txt", "done\n");
    let refused = team.baton(&["plan", "T1", ".baton/plan.json"]).ends_with(8).err();
    assert!(refused.contains("`work.txt` was changed before the plan was taken"), "{refused}");
    assert!(!refused.contains("notes.txt"), "others may work in the checkout: {refused}");
    team.place.write("work.txt", "begin\n");
    team.baton(&["plan", "T1", ".baton/plan.json"]).ends_with(0);
}

#[test]
fn files_that_a_program_changes_in_its_plan_are_put_back_and_the_plan_goes_back() {
    let team =
        Team::new().agent("builder", "command", &[works()]).agent("verifier", "command", &[approves()]);
    let team = team.unfenced("builder").ready();
    add(&team, &[]);
    team.script("builder", "plan-1", &[write("work.txt", "too early\n"), plans(&["work.txt"])]);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "turn_ended")[0]["ending"], "plan_refused", "{events:#?}");
    let saved = team.baton(&["recover", "T1"]).ends_with(0).out();
    assert!(saved.contains("restored"), "what it wrote is saved: {saved}");
    let told = team.given("builder", "T1", "plan-prompt-2");
    assert!(told.contains("`work.txt` was changed before the plan was taken"), "{told}");
}

#[test]
fn what_the_plan_does_not_name_goes_to_a_person() {
    let turn = vec![write("work.txt", "done\n"), write("other.txt", "x\n"), says(HANDOFF)];
    let team = team("command", &[turn], &[]);
    let events = team.run(9, &[]);
    assert_eq!(
        all(&events, "checked")[0]["violations"],
        json!(["out_of_scope: other.txt: the plan does not name it as a target"])
    );
    // A person sends it round again, so the agent plans again, with their words.
    team.baton(&["resolve", "T1", "again", "the other file is wanted too"]).ends_with(0);
    team.script("builder", "plan-2", &[plans(&["work.txt", "other.txt"])]);
    team.script("builder", "turn-2", &[write("other.txt", "y\n"), says(HANDOFF)]);
    team.run(0, &[]);
    assert!(team.given("builder", "T1", "plan-prompt-2").contains("the other file is wanted too"));
    assert_eq!(team.accepted("other.txt"), "y");
    team.holds("T1");
}

#[test]
fn the_work_may_end_with_another_plan_once_and_then_resumes() {
    let team = team("command", &[vec![plans(&["work.txt", "docs"])]], &[]);
    team.script("builder", "plan", &[plans(&["src"])]);
    let half = vec![write("src/half.txt", "half\n"), says("```yaml\noutcome: partial\nsummary: half\n```\n")];
    team.script("builder", "turn-1", &half);
    team.script("builder", "turn-2", &[plans(&["work.txt", "docs"])]);
    team.script(
        "builder",
        "turn-3",
        &[write("work.txt", "done\n"), write("docs/a.md", "a\n"), says(HANDOFF)],
    );
    let events = team.run(0, &[]);
    let planned: Vec<&Value> = all(&events, "planned").iter().map(|event| &event["file_targets"]).collect();
    assert_eq!(planned, [&json!(["src"]), &json!(["work.txt", "docs"])]);
    assert_eq!(all(&events, "turn_started").len(), 3, "{events:#?}");
    team.baton(&["show", "T1", "prompt-replanned-turn-2"]).ends_with(0);
    team.baton(&["replay"]).ends_with(0);
}

#[test]
fn a_question_in_place_of_a_plan_reaches_a_person_and_costs_no_attempt() {
    let team = team("command", &[works()], &[]);
    let asks = json!({
        "artifact_type": "clarification-request", "waypoint_id": "TASK",
        "blocking_question": "Which line?", "requested_options": ["the first"],
    });
    team.script("builder", "plan-1", &[says(&fenced(&asks))]);
    team.run(9, &[]);
    team.baton(&["answer", "T1", "q1", "the first"]).ends_with(0);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "turn_started")[0]["attempt"], 1);
    assert!(team.given("builder", "T1", "plan-prompt-2").contains("the first"));
}

/// Waits until something is so, and kills the run.
fn killed(team: &Team, is_so: impl Fn(&Team) -> bool) {
    let mut run: Started = team.start(&["run"]);
    crate::scripted::until("it came so far", || is_so(team));
    run.kill().expect("our own child");
    run.wait().expect("our own child");
}

#[test]
fn a_kill_between_plan_and_work_loses_neither_and_starts_neither_twice() {
    let team = team("command", &[vec![Step::Hang], works()], &[]);
    killed(&team, |team| team.starts("builder", "T1") == 1);
    assert!(team.log("T1").contains("plan received: plan-turn-1"), "{}", team.log("T1"));
    let events = team.run(0, &[]);
    assert!(all(&events, "planned").is_empty(), "the plan holds: {events:#?}");
    assert!(!team.bench("builder", "T1").join("plan-prompt-2").exists());
    assert!(team.given("builder", "T1", "prompt-2").contains("Baton took this plan before the work"));
    assert_eq!(team.accepted("work.txt"), "done");
    team.holds("T1");
}

#[test]
fn a_kill_while_it_plans_asks_for_the_plan_again_and_keeps_nothing_that_was_written_early() {
    let team =
        Team::new().agent("builder", "command", &[works()]).agent("verifier", "command", &[approves()]);
    let team = team.unfenced("builder").ready();
    add(&team, &[]);
    team.script("builder", "plan-1", &[write("early.txt", "too early\n"), Step::Hang]);
    killed(&team, |team| team.files("T1").join("early.txt").exists());
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "planned").len(), 1);
    assert!(!team.files("T1").join("early.txt").exists(), "what it wrote before its plan is put back");
    assert!(team.baton(&["recover", "T1"]).ends_with(0).out().contains("restored"));
    assert!(team.bench("builder", "T1").join("plan-prompt-2").exists());
    assert_eq!(team.accepted("work.txt"), "done");
    team.holds("T1");
}
