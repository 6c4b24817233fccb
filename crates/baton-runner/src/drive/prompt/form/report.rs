//! The report of a verifier: a verdict on each criterion, with what shows it.

use serde_json::json;

use super::{Ask, question};

pub(super) fn text(ask: &Ask<'_>) -> String {
    let task = ask.task;
    let receipt = task.run.receipt.as_ref();
    let receipt = receipt.map_or("RECEIPT", |receipt| receipt.document.id.as_str());
    let criteria = task.criteria_in_force();
    let plan: Vec<String> =
        criteria.iter().map(|criterion| format!("{criterion}: what would show it")).collect();
    let verdicts: Vec<String> = criteria
        .iter()
        .map(|criterion| {
            format!(
                "{{\"criterion\": {}, \"verdict\": \"pass|fail|inconclusive\", \"evidence\": {}, \"reason\": \"\"}}",
                json!(criterion.as_str()),
                json!([receipt, "file:line"])
            )
        })
        .collect();
    let lines = [
        format!(
            "\"schema_version\": \"1.0\", \"artifact_type\": \"verification-report\", \"artifact_id\": {}, \"waypoint_id\": {}",
            json!(ask.id("report")),
            json!(task.id.as_str())
        ),
        format!(
            "\"produced_by_role\": \"verifier\", \"produced_at\": {}, \"source_refs\": {}",
            json!(ask.began()),
            json!([receipt])
        ),
        format!("\"verification_plan\": {}", json!(plan)),
        format!("\"criterion_verdicts\": [\n  {}]", verdicts.join(",\n  ")),
        format!("\"evidence_refs\": {}, \"unresolved_doubts\": []", json!([receipt])),
    ];
    format!(
        "{}; every criterion has one entry in both lists. `reason` is what you saw, in one sentence.\n```json\n{{{}}}\n```\n\
         If a criterion is ambiguous, hand over this block alone instead:\n{}\n",
        ask.hand_in.of("one JSON block"),
        lines.join(",\n "),
        question(&task.id),
    )
}
