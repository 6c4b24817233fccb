//! A stage that is still in progress says when it was completed.

use super::stage_document::StageDocument;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(208);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "time-before-completion",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT208.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(document) = StageDocument::of(subject) else { return };
    let Some(completed_at) =
        document.said(Field::CompletedAt).filter(|_| document.status == Some("in_progress"))
    else {
        return;
    };
    report.push(
        Diagnostic::new(CODE, completed_at.span, "`completed_at` is set, but the stage is in progress")
            .other(document.record.place(Field::Status), "in progress here")
            .help("write `completed_at: null` until the stage is complete"),
    );
}
