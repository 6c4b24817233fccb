//! What turns cost: counted where an agent counts, nothing where it cannot, and never nothing where nobody knows.

use baton_testkit::script::{Step, To};
use serde_json::{Value, json};

use crate::scripted::until;
use crate::team::{HANDOFF, Team, all, approves, claude, says, works, write};

fn spent(events: &[Value]) -> &Value {
    &events.last().expect("a summary")["spent_tokens"]
}

/// Kills a run whose only agent is at work on its only task.
fn kill_at_work(team: &Team) {
    team.add("T1", "single", &[]);
    let mut run = team.start(&["run"]);
    until("the agent works", || team.starts("builder", "T1") == 1);
    run.kill().expect("our own child");
    run.wait().expect("our own child");
}

#[test]
fn an_agent_that_counts_nothing_costs_nothing_after_a_crash_of_baton_either() {
    let hangs = vec![write("begun.txt", "here\n"), Step::Hang];
    let team = Team::new().agent("builder", "command", &[hangs, works()]).ready();
    kill_at_work(&team);
    let events = team.run(0, &[]);
    assert_eq!(spent(&events), &json!(0));
    team.holds("T1");
}

#[test]
fn a_turn_that_a_killed_run_began_is_not_spending_of_the_next_one() {
    let hangs = vec![write("begun.txt", "here\n"), Step::Hang];
    let done = vec![write("work.txt", "done\n"), claude(HANDOFF, json!({}))];
    let team = Team::new().agent("builder", "claude", &[hangs, done]).ready();
    kill_at_work(&team);
    let events = team.run(0, &[]);
    let summary = events.last().expect("a summary");
    assert_eq!(summary["uncounted_tokens"], json!(0), "{summary}");
    assert!(spent(&events).as_u64().is_some_and(|tokens| tokens < 1_000_000), "{summary}");
}

