//! Text that stands in for something nobody filled in.

/// Share of a document's values that must be placeholders for it to be a template, in percent.
pub(crate) const TEMPLATE_PERCENT: usize = 40;

/// Words that people write where something is still missing.
const STAND_INS: &[&str] =
    &["TODO", "TBD", "TBA", "FIXME", "XXX", "FILL ME IN", "PLACEHOLDER", "LOREM IPSUM", "ISO 8601"];

/// Longest text that can be a placeholder.
const PLACEHOLDER_BYTES_MAX: usize = 200;

/// Says whether a text begins as a placeholder may, or holds the bar of alternatives: most texts do not.
fn may_be_placeholder(text: &str) -> bool {
    let first = text.as_bytes()[0];
    let marked = matches!(first, b'<' | b'[' | b'{' | b'$' | b'.' | b'*' | b'_' | b'(') || !first.is_ascii();
    let lettered = matches!(
        first.to_ascii_uppercase(),
        b'T' | b'F' | b'X' | b'P' | b'L' | b'Y' | b'I' | b'S' | b'N' | b'B'
    );
    marked || lettered && text.len() < 64 || memchr::memchr(b'|', text.as_bytes()).is_some()
}

/// Says whether the whole text is a placeholder.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let text = text.trim().trim_matches(['"', '\'', '`']);
    if text.is_empty() || text.len() > PLACEHOLDER_BYTES_MAX || !may_be_placeholder(text) {
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
    let begins = |start: &str| words.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    enclosed('<', '>')
        || enclosed('[', ']')
            && text[1..].starts_with(char::is_alphabetic)
            && (text.contains(' ') || text.len() < 24)
        || text.starts_with("{{") && text.ends_with("}}")
        || text.starts_with("${") && text.ends_with('}')
        || STAND_INS.iter().copied().any(is)
        || ["YYYY-MM-DD", "ISO-8601", "TODO:"].into_iter().any(begins)
        || is_choice_list(text)
        || matches!(text, "string" | "number" | "boolean" | "..." | "…")
}

/// Says whether this is a list of alternatives such as `pass | fail | skip`.
fn is_choice_list(text: &str) -> bool {
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
