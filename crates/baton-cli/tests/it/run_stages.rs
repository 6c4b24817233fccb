//! The workflow `stages`, from requirements to the verdict: what a document lacks is said, and the next one passes.

use baton_testkit::script::Step;
use serde_json::json;

use crate::desk::ago;
use crate::team::{Team, all, approves, says, write};

const CONFIG: &str =
    "[checks.tests_passing]\nrun = [\"./check.sh\"]\n[checks.no_lint_errors]\nrun = [\"./check.sh\"]\n";

/// Prints the document of a stage.
fn document(stage: &str, (checkpoints, retries): (&[&str], u32), body: &str) -> Step {
    let checkpoints: String =
        checkpoints.iter().map(|name| format!("  - name: {name}\n    status: pass\n")).collect();
    let (began, now) = (ago(60), ago(0));
    says(&format!(
        "---\nid: TASK\nstage: {stage}\ntitle: Tides\nstatus: complete\nstarted_at: {began}\ncompleted_at: {now}\n\
         checkpoints:\n{checkpoints}handoff_ready: true\nretry_count: {retries}\n---\n\n# {stage}\n\n{body}\n"
    ))
}

fn requirements(criterion: &str, retries: u32) -> Step {
    let checkpoints =
        ["requirements_identified", "impact_analyzed", "acceptance_criteria_defined", "no_open_blockers"];
    let body = format!(
        "## Requirements\n\n- R-1: The command prints the tides of a day, and it works.\n\n## Acceptance criteria\n\n- AC-1: \
         {criterion}\n\n## Open questions\n\nNone."
    );
    document("requirements", (&checkpoints, retries), &body)
}

#[test]
fn a_vague_criterion_goes_back_and_then_all_four_stages_pass() {
    let architecture = ["requirements_addressed", "design_complete", "tasks_defined", "tests_planned"];
    let design = "R-1 is `work.txt`.\n\n## Tasks\n\n1. Write it (AC-1), so that it works\n\n## Tests\n\n- AC-1: `./check.sh`; it works";
    let implementation = ["tests_written", "code_complete", "tests_passing", "no_lint_errors"];
    let qa = ["criteria_verified", "tests_passing", "no_critical_bugs", "docs_updated"];
    let verified = "| Criterion | Status | Evidence |\n|---|---|---|\n| AC-1 | pass | `./check.sh` |\n| works | pass | `./check.sh` \
                    |\n\n## Bugs\n\nNone.\n\nNo documentation changes: nobody documents `work.txt`.";
    let team = Team::new().only(CONFIG);
    let team = team
        .agent(
            "requirements-agent",
            "command",
            &[vec![requirements("\"System works well\"", 0)], vec![requirements("it prints 3 lines", 1)]],
        )
        .agent("architecture-agent", "command", &[vec![document("architecture", (&architecture, 0), design)]])
        .agent(
            "implementation-agent",
            "command",
            &[vec![
                write("work.txt", "done\n"),
                write("tests/test_work.py", "def test_work():\n    assert open('work.txt').read()\n"),
                document(
                    "implementation",
                    (&implementation, 0),
                    "`work.txt` and `tests/test_work.py` are written.",
                ),
            ]],
        )
        .agent("qa-agent", "command", &[vec![document("qa", (&qa, 0), verified)]])
        .agent("verifier", "command", &[approves()])
        .ready();
    team.add("T1", "stages", &["--criterion", "works"]);
    let events = team.run(0, &[]);
    let decided = all(&events, "decided");
    assert_eq!(decided[0]["disposition"], "rework");
    let feedback = decided[0]["feedback"].as_str().expect("feedback");
    assert!(feedback.contains("AC-1: \"System works well\" can't be measured"), "{feedback}");
    assert!(team.given("requirements-agent", "T1", "prompt-2").contains("can't be measured"));
    let rest: Vec<_> = decided[1..].iter().map(|event| &event["disposition"]).collect();
    assert_eq!(rest, vec![&json!("accept"); 4], "{events:?}");
    let checked = all(&events, "checked");
    assert_eq!(checked[0]["asserted"], json!(["impact_analyzed"]));
    assert_eq!(checked[2]["asserted"], json!(["design_complete"]));
    assert!(
        checked[2]["checks"].as_array().expect("a list").iter().all(|check| check["settled_by"] == "rule")
    );
    assert_eq!(checked[3]["asserted"], json!(["code_complete"]));
    team.holds("T1");
}
