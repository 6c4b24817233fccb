//! Agents that speak one dialect each carry a task from its first stage to the merge, with one failure on the way.

use baton_testkit::script::Step;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::team::{Team, all, approves, says, write};

/// All names under which the built-in workflows ask for a check.
const CHECKS: &[&str] = &["build_passes", "tests_pass", "tests_passing", "no_lint_errors"];

pub(crate) fn team() -> Team {
    let checks = CHECKS.iter().map(|name| format!("[checks.{name}]\nrun = [\"./check.sh\"]\n"));
    Team::new().configured(&checks.collect::<String>())
}

/// Returns a moment so many minutes ago, as documents write it.
pub(crate) fn at(minutes_ago: i64) -> String {
    let moment = Timestamp::now() - SignedDuration::from_mins(minutes_ago);
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

pub(crate) fn end_of<'e>(events: &'e [Value], task: &str) -> &'e Value {
    let tasks = events.last().expect("a summary")["tasks"].as_array().expect("tasks");
    &tasks.iter().find(|known| known["task"] == task).expect("the task")["end"]
}

/// The task was done after one failure, whose feedback somebody was given, and is on the branch of accepted work.
#[track_caller]
fn is_merged_after_one_failure(team: &Team, events: &[Value], agent: &str) {
    let failed: Vec<_> =
        all(events, "decided").into_iter().filter(|decided| decided["disposition"] == "rework").collect();
    let why: Vec<_> = failed.iter().map(|decided| &decided["reason"]).collect();
    // Where the handoff claims that the check passes, the claim is contradicted.
    assert!(why == ["checks_failed"] || why == ["claim_contradicted"], "{events:#?}");
    assert!(failed[0]["feedback"].as_str().is_some_and(|text| text.contains("./check.sh")), "{failed:#?}");
    let told = (1..=2).map(|number| team.given(agent, "T1", &format!("prompt-{number}")));
    let told: Vec<String> = told.collect();
    let seen = "**Reason**: ";
    assert!(
        !told[0].contains(seen) && told[1].contains(seen) && told[1].contains("./check.sh"),
        "{}",
        told[1]
    );
    assert_eq!(team.accepted("work.txt"), "done");
    team.holds("T1");
}

pub(crate) fn stage(name: &str, checkpoints: &[&str], retry_count: u32, body: &str) -> Step {
    let checkpoints: String =
        checkpoints.iter().map(|name| format!("  - {{name: {name}, status: pass}}\n")).collect();
    says(&format!(
        "---\nid: T1\nstage: {name}\ntitle: Finish the work\nstatus: complete\nstarted_at: {}\ncompleted_at: {}\n\
         checkpoints:\n{checkpoints}handoff_ready: true\nretry_count: {retry_count}\n---\n\n{body}\n",
        at(5),
        at(0)
    ))
}

#[test]
fn stage_documents_carry_a_task_through_all_stages() {
    let requirements =
        "# Requirements\n\n- R1: the file is finished\n- AC-1 (works): `work.txt` has exactly 1 line, `done`";
    let design = "# Design\n\nR1 and AC-1 (works): one line in `work.txt`.\n\n## Tasks\n\n- T-1 (AC-1, works): write `done` into `work.txt`\n\n\
                  ## Tests\n\n- `./check.sh` covers AC-1, works";
    let build = "# Implementation\n\n`work.txt` says done, and `tests/test_work.sh` runs `./check.sh`, which covers works.";
    let qa = "# QA\n\n| criterion | verdict | evidence |\n|---|---|---|\n| works | pass | `./check.sh` |\n\nNo critical bugs. No \
              document names `work.txt`, so none had to change.";
    let built = |retries| {
        let names = ["tests_written", "code_complete", "tests_passing", "no_lint_errors"];
        stage("implementation", &names, retries, build)
    };
    let team = team()
        .agent(
            "requirements-agent",
            "command",
            &[vec![stage(
                "requirements",
                &[
                    "requirements_identified",
                    "impact_analyzed",
                    "acceptance_criteria_defined",
                    "no_open_blockers",
                ],
                0,
                requirements,
            )]],
        )
        .agent(
            "architecture-agent",
            "command",
            &[vec![stage(
                "architecture",
                &["requirements_addressed", "design_complete", "tasks_defined", "tests_planned"],
                0,
                design,
            )]],
        )
        .agent(
            "implementation-agent",
            "command",
            &[
                vec![write("tests/test_work.sh", "./check.sh\n"), write("work.txt", "half\n"), built(0)],
                vec![write("work.txt", "done\n"), built(1)],
            ],
        )
        .agent(
            "qa-agent",
            "command",
            &[vec![stage(
                "qa",
                &["criteria_verified", "tests_passing", "no_critical_bugs", "docs_updated"],
                0,
                qa,
            )]],
        )
        .agent("verifier", "command", &[approves()])
        .ready();
    team.add("T1", "stages", &["--criterion", "works"]);
    let events = team.run(0, &[]);
    assert_eq!(end_of(&events, "T1"), "done");
    is_merged_after_one_failure(&team, &events, "implementation-agent");
}

