//! Values inside messages: short, on one line, and never able to paint a terminal.

use super::invisible;

/// Most characters of a value that a message repeats.
const SHOWN_CHARS_MAX: usize = 60;

/// Returns a value in backticks, cut and escaped.
pub(crate) fn shown(value: &str) -> String {
    let mut out = String::from("`");
    for (count, character) in value.chars().enumerate() {
        if count == SHOWN_CHARS_MAX {
            out.push('…');
            break;
        }
        match character.is_control() || invisible::name(character).is_some() {
            true => out.extend(character.escape_unicode()),
            false => out.push(character),
        }
    }
    out.push('`');
    out
}

/// Returns words as "`a`, `b` or `c`".
pub(super) fn one_of(words: &[&str]) -> String {
    let Some((last, rest)) = words.split_last() else { return "nothing".to_owned() };
    let rest: Vec<_> = rest.iter().map(|word| format!("`{word}`")).collect();
    match rest.is_empty() {
        true => format!("`{last}`"),
        false => format!("{} or `{last}`", rest.join(", ")),
    }
}

/// Returns words as "`a`, `b` and `c`".
pub(super) fn all_of(words: &[&str]) -> String {
    one_of(words).replace("` or `", "` and `")
}
