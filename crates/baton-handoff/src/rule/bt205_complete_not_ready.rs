//! A complete stage says that it is not ready.

use super::stage_document::StageDocument;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(205);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "complete-not-ready",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT205.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(document) = StageDocument::of(subject) else { return };
    if document.status != Some("complete") || document.ready != Some(false) {
        return;
    }
    let record = document.record;
    report.push(
        Diagnostic::new(CODE, record.place(Field::Ready), "the stage is complete, but not ready to hand over")
            .other(record.place(Field::Status), "complete here")
            .help("a stage is complete when all its checkpoints pass: until then it is `in_progress`, `failed` or `blocked`"),
    );
}
