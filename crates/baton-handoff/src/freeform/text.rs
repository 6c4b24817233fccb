//! The words of an item without the marks around them.

use std::borrow::Cow;

use crate::record::{Confidence, Text};
use crate::span::Span;

use super::label::place;

/// Longest text kept for one fact, in bytes.
const TEXT_BYTES_MAX: usize = 2_000;

/// Returns the text under `span` as a fact: on one line, without emphasis, borrowed where nothing had to go.
pub(super) fn found<'s>(source: &'s str, span: Span, confidence: Confidence) -> Text<'s> {
    let text = span.text(source);
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    Text::found(clean(text), span, confidence)
}

/// Takes emphasis, strike-through and line breaks out of a text.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    let text = unwrap(text.trim());
    if !text.contains("**") && !text.contains("~~") && !text.contains('\n') {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    for line in text.lines() {
        let line = line.trim().trim_start_matches('>').trim_start();
        if !cleaned.is_empty() && !line.is_empty() {
            cleaned.push(' ');
        }
        cleaned.push_str(&line.replace("**", "").replace("~~", ""));
    }
    Cow::Owned(cleaned.trim().to_string())
}

/// Takes away a pair of marks that stands around the whole text.
fn unwrap(text: &str) -> &str {
    let mut text = text;
    for mark in ["**", "`", "_", "*", "\""] {
        if let Some(inner) = text.strip_prefix(mark).and_then(|inner| inner.strip_suffix(mark))
            && !inner.is_empty()
            && !inner.contains(mark)
        {
            text = inner.trim();
        }
    }
    text
}

/// Splits a table row into its cells.
pub(super) fn cells(source: &str, row: Span) -> Vec<Span> {
    let text = row.text(source).trim();
    let text = text.strip_prefix('|').unwrap_or(text);
    let text = text.strip_suffix('|').unwrap_or(text);
    let mut cells = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'`' => in_code = !in_code,
            b'|' if !in_code => {
                cells.push(place(source, text[start..at].trim()));
                start = at + 1;
            }
            _ => {}
        }
    }
    cells.push(place(source, text[start..].trim()));
    cells
}

/// Says whether a table row only separates the header from the rest.
pub(super) fn is_separator(row: &str) -> bool {
    row.contains('-') && row.chars().all(|char| matches!(char, '|' | '-' | ':' | ' ' | '\t' | '>'))
}
