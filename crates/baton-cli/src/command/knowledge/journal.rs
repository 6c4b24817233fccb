//! What is known that matters to one task, as a person reads it and as data.

use baton_runner::desk::Id;
use baton_runner::desk::knowledge::{Fate, Finding, ItemKind, Journal};
use serde_json::{Value, json};

use super::lessons::json_of_lesson;
use super::{folded, json_of};
use crate::command::Done;
use crate::command::desk::told;
use crate::exit;
use crate::output;

/// The parts of the screen, in the order in which they matter to whoever goes on.
const PARTS: &[(&str, ItemKind)] = &[
    ("files to read", ItemKind::FileToRead),
    ("patterns", ItemKind::Pattern),
    ("gotchas", ItemKind::Gotcha),
    ("decisions", ItemKind::Decision),
    ("next steps", ItemKind::NextStep),
    ("files touched", ItemKind::File),
];

pub(super) fn show(id: &Id, journal: &Journal) -> Done {
    let mut lines: Vec<String> = Vec::new();
    let mut part = |title: &str, rows: Vec<String>| {
        if !rows.is_empty() {
            lines.push(title.to_owned());
            lines.extend(rows);
        }
    };
    part("active blockers", journal.active_blockers.iter().map(row).collect());
    part("open questions", journal.open_questions.iter().map(row).collect());
    for (title, kind) in PARTS {
        part(title, journal.findings.iter().filter(|finding| finding.item.kind == *kind).map(row).collect());
    }
    let lessons = journal.lessons.iter().map(|lesson| {
        let severity = lesson.severity.map_or(String::new(), |severity| format!("[{}] ", severity.name()));
        format!("    {severity}{} ({})", folded(&lesson.text, "      "), lesson.standing.name())
    });
    part("lessons of the project", lessons.collect());
    if lines.is_empty() {
        output::talk(&format!("no handoff before {id} says anything\n"));
        return Ok(exit::Code::Fine);
    }
    Ok(told(&lines.join("\n")))
}

fn row(finding: &Finding) -> String {
    let (source, item) = (&finding.source, &finding.item);
    let severity = item.severity.map_or(String::new(), |severity| format!("[{}] ", severity.name()));
    let place = match (&item.path, &item.lines) {
        (Some(path), Some(lines)) => format!("{path}:{lines} "),
        (Some(path), None) => format!("{path} "),
        (None, _) => String::new(),
    };
    let detail = item.detail.as_ref().map_or(String::new(), |detail| format!(" → {detail}"));
    let tasks: Vec<&str> = item.tasks.iter().map(Id::as_str).collect();
    let blocks = match (item.kind, tasks.is_empty()) {
        (ItemKind::Question, _) if item.blocking => " (blocks)".to_owned(),
        (_, false) => format!(" (holds up {})", tasks.join(", ")),
        _ => String::new(),
    };
    let returned = if source.fate == Fate::Returned { ", not accepted" } else { "" };
    let text = format!(
        "{severity}{place}{}{detail}{blocks} · {} @{}{returned}",
        item.text, source.task, source.agent
    );
    format!("    {}", folded(&text, "      "))
}

pub(super) fn json(id: &Id, journal: &Journal) -> Value {
    let all = |findings: &[Finding]| findings.iter().map(json_of).collect::<Vec<_>>();
    json!({
        "version": 1,
        "task": id.as_str(),
        "findings": all(&journal.findings),
        "lessons": journal.lessons.iter().map(json_of_lesson).collect::<Vec<_>>(),
        "open_questions": all(&journal.open_questions),
        "active_blockers": all(&journal.active_blockers),
    })
}
