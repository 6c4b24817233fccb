//! Cuts a text into the pieces within which tokens are joined.
//!
//! The vocabulary defines them by a pattern of seven alternatives, of which the first that fits counts. Each is a function
//! here, in that order; none looks at a character more than a few times, however long the text.

use super::class::{Class, class};

/// Longest run of digits that is one piece, in characters.
const DIGITS_MAX: usize = 3;
/// What may end a word after an apostrophe.
const ENDINGS: &[&str] = &["s", "t", "re", "ve", "m", "ll", "d"];

/// Returns the pieces of a text, which together are the text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(piece_bytes(rest));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Returns how long the first piece of a text is.
fn piece_bytes(text: &str) -> usize {
    let Some(first) = text.chars().next() else { return 0 };
    let sort = class(first);
    word(text, first, mixed)
        .or_else(|| word(text, first, capitals))
        .or_else(|| (sort == Class::Number).then(|| digits(text)))
        .or_else(|| signs(text))
        .or_else(|| sort.is_space().then(|| space(text)))
        .unwrap_or(first.len_utf8())
}

/// Finds a word, together with one character before it where there is one that may stand there.
fn word(text: &str, first: char, body: fn(&str) -> Option<usize>) -> Option<usize> {
    let lead = first.len_utf8();
    let with_lead = class(first).is_lead().then(|| body(&text[lead..]).map(|bytes| lead + bytes)).flatten();
    let bytes = with_lead.or_else(|| body(text))?;
    Some(bytes + ending(&text[bytes..]))
}

/// Capitals, then at least one small letter. A letter without case can be either.
fn mixed(text: &str) -> Option<usize> {
    let head = run(text, Class::is_head);
    let tail = run(&text[head..], Class::is_tail);
    if tail > 0 {
        return Some(head + tail);
    }
    let last = text[..head].char_indices().rev().find(|(_, character)| class(*character).is_tail());
    last.map(|(at, character)| at + character.len_utf8())
}

/// At least one capital, then small letters if there are any.
fn capitals(text: &str) -> Option<usize> {
    let head = run(text, Class::is_head);
    (head > 0).then(|| head + run(&text[head..], Class::is_tail))
}

/// `'s`, `'ll` and their like, in either case.
fn ending(text: &str) -> usize {
    let Some(after) = text.strip_prefix('\'') else { return 0 };
    // The long s is a small s to the pattern.
    if after.starts_with('ſ') {
        return 1 + 'ſ'.len_utf8();
    }
    let matches =
        |ending: &&&str| after.get(..ending.len()).is_some_and(|start| start.eq_ignore_ascii_case(ending));
    ENDINGS.iter().find(matches).map_or(0, |ending| 1 + ending.len())
}

fn digits(text: &str) -> usize {
    let numbers = text.chars().take(DIGITS_MAX).take_while(|character| class(*character) == Class::Number);
    numbers.map(char::len_utf8).sum()
}

/// Signs, with one blank before them and line ends and slashes after them.
fn signs(text: &str) -> Option<usize> {
    let blank = usize::from(text.starts_with(' '));
    let signs = run(&text[blank..], Class::is_sign);
    let after = &text[blank + signs..];
    let closing = after.len() - after.trim_start_matches(['\r', '\n', '/']).len();
    (signs > 0).then_some(blank + signs + closing)
}

/// White space up to its last line end; without one, all but the last character, which goes with the word after it.
fn space(text: &str) -> usize {
    let all = run(text, Class::is_space);
    if let Some(at) = text[..all].rfind(['\r', '\n']) {
        return at + 1;
    }
    let last = text[..all].chars().next_back().map_or(0, char::len_utf8);
    if all == text.len() || all == last { all } else { all - last }
}

fn run(text: &str, belongs: fn(Class) -> bool) -> usize {
    text.find(|character| !belongs(class(character))).unwrap_or(text.len())
}
