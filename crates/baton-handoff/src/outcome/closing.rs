//! A request to close a piece of work. Whoever asks for that says that the work is done.

use super::signal::{self, Word};
use super::{from_words, has_content, has_work, vocabulary};
use crate::field::Field;
use crate::outcome::Outcome;
use crate::record::Record;
use crate::span::Span;

/// Longest request, in words; a longer one asks for more than closing.
const REQUEST_WORDS_MAX: usize = 12;

/// Returns the place of the request, when closing is all that is asked for and no status denies that work has ended.
pub(super) fn request(record: &Record<'_>) -> Option<Span> {
    let steps = record.records(Field::NextSteps);
    let asked = |step: &Record<'_>| step.str(Field::Step).is_some_and(asks_to_close);
    let only = !steps.is_empty() && steps.iter().all(asked);
    if !only || has_content(record, Field::Remaining) || !has_work(record) {
        return None;
    }
    let statuses = [Field::Status, Field::Outcome].into_iter().filter_map(|field| record.str(field));
    let mut open = statuses.filter(|status| {
        from_words(status).is_some_and(|outcome| outcome != Outcome::Completed) && !awaits_acceptance(status)
    });
    open.next().is_none().then(|| record.place(Field::NextSteps))
}

/// Says whether a status only waits for somebody to look at finished work.
fn awaits_acceptance(status: &str) -> bool {
    let words = signal::words(status);
    let outside = |word: &Word| {
        matches!(
            &*word.text,
            "review"
                | "in"
                | "for"
                | "ready"
                | "awaiting"
                | "approval"
                | "acceptance"
                | "sign"
                | "off"
                | "qa"
        )
    };
    !words.is_empty() && words.iter().all(outside)
}

/// Says whether a step is "mark X as done", "move the card to Done" or "close the ticket", and nothing else.
fn asks_to_close(step: &str) -> bool {
    let words = signal::words(step);
    let words = match words.first().map(|word| &*word.text) {
        Some("please") => &words[1..],
        _ => &words[..],
    };
    let conditional = words
        .iter()
        .any(|word| matches!(&*word.text, "once" | "after" | "when" | "if" | "until" | "unless" | "before"));
    let more = words.iter().any(|word| matches!(&*word.text, "and" | "then" | "but" | "not" | "dont"));
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    if words.len() > REQUEST_WORDS_MAX || words.len() < 2 || conditional || more {
        return false;
    }
    match &*first.text {
        "mark" | "move" | "set" | "transition" | "flip" | "update" | "change" | "promote" => {
            last.text == "closed" || vocabulary::single(&last.text) == Some(vocabulary::Class::Completed)
        }
        "close" => words.iter().any(|word| {
            matches!(&*word.text, "task" | "ticket" | "issue" | "story" | "item" | "card" | "epic")
        }),
        _ => false,
    }
}
