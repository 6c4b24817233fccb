//! Makes one harmless line of what somebody else wrote: nothing invisible, no secrets, nothing that looks like structure.

use baton_handoff::visible::is_invisible;

/// Longest text of a fragment, in characters.
pub(super) const TEXT_CHARS_MAX: usize = 240;
/// Longest detail of a fragment, in characters.
pub(super) const DETAIL_CHARS_MAX: usize = 160;
/// Longest text of what is never left out, in characters.
pub const RESERVED_CHARS_MAX: usize = 4_000;
/// Longest escape sequence that is taken out as one, in characters.
const ESCAPE_CHARS_MAX: usize = 64;

/// A text after cleaning, and how many characters were taken out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clean {
    pub(super) text: String,
    pub(super) stripped: usize,
}

/// Cleans a text and cuts it to so many characters.
pub(super) fn clean(text: &str, chars_max: usize) -> Clean {
    // Nobody needs more of a text that is cut anyway; what is beyond is not counted as stripped.
    let bound = chars_max.saturating_mul(8).max(4_096);
    let text = match text.char_indices().nth(bound) {
        Some((at, _)) => &text[..at],
        None => text,
    };
    let masked = baton_handoff::secret::mask(text);
    let (visible, stripped) = strip(&masked);
    let line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    Clean { text: escape(&cut(&line, chars_max)), stripped }
}

/// Takes out what a reader would not see: control characters, escapes, comments, characters without a shape.
pub(super) fn strip(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let mut stripped = 0;
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let hidden = match character {
            '\u{1b}' => escape_chars(rest),
            '<' if rest.starts_with("<!--") => comment_chars(rest),
            '\n' | '\t' | '\r' => 0,
            character => usize::from(is_invisible(character)),
        };
        if hidden == 0 {
            out.push(character);
            rest = &rest[character.len_utf8()..];
        } else {
            stripped += hidden;
            rest = rest.char_indices().nth(hidden).map_or("", |(at, _)| &rest[at..]);
            // What stood around it must not grow together.
            out.push_str(if hidden > 1 { " " } else { "" });
        }
    }
    (out, stripped)
}

/// A terminal's escape sequence: from the escape to its final letter.
fn escape_chars(text: &str) -> usize {
    let mut characters = text.chars().skip(1);
    match characters.next() {
        Some('[') => {
            let parameters =
                characters.take(ESCAPE_CHARS_MAX).take_while(|c| !('@'..='~').contains(c)).count();
            (parameters + 3).min(text.chars().take(ESCAPE_CHARS_MAX).count())
        }
        Some(']') => {
            let body =
                characters.take(ESCAPE_CHARS_MAX).take_while(|c| !matches!(c, '\u{7}' | '\u{1b}')).count();
            (body + 2).min(text.chars().take(ESCAPE_CHARS_MAX).count())
        }
        Some(_) | None => 1,
    }
}

/// A comment of HTML; one that is never closed goes on to the end.
fn comment_chars(text: &str) -> usize {
    let end = text.find("-->").map_or(text.len(), |at| at + 3);
    text[..end].chars().count()
}

fn cut(line: &str, chars_max: usize) -> String {
    match line.char_indices().nth(chars_max) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line.to_owned(),
    }
}

/// Takes their meaning from what would be a heading, a list, a quote, a fence, a picture or a mark of a chat.
fn escape(line: &str) -> String {
    let marks = ['#', '>', '-', '+', '*', '=', '|', '<', '[', '~'];
    let opens = line.starts_with(marks) || line.starts_with("```");
    let line = if line.contains("![") { line.replace("![", "!\\[") } else { line.to_owned() };
    let line = if line.contains("<|") { line.replace("<|", "< |") } else { line };
    let line = if line.contains("```") { line.replace("```", "'''") } else { line };
    if opens { format!("\\{line}") } else { line }
}

#[cfg(test)]
mod tests;
