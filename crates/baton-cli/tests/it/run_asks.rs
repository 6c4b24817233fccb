//! An agent that cannot go on asks a person, and goes on with what the person said.

use baton_testkit::script::{Step, To};
use serde_json::{Value, json};

use crate::team::{HANDOFF, Team, all, approves, claude, says, works, write};

/// The form that the prompt teaches.
const BLOCKED: &str = "I cannot know that.\n\n```yaml\noutcome: blocked\nsummary: one word is missing\n\
                       blockers:\n  - {blocker: which colour is the hull?}\n```\n";

fn question() -> String {
    let asked = json!({
        "schema_version": "1.0", "artifact_type": "clarification-request", "artifact_id": "own-1", "waypoint_id": "T1",
        "created_at": "2026-11-16T08:00:00Z", "producer_role": "builder",
        "blocking_question": "Which harbour is meant?", "decision_context": {}, "confidence": "low",
        "requested_options": ["the old one", "the new one"],
    });
    format!("I have to ask.\n\n```json\n{asked}\n```\n")
}

fn team(first: Vec<Step>) -> Team {
    let team = Team::new().agent("builder", "command", &[first, works(), works()]).ready();
    team.add("T1", "single", &[]);
    team
}

fn last(events: &[Value]) -> &Value {
    &events.last().expect("a summary")["tasks"][0]
}

#[test]
fn whoever_is_blocked_asks_a_person_at_once_and_in_its_own_words() {
    let team = team(vec![says(BLOCKED)]);
    let events = team.run(9, &[]);
    let decided = all(&events, "decided");
    assert_eq!(decided.len(), 1, "{events:#?}");
    assert_eq!(
        (&decided[0]["disposition"], &decided[0]["reason"]),
        (&json!("escalate"), &json!("needs_human_input"))
    );
    assert_eq!(all(&events, "asks")[0]["asks"], "which colour is the hull?");
    for words in [["why", "T1"].as_slice(), &["inbox"], &["log", "T1"]] {
        let out = team.baton(words).ends_with(0).out();
        assert!(words[0] == "log" || out.contains("which colour is the hull?"), "{words:?}: {out}");
    }
    assert_eq!(team.starts("builder", "T1"), 1);

    team.baton(&["resolve", "T1", "again", "the hull is red"]).ends_with(0);
    team.run(0, &[]);
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("the hull is red") && told.contains("which colour is the hull?"), "{told}");
    assert!(told.contains("needs_human_input"), "{told}");
}

#[test]
fn a_question_in_place_of_a_handoff_waits_for_its_answer_and_costs_nothing() {
    let team = team(vec![says(&question())]);
    let events = team.run(9, &[]);
    assert!(all(&events, "decided").is_empty(), "{events:#?}");
    assert_eq!(all(&events, "asks")[0]["asks"], "Which harbour is meant?");
    let next = last(&events)["next"].to_string();
    assert!(next.contains("baton answer T1 q1 TEXT"), "{next}");
    let inbox = team.baton(&["inbox"]).ends_with(0).out();
    for part in ["Which harbour is meant?", "it could be: the old one", "baton answer T1 q1 TEXT"] {
        assert!(inbox.contains(part), "{part} in {inbox}");
    }
    // Nothing goes on over an open question, however often it is run.
    team.run(9, &[]);
    assert_eq!(team.starts("builder", "T1"), 1);

    team.baton(&["answer", "T1", "q1", "the new one"]).ends_with(0);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "decided")[0]["reason"], "clarification_answered");
    assert_eq!(all(&events, "turn_started")[0]["attempt"], 1, "asking is no failure");
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("Which harbour is meant?") && told.contains("the new one"), "{told}");
    team.holds("T1");
}

#[test]
fn a_session_that_is_gone_on_with_is_told_the_answer_too() {
    let fails = vec![claude("```yaml\noutcome: completed\nsummary: FILES\n```\n", json!({}))];
    let asks = vec![claude(&question(), json!({}))];
    let done = vec![
        write("work.txt", "done\n"),
        claude("```yaml\noutcome: completed\nsummary: FILES\n```\n", json!({})),
    ];
    let team = Team::new().agent("builder", "claude", &[fails, asks, done]).ready();
    team.add("T1", "single", &[]);
    team.run(9, &[]);
    team.baton(&["answer", "T1", "q1", "the new one"]).ends_with(0);
    team.run(0, &[]);
    let arguments = team.given("builder", "T1", "arguments-3");
    assert!(arguments.contains("--resume"), "{arguments}");
    let told = team.given("builder", "T1", "prompt-3");
    assert!(told.contains("the new one") && told.contains("### Checkpoint: validation"), "{told}");
}

