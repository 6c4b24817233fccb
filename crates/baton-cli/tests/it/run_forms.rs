//! The form that the prompts of each workflow ask for: filled in as it stands there, nothing is wrong with it, and it is
//! taken. What prompts cost.

use std::collections::BTreeMap;

use baton_runner::desk::context::count_tokens;
use baton_testkit::form::Answers;
use baton_testkit::script::Step;
use serde_json::Value;

use crate::run_dialects::{end_of, team};
use crate::support::announce;
use crate::team::{HANDOFF, Team, all, approves, claude, plans, says, write};

/// Most tokens of a prompt for a task with one criterion and nothing known.
const BUILDER_TOKENS_MAX: usize = 1_000;
const RETRY_TOKENS_MAX: usize = 300;
const VERIFIER_TOKENS_MAX: usize = 900;

/// The lines of the file that the examples of the forms speak of.
fn lines(middle: &str) -> String {
    (1..=30)
        .map(|line| match line {
            10..=18 => format!("{middle} {line}\n"),
            _ => format!("line {line}\n"),
        })
        .collect()
}

fn answers(more: &[(&str, &str)]) -> Answers {
    let all = [
        ("outcome", "completed"),
        ("blockers", ""),
        ("file:line", "src/new.rs:1"),
        (
            "touched_files",
            "[{\"path\": \"src/new.rs\"}, {\"path\": \"src/old.rs\"}, {\"path\": \"work.txt\"}]",
        ),
        ("criteria", "[{id: works, claim: met, evidence: 'src/new.rs:1'}]"),
        ("command", "./check.sh"),
        ("plan", "[\"write the line\"]"),
        ("evidence_ref", "[\"work.txt\"]"),
        ("Requirements", "- R-1: the file is finished"),
        ("Acceptance criteria", "- AC-1 (works): `work.txt` has exactly 1 line, `done`"),
        ("Design", "R-1 and works: one line in `work.txt`, as AC-1 asks for."),
        ("Tasks", "- T-1 (works, AC-1): write `done` into `work.txt`"),
        ("Tests", "- `./check.sh` covers works and AC-1"),
        ("Changes", "- `work.txt` says done, `src/new.rs` and `src/old.rs` changed"),
        (
            "Verdicts",
            "| criterion | verdict | evidence |\n|---|---|---|\n| works | pass | `./check.sh` |\n| AC-1 | pass | `./check.sh` |",
        ),
        ("Bugs", "No critical bugs."),
        ("Documentation", "No document names `work.txt`, so none had to change."),
    ];
    all.iter().chain(more).map(|(key, answer)| ((*key).to_owned(), (*answer).to_owned())).collect()
}

/// Hands over the form of its prompt. Whoever builds first does work of which every example of the forms is true.
fn fills(team: &Team, (workflow, agent): (&str, &str), more: &[(&str, &str)]) -> Vec<Step> {
    let file = |name: &str| team.bench(agent, "T1").join(format!("{name}-1"));
    let mut steps = match ["builder", "session", "implementation", "implementation-agent"].contains(&agent) {
        true => vec![
            write("work.txt", "done\n"),
            write("src/new.rs", "// covers works\nfn test_works() {}\n"),
            write("src/old.rs", &lines("changed")),
        ],
        false => Vec::new(),
    };
    // A stage document doesn't begin and end in the same second.
    steps.extend((workflow == "stages").then_some(Step::Wait { ms: 1_100 }));
    steps.push(Step::FillForm { prompt: file("prompt"), answers: answers(more), copy: file("filled") });
    steps
}

/// Says how the handoff of an agent is judged on its own: its errors and warnings, and which keys mean nothing.
#[track_caller]
fn is_right(team: &Team, agent: &str) {
    let text = team.given(agent, "T1", "filled-1");
    team.place.write("filled.md", &text);
    let run = team.baton(&["check", "--notes", "filled.md"]);
    let told = run.ends_with(0).out();
    let has_no_meaning = |line: &&str| line.contains("means nothing") && !line.contains("`plan`");
    assert_eq!(told.lines().find(has_no_meaning), None, "{agent}\n{text}\n{told}");
    std::fs::remove_file(team.place.file("filled.md")).expect("it was there");
}

