//! Words from a list: as the dialect writes them, or in other words for the same.

use super::Scalar;
use crate::field::Field;
use crate::handoff::Handoff;
use crate::key::{self, Form};

/// Other words, each with the words it can stand for; the first that a list has is meant.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("accepted", &["accept"]),
    ("active", &["in_progress"]),
    ("added", &["add"]),
    ("approve", &["accept"]),
    ("approved", &["accept"]),
    ("blocker", &["high"]),
    ("changed", &["modify"]),
    ("complete", &["completed"]),
    ("completed", &["complete"]),
    ("configuration", &["config"]),
    ("create", &["add"]),
    ("created", &["add"]),
    ("critical", &["high"]),
    ("deleted", &["delete"]),
    ("docs", &["doc"]),
    ("documentation", &["doc"]),
    ("doing", &["in_progress"]),
    ("done", &["complete", "completed"]),
    ("edited", &["modify"]),
    ("error", &["fail", "failed"]),
    ("escalated", &["escalate"]),
    ("fail", &["failed"]),
    ("failed", &["fail"]),
    ("failing", &["fail", "failed"]),
    ("failure", &["fail", "failed"]),
    ("finished", &["complete", "completed"]),
    ("green", &["pass"]),
    ("incomplete", &["partial"]),
    ("major", &["high"]),
    ("minor", &["low"]),
    ("moderate", &["medium"]),
    ("modified", &["modify"]),
    ("new", &["add"]),
    ("normal", &["medium"]),
    ("not_started", &["pending"]),
    ("ok", &["pass"]),
    ("on_hold", &["blocked"]),
    ("ongoing", &["in_progress"]),
    ("p0", &["high"]),
    ("p1", &["high"]),
    ("p2", &["medium"]),
    ("p3", &["low"]),
    ("p4", &["low"]),
    ("partially_complete", &["partial"]),
    ("partially_completed", &["partial"]),
    ("passed", &["pass"]),
    ("passing", &["pass"]),
    ("queued", &["pending"]),
    ("refactored", &["refactor"]),
    ("remove", &["delete"]),
    ("removed", &["delete"]),
    ("retrying", &["retry"]),
    ("rolled_back", &["rollback"]),
    ("severe", &["high"]),
    ("skipped", &["skip"]),
    ("source", &["code"]),
    ("specification", &["spec"]),
    ("success", &["pass", "complete", "completed"]),
    ("successful", &["pass", "complete", "completed"]),
    ("todo", &["pending"]),
    ("trivial", &["low"]),
    ("update", &["modify"]),
    ("updated", &["modify"]),
    ("urgent", &["high"]),
    ("wip", &["in_progress"]),
    ("working", &["in_progress"]),
    ("✅", &["pass", "complete", "completed"]),
    ("✓", &["pass", "complete", "completed"]),
    ("❌", &["fail", "failed"]),
];

/// Returns the word of a list that is meant, written as the list writes it.
pub(super) fn meant<'w>(word: &str, words: &[&'w str]) -> Option<&'w str> {
    if let Some(exact) = words.iter().find(|known| **known == word) {
        return Some(exact);
    }
    // A question mark or a remark in brackets is a doubt, and a doubt is no other word for the same.
    let plain = |mark: char| mark.is_alphanumeric() || matches!(mark, ' ' | '_' | '-' | '.');
    let word = match word.chars().all(plain) {
        true => key::normalise(word),
        false => word.trim().to_owned(),
    };
    if let Some(same) = words.iter().find(|known| key::normalise(known) == word && !word.is_empty()) {
        return Some(same);
    }
    let (_, targets) = SYNONYMS.iter().find(|(synonym, _)| *synonym == word)?;
    targets.iter().find_map(|target| words.iter().find(|known| *known == target).copied())
}

/// Returns what a handoff says under a field that takes words from a list, in the words of that list.
pub(super) fn said(handoff: &Handoff<'_>, field: Field) -> Option<&'static str> {
    let Form::Choice(words) = key::key_of(handoff.variant.keys, field)?.form else { return None };
    meant(handoff.record.str(field)?, words)
}

/// Returns the words that a scalar may be; nothing where it is one of them, says nothing, or may be anything.
pub(super) fn words_unless_known<'a>(scalar: &Scalar<'a, '_>) -> Option<Vec<&'a str>> {
    let word = scalar.text.as_str();
    let project = scalar.subject.project;
    let words = match scalar.form {
        Form::Choice(words) if !words.contains(&word) => words.to_vec(),
        Form::Word(vocabulary) if !project.knows(vocabulary, word) => project.words(vocabulary),
        _ => return None,
    };
    (!scalar.text.is_blank()).then_some(words)
}
