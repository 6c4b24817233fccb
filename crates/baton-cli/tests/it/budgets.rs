//! What runs, tasks, turns and roles may take beside tokens: dollars, time, output, commands, memory.

use baton_testkit::script::{Step, To};
use serde_json::{Value, json};

use crate::team::{HANDOFF, Team, all, approves, claude, says, works, write};

/// One stage of a workflow with these bounds.
fn workflow(own: &str, stage: &str) -> String {
    format!(
        "[workflows.bounded]\n{own}\n[[workflows.bounded.stages]]\nname = \"build\"\nagent = \"builder\"\n\
         checkpoints = [\"validation\"]\n{stage}\n"
    )
}

/// Does the work for a quarter of a dollar.
fn works_for_a_quarter() -> Vec<Step> {
    let own = write("TASK.txt", "done\n");
    vec![write("work.txt", "done\n"), own, claude(HANDOFF, json!({ "total_cost_usd": 0.25 }))]
}

fn add(team: &Team, tasks: &[&str], workflow: &str) {
    tasks.iter().for_each(|task| team.add(task, workflow, &[]));
}

fn last_reason(events: &[Value]) -> &Value {
    &all(events, "decided").last().expect("a decision")["reason"]
}

#[test]
fn a_run_begins_no_turn_when_its_dollars_are_used_up() {
    let rules = "[run]\nbudget_dollars = 0.5\n";
    let team = Team::new().agent("builder", "claude", &[works_for_a_quarter()]).configured(rules).ready();
    add(&team, &["T1", "T2", "T3"], "single");
    let events = team.run(9, &["--jobs", "1"]);
    let over = all(&events, "over_budget");
    assert_eq!(over.len(), 1, "{over:?}");
    assert_eq!((&over[0]["task"], &over[0]["used_microdollars"]), (&json!("T3"), &json!(500_000)));
    let summary = events.last().expect("a summary");
    assert_eq!((&summary["over_budget"], &summary["exhausted"]), (&json!(true), &json!("budget_dollars")));
    assert_eq!(team.starts("builder", "T3"), 0);
    // The next run has a budget of its own.
    team.run(0, &[]);
}

#[test]
fn whoever_tells_no_dollars_counts_with_what_is_set_aside_or_with_everything() {
    let silent = vec![write("work.txt", "done\n"), claude(HANDOFF, json!({}))];
    let run = "[run]\nbudget_dollars = 1\n";
    for (driver, turn, limits, begun) in [
        ("claude", silent.clone(), "", 1),
        ("claude", silent, "limits = { turn_dollars = 0.5 }", 2),
        ("command", works(), "", 3),
    ] {
        let rules = format!("{run}{}", workflow("", limits));
        let team = Team::new().agent("builder", driver, &[turn]).configured(&rules).ready();
        let tasks = ["T1", "T2", "T3"];
        add(&team, &tasks, "bounded");
        let events = team.run(if begun == 3 { 0 } else { 9 }, &["--jobs", "1"]);
        let starts: usize = tasks.iter().map(|task| team.starts("builder", task)).sum();
        assert_eq!(starts, begun, "{driver} {limits}");
        if begun == 1 {
            let words = all(&events, "over_budget")[0]["words"].as_str().unwrap_or_default();
            assert!(words.contains("told no dollars"), "{words}");
        }
    }
}

#[test]
fn a_run_ends_with_its_time_and_so_do_its_turns() {
    let hangs = vec![says("{\"type\":\"system\",\"session_id\":\"5e55-10\"}\n"), Step::Hang];
    let rules = "[run]\nbudget_minutes = 0.05\n";
    let team = Team::new().agent("builder", "claude", &[hangs]).configured(rules).ready();
    add(&team, &["T1", "T2"], "single");
    let events = team.run(9, &["--jobs", "1"]);
    let ended = all(&events, "turn_ended")[0];
    assert_eq!((&ended["ending"], &ended["limit"]), (&json!("budget"), &json!("budget_minutes")));
    let over = all(&events, "over_budget");
    let words = over.last().and_then(|over| over["words"].as_str()).unwrap_or_default();
    assert!(words.starts_with("run_time_exhausted: "), "{words}");
    assert_eq!(events.last().expect("a summary")["exhausted"], "budget_minutes");
    assert_eq!(team.starts("builder", "T2"), 0);
    team.holds("T1");
    let told = team.baton(&["run"]).ends_with(9).out();
    assert!(told.contains("run_time_exhausted (`budget_minutes`); next: `baton run`"), "{told}");
}

#[test]
fn a_task_whose_dollars_or_time_are_used_up_goes_to_a_person() {
    let lies = vec![claude(HANDOFF, json!({ "total_cost_usd": 0.25 }))];
    for (bound, turn) in [("budget_dollars = 0.25", lies), ("budget_minutes = 0.03", vec![Step::Hang])] {
        let team = Team::new().agent("builder", "claude", &[turn]).configured(&workflow(bound, "")).ready();
        add(&team, &["T1"], "bounded");
        let events = team.run(9, &[]);
        assert_eq!(last_reason(&events), "budget_exhausted", "{bound}");
        assert_eq!(team.starts("builder", "T1"), 1, "{bound}");
        team.holds("T1");
    }
}

