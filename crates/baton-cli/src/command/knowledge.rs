//! `baton search`, `baton knowledge`, `baton files`: what handoffs taught, found again.

mod journal;
mod lessons;
mod search;
mod touched;

use baton_runner::desk::knowledge::{Finding, LessonId};
use baton_runner::desk::tell;
use serde_json::{Value, json};

pub(crate) use lessons::Knowledge;
pub(crate) use search::Search;
pub(crate) use touched::Files;

use crate::command::Done;
use crate::failure::Failure;
use crate::output::{self, printable};

/// Digits of an id that lists show. Commands take any beginning that is the only one.
const ID_DIGITS_SHOWN: usize = 8;
/// Longest line of a text that a list shows, in characters.
const LINE_CHARS_MAX: usize = 100;

fn short(id: &LessonId) -> &str {
    let text = id.as_str();
    let end = text.rfind('-').map_or(text.len(), |at| at + 1 + ID_DIGITS_SHOWN);
    text.get(..end).unwrap_or(text)
}

/// Returns a text in one line, cut where it is too long.
fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = printable(&words.join(" "));
    match text.char_indices().nth(LINE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

/// Returns a line that is folded at blanks, each line after the first with this margin.
fn folded(text: &str, margin: &str) -> String {
    let mut lines = vec![String::new()];
    for word in printable(text).split_whitespace() {
        let full = lines.last().is_some_and(|line| {
            !line.is_empty() && line.chars().count() + word.chars().count() >= LINE_CHARS_MAX
        });
        if full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join(&format!("\n{margin}"))
}

fn date(at: i64) -> String {
    tell::time(at).chars().take(10).collect()
}

fn json_of(finding: &Finding) -> Value {
    json!({
        "task": finding.source.task,
        "stage": finding.source.stage,
        "turn": finding.source.turn,
        "agent": finding.source.agent,
        "at": tell::time(finding.source.at),
        "handoff": finding.source.handoff,
        "sequence": finding.source.sequence,
        "fate": finding.source.fate,
        "backed": finding.source.backed,
        "id": finding.item.id(),
        "kind": finding.item.kind,
        "text": finding.item.text,
        "detail": finding.item.detail,
        "path": finding.item.path,
        "lines": finding.item.lines,
        "change": finding.item.change,
        "tags": finding.item.tags,
        "severity": finding.item.severity,
        "blocking": finding.item.blocking,
        "blocked_tasks": finding.item.tasks,
        "stated": finding.item.stated,
    })
}

fn print_json(value: &Value) -> Done {
    let mut out = Vec::new();
    output::write_json(&mut out, value)
        .map_err(|error| Failure::io(std::path::Path::new("standard output"), "written", &error))?;
    out.push(b'\n');
    Ok(output::print(&out))
}