#[test]
fn a_verifier_may_ask_and_judges_with_the_answer() {
    let team = Team::new()
        .agent("builder", "command", &[works()])
        .agent("verifier", "command", &[vec![says(&question())], approves()])
        .ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    team.run(9, &[]);
    team.baton(&["answer", "T1", "q1", "the old one"]).ends_with(0);
    let events = team.run(0, &[]);
    assert_eq!(last(&events)["end"], "done", "{events:#?}");
    assert_eq!(team.starts("builder", "T1"), 1);
}

#[test]
fn what_a_person_says_at_a_gate_reaches_the_next_prompt_with_who_said_it() {
    let gated = "[workflows.gated]\n[[workflows.gated.stages]]\nname = \"build\"\nagent = \"builder\"\n\
                 checkpoints = [\"validation\"]\ngates = [{ name = \"release\" }]\n";
    let again = vec![write("work.txt", "done again\n"), says(HANDOFF)];
    let team = Team::new().configured(gated).agent("builder", "command", &[works(), again]).ready();
    team.add("T1", "gated", &[]);
    team.run(9, &[]);
    team.baton(&["gate", "reject", "T1", "release", "--words", "the title is too loud", "--as", "ida"])
        .ends_with(0);
    team.run(9, &[]);
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("the title is too loud (said by ida)"), "{told}");
}

#[test]
fn an_agent_that_has_forgotten_its_session_is_told_everything_in_the_same_turn() {
    let handoff = "```yaml\noutcome: completed\nsummary: FILES\n```\n";
    let forgotten = vec![
        claude("", json!({ "is_error": true, "errors": ["No conversation found with session ID: 5e55-10"] })),
        Step::Exit { code: 1 },
    ];
    let done = vec![write("work.txt", "done\n"), claude(handoff, json!({}))];
    let team =
        Team::new().agent("builder", "claude", &[vec![claude(handoff, json!({}))], forgotten, done]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "turn_started").len(), 2, "{events:#?}");
    assert!(all(&events, "turn_ended").is_empty(), "{events:#?}");
    let spent: Vec<_> =
        all(&events, "handed_over").iter().map(|event| event["spent_tokens"].clone()).collect();
    assert_eq!(spent, [json!(15), json!(30)], "what both programs of a turn have cost counts");
    assert!(team.given("builder", "T1", "arguments-2").contains("--resume 5e55-10"));
    assert!(!team.given("builder", "T1", "arguments-3").contains("--resume"));
    let told = team.given("builder", "T1", "prompt-3");
    assert!(told.contains("You are the builder (@builder)") && told.contains("validation"), "{told}");
    let log = team.log("T1");
    assert!(
        log.contains("turn-2 was told prompt-turn-2") && log.contains("was told prompt-anew-turn-2"),
        "{log}"
    );
    // What is kept is what was sent, to the last byte.
    for (document, given) in [("prompt-turn-1", 1), ("prompt-turn-2", 2), ("prompt-anew-turn-2", 3)] {
        let kept = team.baton(&["show", "T1", document]).ends_with(0).out();
        assert_eq!(kept, team.given("builder", "T1", &format!("prompt-{given}")), "{document}");
    }
    // Its program was started twice in one turn, which is all that differs from any other.
    team.baton(&["audit-log", "verify"]).ends_with(0);
    team.baton(&["replay"]).ends_with(0);
}