/// Carries a task through a workflow with agents that only fill in what they are asked for.
fn is_carried_through(workflow: &str, agents: &[(&str, &[(&str, &str)])], gates: &[&str]) -> Team {
    let mut team = team();
    for (agent, _) in agents {
        team = team.agent(agent, "command", &[]);
    }
    team.place.write("src/old.rs", lines("line"));
    for (agent, more) in agents {
        team.script(agent, "turn-1", &fills(&team, (workflow, agent), more));
        team.script(agent, "plan", &[plans(&["work.txt", "src/new.rs", "src/old.rs"])]);
    }
    let team = team.ready();
    team.add("T1", workflow, &["--criterion", "works=`work.txt` says done"]);
    for gate in gates {
        let waits = team.run(9, &[]);
        assert!(!all(&waits, "asks").is_empty(), "{waits:#?}");
        team.baton(&["gate", "approve", "T1", gate]).ends_with(0);
    }
    let events = team.run(0, &[]);
    assert!(["done", "done_unverified"].contains(&end_of(&events, "T1").as_str().unwrap_or_default()));
    let reworked = all(&events, "decided").into_iter().filter(|decided| decided["disposition"] == "rework");
    assert_eq!(reworked.count(), 0, "{events:#?}");
    for (agent, _) in agents {
        is_right(&team, agent);
    }
    assert_eq!(team.accepted("work.txt"), "done");
    assert!(!team.log("T1").contains("route_not_listed"), "{}", team.log("T1"));
    team
}

#[test]
fn task_file_of_single_is_taken_as_the_prompt_shows_it() {
    is_carried_through("single", &[("builder", &[])], &[]);
}

#[test]
fn task_file_of_session_is_taken_as_the_prompt_shows_it() {
    is_carried_through("session", &[("session", &[])], &[]);
}

#[test]
fn stage_documents_of_stages_are_taken_as_the_prompts_show_them() {
    let tests = ("Tests", "- `test_works` in `src/new.rs` covers works, and `./check.sh` covers AC-1");
    let agents: [(&str, &[(&str, &str)]); 5] = [
        ("requirements-agent", &[]),
        ("architecture-agent", &[]),
        ("implementation-agent", &[tests]),
        ("qa-agent", &[]),
        ("verifier", &[]),
    ];
    let team = is_carried_through("stages", &agents, &[]);
    // The next stage receives the whole document, and the verifier none of it.
    let next = team.given("architecture-agent", "T1", "prompt-1");
    let (_, body) = next.split_once("# What you build on\n").expect("the document before");
    assert!(body.contains("<data ") && body.contains("- R-1: the file is finished"), "{next}");
    let judged = team.given("verifier", "T1", "prompt-1");
    assert!(!judged.contains("What you build on") && !judged.contains("R-1"), "{judged}");
}

#[test]
fn summaries_of_phases_are_taken_as_the_prompts_show_them() {
    let phases = [
        "research",
        "planning",
        "infrastructure",
        "implementation",
        "testing",
        "integration",
        "qa",
        "complete",
    ];
    let names: Vec<String> = phases.iter().map(|phase| format!("{phase}-agent")).collect();
    let none: &[(&str, &str)] = &[];
    let agents = names.iter().map(|name| (name.as_str(), none)).chain([("verifier", none)]);
    is_carried_through("phases", &agents.collect::<Vec<_>>(), &[]);
}

#[test]
fn build_artifact_of_waypoint_is_taken_as_the_prompt_shows_it() {
    is_carried_through(
        "waypoint",
        &[("builder", &[("evidence", "[\"src/new.rs:1\"]")]), ("verifier", &[])],
        &[],
    );
}

#[test]
fn packages_of_steps_are_taken_as_the_prompts_show_them() {
    let artifacts = ("artifacts", "[{path: src/new.rs, type: code, description: The work}]");
    let before = ("artifacts", "[{path: src/old.rs, type: code, description: What is there}]");
    let questions = ("open_questions", "[]");
    // A summary that names nothing says too little.
    let summary = ("summary", "\"The line in work.txt is wanted as src/old.rs has it, with 1 check\"");
    let agents: [(&str, &[(&str, &str)]); 5] = [
        ("specification", &[before, questions, summary]),
        ("architecture", &[before, questions, summary]),
        ("implementation", &[artifacts, questions, summary]),
        ("review", &[artifacts, questions, summary]),
        ("verifier", &[]),
    ];
    is_carried_through("steps", &agents, &["specification-approved", "architecture-approved"]);
}

