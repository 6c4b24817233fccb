//! Empty handoffs that pass every rule: they say that the work has not ended.

use crate::json;
use crate::limit;
use crate::project::Project;
use crate::write;

/// Says whether a text can be the id of a task, and so can stand in a document without quotes.
pub fn is_task_id(text: &str) -> bool {
    text.len() <= limit::ID_BYTES_MAX
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// Returns an empty document of a variant for a task.
pub fn template(variant: &str, task: &str, now: &str) -> String {
    match variant {
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
        "gsd-handoff" => format!(
            "{{\n  \"version\": \"1.0\",\n  \"timestamp\": \"{now}\",\n  \"phase\": \"{task}\",\n  \"status\": \"in_progress\",\n  \"completed_tasks\": [],\n  \"remaining_tasks\": [{{\"name\": \"Begin the work on {task}\", \"status\": \"not_started\"}}],\n  \"blockers\": [],\n  \"human_actions_pending\": [],\n  \"next_action\": \"Begin the work on {task}\",\n  \"context_notes\": \"\"\n}}\n"
        ),
        "gsd-continue" => format!(
            "---\nphase: {task}\ntask: 1\ntotal_tasks: 1\nstatus: in_progress\nlast_updated: {now}\n---\n\n<remaining_work>\n- Begin the work on {task}\n</remaining_work>\n"
        ),
        "gsd-summary" => format!(
            "---\nphase: {task}\nplan: 1\nstatus: in_progress\nprovides: []\nkey-files:\n  created: []\n  modified: []\nkey-decisions: []\npatterns-established: []\n---\n\n# {task}\n"
        ),
        "gsd-verification" => {
            format!("---\nphase: {task}\nverified: {now}\nstatus: inconclusive\nscore: 0/0\ngaps: []\n---\n\n# Verification of {task}\n")
        }
        "machine-summary" => "## Machine Summary\n\n```yaml\nstatus: UNVERIFIED\nrecommended_action: RERUN\nroute_to_agent: null\nblockers: []\nmissing_required: []\nconcerns: []\n```\n".to_owned(),
        "five-section" => format!(
            "# Handoff: {task}\n\n## Observation\n\n- The work on {task} has not begun\n\n## Logic Chain\n\n- Nothing was decided\n\n## Caveats\n\n- None\n\n## Conclusion\n\nIn progress.\n\n## Verification Method\n\n- Nothing to verify yet\n"
        ),
        "freeform" => format!(
            "# Handoff: {task}\n\n## Status\n\nIn progress\n\n## What was done\n\n- Nothing yet\n\n## Next steps\n\n- Begin the work on {task}\n\n## Blockers\n\n- None\n"
        ),
        "generic" => format!(
            "# Handoff\ntask: {task}\nstatus: in_progress\nsummary: \"The work on {task} has not begun\"\nnext_steps:\n  - step: \"Begin the work on {task}\"\nblockers: []\n"
        ),
        name => artifact(name, task, now),
    }
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

fn artifact(name: &str, task: &str, now: &str) -> String {
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
        // What every artifact has is all there is to an unknown one.
        _ => r#""notes": []"#,
    };
    let role = if name.starts_with("verification-rep") { "verifier" } else { "orchestrator" };
    let compact = format!(
        r#"{{"schema_version": "1.0", "artifact_type": "{name}", "artifact_id": "{name}-1", "waypoint_id": "{task}", "produced_by_role": "{role}", "produced_at": "{now}", "source_refs": ["{task}"], {own}}}"#
    );
    let parsed = json::parse(&compact, 0);
    parsed.documents.first().map(write::to_json).unwrap_or(compact.clone())
}
