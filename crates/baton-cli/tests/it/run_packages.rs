//! What a handoff asks for beside the judgement of its work: gates, escalations, delegations and returns of packages, questions
//! that block, and receivers that a stage doesn't list. Each acts once. A document about something else is refused by name.

use baton_testkit::script::Step;
use serde_json::{Value, json};

use crate::mcp::talk::Talk;
use crate::run_dialects::{artifact, end_of, expects, package, stage, summary, task_file, team};
use crate::team::{Team, all, of, says, write};

/// One stage, whose handoffs can name `security-check`.
const LISTING: &str = "[workflows.listing]\n[[workflows.listing.stages]]\nname = \"build\"\nagent = \"builder\"\n\
                       checkpoints = [\"validation\"]\nroutes = [\"@security-check\"]\n";

#[test]
fn a_package_with_a_gate_waits_for_a_person_with_its_items_and_options() {
    let gate = "  gate: {type: blocking, name: release notes, step: build}\n  validation_request:\n    items:\n      - Is the tone \
                right?\n    options:\n      approve: Continue with the next step\n      reject: Adjustments required\n      question: \
                Clarification needed\n";
    let asks = || {
        package(
            ("builder", "human", "A blocking gate"),
            ("The line in work.txt is done, and can be read now", &["work.txt"]),
            gate,
        )
    };
    let team = team()
        .agent(
            "builder",
            "command",
            &[vec![write("work.txt", "done\n"), asks()], vec![write("work.txt", "done well\n"), asks()]],
        )
        .ready();
    team.add("T1", "single", &[]);
    team.run(9, &[]);
    let inbox = team.baton(&["inbox"]).ends_with(0).out();
    for part in ["release-notes", "Is the tone right?", "approve: Continue with the next step"] {
        assert!(inbox.contains(part), "{part} in {inbox}");
    }
    team.baton(&["gate", "reject", "T1", "release-notes", "--words", "warmer"]).ends_with(0);
    // The answer holds for exactly what was shown: the next version is asked about again.
    team.run(9, &[]);
    assert!(team.given("builder", "T1", "prompt-2").contains("warmer"));
    team.baton(&["gate", "approve", "T1", "release-notes"]).ends_with(0);
    team.run(0, &[]);
    assert_eq!(team.accepted("work.txt"), "done well");
    team.holds("T1");
}

#[test]
fn a_package_to_a_person_escalates_with_its_questions() {
    let questions = "    open_questions:\n      - question: Is it March or April?\n        priority: high\n        context: Both were \
                     announced\n  expectations:\n    deliverable: A date\n    success_criteria: [\"The date is in work.txt\"]\n";
    let asks = package(
        ("builder", "human", "Business decision required"),
        ("The line is written, and one date in it is missing", &["work.txt"]),
        questions,
    );
    let done = package(
        ("builder", "review", "It is done"),
        ("The date is in work.txt now, as the person answered", &["work.txt"]),
        "",
    );
    let team = team()
        .agent(
            "builder",
            "command",
            &[vec![write("work.txt", "done in ?\n"), asks], vec![write("work.txt", "done in May\n"), done]],
        )
        .ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &[]);
    assert_eq!(all(&events, "decided")[0]["reason"], "needs_human_input", "{events:#?}");
    let inbox = team.baton(&["inbox"]).ends_with(0).out();
    for part in ["Business decision required", "Is it March or April?", "Both were announced"] {
        assert!(inbox.contains(part), "{part} in {inbox}");
    }
    team.baton(&["resolve", "T1", "again", "It is May"]).ends_with(0);
    team.run(0, &[]);
    assert!(team.given("builder", "T1", "prompt-2").contains("It is May"));
    assert_eq!(team.accepted("work.txt"), "done in May");
    team.holds("T1");
}