#[test]
fn a_turn_of_unknown_cost_counts_with_all_that_was_set_aside() {
    let unsaid = vec![write("work.txt", "done\n"), claude(HANDOFF, json!({ "usage": null }))];
    let team = Team::new().agent("builder", "claude", &[unsaid]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert_eq!(spent(&events), &json!(1_000_000));
    assert_eq!(events.last().expect("a summary")["uncounted_tokens"], json!(1_000_000));
}

#[test]
fn an_agent_that_never_reached_its_provider_costs_nothing() {
    let fails =
        |code: i32, text: &str| vec![Step::Print { text: text.to_owned(), to: To::Err }, Step::Exit { code }];
    let login = fails(41, "Please set an Auth method in your settings.json or specify a variable\n");
    let offline = json!({ "type": "error", "error": { "data": { "message": "Unable to connect. Is the computer able to access the url?" } } });
    let offline = vec![says(&format!("{offline}\n")), Step::Exit { code: 1 }];
    let broken = fails(1, "SyntaxError: Unexpected token\n");
    let half =
        json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": "I begin" }] } });
    let half = vec![says(&format!("{half}\n")), Step::Exit { code: 1 }];
    for (driver, steps, ending, tokens) in [
        ("gemini", login, "access_refused", 0),
        ("opencode", offline, "network", 0),
        ("claude", broken, "crash", 0),
        ("claude", half, "crash", 1_000_000),
    ] {
        let team = Team::new().agent("builder", driver, &[steps]).ready();
        team.add("T1", "single", &[]);
        let events = team.run(9, &["--once"]);
        assert_eq!(all(&events, "turn_ended")[0]["ending"], ending, "{driver}");
        assert_eq!(spent(&events), &json!(tokens), "{driver}: {ending}");
    }
}

#[test]
fn what_a_session_costs_in_money_is_counted_once_for_every_turn() {
    let costs = |text: &str, dollars: f64| {
        vec![
            says(
                "{\"type\":\"system\",\"subtype\":\"init\",\"model\":\"a-model\",\"session_id\":\"5e55-10\"}\n",
            ),
            write("work.txt", text),
            claude(HANDOFF, json!({ "total_cost_usd": dollars })),
        ]
    };
    let team =
        Team::new().agent("builder", "claude", &[costs("half\n", 0.25), costs("done\n", 0.375)]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert_eq!(events.last().expect("a summary")["spent_microdollars"], json!(375_000));
    let metrics = team.baton(&["metrics", "--json"]).ends_with(0).out();
    let metrics: Value = serde_json::from_str(&metrics).expect("JSON");
    assert_eq!(metrics["agents"][0]["cost_microdollars"], json!(375_000));
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(why.contains("taken by claude with a-model, for 0.1250 USD"), "{why}");
    assert!(team.baton(&["metrics"]).ends_with(0).out().contains("0.3750 USD"));
}

#[test]
fn a_second_run_says_what_it_spent_itself_and_what_nobody_counted() {
    let usage = json!({ "input_tokens": 2000, "cache_read_input_tokens": 500, "output_tokens": 100 });
    let half = vec![write("work.txt", "half\n"), claude(HANDOFF, json!({ "usage": usage }))];
    let silent = vec![claude(HANDOFF, json!({ "usage": null }))];
    let done = vec![write("work.txt", "done\n"), claude(HANDOFF, json!({ "usage": usage }))];
    let team = Team::new().agent("builder", "claude", &[half, silent, done]).ready();
    team.add("T1", "single", &[]);
    let first = team.baton(&["run", "--once"]).ends_with(9).out();
    assert!(first.contains(" s, 2100 tokens\n"), "{first}");
    let second = team.baton(&["run"]).ends_with(0).out();
    assert!(second.contains(" s, 2100 tokens, and up to 1000000 that nobody counted\n"), "{second}");

    let metrics = team.baton(&["metrics", "--json"]).ends_with(0).out();
    let metrics: Value = serde_json::from_str(&metrics).expect("JSON");
    let builder = &metrics["agents"][0];
    let told = ["tokens", "uncounted_tokens", "input_tokens", "cached_tokens", "output_tokens"]
        .map(|key| builder[key].as_u64().expect("a count"));
    assert_eq!(told, [1_004_200, 1_000_000, 5000, 1000, 200]);
    let table = team.baton(&["metrics", "--by", "task"]).ends_with(0).out();
    assert!(table.contains("nobody counted up to 1000000 of the tokens of T1"), "{table}");
}

/// A message of Claude Code in the middle of its work.
fn message(id: &str, input_tokens: u64) -> Step {
    let usage = json!({ "input_tokens": input_tokens, "output_tokens": 1 });
    let line = json!({ "type": "assistant", "session_id": "5e55-10", "message": { "id": id, "content": [], "usage": usage } });
    says(&format!("{line}\n"))
}

#[test]
fn a_turn_that_is_stopped_for_its_cost_says_so_and_is_charged_with_it() {
    let step = json!({ "type": "step_finish", "sessionID": "s", "part": { "tokens": { "input": 1_300_000, "output": 1 } } });
    for (driver, dear) in [
        ("opencode", vec![says(&format!("{step}\n")), Step::Hang]),
        ("claude", vec![message("m1", 999_000), message("m1", 999_000), message("m2", 301_000), Step::Hang]),
    ] {
        let team = Team::new().agent("builder", driver, &[dear]).ready();
        team.add("T1", "single", &[]);
        let events = team.run(9, &["--once"]);
        let ended = all(&events, "turn_ended")[0];
        assert_eq!(ended["ending"], "budget", "{driver}");
        let least = ended["spent_tokens"].as_u64().expect("it is known");
        assert!((1_300_001..=1_300_002).contains(&least), "{driver}: {ended}");
        assert!(team.log("T1").contains("ended: budget"), "{}", team.log("T1"));
    }
}

#[test]
fn what_the_result_says_weighs_more_than_what_the_messages_said() {
    let turn = vec![
        message("m1", 100_000),
        message("m2", 99_000),
        write("work.txt", "done\n"),
        claude(HANDOFF, json!({ "usage": { "input_tokens": 150_000, "output_tokens": 7 } })),
    ];
    let team = Team::new().agent("builder", "claude", &[turn]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "counted").last().expect("it counts")["spent_tokens"], json!(199_002));
    assert_eq!(spent(&events), &json!(150_007));
}

/// What all models used is told for the whole session, and what the agent itself used for the turn.
#[test]
fn what_helpers_used_is_charged_and_a_resumed_session_only_for_what_is_new() {
    let turn = |text: &str, own: u64, session: u64| {
        let models = json!({ "a-model": { "inputTokens": session, "outputTokens": 0, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0 } });
        let usage = json!({ "input_tokens": own, "output_tokens": 0 });
        vec![write("work.txt", text), claude(HANDOFF, json!({ "usage": usage, "modelUsage": models }))]
    };
    let team = Team::new()
        .agent("builder", "claude", &[turn("half\n", 1000, 5000), turn("done\n", 700, 5900)])
        .ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert!(team.given("builder", "T1", "arguments-2").contains("--resume"));
    let told: Vec<_> =
        all(&events, "handed_over").iter().map(|event| event["spent_tokens"].clone()).collect();
    assert_eq!(told, [json!(5000), json!(900)]);
    assert_eq!(all(&events, "handed_over")[1]["usage"]["input_tokens"], json!(900));
    assert_eq!(spent(&events), &json!(5900));
}

#[test]
fn it_is_told_whether_builder_and_verifier_are_of_one_vendor() {
    let Some(Step::Print { text, .. }) = approves().pop() else { panic!("a report is printed") };
    for (driver, words) in
        [("claude", "of the same vendor: Anthropic"), ("command", "of the same vendor is not known")]
    {
        let report = if driver == "claude" { vec![claude(&text, json!({}))] } else { approves() };
        let built = vec![write("work.txt", "done\n"), claude(HANDOFF, json!({}))];
        let team =
            Team::new().agent("builder", "claude", &[built]).agent("verifier", driver, &[report]).ready();
        team.add("T1", "verified", &["--criterion", "works"]);
        team.run(0, &[]);
        let why = team.baton(&["why", "T1"]).ends_with(0).out();
        assert!(why.contains(words), "{driver}: {why}");
    }
}
