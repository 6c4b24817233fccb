//! A stage that is not blocked gives a reason for being blocked.

use super::stage_document::StageDocument;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(211);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "reason-without-block",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT211.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(document) = StageDocument::of(subject) else { return };
    let (Some(status), Some(reason)) = (document.status, document.said(Field::BlockReason)) else { return };
    if status == "blocked" {
        return;
    }
    report.push(
        Diagnostic::new(CODE, reason.span, format!("`block_reason` is given, but the stage is `{status}`"))
            .other(document.record.place(Field::Status), "not blocked here")
            .help("take the reason out, or write `status: blocked` if it still holds"),
    );
}
