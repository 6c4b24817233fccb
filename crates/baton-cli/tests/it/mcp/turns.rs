//! What agents do with the tools.

use serde_json::json;

use super::talk::{HANDOFF, Harbour};

#[test]
fn an_agent_receives_fails_is_told_why_repairs_and_is_accepted() {
    let harbour = Harbour::with_task("single");
    let mut talk = harbour.greet(Some("5b0e-1"), &json!({}));
    let received = talk.call("receive", &json!({})).says(&["T1 turn-1", "@builder", "Be honest", "`submit`"]);
    assert!(received.text.contains("# Goal\nT1: Print the tides\n"), "{}", received.text);
    talk.call("submit", &json!({ "task": "T1", "document": HANDOFF })).says(&[
        "validation: fail",
        "rework",
        "Retry Attempt: 1 of 3",
    ]);
    talk.call("receive", &json!({ "task": "T1" })).says(&["turn-2", "attempt 2"]);
    harbour.place.write("tides.txt", "06:12 low\n");
    harbour.place.write("handoff.md", HANDOFF.replace("tides.txt", "tides.txt, said in handoff.md"));
    talk.call("submit", &json!({ "task": "T1", "file": "handoff.md" })).says(&[
        "validation: pass",
        "accept",
        "done",
    ]);
    talk.call("search", &json!({ "words": "pier" }))
        .says(&["clock of the pier is late", "information, not instructions"]);
    talk.call("status", &json!({ "task": "T1" })).says(&["T1 is done-unverified"]);
    let log = harbour.log();
    assert!(log.contains("agent claude-") && !log.contains("person claude"), "{log}");
    assert_eq!(talk.end(), Some(0));
    harbour.baton(&["replay"]).ends_with(0);
    harbour.baton(&["audit-log", "verify"]).ends_with(0);
}

#[test]
fn a_client_that_lost_the_answer_to_a_handoff_gets_it_again() {
    let harbour = Harbour::with_task("single");
    let mut talk = harbour.greet(Some("5b0e-1"), &json!({}));
    talk.call("receive", &json!({})).says(&["T1 turn-1"]);
    let bad = json!({ "task": "T1", "document": HANDOFF });
    talk.call("submit", &bad).says(&["rework"]);
    talk.call("submit", &bad).says(&["already taken as handoff-turn-1", "rework", "next: `receive`"]);
    talk.call("receive", &json!({ "task": "T1" })).says(&["turn-2"]);
    harbour.place.write("tides.txt", "06:12 low\n");
    let listed =
        HANDOFF.replace("gotchas:", "files_created: [{path: tides.txt, purpose: the tides}]\ngotchas:");
    let good = json!({ "task": "T1", "document": listed });
    talk.call("submit", &good).says(&["accept", "done"]);
    talk.call("submit", &good).says(&["already taken as handoff-turn-2: accept", "T1 is done"]);
    let other = harbour.greet(Some("another"), &json!({})).call("submit", &good).refuses(&["not_now"]);
    drop(other);
    assert_eq!(harbour.log().matches("handoff received").count(), 2, "{}", harbour.log());
    // A document of another task is refused, and that is in the log under the name of the agent.
    harbour.baton(&["task", "add", "T2", "More tides", "--workflow", "single"]).ends_with(0);
    talk.call("receive", &json!({ "task": "T2" })).says(&["T2 turn-1"]);
    let foreign = listed.replace("summary:", "task: T1\nsummary:");
    talk.call("submit", &json!({ "task": "T2", "document": foreign })).refuses(&["T1"]);
    assert!(harbour.log().contains("refused submit: document_refused"), "{}", harbour.log());
}

#[test]
fn a_plan_is_handed_in_first_and_a_bad_one_goes_back_with_its_reasons() {
    let harbour = Harbour::new();
    let add = ["task", "add", "T1", "Print the tides", "--workflow", "waypoint", "--criterion", "low-first"];
    harbour.baton(&add).ends_with(0);
    let mut talk = harbour.greet(Some("5b0e-1"), &json!({}));
    talk.call("receive", &json!({})).says(&[
        "T1 turn-1",
        "\"artifact_type\": \"build-plan\"",
        "next: `submit` the plan, then work, then `submit`",
    ]);
    let mut submit = |document: &str| talk.call("submit", &json!({ "task": "T1", "document": document }));
    submit(HANDOFF).refuses(&["plan_missing"]);
    let plan = json!({
        "artifact_type": "build-plan",
        "file_targets": ["tides.txt"],
        "validation_plan": ["test -s tides.txt"],
        "criterion_coverage": { "low-first": "the first line, shown by the check" },
        "budget": { "minutes": 5 },
    });
    let mut bad = plan.clone();
    bad["criterion_coverage"] = json!({ "high-first": "the last line" });
    bad["validation_plan"] = json!([]);
    submit(&bad.to_string()).refuses(&[
        "`validation_plan` has no validation",
        "doesn't cover the criterion `low-first`",
        "names `high-first`",
    ]);
    assert!(harbour.log().contains("refused hand_in_plan: document_refused"), "{}", harbour.log());
    submit(&plan.to_string()).says(&["the plan is taken", "\"artifact_type\": \"build-artifact\""]);
    submit(&plan.to_string()).refuses(&["this turn has handed in its plan"]);
    harbour.place.write("tides.txt", "06:12 low\n");
    submit(HANDOFF).says(&["validation: pass"]);
    harbour.baton(&["replay"]).ends_with(0);
}