#[test]
fn a_package_to_a_listed_specialist_delegates_and_its_return_comes_back() {
    let wants = package(
        ("builder", "security-check", "Needs a security review"),
        ("The interface is designed, and needs a look at its risks", &[]),
        "  expectations:\n    deliverable: A risk report\n    constraints: [\"Only authentication\"]\n    success_criteria: [\"No \
         unaddressed risk\"]\n",
    );
    let done = package(
        ("builder", "review", "It is done"),
        ("The work is in work.txt, with what the review asked for", &["work.txt"]),
        "",
    );
    let returned = package(
        ("security-check", "builder", "The review is finished"),
        ("Two risks were found, both have a recommendation", &["risks.md", "work.txt"]),
        "",
    );
    // What the specialist left is there when the caller resumes.
    let reads = Step::Run {
        argv: ["sh", "-c", "test -f risks.md && echo done >> work.txt"].map(str::to_owned).into(),
    };
    let team = team()
        .configured(LISTING)
        .agent("builder", "command", &[vec![wants], vec![reads, done]])
        .agent(
            "security-check",
            "command",
            &[
                vec![
                    write("risks.md", "None\n"),
                    package(
                        ("security-check", "builder", "The review is finished"),
                        ("One risk was found, it has a recommendation in risks.md", &["risks.md"]),
                        "",
                    ),
                ],
                vec![write("risks.md", "Two\n"), write("work.txt", "done by security\n"), returned],
            ],
        )
        .ready();
    team.add("T1", "listing", &[]);
    let events = team.run(0, &[]);
    assert_eq!(end_of(&events, "T1"), "done_unverified", "{events:#?}");
    let log = team.log("T1");
    for part in
        ["delegated to @security-check as T1.1: A risk report", "delegation d1 came back as done_unverified"]
    {
        assert_eq!(log.matches(part).count(), 1, "{part} in {log}");
    }
    let ordered = team.given("security-check", "T1", "prompt-1");
    assert!(ordered.contains("A risk report") && ordered.contains("Only authentication"), "{ordered}");
    let reasons: Vec<_> =
        of(&events, "T1").iter().filter_map(|event| event["reason"].as_str()).map(str::to_owned).collect();
    assert_eq!(reasons, ["delegation_returned", "self_checked"]);
    assert_eq!(team.accepted("work.txt"), "done by security\ndone");
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("came back as done_unverified") && told.contains("Two risks were found"), "{told}");
    let attempts: Vec<_> = of(&events, "T1").iter().filter_map(|event| event["attempt"].as_u64()).collect();
    assert_eq!(attempts, [1, 1], "a delegation uses up no attempt");
    team.all_hold(&["T1", "T1.1"]);
}

#[test]
fn a_receiver_that_the_stage_does_not_list_is_refused_and_the_handoff_still_counts() {
    let wants = package(
        ("builder", "stranger", "Needs somebody else"),
        ("The line in work.txt is done, and can be read now", &["work.txt"]),
        &expects("Another line"),
    );
    let team = team()
        .configured(LISTING)
        .agent("builder", "command", &[vec![write("work.txt", "done\n"), wants]])
        .ready();
    team.add("T1", "listing", &[]);
    let events = team.run(0, &[]);
    assert_eq!(end_of(&events, "T1"), "done_unverified", "{events:#?}");
    let log = team.log("T1");
    assert!(log.contains("refused route: route_not_listed @stranger"), "{log}");
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(why.contains("route_not_listed"), "{why}");
    assert!(!log.contains("delegated to"), "{log}");
    team.holds("T1");
}