pub(crate) fn summary(phase: &str, (from, to): (&str, &str), status: &str, more: &str) -> Step {
    says(&format!(
        "## {phase} done\n\n```yaml\nhandoff:\n  phase: \"{phase}\"\n  from: \"@{from}\"\n  to: \"{to}\"\n  status: \"{status}\"\n\
         {more}```\n"
    ))
}

#[test]
fn summary_blocks_carry_a_task_through_all_phases() {
    const PHASES: &[&str] = &[
        "Research",
        "Planning",
        "Infrastructure",
        "Implementation",
        "Testing",
        "Integration",
        "QA",
        "Complete",
    ];
    let agent = |phase: &str| format!("{}-agent", phase.to_lowercase());
    let mut team = team();
    for (number, phase) in PHASES.iter().enumerate() {
        let next = PHASES.get(number + 1).map_or("None".to_owned(), |next| format!("@{}", agent(next)));
        let said = |status| summary(phase, (&agent(phase), &next), status, "");
        let turns = match *phase {
            "Implementation" => vec![
                vec![write("work.txt", "half\n"), said("complete")],
                vec![write("work.txt", "done\n"), said("complete")],
            ],
            _ => vec![vec![said("complete")]],
        };
        team = team.agent(&agent(phase), "command", &turns);
    }
    let team = team.agent("verifier", "command", &[approves()]).ready();
    team.add("T1", "phases", &["--criterion", "works"]);
    let events = team.run(0, &[]);
    assert_eq!(end_of(&events, "T1"), "done");
    is_merged_after_one_failure(&team, &events, "implementation-agent");
    assert!(!team.log("T1").contains("route_not_listed"), "{}", team.log("T1"));
}

pub(crate) fn task_file(outcome: &str, more: &str) -> Step {
    says(&format!(
        "# Task T1: Finish the work\n\n## Objective\n\nOne line.\n\n---\n\n## Handoff\n\n```yaml\noutcome: {outcome}\n\n\
         files_modified:\n  - path: work.txt\n    lines: 1-1\n    change_type: modify\n    description: Finished the line\n{more}```\n\n\
         *Task completed: {}*\n",
        at(0)
    ))
}

#[test]
fn a_task_file_carries_a_task_to_the_merge() {
    let team = team()
        .agent(
            "builder",
            "command",
            &[
                vec![write("work.txt", "half\n"), task_file("completed", "")],
                vec![write("work.txt", "done\n"), task_file("completed", "")],
            ],
        )
        .ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert_eq!(end_of(&events, "T1"), "done_unverified");
    is_merged_after_one_failure(&team, &events, "builder");
}

pub(crate) fn artifact(kind: &str, id: &str, own: Value) -> Value {
    let mut body = json!({
        "schema_version": "1.0", "artifact_type": kind, "artifact_id": id, "waypoint_id": "T1",
        "produced_by_role": "builder", "produced_at": at(0), "source_refs": ["work.txt"],
    });
    if let (Value::Object(body), Value::Object(own)) = (&mut body, own) {
        body.extend(own);
    }
    body
}

fn planned() -> Step {
    let planned = json!({
        "file_targets": ["work.txt"], "validation_plan": ["./check.sh"],
        "criterion_coverage": { "works": ["work.txt"] }, "budget": { "tokens": 1000 },
    });
    says(&format!("```json\n{}\n```\n", artifact("build-plan", "BP-1", planned)))
}

fn built(id: &str) -> Step {
    let work = json!({
        "touched_files": [{ "path": "work.txt", "change_type": "modify" }], "diff_summary": "The line says done",
        "command_ledger": [], "criterion_claims": [{ "criterion": "works", "claim": "met" }],
        "completion_claim": { "marker": "<waypoint-complete>T1</waypoint-complete>" },
    });
    let work = artifact("build-artifact", id, work);
    says(&format!(
        "<execution-stage>implementation</execution-stage>\n\n```json\n{work}\n```\n\n\
         <acceptance-criterion id=\"works\">work.txt says done</acceptance-criterion>\n<waypoint-complete>T1</waypoint-complete>\n"
    ))
}

#[test]
fn artifacts_and_markers_carry_a_waypoint_to_the_merge() {
    let team = team()
        .agent(
            "builder",
            "command",
            &[
                vec![write("work.txt", "half\n"), built("BA-1")],
                vec![write("work.txt", "done\n"), built("BA-2")],
            ],
        )
        .agent("verifier", "command", &[approves()])
        .ready();
    team.script("builder", "plan", &[planned()]);
    team.add("T1", "waypoint", &["--criterion", "works"]);
    let events = team.run(0, &[]);
    assert_eq!(end_of(&events, "T1"), "done");
    assert_eq!(all(&events, "planned").len(), 1, "the plan holds for the second attempt");
    is_merged_after_one_failure(&team, &events, "builder");
}

