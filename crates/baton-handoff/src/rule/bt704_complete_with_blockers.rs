//! Work that is called complete while something still blocks it.

use super::show::shown;
use super::standing;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::outcome;
use crate::record::{Confidence, Record, Value};
use crate::report::Report;
use crate::span::Span;

pub(crate) const CODE: Code = Code(704);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "complete-with-blockers",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT704.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let record = &subject.handoff.record;
    let is_strict = subject.handoff.dialect.is_strict();
    let Some((span, what)) = open_blocker(record, is_strict).or_else(|| blocking_question(record)) else {
        return;
    };
    let Some(status) = standing::claims_completion(record) else { return };
    let message = format!("the work is {}, and {what}", shown(status.as_str()));
    let diagnostic = Diagnostic::new(CODE, status.span, message)
        .label("claims completion")
        .other(span, "still open")
        .help("say partial or blocked; or take out what is resolved");
    report.push(if is_strict { diagnostic } else { diagnostic.as_warning() });
}

fn open_blocker(record: &Record<'_>, is_strict: bool) -> Option<(Span, &'static str)> {
    // Trackers list the ids of tasks that came before, and leave them there when those are done.
    let is_id =
        |blocker: &Record<'_>| blocker.str(Field::Blocker).is_some_and(|text| !text.trim().contains(' '));
    let blocks = |blocker: &&Record<'_>| {
        outcome::is_open(blocker) && is_stated(blocker) && (is_strict || !is_id(blocker))
    };
    record.records(Field::Blockers).iter().find(blocks).map(|blocker| (blocker.span, "a blocker is named"))
}

fn blocking_question(record: &Record<'_>) -> Option<(Span, &'static str)> {
    if outcome::leaves_questions_to_the_next(record) {
        return None;
    }
    let blocks = |question: &&Record<'_>| {
        outcome::is_blocking(question) && standing::has_text(question, Field::Question) && is_stated(question)
    };
    let question = record.records(Field::Questions).iter().find(blocks)?;
    Some((question.span, "an open question blocks it"))
}

fn is_stated(item: &Record<'_>) -> bool {
    item.entries.iter().all(|entry| match &entry.value {
        Value::Text(text) => text.confidence == Confidence::Stated,
        Value::Texts(_) | Value::Records(_) | Value::Record(_) | Value::Tree(_) => true,
    })
}
