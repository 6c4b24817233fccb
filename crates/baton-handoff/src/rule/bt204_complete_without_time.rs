//! A complete stage does not say when it was completed.

use super::stage_document::StageDocument;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(204);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "complete-without-time",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT204.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(document) = StageDocument::of(subject) else { return };
    if document.status != Some("complete") || document.said(Field::CompletedAt).is_some() {
        return;
    }
    report.push(
        Diagnostic::new(
            CODE,
            document.record.place(Field::Status),
            "the stage is complete, but has no `completed_at`",
        )
        .help("write when it was completed, such as `2026-03-01T09:30:00Z`"),
    );
}
