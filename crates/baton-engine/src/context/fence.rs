//! The marks around what others wrote. They are made from the content, so that no content can hold its own end.

use super::clean::strip;

/// Digits of a mark.
const MARK_DIGITS: usize = 8;
/// How often another mark is tried. That a text holds even one of them is a matter of billions.
const MARKS_MAX: usize = 64;

/// Puts a whole text that somebody else wrote between two marks: without secrets and without anything invisible, cut to so
/// many characters.
pub fn fenced(text: &str, chars_max: usize) -> String {
    let masked = baton_handoff::secret::mask(text);
    let (visible, stripped) = strip(&masked);
    let (body, more) = match visible.char_indices().nth(chars_max) {
        Some((at, _)) => (&visible[..at], visible[at..].chars().count()),
        None => (visible.as_str(), 0),
    };
    let body = body.trim_end();
    let mark = mark(body);
    let mut out = format!("<data {mark}>\n{body}\n</data {mark}>");
    for (count, words) in
        [(more, "characters are left out"), (stripped, "invisible characters were taken out")]
    {
        if count > 0 {
            out.push_str(&format!("\n{count} {words}."));
        }
    }
    out
}

/// Returns a mark that does not occur in the body.
pub(super) fn mark(body: &str) -> String {
    let marks = (0..MARKS_MAX).map(|round| super::hash(&format!("{round} {body}")));
    let mut short = marks.map(|hash| hash.chars().take(MARK_DIGITS).collect::<String>());
    short.find(|mark| !body.contains(mark.as_str())).unwrap_or_else(|| super::hash(body))
}
