//! All retries are used up, and nobody was asked.

use super::stage_document::StageDocument;
use super::{Check, Code, Level, Rule, Subject, whole_number};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::limit;
use crate::report::Report;

pub(crate) const CODE: Code = Code(213);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "retries-exhausted",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT213.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(document) = StageDocument::of(subject) else { return };
    let Some(status) = document.status.filter(|status| !matches!(*status, "blocked" | "complete")) else {
        return;
    };
    let Some(count) = document.record.text(Field::RetryCount) else { return };
    if whole_number::meant(count).is_none_or(|count| count < limit::RETRIES_MAX) {
        return;
    }
    report.push(
        Diagnostic::new(
            CODE,
            count.span,
            format!("all {} retries are used up, but the stage is `{status}`", limit::RETRIES_MAX),
        )
        .other(document.record.place(Field::Status), "`blocked` would ask a person")
        .help("write `status: blocked` with `block_reason: needs_human_input`, and say in `block_details` what to decide"),
    );
}
