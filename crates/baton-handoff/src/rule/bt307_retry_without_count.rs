//! A retry that does not say which one it is.

use super::{Check, Code, Level, Rule, Subject, choice, whole_number};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(307);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "retry-without-count",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT307.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let handoff = subject.handoff;
    if handoff.dialect != Dialect::Summary || choice::said(handoff, Field::Status) != Some("retry") {
        return;
    }
    let record = &handoff.record;
    let why = match record.text(Field::RetryCount).map(whole_number::meant) {
        None => "is missing",
        Some(Some(0)) => "is 0",
        Some(_) => return,
    };
    report.push(
        Diagnostic::new(
            CODE,
            record.place(Field::Status),
            format!("the status is `retry`, but `retry_count` {why}"),
        )
        .help("count the retries, 1 for the first: limits cannot be kept otherwise"),
    );
}
