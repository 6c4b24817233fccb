//! A marker in a builder's output that nobody can rely on.

use super::show::shown;
use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::document::Document;
use crate::field::Field;
use crate::marker;
use crate::record::Text;
use crate::report::Report;
use crate::span::Span;

pub(crate) const CODE: Code = Code(508);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "broken-marker",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT508.md"),
    check: Check::Source(check),
};

fn check(document: &Document<'_>, report: &mut Report) {
    if !document.handoffs.iter().any(|handoff| handoff.dialect == Dialect::Artifact) {
        return;
    }
    for marker in marker::scan(document.source) {
        let name = marker.name;
        let tag = Span { start: marker.span.start, end: marker.span.start + Span::at(name.len() + 1).start };
        if !marker.closed {
            report.push(
                Diagnostic::new(CODE, tag, format!("the marker `<{name}>` is never closed"))
                    .label("opened here")
                    .help(format!("close it with `</{name}>` before the next marker begins")),
            );
        } else if marker.content.is_empty() && (marker.attributes.is_empty() || name == marker::COMPLETE) {
            report.push(
                Diagnostic::new(CODE, tag, format!("the marker `<{name}>` is empty"))
                    .label("says nothing")
                    .help("put the id of the task, the command or the criterion between the tags"),
            );
        } else if let Some(task) = other_task(document, &marker) {
            let message = format!(
                "the marker hands over {}, and this is about {}",
                shown(marker.content),
                shown(task.as_str())
            );
            report.push(
                Diagnostic::new(CODE, marker.content_span, message)
                    .label("another task")
                    .other(task.span, "the task of this document")
                    .help("name the task that this output is about; hand over another one in its own output"),
            );
        }
    }
}

/// Returns the task of the document where a marker of completion names another.
fn other_task<'d, 's>(document: &'d Document<'s>, marker: &marker::Marker<'_>) -> Option<&'d Text<'s>> {
    if marker.name != marker::COMPLETE {
        return None;
    }
    let mut tasks =
        document.handoffs.iter().filter_map(|handoff| handoff.record.text(Field::Task)).peekable();
    let first = *tasks.peek()?;
    tasks.all(|task| task.as_str() != marker.content).then_some(first)
}