/// The prompt that is asked for again says nothing of what the session knows.
#[test]
fn prompts_cost_no_more_than_they_have_to() {
    let wrong = "```yaml\noutcome: completed\nsummary: did it in work.txt\nfiles_created: [{path: nothere.rs, purpose: x}]\n```";
    let right = "```yaml\noutcome: completed\nsummary: did it in work.txt\n```";
    let more = || serde_json::json!({});
    let team = Team::new()
        .agent(
            "builder",
            "claude",
            &[
                vec![write("work.txt", "done\n"), claude(wrong, more())],
                vec![write("work.txt", "done\n"), claude(right, more())],
            ],
        )
        .agent("verifier", "command", &[approves()])
        .ready();
    team.add("T1", "verified", &["--criterion", "works=`work.txt` says done"]);
    let events: Vec<Value> = team.run(0, &[]);
    assert_eq!(end_of(&events, "T1"), "done");
    let prompts = [
        ("builder", "prompt-1", BUILDER_TOKENS_MAX),
        ("builder", "prompt-2", RETRY_TOKENS_MAX),
        ("verifier", "prompt-1", VERIFIER_TOKENS_MAX),
    ];
    let mut told = BTreeMap::new();
    for (agent, prompt, tokens_max) in prompts {
        let text = team.given(agent, "T1", prompt);
        let tokens = count_tokens(&text);
        announce(&format!("{agent} {prompt}: {tokens} tokens"));
        assert!(tokens <= tokens_max, "{tokens} tokens:\n{text}");
        told.insert((agent, prompt), text);
    }
    let (whole, again) = (&told[&("builder", "prompt-1")], &told[&("builder", "prompt-2")]);
    for part in ["# Goal\n", "`work.txt` says done", "first attempt, at most 3 retries", "files_modified: []"]
    {
        assert!(whole.contains(part) && !again.contains(part), "{part} in {again}");
    }
    for part in
        ["### Claim: BT1001\n", "### What to Fix\n1. ", "### Retry Attempt: 1 of 3\n", "`last_failure: \"\"`"]
    {
        assert!(again.contains(part), "{part} in {again}");
    }
    // No word of whoever built it, and all that was measured.
    let judged = &told[&("verifier", "prompt-1")];
    assert!(!judged.contains("did it in"), "{judged}");
    for part in ["- base: commit ", "- work.txt: changed 1\n", "`./check.sh`: exit 0", "-begin\n+done\n"] {
        assert!(judged.contains(part), "{part} in {judged}");
    }
}

/// What nothing supports reaches the verifier as Baton's own statement, and no word of the builder does.
#[test]
fn verifier_gets_unsupported_claims_in_the_words_of_baton() {
    let handoff = "```yaml\noutcome: completed\nsummary: did it in work.txt\n\
                   commands: [{run: make wonderful, exit_code: 0}]\ngotchas: [{issue: trust me, severity: high}]\n```\n";
    let team = Team::new()
        .agent("builder", "command", &[vec![write("work.txt", "done\n"), says(handoff)]])
        .agent("verifier", "command", &[approves()])
        .ready();
    team.add("T1", "verified", &["--criterion", "works=`work.txt` says done"]);
    team.run(0, &[]);
    let told = team.given("verifier", "T1", "prompt-1");
    let findings = told.split("[findings about the handoff]\n").nth(1).expect("findings");
    let finding = findings.lines().next().unwrap_or_default();
    assert!(finding.starts_with("- BT") && finding.contains(" in line 4 of the handoff is "), "{finding}");
    for word in ["wonderful", "trust me", "did it in"] {
        assert!(!told.contains(word), "{word} in {told}");
    }
    let request = team.baton(&["show", "T1", "request-2"]).ends_with(0).json();
    assert!(request["base"].as_str().is_some_and(|base| base.starts_with("commit ")), "{request:#}");
    assert_eq!(request["changed_files"], serde_json::json!(["work.txt: changed 1"]), "{request:#}");
    assert_eq!(request["criteria"][0]["expected_evidence"][1], "work.txt", "{request:#}");
    assert_eq!(request["findings"].as_array().map(Vec::len), Some(1), "{request:#}");
    let sources = request["source_refs"].as_array().expect("sources");
    let receipt = sources.iter().find(|id| id.as_str().is_some_and(|id| id.starts_with("receipt-")));
    let receipt = receipt.expect("the receipt is a source");
    assert_eq!(&request["criteria"][0]["expected_evidence"][0], receipt, "{request:#}");
}

/// A verifier that can read nothing but files gets the rest of a long diff as one.
#[test]
fn long_diff_is_whole_in_a_file_of_the_turn() {
    let long: String = (1..=3_000).map(|line| format!("line {line}\n")).collect();
    let team = Team::new()
        .agent(
            "builder",
            "command",
            &[vec![write("work.txt", "done\n"), write("long.txt", &long), says(HANDOFF)]],
        )
        .agent("verifier", "command", &[]);
    let copy = team.home().join("verifier/seen.diff").display().to_string();
    let reads =
        Step::Run { argv: ["sh", "-c", &format!("cp $TMPDIR/work.diff {copy}")].map(str::to_owned).into() };
    team.script("verifier", "turn-1", &[vec![reads], approves()].concat());
    let team = team.ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    team.run(0, &[]);
    let told = team.given("verifier", "T1", "prompt-1");
    assert!(told.contains("more lines of the diff: `baton task diff T1`\n"), "{told}");
    assert!(told.contains("- Read the whole diff in `") && told.contains("/work.diff`.\n"), "{told}");
    assert!(told.len() < 16_000 && !told.contains("+line 2999"), "{}", told.len());
    let whole = std::fs::read_to_string(copy).expect("the verifier can read it");
    assert!(whole.contains("+line 3000\n") && whole.contains("-begin\n+done\n"));
}
