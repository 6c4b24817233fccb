//! What a handoff states about how the work stands, for the rules that hold it against the rest.

use super::Subject;
use crate::dialect::Dialect;
use crate::field::Field;
use crate::outcome::{self, Outcome};
use crate::record::{Confidence, Record, Text, Value};

/// Returns the outcome that is written as data, with its words.
pub(super) fn stated<'a, 's>(record: &'a Record<'s>) -> Option<(Outcome, &'a Text<'s>)> {
    let texts = [Field::Outcome, Field::Status].into_iter().filter_map(|field| record.text(field));
    texts
        .filter(|text| text.confidence == Confidence::Stated)
        .find_map(|text| Some((read(text.as_str())?, text)))
}

/// Returns the words that claim that the work is complete.
pub(super) fn claims_completion<'a, 's>(record: &'a Record<'s>) -> Option<&'a Text<'s>> {
    stated(record).filter(|(outcome, _)| *outcome == Outcome::Completed).map(|(_, text)| text)
}

/// Returns the outcome of a task file.
pub(super) fn of_task_file<'a, 's>(subject: &Subject<'a, 's>) -> Option<(Outcome, &'a Text<'s>)> {
    (subject.handoff.dialect == Dialect::Taskfile).then(|| stated(&subject.handoff.record)).flatten()
}

/// Reads the words that dialects prescribe without looking further.
fn read(text: &str) -> Option<Outcome> {
    match text {
        "complete" | "completed" => Some(Outcome::Completed),
        "partial" => Some(Outcome::Partial),
        "failed" => Some(Outcome::Failed),
        "blocked" => Some(Outcome::Blocked),
        "in_progress" => Some(Outcome::InProgress),
        "pending" => Some(Outcome::NotStarted),
        _ => outcome::from_words(text),
    }
}

/// Says whether a judgement passes; `pass` is read without looking further.
pub(super) fn passes(judgement: &str) -> bool {
    judgement == "pass" || outcome::from_verdict(judgement) == Some(Outcome::Completed)
}

/// Says whether a list names anything, and not just "none".
pub(super) fn has_items(record: &Record<'_>, field: Field) -> bool {
    record.records(field).iter().any(|item| {
        let first = item.entries.first().map(|entry| &entry.value);
        let is_none = matches!(first, Some(Value::Text(text)) if outcome::is_none_word(text.as_str()));
        !item.is_blank() && !is_none
    })
}

/// Says whether a list of texts names anything, and not just "none".
pub(super) fn has_texts(record: &Record<'_>, field: Field) -> bool {
    record.texts(field).iter().any(|text| !text.is_blank() && !outcome::is_none_word(text.as_str()))
}

/// Says whether a field has a text that says something.
pub(super) fn has_text(record: &Record<'_>, field: Field) -> bool {
    record.text(field).is_some_and(|text| !text.is_blank() && !outcome::is_none_word(text.as_str()))
}
