//! Empty handoffs that pass every rule: they say that the work has not ended.

use crate::json;
use crate::project::Project;
use crate::write;

/// Returns an empty document of a variant for a task; nothing for prose, which has no form to fill in.
pub fn template(variant: &str, task: &str, now: &str) -> Option<String> {
    let text = match variant {
        "frontmatter" => frontmatter(task, now),
        "summary" => format!(
            "## Handoff\n\n```yaml\nhandoff:\n  phase: Implementation\n  from: \"@builder\"\n  to: \"@verifier\"\n  status: in_progress\n  retry_count: 0\n  metrics: {{}}\n  dependencies: []\n  timestamp: \"{now}\"\n  context:\n    task: {task}\n```\n"
        ),
        "taskfile" => format!(
            "# Task {task}\n\n## Handoff\n\n```yaml\noutcome: partial\nfiles_created: []\nfiles_modified: []\npatterns_discovered: []\ngotchas: []\ndependencies_for_next: []\nopen_questions: []\nsuggested_next_steps:\n  - step: \"Begin the work on {task}\"\n    priority: high\n    depends_on: []\nblockers:\n  - blocker: \"The work on {task} has not begun\"\n    impact: \"Nothing is delivered yet\"\n    suggested_resolution: \"Begin it\"\n    blocking_tasks: []\n```\n"
        ),
        "package" => format!(
            "handoff:\n  id: \"{task}-handoff\"\n  timestamp: \"{now}\"\n  from:\n    agent: builder\n    step: null\n  to:\n    agent: verifier\n    reason: \"The next step of the workflow\"\n  context:\n    summary: \"The work on {task} has not begun: no file was changed and nothing was decided.\"\n    decisions: []\n    artifacts: []\n    open_questions: []\n  expectations:\n    deliverable: \"A verdict on each acceptance criterion of {task}\"\n    constraints: []\n    success_criteria:\n      - \"All 4 checkpoints of the stage pass\"\n"
        ),
        "acknowledgment" => "acknowledgment:\n  received: true\n  from: builder\n  understood:\n    task: \"The task in my own words\"\n    constraints: \"The constraints as I read them\"\n  questions: []\n  starting: false\n".to_owned(),
        name => artifact(name, task, now)?,
    };
    Some(text)
}

fn frontmatter(task: &str, now: &str) -> String {
    let project = Project::default();
    let stage = "implementation";
    let checkpoints: String = project
        .checkpoints(stage)
        .unwrap_or_default()
        .iter()
        .map(|name| {
            format!("  - name: {name}\n    status: skip\n    message: \"The stage has only begun\"\n")
        })
        .collect();
    format!(
        "---\nid: {task}\nstage: {stage}\ntitle: \"The work on {task}\"\nstatus: in_progress\nstarted_at: \"{now}\"\ncompleted_at: null\ncheckpoints:\n{checkpoints}handoff_ready: false\nretry_count: 0\n---\n\n# {task}\n"
    )
}

fn artifact(name: &str, task: &str, now: &str) -> Option<String> {
    let own = match name {
        "guidance-packet" => {
            r#""covenant_version": "1", "policy_hash": "none", "role_constraints": ["Touch only the files of the plan"], "stop_conditions": ["A question needs a person"]"#
        }
        "build-plan" => {
            r#""file_targets": [], "validation_plan": ["Run the tests of the project"], "criterion_coverage": {}, "budget": {"tokens": 100000}"#
        }
        "build-artifact" => {
            r#""touched_files": [], "diff_summary": "No file was changed yet", "command_ledger": [], "criterion_claims": [], "completion_claim": {"complete": false}"#
        }
        "verification-request" => {
            r#""criteria": [], "expected_evidence": ["A receipt of the test run"], "policy_constraints": ["The workspace is read-only"]"#
        }
        "verification-report" => {
            r#""criterion_verdicts": [{"criterion": "The tests pass", "verdict": "inconclusive", "evidence": ["Nothing was run yet"]}], "evidence_refs": [], "unresolved_doubts": []"#
        }
        "clarification-request" => {
            r#""blocking_question": "Which of the two ways is wanted?", "decision_context": {}, "confidence": "low", "requested_options": ["The first way", "The second way"]"#
        }
        "clarification-response" => {
            r#""answer": "The first way", "rationale": "It keeps the interface as it is", "updated_constraints": []"#
        }
        "orchestrator-decision" => {
            r#""disposition": "rework", "reason_code": "not-begun", "referenced_artifact_ids": ["report-1"], "status_mutation": null"#
        }
        "context-envelope" => r#""audience_role": "builder", "fragments": [], "budget": {"tokens": 8000}"#,
        "checklist-receipt" => r#""command_ledger": [], "checkpoints": [], "evidence_refs": []"#,
        "project-management-context" => {
            r#""completion_graph": {"current_step": "build", "completed_steps": [], "remaining_steps": ["build"]}, "dependencies": [], "blockers": [], "budget": {}"#
        }
        _ => return None,
    };
    let role = if name.starts_with("verification-rep") { "verifier" } else { "orchestrator" };
    let compact = format!(
        r#"{{"schema_version": "1.0", "artifact_type": "{name}", "artifact_id": "{name}-1", "waypoint_id": "{task}", "produced_by_role": "{role}", "produced_at": "{now}", "source_refs": ["{task}"], {own}}}"#
    );
    let parsed = json::parse(&compact, 0);
    parsed.documents.first().map(write::to_json)
}
