//! The build artifact with the marker that says that a waypoint is complete.

use serde_json::{Value, json};

use super::{Ask, HandIn, question};

pub(super) fn text(ask: &Ask<'_>) -> String {
    let id = &ask.task.id;
    let criteria = ask.task.criteria_in_force();
    let claims: Vec<String> = criteria
        .iter()
        .map(|criterion| {
            let id = json!(criterion.as_str());
            format!("{{\"criterion\": {id}, \"claim\": \"met|not_met\", \"evidence\": [\"\"]}}")
        })
        .collect();
    let epoch = ask.turn().map_or(0, |turn| turn.epoch);
    let checkpoints: Vec<Value> = ask
        .asserted("")
        .map(|own| json!({ "name": own.name.as_str(), "status": "pass|fail", "message": "" }))
        .collect();
    let mut lines = vec![
        format!(
            "\"schema_version\": \"1.0\", \"artifact_type\": \"build-artifact\", \"artifact_id\": {}, \"waypoint_id\": {}",
            json!(ask.id("build")),
            json!(id.as_str())
        ),
        format!(
            "\"produced_by_role\": {}, \"produced_at\": {}, \"source_refs\": {}",
            json!(ask.role.name()),
            json!(ask.began()),
            json!([format!("guidance-{epoch}")])
        ),
        "\"touched_files\": [{\"path\": \"\", \"change_type\": \"add|modify|delete|refactor\"}]".to_owned(),
        "\"diff_summary\": \"\"".to_owned(),
        "\"command_ledger\": [{\"command\": \"\", \"exit_code\": 0, \"evidence_ref\": []}]".to_owned(),
        format!("\"criterion_claims\": [{}]", claims.join(",\n  ")),
        "\"completion_claim\": {\"complete\": true}".to_owned(),
    ];
    if !checkpoints.is_empty() {
        lines.push(format!("\"checkpoints\": {}", json!(checkpoints)));
    }
    let fields = [
        "- `touched_files`: every file you changed, and no other",
        "- `diff_summary`: what changed and why, in 1 or 2 sentences",
        "- `command_ledger`: each check you ran with its exit code; `evidence_ref` names a log in the project, if there is one",
        "- `criterion_claims`: one entry per criterion; `evidence` is a test name or file:line",
        "- `completion_claim`: false if work is left; then omit the marker",
    ];
    let blocked = match ask.hand_in {
        HandIn::LastMessage | HandIn::Tool => {
            "If you can't continue without an answer, hand over this block alone instead:"
        }
        HandIn::File => "If you can't continue without an answer, FILE has this block alone instead:",
    };
    format!(
        "{}.\n{}\n```json\n{{{}}}\n```\n<waypoint-complete>{id}</waypoint-complete>\n{blocked}\n{}\n",
        ask.hand_in.of("one JSON block and the marker below it"),
        fields.join("\n"),
        lines.join(",\n "),
        question(id),
    )
}