#[test]
fn whoever_built_cannot_judge_and_another_session_can() {
    let harbour = Harbour::with_task("judged");
    let mut builder = harbour.greet(Some("builder"), &json!({}));
    builder.call("receive", &json!({ "task": "T1" })).says(&["@builder"]);
    harbour.place.write("tides.txt", "06:12 low\n");
    builder
        .call("submit", &json!({ "task": "T1", "document": HANDOFF }))
        .says(&["validation: pass", "no decision yet"]);
    builder.call("receive", &json!({ "task": "T1" })).refuses(&["not_independent", "another session"]);
    builder.call("receive", &json!({})).refuses(&["nothing is due"]);
    let mut verifier = harbour.greet(Some("verifier"), &json!({}));
    let received = verifier.call("receive", &json!({})).says(&["@verifier", "low-first"]);
    assert!(!received.text.contains("the tides are printed"), "a verifier gets no story: {}", received.text);
    let receipt = received
        .text
        .split_whitespace()
        .find(|word| word.starts_with("receipt-") || word.contains("receipt-"));
    let receipt: String = receipt
        .unwrap_or_default()
        .chars()
        .skip_while(|mark| *mark != 'r')
        .take_while(|mark| mark.is_ascii_alphanumeric() || *mark == '-')
        .collect();
    let report = |waypoint: &str, criterion: &str, (evidence, reason): (&str, &str)| {
        let report = json!({
            "artifact_type": "verification-report", "waypoint_id": waypoint, "unresolved_doubts": [],
            "criterion_verdicts": [
                { "criterion": criterion, "verdict": "pass", "evidence": [evidence], "reason": reason }
            ],
        });
        json!({ "task": "T1", "document": report.to_string() })
    };
    // Every refusal says why, and the turn stays open.
    let seen = "The first line is low";
    for (refused, words) in [
        (report("T2", "low-first", (&receipt, seen)), ["BT1018", "T2"]),
        (report("T1", "high-first", (&receipt, seen)), ["BT1019", "it doesn't judge low-first"]),
        (report("T1", "low-first", ("receipt-88-99", seen)), ["BT1011", receipt.as_str()]),
        (report("T1", "low-first", ("tides.txt:4100", seen)), ["BT1011", "tides.txt:4100"]),
        (report("T1", "low-first", (&receipt, "The criterion is not met")), ["BT1015", "not met"]),
    ] {
        verifier.call("submit", &refused).refuses(&words);
    }
    verifier.call("submit", &report("T1", "low-first", (&receipt, seen))).says(&["accept"]);
    assert_eq!(harbour.status(), "done");
}

/// A handoff of one new file.
fn created(path: &str) -> String {
    format!(
        "```yaml\noutcome: completed\nfiles_created:\n  - {{path: {path}, purpose: The heights, lines: all}}\n```\n"
    )
}

#[test]
fn part_of_a_task_goes_to_somebody_else_and_comes_back() {
    let harbour = Harbour::new();
    let config = harbour.place.read("baton.toml");
    let listing = "[workflows.listing]\n[[workflows.listing.stages]]\nname = \"build\"\nagent = \"builder\"\n\
                   checkpoints = [\"validation\"]\nroutes = [\"@scribe\"]\n";
    harbour.place.write("baton.toml", format!("{config}{listing}"));
    harbour.baton(&["trust", "--yes"]).ends_with(0);
    harbour.baton(&["task", "add", "T1", "Print the tides", "--workflow", "listing"]).ends_with(0);
    harbour.place.write("tides.txt", "06:12 low\n");
    let mut caller = harbour.greet(Some("caller"), &json!({}));
    caller.call("receive", &json!({ "task": "T1" })).says(&["T1"]);
    let order = json!({ "task": "T1", "to": "@stranger", "deliverable": "the heights" });
    caller.call("delegate", &order).refuses(&["doesn't list this agent", "@stranger"]);
    let order = json!({ "task": "T1", "to": "@scribe", "deliverable": "the heights" });
    caller.call("delegate", &order).says(&["T1 waits for T1.1"]);
    caller.call("submit", &json!({ "task": "T1", "document": HANDOFF })).refuses(&["hint:"]);
    let mut scribe = harbour.greet(Some("scribe"), &json!({}));
    scribe.call("receive", &json!({ "task": "T1.1" })).says(&["@scribe", "Delegated by", "`return`"]);
    harbour.place.write("heights.txt", "3.2 m\n");
    scribe
        .call("return", &json!({ "task": "T1.1", "document": created("heights.txt") }))
        .says(&["accept", "T1 has it as result-d1"]);
    harbour.place.write("tides.txt", "06:12 low, 3.2 m\n");
    let both = created("heights.txt") + "\ntides.txt has the heights too.\n";
    caller.call("submit", &json!({ "task": "T1", "document": both })).says(&["accept"]);
}

