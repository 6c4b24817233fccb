//! How the work stands: what a status, a verdict or a whole record says about it.
//!
//! Taking unfinished work for finished is the worst mistake a reader can make, so every doubt here falls on the other side.

mod closing;
mod handed;
mod none;
mod signal;
mod vocabulary;

use crate::field::Field;
use crate::record::{Confidence, Record, Text, Value};
use crate::span::Span;

pub use handed::{holds_up, is_for_person};
pub use none::is_none_word;
use signal::{Manner, Signals};

/// How the work stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    Completed,
    Partial,
    Failed,
    Blocked,
    InProgress,
    NotStarted,
    Unknown,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
            Self::InProgress => "in_progress",
            Self::NotStarted => "not_started",
            Self::Unknown => "unknown",
        }
    }
}

/// An outcome with the place that decided it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conclusion {
    pub outcome: Outcome,
    pub span: Span,
    /// The reason in words, for a person.
    pub because: &'static str,
}

/// Reads the value of a status: a word, an enumeration value or a sentence. Returns nothing when in doubt.
pub fn from_words(text: &str) -> Option<Outcome> {
    if let Some(verdict) = signal::after_verdict_word(text) {
        return from_verdict(verdict);
    }
    Signals::of(text, Manner::Status).outcome()
}

/// Reads a judgement on the work: of a review, a verification or an orchestrator.
///
/// A judgement that sends the work back (changes requested, rework, bounce, rollback) is `Failed`: what was handed over
/// did not pass. One with reservations is `Partial`, one that asks for a person is `Blocked`.
pub fn from_verdict(text: &str) -> Option<Outcome> {
    Signals::of(text, Manner::Verdict).outcome()
}

/// Concludes from everything a record says: verdict before blockers, before checkpoints, before status.
pub fn conclude(record: &Record<'_>) -> Conclusion {
    let judged = worst(record, &[Field::Verdict], from_verdict);
    let said = worst(record, &[Field::Outcome, Field::Status], from_words);
    if let Some((outcome, span)) = judged {
        return settle(record, outcome, span, "the verdict says so");
    }
    if let Some(span) = first_blocker(record) {
        let outcome = match said.map(|(outcome, _)| outcome) {
            Some(Outcome::Failed) => Outcome::Failed,
            Some(Outcome::Completed | Outcome::Partial) => Outcome::Partial,
            Some(Outcome::Blocked | Outcome::InProgress | Outcome::NotStarted) => Outcome::Blocked,
            Some(Outcome::Unknown) | None if has_work(record) => Outcome::Partial,
            Some(Outcome::Unknown) | None => Outcome::Blocked,
        };
        return Conclusion { outcome, span, because: "blockers are named" };
    }
    if let Some(span) = failed_checkpoint(record) {
        let outcome = match said.map(|(outcome, _)| outcome) {
            Some(outcome @ (Outcome::Failed | Outcome::Blocked)) => outcome,
            _ => Outcome::Partial,
        };
        return Conclusion { outcome, span, because: "a checkpoint failed" };
    }
    if let Some(span) = closing::request(record) {
        return settle(record, Outcome::Completed, span, "all that is left is to mark it as done");
    }
    if let Some((outcome, span)) = said {
        return match outcome {
            Outcome::NotStarted if has_work(record) => Conclusion {
                outcome: Outcome::InProgress,
                span,
                because: "it reports work and has more to do",
            },
            Outcome::InProgress if is_paused_with_nothing_left(record) => {
                settle(record, Outcome::Completed, span, "it paused with nothing left to do")
            }
            _ => settle(record, outcome, span, "the status says so"),
        };
    }
    if let Some((outcome, span, because)) = handed::concluded(record) {
        return settle(record, outcome, span, because);
    }
    let criteria = record.records(Field::Criteria);
    let passes = |criterion: &Record<'_>| {
        criterion.str(Field::Verdict).and_then(from_verdict) == Some(Outcome::Completed)
    };
    if !criteria.is_empty() && criteria.iter().all(passes) {
        return settle(record, Outcome::Completed, record.place(Field::Criteria), "every criterion passes");
    }
    if let Some(stage) = record.text(Field::Stage).filter(|stage| names_end(stage.as_str())) {
        return settle(record, Outcome::Completed, stage.span, "the stage says so");
    }
    if let Some(title) = record.text(Field::Title)
        && let Some(outcome) = from_title(title.as_str())
    {
        return settle(record, outcome, title.span, "the title says so");
    }
    let silent = ![Field::Status, Field::Outcome, Field::Verdict].iter().any(|&field| record.has(field));
    if let Some(end) = record
        .text(Field::CompletedAt)
        .filter(|text| silent && text.as_str().contains(|char: char| char.is_ascii_digit()))
    {
        return settle(record, Outcome::Completed, end.span, "it gives the time of completion");
    }
    let ordered = [Field::FileTargets, Field::SuccessCriteria, Field::Deliverable];
    if let Some(order) =
        ordered.iter().find(|&&field| has_content(record, field)).filter(|_| !has_work(record))
    {
        let span = record.place(*order);
        return Conclusion { outcome: Outcome::NotStarted, span, because: "it orders work and reports none" };
    }
    let ahead = [Field::NextSteps, Field::Remaining];
    if let Some(next) = ahead.iter().find(|&&field| has_content(record, field)).filter(|_| has_work(record)) {
        let span = record.place(*next);
        let listed = record.texts(Field::Done).iter().any(|text| text.confidence == Confidence::Stated);
        let outcome = if listed { Outcome::Partial } else { Outcome::InProgress };
        return Conclusion { outcome, span, because: "it reports work and has more to do" };
    }
    Conclusion { outcome: Outcome::Unknown, span: record.span, because: "nothing says how the work stands" }
}

