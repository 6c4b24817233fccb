//! Holds what each program said against what the generator wrote, so that a fast wrong answer is no result.

use std::collections::BTreeSet;

use serde_json::Value;

use super::corpus::{Corpus, original_name};
use super::measure::Measurement;
use super::program::Role;

const NAMES_SHOWN_MAX: usize = 8;

/// What a program said about a folder.
struct Verdict {
    documents: u64,
    /// Programs that say how much they read are held to it.
    bytes: Option<u64>,
    found: Found,
}

enum Found {
    Invalid(BTreeSet<String>),
    /// The floors judge nothing, but count what they passed over: lines or events.
    Passed(u64),
}

/// Checks that the program read every document and found exactly the invalid ones; says in words what it did.
pub(super) fn verify(measurement: &Measurement, corpus: &Corpus) -> Result<String, String> {
    let name = measurement.role.name();
    let answer: Value = serde_json::from_str(&measurement.stdout)
        .map_err(|error| format!("{name} printed no JSON: {error}"))?;
    let verdict = read(measurement.role, &answer);
    if verdict.documents != corpus.documents as u64 {
        return Err(format!("{name} read {} documents of {}", verdict.documents, corpus.documents));
    }
    if let Some(bytes) = verdict.bytes.filter(|&bytes| bytes != corpus.bytes as u64) {
        return Err(format!("{name} read {bytes} bytes of {}", corpus.bytes));
    }
    let work = match verdict.found {
        Found::Passed(0) => return Err(format!("{name} passed over nothing")),
        Found::Passed(count) => format!("{count} lines or events"),
        Found::Invalid(found) => {
            compare(name, &found, &corpus.invalid.iter().cloned().collect())?;
            format!("the same {} invalid", found.len())
        }
    };
    Ok(format!("{name}: {} documents, {work}", verdict.documents))
}

fn read(role: Role, answer: &Value) -> Verdict {
    let number = |key: &str| answer[key].as_u64();
    let documents = number("documents").unwrap_or(0);
    let bytes = number("bytes");
    match role {
        Role::Baton | Role::BatonTwoThreads | Role::BatonColdStart => baton(answer),
        Role::CheckJsonschema => check_jsonschema(answer),
        Role::Ajv | Role::Pydantic => {
            let invalid = strings(&answer["invalid"]).map(str::to_owned).collect();
            Verdict { documents, bytes, found: Found::Invalid(invalid) }
        }
        Role::FloorBytes => Verdict { documents, bytes, found: Found::Passed(number("lines").unwrap_or(0)) },
        Role::FloorEvents | Role::Empty | Role::AuditThousand | Role::AuditTwentyThousand | Role::GitLog => {
            Verdict { documents, bytes, found: Found::Passed(number("events").unwrap_or(0)) }
        }
    }
}

/// Reads the answer of `baton check --format json`: a file is invalid when one of its diagnostics is an error.
fn baton(answer: &Value) -> Verdict {
    let files = answer["files"].as_array().map(Vec::as_slice).unwrap_or_default();
    let has_error = |file: &&Value| {
        let diagnostics = file["diagnostics"].as_array().map(Vec::as_slice).unwrap_or_default();
        diagnostics.iter().any(|diagnostic| diagnostic["severity"] == "error")
    };
    let invalid =
        files.iter().filter(has_error).filter_map(|file| file["path"].as_str()).map(last_two_parts).collect();
    Verdict {
        documents: answer["summary"]["documents"].as_u64().unwrap_or(0),
        bytes: None,
        found: Found::Invalid(invalid),
    }
}

/// It was given the extracted YAML, so its bytes are not those of the documents.
fn check_jsonschema(answer: &Value) -> Verdict {
    let errors = answer["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    let invalid: BTreeSet<String> = errors
        .iter()
        .filter_map(|error| error["filename"].as_str())
        .map(|path| original_name(&last_two_parts(path)))
        .collect();
    let documents = strings(&answer["successes"]).count() + invalid.len();
    Verdict { documents: documents as u64, bytes: None, found: Found::Invalid(invalid) }
}

fn compare(name: &str, found: &BTreeSet<String>, expected: &BTreeSet<String>) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let shown =
        |names: Vec<&String>| format!("{:?} ({})", &names[..names.len().min(NAMES_SHOWN_MAX)], names.len());
    Err(format!(
        "{name} found {} invalid documents in place of {}; missed {}; accused wrongly {}",
        found.len(),
        expected.len(),
        shown(expected.difference(found).collect()),
        shown(found.difference(expected).collect()),
    ))
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().map(Vec::as_slice).unwrap_or_default().iter().filter_map(Value::as_str)
}

/// Returns `043/04311.task.md` of a longer path.
fn last_two_parts(path: &str) -> String {
    let parts: Vec<&str> = path.split(['/', '\\']).collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}