#[test]
fn a_turn_that_prints_or_runs_more_than_it_may_is_ended_and_says_which() {
    let uses = |id: &str| {
        let tool = json!({ "type": "tool_use", "name": "Bash", "input": { "command": "ls" } });
        let line = json!({ "type": "assistant", "message": { "id": id, "content": [tool] } });
        says(&format!("{line}\n"))
    };
    let flood = Step::Flood { bytes: 3 * 1024 * 1024, line: 0, to: To::Err };
    for (driver, limit, how, turn) in [
        ("claude", "turn_commands", "stopped", vec![uses("m1"), uses("m2"), Step::Hang]),
        ("command", "turn_output_mib", "over_bound:output", vec![flood, Step::Hang]),
    ] {
        let rules = workflow("", &format!("limits = {{ {limit} = 1 }}"));
        let team = Team::new().agent("builder", driver, &[turn]).configured(&rules).ready();
        add(&team, &["T1"], "bounded");
        let events = team.run(9, &["--once"]);
        let ended = all(&events, "turn_ended")[0];
        assert_eq!((&ended["ending"], &ended["limit"]), (&json!("budget"), &json!(limit)), "{ended}");
        assert_eq!(ended["how"], how);
        assert_eq!(all(&events, "over_budget")[0]["limit"], limit);
        let failure = team.baton(&["show", "T1", "failure-turn-1"]).ends_with(0).out();
        assert!(failure.contains(limit), "{failure}");
    }
}

#[test]
fn a_turn_that_takes_more_memory_than_it_may_is_ended_and_others_go_on() {
    let rules = "[run]\nmemory_mib = 200\n";
    let team = Team::new().agent("builder", "command", &[works()]).configured(rules).ready();
    team.script("builder", "T1/always", &[Step::Allocate { bytes: 400 * 1024 * 1024 }, Step::Hang]);
    add(&team, &["T1", "T2"], "single");
    let events = team.run(9, &["--once"]);
    let ended = all(&events, "turn_ended");
    assert_eq!(ended.len(), 1, "{ended:?}");
    assert_eq!((&ended[0]["task"], &ended[0]["how"]), (&json!("T1"), &json!("over_bound:memory")));
    assert_eq!((&ended[0]["ending"], &ended[0]["limit"]), (&json!("budget"), &json!("memory_mib")));
    let failure = team.baton(&["show", "T1", "failure-turn-1"]).ends_with(0).out();
    assert!(failure.contains("took more than 200 MiB of memory (`memory_mib`)"), "{failure}");
    let handed = all(&events, "handed_over");
    assert_eq!(handed.iter().map(|event| &event["task"]).collect::<Vec<_>>(), ["T2"], "{events:#?}");
}

#[test]
fn memory_that_processes_share_counts_once() {
    let team = Team::new().agent("builder", "command", &[works()]).configured("[run]\nmemory_mib = 200\n");
    // Each of them is a copy of the shell with all that it holds, of which nothing is written anew.
    let shares = "#!/bin/sh\nheld=$(head -c 50000000 /dev/zero | tr '\\0' a)\n\
                  for child in 1 2 3 4 5 6; do (sleep 3; :) & done\nwait\n";
    team.place.write("check.sh", shares);
    let team = team.ready();
    add(&team, &["T1"], "single");
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "checked")[0]["checks"][0]["verdict"], "pass", "{events:#?}");
}

#[test]
fn a_check_that_takes_more_memory_than_it_may_settles_nothing_and_says_so() {
    let team = Team::new().agent("builder", "command", &[works()]).configured("[run]\nmemory_mib = 100\n");
    team.place
        .write("check.sh", "#!/bin/sh\n{ head -c 400000000 /dev/zero; sleep 3000; } | tail -c 300000000\n");
    let team = team.ready();
    add(&team, &["T1"], "single");
    let events = team.run(9, &["--once"]);
    let check = &all(&events, "checked")[0]["checks"][0];
    assert_eq!(check["verdict"], "inconclusive", "{check}");
    assert!(check["detail"].as_str().is_some_and(|detail| detail.contains("`memory_mib`")), "{check}");
}

#[test]
fn a_role_can_be_held_tighter_than_its_stage() {
    let Some(Step::Print { text, .. }) = approves().pop() else { panic!("a report is printed") };
    let built = vec![write("work.txt", "done\n"), claude(HANDOFF, json!({}))];
    let rules =
        workflow("", "review = \"verifier\"\nrole_limits.verifier = { turn_tokens = 12, turn_minutes = 2 }");
    let team = Team::new()
        .agent("builder", "claude", &[built])
        .agent("verifier", "claude", &[vec![claude(&text, json!({}))]])
        .configured(&rules)
        .ready();
    team.add("T1", "bounded", &["--criterion", "works"]);
    let events = team.run(0, &[]);
    let over = all(&events, "over_budget");
    assert_eq!(over.len(), 1, "the builder, who cost as much, may: {over:?}");
    assert_eq!((&over[0]["turn"], &over[0]["turn_tokens"]), (&json!("turn-2"), &json!(12)));
    let prompt = team.given("verifier", "T1", "prompt-1");
    assert!(prompt.contains("Limits: 2 min, 12 tokens."), "{prompt}");
    let shown = team.baton(&["workflow", "show", "bounded"]).ends_with(0).out();
    assert!(shown.contains("as verifier: for a turn 2 minutes and 12 tokens"), "{shown}");
}
