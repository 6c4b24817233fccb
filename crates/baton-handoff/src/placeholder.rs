//! Text that stands in for something nobody filled in.

use crate::letters::Letters;

/// Share of a document's values that must be placeholders for it to be a template, in percent.
pub(crate) const TEMPLATE_PERCENT: usize = 40;

/// Words that people write where something is still missing.
const STAND_INS: &[&str] =
    &["TODO", "TBD", "TBA", "FIXME", "XXX", "FILL ME IN", "PLACEHOLDER", "LOREM IPSUM", "ISO 8601"];

/// Names of types in the place of values.
const TYPES: &[&str] = &["string", "number", "boolean"];
/// How forms of dates and notes begin.
const FORMS: &[&str] = &["YYYY-MM-DD", "ISO-8601", "TODO:"];
/// Longest text that can be a placeholder.
const PLACEHOLDER_BYTES_MAX: usize = 200;

/// Says whether a text can be a placeholder, by a glance at how it begins: nearly all texts cannot.
fn may_be_placeholder(text: &str) -> bool {
    match text.as_bytes() {
        [] => false,
        [first, ..] if !first.is_ascii_alphanumeric() => true,
        [first, second, ..] if BEGINNINGS.may_hold(*first, *second) => true,
        bytes => memchr::memchr(b'|', bytes).is_some(),
    }
}

/// How the words above begin.
static BEGINNINGS: Letters = Letters::NONE.beginnings(STAND_INS).beginnings(TYPES).beginnings(FORMS);

fn begins(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// Says whether the whole text is a placeholder.
pub(crate) fn is_placeholder(text: &str) -> bool {
    if text.len() > PLACEHOLDER_BYTES_MAX || !may_be_placeholder(text) {
        return false;
    }
    // An ordinary word: no marks around it, so it can only be one of the words themselves.
    if text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return STAND_INS.iter().any(|word| text.eq_ignore_ascii_case(word)) || TYPES.contains(&text);
    }
    let text = text.trim().trim_matches(['"', '\'', '`']);
    if text.is_empty() {
        return false;
    }
    let enclosed = |open: char, close: char| {
        text.starts_with(open)
            && text.ends_with(close)
            && !text[1..text.len() - 1].contains([open, close])
            && text.len() > 2
    };
    let words = text.trim_matches(|mark: char| !mark.is_alphanumeric());
    let is = |word: &str| words.eq_ignore_ascii_case(word);
    enclosed('<', '>')
        || enclosed('[', ']')
            && text[1..].starts_with(char::is_alphabetic)
            && (text.contains(' ') || text.len() < 24)
        || text.starts_with("{{") && text.ends_with("}}")
        || text.starts_with("${") && text.ends_with('}')
        || STAND_INS.iter().copied().any(is)
        || FORMS.iter().any(|form| begins(words, form))
        || is_choice_list(text)
        || TYPES.contains(&text)
        || matches!(text, "..." | "…")
}

/// Says whether this is a list of alternatives such as `pass | fail | skip`.
fn is_choice_list(text: &str) -> bool {
    if memchr::memchr(b'|', text.as_bytes()).is_none() {
        return false;
    }
    let mut parts = 0;
    for part in text.split('|') {
        let part = part.trim();
        let simple = |mark: char| mark.is_alphanumeric() || matches!(mark, '_' | '-' | '@' | ' ');
        if part.is_empty() || part.len() > 32 || !part.chars().all(simple) || part.split(' ').count() > 2 {
            return false;
        }
        parts += 1;
    }
    parts >= 2
}
