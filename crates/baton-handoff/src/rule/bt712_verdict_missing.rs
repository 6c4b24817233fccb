//! A verification report without a verdict.

use super::standing;
use super::place::first_line;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(712);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "verdict-missing",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT712.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let record = &subject.handoff.record;
    let span = match subject.handoff.dialect {
        Dialect::GsdVerification if !standing::has_text(record, Field::Verdict) => first_line(record.span, subject.source),
        Dialect::Artifact if subject.handoff.variant.name == "verification-report" => {
            let Some(entry) = record.entry(Field::Criteria).filter(|entry| entry.value.is_blank()) else {
                return;
            };
            entry.key_span
        }
        _ => return,
    };
    report.push(
        Diagnostic::new(CODE, span, "the report gives no verdict")
            .help("judge each criterion: pass, fail or inconclusive, with the evidence for it"),
    );
}