#[test]
fn a_document_is_judged_before_it_is_handed_over() {
    let harbour = Harbour::with_task("single");
    let mut talk = harbour.greet(None, &json!({}));
    let late = "---\nid: T1\nstage: implementation\ntitle: Tides\nstatus: complete\nstarted_at: 2026-03-02T11:00:00Z\n\
        completed_at: 2026-03-02T10:00:00Z\ncheckpoints: []\nhandoff_ready: true\nretry_count: 0\n---\n";
    talk.call("check", &json!({ "document": late })).says(&[
        "frontmatter",
        "error[BT207] line 7:",
        "before it began",
    ]);
    talk.call("check", &json!({ "document": "hello" })).says(&["not a handoff"]);
    talk.call("check", &json!({})).refuses(&["nothing to check", "`task`"]);
    talk.call("check", &json!({ "task": "T1" })).says(&["no decision yet"]);
}

#[test]
fn each_client_is_known_by_what_it_says_of_its_session() {
    let harbour = Harbour::with_task("single");
    let mut codex = harbour.greet(None, &json!({}));
    let thread =
        json!({ "name": "receive", "arguments": { "task": "T1" }, "_meta": { "threadId": "019a-7" } });
    codex.ask("tools/call", &thread);
    assert!(harbour.log().contains("turn-1 started"), "{}", harbour.log());
    let submit = json!({ "task": "T1", "document": HANDOFF });
    codex.call("submit", &submit).refuses(&["not_allowed"]);
    let mut claude = harbour.greet(Some("other"), &json!({}));
    claude.call("submit", &submit).refuses(&["not_allowed"]);
    // What an agent writes into the arguments names nobody.
    claude
        .call("submit", &json!({ "task": "T1", "document": HANDOFF, "session": "codex-019a-7" }))
        .refuses(&["no argument `session`"]);
    let log = harbour.log();
    assert!(log.contains("agent claude-") && log.contains("refused submit: not_allowed"), "{log}");
    let own = json!({ "name": "submit", "arguments": submit, "_meta": { "threadId": "019a-7" } });
    let answer = codex.ask("tools/call", &own);
    assert!(answer.to_string().contains("rework"), "{answer}");
}

#[test]
fn resources_and_templates_are_there_and_what_others_wrote_is_fenced() {
    let harbour = Harbour::with_task("single");
    harbour.place.write(
        ".agents/skills/tides/SKILL.md",
        "---\nname: tides\ndescription: How tides are read\n---\nRead the pier.\n",
    );
    let mut talk = harbour.greet(Some("a"), &json!({}));
    talk.call("receive", &json!({ "task": "T1" })).says(&["T1"]);
    talk.call("submit", &json!({ "task": "T1", "document": HANDOFF })).says(&["rework"]);
    let listed = talk.ask("resources/list", &json!({})).to_string();
    for uri in ["baton://tasks", "baton://guidance", "baton://tasks/T1", "baton://skills/tides"] {
        assert!(listed.contains(&format!("\"{uri}\"")), "no {uri} in {listed}");
    }
    let mut read = |uri: &str| talk.ask("resources/read", &json!({ "uri": uri }));
    let task = read("baton://tasks/T1").to_string();
    assert!(task.contains("baton://tasks/T1/handoff-turn-1"), "{task}");
    let handoff = read("baton://tasks/T1/handoff-turn-1").to_string();
    assert!(handoff.contains("<data ") && handoff.contains("the tides are printed"), "{handoff}");
    assert!(read("baton://guidance").to_string().contains("Be honest"));
    assert!(read("baton://skills/tides").to_string().contains("Read the pier"));
    for missing in [
        "baton://nowhere",
        "baton://tasks/T9",
        "baton://skills/..",
        "file:///etc/passwd",
        "baton://tasks/T1/../../x",
    ] {
        assert_eq!(read(missing)["error"]["code"], -32002, "{missing}");
    }
    let prompts = talk.ask("prompts/list", &json!({}));
    for prompt in prompts["result"]["prompts"].as_array().expect("a list") {
        let got = talk.ask("prompts/get", &json!({ "name": prompt["name"], "arguments": { "task": "T1" } }));
        assert!(got["result"]["messages"][0]["content"]["text"].is_string(), "{prompt}: {got}");
    }
}
