//! Work that is not complete is handed to nobody.

use super::{Check, Code, Level, Rule, Subject, choice};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::record::{Record, Value};
use crate::report::Report;

pub(crate) const CODE: Code = Code(301);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "nobody-next",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT301.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let handoff = subject.handoff;
    if handoff.dialect != Dialect::Summary || !names_nobody(&handoff.record, Field::To) {
        return;
    }
    let Some(status) = choice::said(handoff, Field::Status).filter(|status| *status != "complete") else {
        return;
    };
    // A failure that has its own route goes to somebody all the same.
    let is_routed = |policy: &Record<'_>| policy.has(Field::RouteTo) && !names_nobody(policy, Field::RouteTo);
    if matches!(status, "failed" | "retry" | "blocked")
        && handoff.record.record(Field::OnFailure).is_some_and(is_routed)
    {
        return;
    }
    report.push(
        Diagnostic::new(
            CODE,
            handoff.record.place(Field::To),
            format!("nobody goes on, but the status is `{status}`"),
        )
        .other(handoff.record.place(Field::Status), "not complete here")
        .help("name the agent that goes on; `None` ends the work"),
    );
}

fn names_nobody(record: &Record<'_>, field: Field) -> bool {
    match record.entry(field).map(|entry| &entry.value) {
        Some(Value::Text(text)) => text.is_blank() || text.value.trim().eq_ignore_ascii_case("none"),
        Some(Value::Texts(_) | Value::Records(_) | Value::Record(_) | Value::Tree(_)) | None => false,
    }
}
