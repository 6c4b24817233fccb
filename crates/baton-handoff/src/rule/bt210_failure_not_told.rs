//! Something failed, and the document does not say what.

use super::stage_document::StageDocument;
use super::{Check, Code, Level, Rule, Subject, whole_number};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(210);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "failure-not-told",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT210.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(document) = StageDocument::of(subject) else { return };
    if document.said(Field::LastFailure).is_some() {
        return;
    }
    let record = document.record;
    let has_retried =
        || record.text(Field::RetryCount).and_then(whole_number::meant).is_some_and(|count| count > 0);
    let (field, why) = match document.status {
        Some("failed") => (Field::Status, "the stage failed"),
        Some("complete") | None => return,
        Some(_) if has_retried() => (Field::RetryCount, "the stage was tried again"),
        Some(_) => return,
    };
    report.push(
        Diagnostic::new(
            CODE,
            record.place(field),
            format!("{why}, but `last_failure` does not say what went wrong"),
        )
        .help("name the checkpoint that failed and its error: the next attempt starts from there"),
    );
}