/// A package of this agent to another, with more lines at the end.
pub(crate) fn package(
    (from, to, reason): (&str, &str, &str),
    (summary, files): (&str, &[&str]),
    more: &str,
) -> Step {
    let artifacts: String = files
        .iter()
        .map(|path| format!("      - {{path: {path}, type: doc, description: A part of the work}}\n"))
        .collect();
    let artifacts = if files.is_empty() { String::new() } else { format!("    artifacts:\n{artifacts}") };
    says(&format!(
        "```yaml\nhandoff:\n  id: HO-{from}\n  timestamp: \"{}\"\n  from: {{agent: {from}, step: 1}}\n  \
         to: {{agent: {to}, reason: {reason}}}\n  context:\n    summary: {summary}\n{artifacts}{more}```\n",
        at(0)
    ))
}

/// What a package expects of its receiver.
pub(crate) fn expects(deliverable: &str) -> String {
    format!(
        "  expectations:\n    deliverable: {deliverable}\n    success_criteria: [\"`./check.sh` passes\"]\n"
    )
}

#[test]
fn packages_carry_a_task_through_all_steps() {
    let on = |from, to| (from, to, "The step is finished");
    let specified = package(
        on("specification", "architecture"),
        ("The one line that is wanted is specified in docs/spec.md", &["docs/spec.md"]),
        &expects("A design"),
    );
    let designed = package(
        on("architecture", "implementation"),
        ("The line goes into work.txt, as docs/design.md says", &["docs/design.md"]),
        &expects("The line"),
    );
    let implemented = || {
        package(
            on("implementation", "review"),
            ("The line is in work.txt, as docs/design.md wants it", &["work.txt"]),
            &expects("A review"),
        )
    };
    let reviewed = package(
        on("review", "specification"),
        ("The line in work.txt was read, and says what it should", &["work.txt"]),
        "",
    );
    let team = team()
        .agent("specification", "command", &[vec![write("docs/spec.md", "One line\n"), specified]])
        .agent("architecture", "command", &[vec![write("docs/design.md", "In work.txt\n"), designed]])
        .agent(
            "implementation",
            "command",
            &[
                vec![write("work.txt", "half\n"), implemented()],
                vec![write("work.txt", "done\n"), implemented()],
            ],
        )
        .agent("review", "command", &[vec![reviewed]])
        .agent("verifier", "command", &[approves()])
        .ready();
    team.add("T1", "steps", &["--criterion", "works"]);
    team.run(9, &[]);
    team.baton(&["gate", "approve", "T1", "specification-approved"]).ends_with(0);
    team.run(9, &[]);
    team.baton(&["gate", "approve", "T1", "architecture-approved"]).ends_with(0);
    let events = team.run(0, &[]);
    assert_eq!(end_of(&events, "T1"), "done");
    is_merged_after_one_failure(&team, &events, "implementation");
}

#[test]
fn no_unfinished_status_finishes_a_stage() {
    let unready = stage("implementation", &[], 0, "# Work");
    let Step::Print { text, .. } = unready else { panic!("it is said") };
    let unready = text.replace("handoff_ready: true", "handoff_ready: false");
    let summary = |status| {
        let Step::Print { text, .. } = summary("Implementation", ("builder", "None"), status, "") else {
            panic!("it is said")
        };
        text
    };
    let claim = |claim: Value| {
        let work = json!({
            "touched_files": [{ "path": "work.txt", "change_type": "modify" }], "diff_summary": "The line",
            "command_ledger": [], "criterion_claims": [], "completion_claim": claim,
        });
        format!("```json\n{}\n```\n", artifact("build-artifact", "BA-1", work))
    };
    let cases = [
        unready,
        summary("in_progress"),
        summary("pending"),
        summary("retry"),
        claim(json!({ "complete": false })),
        claim(json!({ "status": "in progress" })),
        claim(json!({ "waypoint": "T1", "state": "blocked" })),
    ];
    let turns: Vec<Vec<Step>> =
        cases.iter().map(|text| vec![write("work.txt", "done\n"), says(text)]).collect();
    for (number, turn) in turns.iter().enumerate() {
        let team = team().agent("builder", "command", std::slice::from_ref(turn)).ready();
        team.add("T1", "single", &[]);
        let run = team.baton(&["run", "--once", "--json"]);
        let decided: Vec<Value> =
            run.events().into_iter().filter(|event| event["event"] == "decided").collect();
        assert!(!decided.is_empty(), "{}", cases[number]);
        assert!(decided.iter().all(|event| event["disposition"] != "accept"), "{decided:#?}");
    }
}
