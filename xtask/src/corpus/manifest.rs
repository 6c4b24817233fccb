//! The list of documents, with what is known about them.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// What the manifest says of one document.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) class: String,
    pub(crate) is_handoff: bool,
    /// Whether its YAML is broken in a way that could be repaired.
    pub(crate) is_broken_yaml: bool,
    pub(crate) expected: Value,
}

impl Entry {
    /// Documents whose facts stand in data, not in prose.
    pub(crate) fn is_structured(&self) -> bool {
        ["c1", "c2", "c4", "c5"].iter().any(|class| self.class.starts_with(class))
    }
}

pub(crate) fn load(folder: &Path) -> Result<Vec<Entry>, String> {
    let path = folder.join("manifest.jsonl");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| entry(line).ok_or_else(|| bad_line(line)))
        .collect()
}

fn bad_line(line: &str) -> String {
    format!("a line of the manifest cannot be read: {}", line.chars().take(80).collect::<String>())
}

fn entry(line: &str) -> Option<Entry> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let validity = value.get("validity").cloned().unwrap_or_default();
    let parse = validity.get("parse").and_then(Value::as_str).unwrap_or_default();
    let is_handoff = value.get("is_handoff").and_then(Value::as_bool)?;
    Some(Entry {
        id: text("id")?,
        file: text("file")?,
        class: text("class")?,
        is_handoff,
        is_broken_yaml: is_handoff
            && (parse.contains("yaml unparseable") || parse.contains("frontmatter unparseable")),
        expected: value.get("expected").cloned().unwrap_or_default(),
    })
}
