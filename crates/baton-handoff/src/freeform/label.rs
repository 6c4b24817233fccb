//! Labels and list markers on single lines, in every form people write them.

use crate::span::Span;

/// Longest key of a `Key: value` line, in characters.
const KEY_CHARS_MAX: usize = 48;

/// What stands before the name of a part where headings are not used.
const SECTION_MARKS: [char; 10] = ['■', '□', '◆', '◇', '▼', '▽', '▶', '●', '◎', '★'];

/// A list item's marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bullet {
    pub indent: usize,
    /// `[ ]` or `[x]`.
    pub checked: Option<bool>,
    /// What stands after the markers.
    pub text: Span,
}

/// A name with what follows it on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub name: Span,
    pub value: Span,
    /// Whether the name is set off by more than its colon.
    pub marked: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Open(Span),
    Close,
}

/// Returns the line without block quote marks, and its indentation.
pub(super) fn unquote(source: &str, line: Span) -> (Span, usize) {
    let mut text = line.text(source);
    let mut indent = indentation(text);
    text = text.trim_start();
    while let Some(inner) = text.strip_prefix('>') {
        indent = indentation(inner.strip_prefix(' ').unwrap_or(inner));
        text = inner.trim_start();
    }
    (place(source, text), indent)
}

pub(super) fn bullet(source: &str, text: Span, indent: usize) -> Option<Bullet> {
    let line = text.text(source);
    let rest = after_marker(line)?;
    let (checked, rest) = match rest.get(..3) {
        Some("[ ]") => (Some(false), rest[3..].trim_start()),
        Some("[x]" | "[X]") => (Some(true), rest[3..].trim_start()),
        _ => (None, rest),
    };
    Some(Bullet { indent, checked, text: place(source, rest) })
}

/// Reads `【name】 value`, `■ name`, `**name:** value`, `**name**: value`, `**name: value**` and `name: value`.
pub(super) fn label(source: &str, text: Span) -> Option<Label> {
    let line = text.text(source);
    if let Some(inner) = line.strip_prefix('【') {
        let (name, value) = inner.split_once('】')?;
        return Some(Label { name: place(source, name), value: place(source, value.trim()), marked: true });
    }
    if let Some(name) = line.strip_prefix(SECTION_MARKS) {
        let (name, value) = key_value(name.trim_start()).unwrap_or((name.trim(), ""));
        let short = short(name);
        return short.then(|| Label { name: place(source, name), value: place(source, value), marked: true });
    }
    for marks in ["**", "__"] {
        if let Some(inner) = line.strip_prefix(marks) {
            let (name, after) = inner.split_once(marks)?;
            let bare = name.trim_end();
            let closed = bare.strip_suffix([':', '：']);
            let value = after.trim_start();
            // The whole answer is often set in bold with its key; a remark may follow.
            if closed.is_none()
                && let Some((name, answer)) = key_value(bare).filter(|(_, answer)| !answer.is_empty())
            {
                return Some(Label { name: place(source, name), value: place(source, answer), marked: true });
            }
            let value = match (closed, value.strip_prefix([':', '：'])) {
                (None, None) if !value.is_empty() => return None,
                (_, Some(value)) => value,
                (Some(_), None) | (None, None) => value,
            };
            let name = closed.unwrap_or(bare);
            return short(name).then(|| Label {
                name: place(source, name),
                value: place(source, value.trim()),
                marked: true,
            });
        }
    }
    // Footers are often set in italics as a whole.
    let line = ["*", "_"]
        .iter()
        .find_map(|mark| line.strip_prefix(mark)?.trim_end().strip_suffix(mark))
        .unwrap_or(line);
    let (name, value) = key_value(line)?;
    Some(Label { name: place(source, name), value: place(source, value), marked: false })
}

/// Reads a line that is nothing but an opening or closing tag.
pub(super) fn tag(source: &str, text: Span) -> Option<Tag> {
    let inner = text.text(source).trim_end().strip_prefix('<')?.strip_suffix('>')?;
    let (name, closing) = inner.strip_prefix('/').map_or((inner, false), |name| (name, true));
    let plain = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
    if name.is_empty() || name.len() > KEY_CHARS_MAX || !name.chars().all(plain) {
        return None;
    }
    Some(if closing { Tag::Close } else { Tag::Open(place(source, name)) })
}

/// Says whether a line is only a rule or the underline of a heading.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3
        && ["=", "-", "_", "*", "~"]
            .iter()
            .any(|mark| line.trim_matches(|char| mark.contains(char)).is_empty())
}

/// Splits a line at its first colon when what stands before it can be a key.
pub(super) fn key_value(line: &str) -> Option<(&str, &str)> {
    let limit = line.floor_char_boundary(4 * KEY_CHARS_MAX);
    let colon = line[..limit].find([':', '：'])?;
    let (name, rest) = line.split_at(colon);
    let value = rest.strip_prefix([':', '：'])?;
    // "10:30", "https://", "std::fmt" are no keys.
    if rest.starts_with(':') && !(value.is_empty() || value.starts_with([' ', '\t', '*', '`'])) {
        return None;
    }
    let begins = name.starts_with(|char: char| char.is_alphabetic() || !char.is_ascii());
    (begins && short(name)).then(|| (name.trim(), value.trim()))
}

fn short(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().nth(KEY_CHARS_MAX).is_none() && !name.contains(['.', '|', '='])
}

fn after_marker(line: &str) -> Option<&str> {
    for mark in ["- ", "* ", "+ ", "• ", "· ", "– ", "-\t", "・"] {
        if let Some(rest) = line.strip_prefix(mark) {
            return Some(rest.trim_start());
        }
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=3).contains(&digits) {
        return None;
    }
    let rest = &line[digits..];
    let rest = rest.strip_prefix([')', '.', '、'])?;
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

fn indentation(text: &str) -> usize {
    text.chars()
        .map_while(|char| match char {
            ' ' => Some(1),
            '\t' => Some(4),
            _ => None,
        })
        .sum()
}

/// Returns the place of `part`, which is a slice of `source`.
pub(super) fn place(source: &str, part: &str) -> Span {
    let start = part.as_ptr().addr().saturating_sub(source.as_ptr().addr()).min(source.len());
    Span::new(start, start + part.len())
}