/// The route of a failed handoff is followed where the stage lists it.
#[test]
fn a_failed_phase_goes_to_the_agent_that_it_names_and_the_stage_lists() {
    let workflow = "[workflows.tested]\n[[workflows.tested.stages]]\nname = \"Testing\"\nagent = \"testing-agent\"\n\
                    checkpoints = [\"validation\"]\nroutes = [\"@fixer\"]\n";
    let failed = |route: &str| {
        let more = format!(
            "  on_failure:\n    retry: 2\n    route_to: \"@{route}\"\n    context: \"One line is missing\"\n"
        );
        summary("Testing", ("testing-agent", "@fixer"), "failed", &more)
    };
    let fixed = summary("Testing", ("fixer", "None"), "complete", "");
    let team = team()
        .configured(workflow)
        .agent("testing-agent", "command", &[vec![failed("stranger")], vec![failed("fixer")]])
        .agent("fixer", "command", &[vec![write("work.txt", "done\n"), fixed]])
        .ready();
    team.add("T1", "tested", &[]);
    let events = team.run(0, &[]);
    let turns: Vec<_> = all(&events, "turn_started").iter().map(|event| event["agent"].clone()).collect();
    assert_eq!(turns, ["testing-agent", "testing-agent", "fixer"], "{events:#?}");
    let log = team.log("T1");
    assert_eq!(log.matches("route_not_listed @stranger").count(), 1, "{log}");
    team.holds("T1");
}

/// The question waits in the inbox with what one should know, and so does the task that depends on it.
#[test]
fn a_blocking_question_beside_completed_work_holds_it_and_what_depends_on_it() {
    let question = "\nopen_questions:\n  - question: Half up or half to even?\n    context: Invoices used half up\n    recommendation: \
                    half up\n    blocking: true\n";
    let team = team()
        .agent(
            "builder",
            "command",
            &[
                vec![write("work.txt", "done\n"), task_file("completed", question)],
                vec![write("work.txt", "done half to even\n"), task_file("completed", "")],
            ],
        )
        .ready();
    team.add("T1", "single", &[]);
    team.add("T2", "single", &["--after", "T1"]);
    team.script("builder", "T2/always", &[write("work.txt", "done twice\n"), says(crate::team::HANDOFF)]);
    team.run(9, &[]);
    assert_eq!(team.starts("builder", "T2"), 0, "what depends on it waits");
    let inbox = team.baton(&["inbox"]).ends_with(0).out();
    for part in [
        "Half up or half to even?",
        "Invoices used half up",
        "it could be: half up",
        "baton answer T1 q1 TEXT",
    ] {
        assert!(inbox.contains(part), "{part} in {inbox}");
    }
    assert!(!team.place.git(&["branch", "--list", "baton/accepted"]).contains("accepted"));
    team.baton(&["answer", "T1", "q1", "half to even"]).ends_with(0);
    let events = team.run(0, &[]);
    assert_eq!(of(&events, "T1")[0]["reason"], "clarification_answered", "{events:#?}");
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("half to even"), "{told}");
    assert_eq!(end_of(&events, "T2"), "done_unverified");
    team.all_hold(&["T1", "T2"]);
}

/// Takes the turn of `T1` by hand, and hands a document over.
fn by_hand(team: &Team, document: &str) -> String {
    team.baton(&["receive", "T1", "--as", "ben"]).ends_with(0);
    team.place.write(".baton/inbox/paper.md", document);
    let run = team.baton(&["submit", "T1", ".baton/inbox/paper.md", "--as", "ben"]);
    assert_ne!(run.code, Some(0), "{}", run.out());
    run.err()
}

/// The same over MCP.
fn over_mcp(team: &Team, document: &str) -> String {
    let mut command = team.command(&["mcp"]);
    command.env("CLAUDE_CODE_SESSION_ID", "s1");
    let mut talk = Talk::with(&mut command);
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "rig", "version": "1" },
    });
    talk.ask("initialize", &hello);
    talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    talk.call("receive", &json!({ "task": "T1" }));
    talk.call("submit", &json!({ "task": "T1", "document": document })).text
}