/// Says whether a stage is no stage, but the word that work has ended.
fn names_end(stage: &str) -> bool {
    stage.split_whitespace().count() == 1 && from_words(stage) == Some(Outcome::Completed)
}

fn has_content(record: &Record<'_>, field: Field) -> bool {
    record.entry(field).is_some_and(|entry| !entry.value.is_blank())
}

/// A session can pause after its work is done: it says what was done, and that the list of what remains is empty.
fn is_paused_with_nothing_left(record: &Record<'_>) -> bool {
    let paused = record.str(Field::Status).is_some_and(|status| status.trim().eq_ignore_ascii_case("paused"));
    let nothing_left = record.has(Field::Remaining) && !has_content(record, Field::Remaining);
    paused && nothing_left && has_content(record, Field::Done) && !has_content(record, Field::Questions)
}

/// Holds a claim of completion against what else the record says.
fn settle(record: &Record<'_>, outcome: Outcome, span: Span, because: &'static str) -> Conclusion {
    let doubt = |span, because| Conclusion { outcome: Outcome::Partial, span, because };
    if outcome != Outcome::Completed {
        return Conclusion { outcome, span, because };
    }
    if let Some(span) = first_blocker(record) {
        return doubt(span, "it claims completion and names blockers");
    }
    if let Some(span) = failed_checkpoint(record) {
        return doubt(span, "it claims completion and a checkpoint failed");
    }
    if record.str(Field::Ready).is_some_and(is_no) {
        return doubt(record.place(Field::Ready), "it claims completion and is not ready");
    }
    let blocks = |question: &&Record<'_>| holds_up(record, question) && !leaves_questions_to_the_next(record);
    if let Some(question) = record.records(Field::Questions).iter().find(blocks) {
        return doubt(question.span, "it claims completion and a question blocks");
    }
    if let Some((said, span)) = worst(record, &[Field::Outcome, Field::Status], from_words)
        && matches!(said, Outcome::Failed | Outcome::Blocked | Outcome::Partial)
    {
        return doubt(span, "its verdict and its status disagree");
    }
    Conclusion { outcome, span, because }
}

/// A task file that says in its own words that the task is completed asks what blocks the tasks after it.
pub(crate) fn leaves_questions_to_the_next(record: &Record<'_>) -> bool {
    let outcome = record.text(Field::Outcome).filter(|text| text.confidence == Confidence::Stated);
    outcome.is_some_and(|text| text.as_str().trim() == "completed")
}

/// Returns the least favourable reading of every value under `fields`: a repeated field is a history or a contradiction.
fn worst(
    record: &Record<'_>,
    fields: &[Field],
    read: impl Fn(&str) -> Option<Outcome>,
) -> Option<(Outcome, Span)> {
    record
        .entries
        .iter()
        .filter(|entry| fields.contains(&entry.field))
        .flat_map(|entry| texts(&entry.value))
        .filter_map(|text| Some((read(text.as_str())?, text.span)))
        .max_by_key(|(outcome, _)| severity(*outcome))
}

