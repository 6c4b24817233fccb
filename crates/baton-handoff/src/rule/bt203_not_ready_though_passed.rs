//! A stage says that it is not ready, although all of its checkpoints passed.

use super::stage_document::StageDocument;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(203);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "not-ready-though-passed",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT203.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(document) = StageDocument::of(subject) else { return };
    let has_all =
        document.required.is_some_and(|required| !required.is_empty()) && document.missing().next().is_none();
    if document.ready != Some(false) || !has_all || document.not_passed().next().is_some() {
        return;
    }
    report.push(
        Diagnostic::new(
            CODE,
            document.record.place(Field::Ready),
            "`handoff_ready` is false, but all checkpoints passed",
        )
        .label("true exactly when all checkpoints pass")
        .other(document.record.place(Field::Checkpoints), "all of these passed")
        .help("write `true`, or mark the checkpoint that is not settled as `fail`"),
    );
}