/// The same as the last message of a session.
fn by_hook(team: &Team, document: &str) -> String {
    let call = |payload: Value| {
        let mut payload = payload;
        payload["session_id"] = json!("s1");
        payload["cwd"] = json!(team.place.path());
        let mut command = team.command(&["hook", "claude"]);
        command.env("BATON_TASK", "T1");
        team.place.run_prepared(&mut command, payload.to_string().as_bytes())
    };
    call(json!({ "hook_event_name": "SessionStart", "source": "startup" })).ends_with(0);
    call(json!({ "hook_event_name": "UserPromptSubmit", "prompt": "Do it" })).ends_with(0);
    team.place.write("work.txt", "done\n");
    let stop =
        json!({ "hook_event_name": "Stop", "last_assistant_message": document, "stop_hook_active": false });
    call(stop).ends_with(2).err()
}

/// The same as what a scripted agent says last.
fn in_run(team: &Team, document: &str) -> String {
    team.script("builder", "always", &[write("work.txt", "done\n"), says(document)]);
    let run = team.baton(&["run", "--once", "--json"]);
    let events = run.events();
    all(&events, "turn_ended").iter().map(|event| event["words"].to_string()).collect()
}

#[test]
fn a_document_about_something_else_is_refused_by_name_at_every_door() {
    let work = json!({
        "touched_files": [{ "path": "work.txt", "change_type": "modify" }], "diff_summary": "The line",
        "command_ledger": [], "criterion_claims": [], "completion_claim": { "status": "completed" },
    });
    let mut other = artifact("build-artifact", "BA-1", work);
    other["waypoint_id"] = json!("WP-900");
    let step = stage("requirements", &["requirements_identified"], 0, "# Requirements");
    let Step::Print { text: step, .. } = step else { panic!("it is said") };
    let cases = [
        (task_file_of("T2"), "`T2`", "task of this turn is T1"),
        (format!("```json\n{other}\n```\n"), "`WP-900`", "task of this turn is T1"),
        (step, "`requirements`", "stage of this turn is implementation"),
    ];
    let workflow = "[workflows.built]\n[[workflows.built.stages]]\nname = \"implementation\"\nagent = \"builder\"\n\
                    checkpoints = [\"validation\"]\n";
    let doors: [fn(&Team, &str) -> String; 4] = [by_hand, over_mcp, by_hook, in_run];
    for (document, named, own) in &cases {
        for (number, door) in doors.iter().enumerate() {
            let team = team().configured(workflow).agent("builder", "command", &[]).ready();
            team.add("T1", "built", &[]);
            team.add("T2", "built", &[]);
            let told = door(&team, document);
            for part in ["BT1018", named, own] {
                assert!(told.contains(part), "door {number}: {part} in {told}");
            }
        }
    }
}

fn task_file_of(task: &str) -> String {
    let Step::Print { text, .. } = task_file("completed", "") else { panic!("it is said") };
    text.replace("outcome: completed", &format!("task: {task}\noutcome: completed"))
}

#[test]
fn an_acknowledgment_that_something_is_missing_asks_a_person() {
    let asks = "```yaml\nacknowledgment:\n  received: true\n  understood: partial\n  blockers:\n    - \"Constraint 'quickly' is not \
                measurable\"\n  action: request_clarification\n```\n";
    let done = package(
        ("builder", "review", "It is done"),
        ("The line in work.txt is done, in 200 ms", &["work.txt"]),
        "",
    );
    let team = team()
        .agent("builder", "command", &[vec![says(asks)], vec![write("work.txt", "done\n"), done]])
        .ready();
    team.add("T1", "single", &[]);
    team.run(9, &[]);
    let inbox = team.baton(&["inbox"]).ends_with(0).out();
    assert!(inbox.contains("Constraint 'quickly' is not measurable"), "{inbox}");
    team.baton(&["answer", "T1", "q1", "within 200 ms"]).ends_with(0);
    team.run(0, &[]);
    assert!(team.given("builder", "T1", "prompt-2").contains("within 200 ms"));
    team.holds("T1");
}