/// It read of a lost session, or wrote of one; its own was there.
#[test]
fn a_turn_that_worked_and_mentions_a_lost_session_is_not_begun_anew() {
    let handoff = "```yaml\noutcome: completed\nsummary: FILES\n```\n";
    let words = "The log says: No conversation found with session ID: 5e55-10";
    let mentions =
        json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": words }] } });
    let failed = vec![
        says(&format!("{mentions}\n")),
        claude("", json!({ "is_error": true, "usage": { "input_tokens": 700, "output_tokens": 7 } })),
        Step::Exit { code: 1 },
    ];
    let done = vec![write("work.txt", "done\n"), claude(handoff, json!({}))];
    let team =
        Team::new().agent("builder", "claude", &[vec![claude(handoff, json!({}))], failed, done]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert!(team.given("builder", "T1", "arguments-2").contains("--resume 5e55-10"));
    assert_eq!(all(&events, "turn_ended")[0]["spent_tokens"], json!(707), "{events:#?}");
    assert_eq!(all(&events, "turn_started").len(), 3, "each program has a turn of its own");
    assert_eq!(events.last().expect("a summary")["spent_tokens"], json!(15 + 707 + 15));
    assert!(!team.log("T1").contains("prompt-anew"), "{}", team.log("T1"));
}

#[test]
fn an_account_that_the_provider_refuses_goes_to_a_person_and_its_end_is_recorded() {
    let refused = vec![
        claude("Invalid API key", json!({ "is_error": true, "api_error_status": 401 })),
        Step::Exit { code: 1 },
    ];
    let team = Team::new().agent("builder", "claude", &[refused]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &[]);
    assert_eq!(all(&events, "decided")[0]["reason"], "access_refused", "{events:#?}");
    assert_eq!(team.starts("builder", "T1"), 1);
    assert_eq!(all(&events, "turn_ended")[0]["how"], "code:1");
    assert!(team.log("T1").contains("turn-1 ended: access_refused (code:1)"), "{}", team.log("T1"));
}

/// A turn of Claude Code that its provider answers with an error.
fn fails(words: &str, status: u64) -> Vec<Step> {
    let more = json!({ "is_error": true, "api_error_status": status });
    vec![claude(words, more), Step::Exit { code: 1 }]
}

#[test]
fn one_agent_that_is_refused_is_one_matter_for_a_person_and_no_other_task_is_begun() {
    let team = Team::new().agent("builder", "claude", &[fails("Invalid API key", 401), claude_works()]);
    let team = team.ready();
    for task in ["T1", "T2", "T3"] {
        team.add(task, "single", &[]);
    }
    let events = team.run(9, &["--jobs", "1"]);
    assert_eq!(all(&events, "turn_started").len(), 1, "{events:#?}");
    let tasks = events.last().expect("a summary")["tasks"].as_array().expect("tasks").clone();
    assert_eq!(tasks.len(), 3, "{tasks:#?}");
    for task in &tasks[1..] {
        let told = task.to_string();
        assert!(told.contains("its agent was refused with T1") && told.contains("baton why T1"), "{told}");
    }
    let waits = all(&events, "asks");
    assert_eq!(waits.iter().filter(|event| event["task"] == "T2").count(), 1, "told once: {waits:#?}");
    let inbox = |key: Option<&str>| {
        let mut command = team.command(&["inbox"]);
        command.envs(key.map(|key| (key, "a-key")));
        team.place.run_prepared(&mut command, b"").ends_with(0).out()
    };
    // Times in the inbox contain "T2" too, every evening.
    let names_second = |inbox: &str| inbox.lines().any(|line| line.starts_with("T2 "));
    assert!(!inbox(None).contains("renew the key") && !names_second(&inbox(None)), "{}", inbox(None));
    let told = inbox(Some("ANTHROPIC_API_KEY"));
    assert!(told.contains("or renew the key in `ANTHROPIC_API_KEY`"), "{told}");

    team.baton(&["resolve", "T1", "again", "logged in"]).ends_with(0);
    team.script("builder", "T2/always", &claude_works());
    team.script("builder", "T3/always", &claude_works());
    let events = team.run(0, &["--jobs", "1"]);
    assert_eq!(all(&events, "turn_started").len(), 3, "{events:#?}");
}

#[test]
fn what_no_time_mends_is_asked_of_a_person_at_once_with_what_helps() {
    let missing = vec![
        Step::Print { text: "Error: Missing environment variable: `MY_KEY`.\n".to_owned(), to: To::Err },
        Step::Exit { code: 1 },
    ];
    let log_in = "log in with `claude`";
    let change = "change that under `[agents.builder]` or `[agents.default]` in `baton.toml`";
    for (driver, turn, words) in [
        ("claude", fails("Credit balance is too low", 400), ["Credit balance is too low", log_in]),
        ("claude", fails("There's an issue with the selected model (gone)", 404), ["see to `model`", change]),
        (
            "codex",
            missing,
            ["`MY_KEY`.; to let it see the variable, name it under `pass_environment`", change],
        ),
    ] {
        let team = Team::new().agent("builder", driver, &[turn]).ready();
        team.add("T1", "single", &[]);
        let events = team.run(9, &[]);
        assert_eq!(all(&events, "decided")[0]["reason"], "access_refused", "{events:#?}");
        assert_eq!(team.starts("builder", "T1"), 1);
        let inbox = team.baton(&["inbox"]).ends_with(0).out();
        words.iter().for_each(|words| assert!(inbox.contains(words), "{words} in {inbox}"));
    }
}

#[test]
fn a_provider_that_fails_one_task_is_left_alone_by_all_of_them() {
    let team = Team::new().agent("builder", "claude", &[fails("busy", 529), claude_works()]);
    team.script("builder", "T2/always", &claude_works());
    let team = team.ready();
    team.add("T1", "single", &[]);
    team.add("T2", "single", &[]);
    let events = team.run(0, &["--jobs", "1"]);
    let started: Vec<_> = all(&events, "turn_started").iter().map(|event| event["task"].clone()).collect();
    assert_eq!(started, ["T1", "T1", "T2"], "nobody else asks meanwhile");
    let waits = all(&events, "waits")[0]["words"].as_str().unwrap_or_default().to_owned();
    let seconds: f64 =
        waits.trim_start_matches("tries again in ").trim_end_matches(" s").parse().expect("a time");
    assert!((0.7..=1.3).contains(&seconds), "{waits}");
}

fn claude_works() -> Vec<Step> {
    vec![write("work.txt", "done\n"), write("TASK.txt", "done\n"), claude(HANDOFF, json!({}))]
}

#[test]
fn a_gate_that_informs_tells_everybody_and_asks_nobody() {
    let informing = "[[workflows.told.stages]]\nname = \"build\"\nagent = \"builder\"\ncheckpoints = [\"validation\"]\n\
                     gates = [{ name = \"fyi\", weight = \"informing\", items = [\"It is written\", \"It is read\"] }]\n\
                     [[workflows.told.stages]]\nname = \"sign\"\nagent = \"hugo\"\n[agents.hugo]\ndriver = \"human\"\n";
    const TOLD: &str = "gate fyi informs: It is written; It is read";
    let team = Team::new().configured(informing).agent("builder", "command", &[works()]).ready();
    team.add("T1", "told", &[]);
    let run = team.baton(&["run"]).ends_with(9);
    assert_eq!(run.err().matches(TOLD).count(), 1, "in the lines of the run, once: {}", run.err());
    assert!(run.out().contains(&format!("T1: {TOLD}\n")), "at the end of it: {}", run.out());
    for command in [&["inbox"][..], &["why", "T1"], &["log", "T1"]] {
        let said = team.baton(command).ends_with(0).out();
        assert!(said.contains(TOLD), "{command:?}: {said}");
    }
    let answered = team.baton(&["gate", "approve", "T1", "fyi"]).ends_with(8).err();
    assert!(answered.contains("the gate fyi of T1 informs, and needs no answer"), "{answered}");
}

#[test]
fn a_long_instruction_of_a_person_reaches_the_agent_whole() {
    let question = format!("which colour is the hull, {}?", "seen from the sea ".repeat(30).trim());
    let blocked = BLOCKED.replace("which colour is the hull?", &format!("{question:?}"));
    let team = team(vec![says(&blocked)]);
    team.run(9, &[]);
    let words = format!("{}and the last word is ochre", "paint it red, then look again, ".repeat(50));
    assert!(words.len() > 1500);
    team.baton(&["resolve", "T1", "again", &words]).ends_with(0);
    team.run(0, &[]);
    let told = team.given("builder", "T1", "prompt-2");
    let (instruction, asked) = (told.find(&words), told.find(&question));
    assert!(instruction.is_some() && instruction < asked, "{told}");
}
