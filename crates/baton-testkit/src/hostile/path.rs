//! Paths that lead out of the project, or nowhere.

use super::Case;

pub(super) fn add(cases: &mut Vec<Case>) {
    let long = format!("\"{}\"", "a/".repeat(2_500));
    let kinds = [
        ("up and out", "../../etc/passwd"),
        ("absolute", "/etc/passwd"),
        ("a drive", "'C:\\x'"),
        ("a drive with slashes", "C:/x"),
        ("a share", "'\\\\server\\share'"),
        ("somebody's home", "~/.ssh/id_rsa"),
        ("another's home", "~root/.ssh/id_rsa"),
        ("in and out", "a/../../b"),
        ("up alone", ".."),
        ("here", "./"),
        ("a dot", "."),
        ("empty", "\"\""),
        ("blank", "\"  \""),
        ("5 kB long", long.as_str()),
        ("with NUL", "\"src/a\\0.rs\""),
        ("with a line break", "\"src/a\\n.rs\""),
        ("with an escape sequence", "\"src/\\e[2J.rs\""),
        ("an address", "file:///etc/passwd"),
        ("backslashes up and out", "'..\\..\\secrets'"),
    ];
    for (name, path) in kinds {
        let text = format!(
            "# Task TASK-7\n\n## Handoff\n\n```yaml\noutcome: partial\nfiles_created:\n  - path: {path}\n    purpose: Keeps the links\n```\n"
        );
        let case = Case::refused("B1", format!("path {name}"), text, &["BT110"]);
        cases.push(case.at_lines(&[8]));
    }
    for path in [
        "../../etc/passwd",
        "/etc/passwd",
        "~/.ssh/id_rsa",
        "C:\\\\x",
        "a/../../b",
        "src/a\\u0000.rs",
        "a\\nb",
    ] {
        let text = format!(
            "{{\"schema_version\": \"1.0\", \"artifact_type\": \"build-plan\", \"artifact_id\": \"plan-1\", \"waypoint_id\": \"TASK-7\", \"produced_by_role\": \"builder\", \"produced_at\": \"2026-03-01T10:30:00Z\", \"source_refs\": [\"TASK-7\"], \"file_targets\": [\"{path}\"], \"validation_plan\": [\"Run the tests\"], \"criterion_coverage\": {{}}, \"budget\": {{}}}}\n"
        );
        cases.push(Case::refused("B1", format!("file target {path}"), text, &["BT110"]));
        let text = format!(
            "handoff:\n  id: TASK-7-handoff\n  timestamp: 2026-03-01T10:30:00Z\n  from:\n    agent: builder\n  to:\n    agent: human\n    reason: A person has to decide\n  context:\n    summary: The link is sent and spent once.\n    artifacts:\n      - path: \"{path}\"\n"
        );
        cases.push(Case::refused("B1", format!("artifact {path}"), text, &["BT110"]));
    }
}
