//! A stage ended before it began.

use super::stage_document::StageDocument;
use super::{Check, Code, Level, Rule, Subject, instant};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(207);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "ends-before-it-began",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT207.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(document) = StageDocument::of(subject) else { return };
    let record = document.record;
    let times = instant::of(record, Field::StartedAt).zip(instant::of(record, Field::CompletedAt));
    let Some((started, completed)) = times.filter(|(started, completed)| completed < started) else { return };
    let minutes = (started.as_second() - completed.as_second() + 59) / 60;
    report.push(
        Diagnostic::new(
            CODE,
            record.place(Field::CompletedAt),
            format!("the stage ended {minutes} min before it began"),
        )
        .other(record.place(Field::StartedAt), "it began here")
        .help("correct the time that is wrong, and look at the offsets of both"),
    );
}