fn severity(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Unknown => 0,
        Outcome::Completed => 1,
        Outcome::NotStarted => 2,
        Outcome::InProgress => 3,
        Outcome::Partial => 4,
        Outcome::Blocked => 5,
        Outcome::Failed => 6,
    }
}

fn texts<'r, 's>(value: &'r Value<'s>) -> Vec<&'r Text<'s>> {
    match value {
        Value::Text(text) => vec![text],
        Value::Texts(texts) => texts.iter().collect(),
        Value::Records(_) | Value::Record(_) | Value::Tree(_) => Vec::new(),
    }
}

/// Returns the place of the first blocker that is neither an empty answer nor resolved.
fn first_blocker(record: &Record<'_>) -> Option<Span> {
    let named = record.entries.iter().filter(|entry| entry.field == Field::Blockers).find_map(|entry| {
        match &entry.value {
            Value::Records(blockers) => {
                blockers.iter().find(|blocker| is_open(blocker)).map(|blocker| blocker.span)
            }
            Value::Text(_) | Value::Texts(_) => {
                texts(&entry.value).iter().find(|text| is_real(text.as_str())).map(|text| text.span)
            }
            Value::Record(blocker) => is_open(blocker).then_some(blocker.span),
            Value::Tree(_) => None,
        }
    });
    let reason =
        || record.text(Field::BlockReason).filter(|text| is_real(text.as_str())).map(|text| text.span);
    named.or_else(reason)
}

fn is_real(text: &str) -> bool {
    !text.trim().is_empty() && !is_none_word(text) && !signal::is_resolved(text)
}

/// Says whether a blocker still stands in the way.
pub fn is_open(blocker: &Record<'_>) -> bool {
    let resolved = [Field::Status, Field::Outcome]
        .iter()
        .filter_map(|&field| blocker.str(field))
        .any(|status| signal::is_resolved(status) || from_words(status) == Some(Outcome::Completed));
    let words = [Field::Blocker, Field::Description, Field::Issue, Field::Reason, Field::Type, Field::Title];
    let mut said = words.iter().filter_map(|&field| blocker.str(field)).peekable();
    let real = if said.peek().is_some() { said.any(is_real) } else { !blocker.is_blank() };
    real && !resolved
}

fn failed_checkpoint(record: &Record<'_>) -> Option<Span> {
    let judged = [Field::Checkpoints, Field::Criteria];
    judged.iter().flat_map(|&field| record.records(field)).find_map(|checkpoint| {
        let fields = [Field::Status, Field::Verdict, Field::Outcome];
        let failed = |text: &&Text<'_>| from_verdict(text.as_str()) == Some(Outcome::Failed);
        fields.iter().filter_map(|&field| checkpoint.text(field)).find(failed).map(|text| text.span)
    })
}

/// Says whether a question blocks what comes next.
pub fn is_blocking(question: &Record<'_>) -> bool {
    question.str(Field::Blocking).is_some_and(|text| !is_no(text) && !text.trim().is_empty())
}

pub(crate) fn is_no(text: &str) -> bool {
    let word = text.trim().trim_matches(['"', '\'', '`', '*', '.']).to_lowercase();
    matches!(&*word, "false" | "no" | "n" | "0" | "off" | "not ready" | "not yet" | "❌")
}

fn has_work(record: &Record<'_>) -> bool {
    let work = [
        Field::Done,
        Field::FilesCreated,
        Field::FilesModified,
        Field::FilesDeleted,
        Field::CompletedSteps,
        Field::Summary,
        Field::Verification,
    ];
    record.entries.iter().any(|entry| work.contains(&entry.field) && !entry.value.is_blank())
}

/// Reads a title that ends with how the work stands, such as "Token refresh: complete".
fn from_title(title: &str) -> Option<Outcome> {
    let outcome = Signals::of(title, Manner::Title).outcome()?;
    (outcome != Outcome::Completed || signal::frames_completion(title)).then_some(outcome)
}

#[cfg(test)]
mod tests;
