//! A package that does not say what the receiver is to deliver.

use super::receiver;
use super::show::shown;
use super::standing;
use super::wording;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::record::{Record, Value};
use crate::report::Report;

pub(crate) const CODE: Code = Code(605);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "no-expectations",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT605.md"),
    check: Check::Handoff(check),
};

/// Words that say that work comes back to whoever asked for it.
const RETURNS: &[&str] = &[
    "answer",
    "back",
    "complete",
    "completed",
    "done",
    "finished",
    "report",
    "result",
    "results",
    "return",
    "returned",
    "returning",
];

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(receiver) = receiver::of_package(subject) else { return };
    let record = &subject.handoff.record;
    if receiver::is_human(receiver) || standing::has_text(record, Field::Deliverable) || is_return(record) {
        return;
    }
    report.push(
        Diagnostic::new(
            CODE,
            receiver.span,
            format!("{} is not told what to deliver", shown(receiver.as_str())),
        )
        .label("receives this")
        .help("add `expectations` with a `deliverable`, and `success_criteria` to measure it by"),
    );
}

/// Says whether a specialist gives its result back: it has no step of its own, or says so.
fn is_return(record: &Record<'_>) -> bool {
    let no_step = matches!(record.entry(Field::FromStep).map(|entry| &entry.value), Some(Value::Text(step)) if step.is_null());
    let says_so = |reason: &str| wording::words(reason).any(|word| wording::is_one_of(word, RETURNS));
    no_step || record.str(Field::ToReason).is_some_and(says_so)
}
