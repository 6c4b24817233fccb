//! JSON artifacts that are not what they should be.

use super::Case;

pub(super) fn add(cases: &mut Vec<Case>) {
    duplicates(cases);
    depth(cases);
    text(cases);
    artifacts(cases);
}

/// Returns an orchestrator's decision that accepts the work, with other members.
fn decision(changes: &[(&str, &str)]) -> String {
    let members = [
        ("schema_version", "\"1.0\""),
        ("artifact_type", "\"orchestrator-decision\""),
        ("artifact_id", "\"decision-1\""),
        ("waypoint_id", "\"TASK-7\""),
        ("produced_by_role", "\"orchestrator\""),
        ("produced_at", "\"2026-03-01T10:30:00Z\""),
        ("source_refs", "[\"TASK-7\"]"),
        ("disposition", "\"rework\""),
        ("reason_code", "\"tests-fail\""),
        ("referenced_artifact_ids", "[\"report-1\"]"),
    ];
    let changed = members.iter().filter_map(|(key, value)| {
        let value = changes.iter().find(|(name, _)| name == key).map_or(*value, |(_, value)| value);
        (value != LEFT_OUT).then(|| format!("  \"{key}\": {value}"))
    });
    let more = changes.iter().filter(|(name, _)| members.iter().all(|(key, _)| key != name));
    let lines: Vec<_> = changed.chain(more.map(|(key, value)| format!("  \"{key}\": {value}"))).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// The value of a member that is not written.
const LEFT_OUT: &str = "";

fn duplicates(cases: &mut Vec<Case>) {
    for (name, key) in [("as it is", "disposition"), ("escaped", "disp\\u006fsition")] {
        let both = format!("\"rework\",\n  \"{key}\": \"accept\"");
        let text = decision(&[("disposition", &both)]);
        let case = Case::refused("A5", format!("disposition twice: {name}"), text, &["BT010"]);
        cases.push(case.says(&["disposition"]).at_lines(&[10, 9]));
    }
}

fn depth(cases: &mut Vec<Case>) {
    let lists = decision(&[("extra", &format!("{}{}", "[".repeat(200_000), "]".repeat(200_000)))]);
    cases.push(Case::refused("A4", "200,000 lists in JSON", lists, &["BT005"]).says(&["32"]));
    let maps = decision(&[("extra", &format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000)))]);
    cases.push(Case::refused("A4", "100,000 objects in JSON", maps, &["BT005"]).says(&["32"]));
    let open = decision(&[("extra", &"[".repeat(400_000))]);
    cases.push(Case::refused("A4", "400,000 lists never closed", open, &["BT005"]).says(&["32"]));
    let values = decision(&[]).repeat(1_025);
    cases.push(Case::refused("A12", "1,025 JSON values in a row", values, &["BT005"]).says(&["64"]));
    let long = decision(&[("extra", &format!("\"{}\"", "a".repeat(900_000)))]);
    cases.push(Case::refused("A12", "900 kB in one JSON string", long, &["BT005"]).says(&["65536"]));
    let open = decision(&[("extra", &format!("\"{}", "a".repeat(60_000)))]).replace("\n}", "");
    cases.push(Case::refused("A12", "a JSON string that never ends", open, &["BT011"]));
}

fn text(cases: &mut Vec<Case>) {
    for half in ["\\ud800", "\\udc00", "\\ud800\\ud800"] {
        let id = decision(&[("artifact_id", &format!("\"decision-{half}\""))]);
        cases.push(Case::refused("A13", format!("JSON id with {half}"), id, &["BT107"]).at_lines(&[4]));
        let code = decision(&[("reason_code", &format!("\"tests {half}\""))]);
        cases.push(Case::read("A13", format!("JSON text with {half}"), code).codes(&["BT018"]));
    }
    let id = decision(&[("artifact_id", "\"decision-\\u0000\"")]);
    cases.push(Case::refused("A13", "JSON id with NUL", id, &["BT107"]));
    let code = decision(&[("reason_code", "\"tests\\u0000\"")]);
    cases.push(Case::read("A13", "JSON text with NUL", code).codes(&["BT018"]));
    let code = decision(&[("reason_code", "\"tests\\u2028fail\"")]);
    cases.push(Case::read("A13", "JSON text with U+2028", code).codes(&["BT018"]));
    let raw = decision(&[("reason_code", "\"tests\u{1}fail\"")]);
    cases.push(Case::either("A13", "JSON text with a raw control character", raw).codes(&["BT018"]));
    let raw = decision(&[("reason_code", "\"tests\u{0}fail\"")]);
    cases.push(Case::either("A13", "JSON text with a raw NUL", raw).codes(&["BT018"]));
    for number in ["NaN", "Infinity", "0x3", "01", "1.", "-.5", ".5", "1e999", "+1"] {
        let text = decision(&[("extra", number)]);
        cases.push(Case::refused("A9", format!("JSON number `{number}`"), text, &["BT011"]));
    }
}

fn artifacts(cases: &mut Vec<Case>) {
    let accepted = ("disposition", "\"accept\"");
    for version in ["\"99\"", "99", "\"1.0.1\"", "\"2\"", "\"\\u0661\""] {
        let text = decision(&[accepted, ("schema_version", version)]);
        let case = Case::refused("A15", format!("schema version {version}"), text, &["BT501"]);
        cases.push(case.says(&["version"]).at_lines(&[2]));
    }
    let text = decision(&[("source_refs", LEFT_OUT)]);
    cases.push(Case::refused("A15", "no source_refs", text, &["BT101"]).says(&["source_refs"]));
    let text = decision(&[("extra", "{\"a\": [1, 2.50, null]}"), ("x-note", "\"kept\"")]);
    cases.push(Case::read("A15", "members nobody knows", text));
    let text = decision(&[("__proto__", "{\"disposition\": \"accept\"}"), ("constructor", "{}")]);
    cases.push(Case::read("A15", "__proto__", text).keeps("outcome", "failed"));
    let text = decision(&[("Disposition", "\"accept\"")]);
    cases.push(Case::either("A15", "disposition again in another case", text));
    let text =
        decision(&[]).replace("schema_version", "Schema_Version").replace("disposition", "DISPOSITION");
    cases.push(Case::either("A15", "keys in another case", text));
}
