//! The marks around what others wrote. They are made from the content, so that no content can hold its own end.

/// Digits of a mark.
const MARK_DIGITS: usize = 8;
/// How often another mark is tried. That a text holds even one of them is a matter of billions.
const MARKS_MAX: usize = 64;

/// Most lines of a text that go between marks, and most characters of each.
const LINES_MAX: usize = 200;
const LINE_CHARS_MAX: usize = 600;

/// Puts what others wrote between two marks: what nobody would see is taken out, and every line stays a line.
pub fn fenced(text: &str) -> String {
    let lines = text.lines().take(LINES_MAX).map(|line| super::clean::clean(line, LINE_CHARS_MAX).text);
    let body = lines.collect::<Vec<_>>().join("\n");
    let mark = mark(&body);
    format!("<data {mark}>\n{body}\n</data {mark}>\n")
}

/// Returns a mark that does not occur in the body.
pub(super) fn mark(body: &str) -> String {
    let marks = (0..MARKS_MAX).map(|round| super::hash(&format!("{round} {body}")));
    let mut short = marks.map(|hash| hash.chars().take(MARK_DIGITS).collect::<String>());
    short.find(|mark| !body.contains(mark.as_str())).unwrap_or_else(|| super::hash(body))
}
