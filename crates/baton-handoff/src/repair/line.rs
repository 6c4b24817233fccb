//! The ways one line of YAML can be put in quotes.

use super::Repair;
use crate::markdown;
use crate::span::Span;

/// A line taken apart: what comes before the value, and the value.
struct Parts {
    /// The offset of the value in the text.
    value_start: usize,
    value_end: usize,
    /// The offset after the list markers, where a key would begin.
    item_start: usize,
    is_item: bool,
    /// Where the key or the text of the item begins in the line.
    column: usize,
}

/// Returns the repairs worth trying on the line that begins at `start`, the likeliest first.
pub(super) fn candidates(text: &str, start: usize) -> Vec<Repair> {
    let Some((line, next)) = markdown::lines(text, start).next() else { return Vec::new() };
    let content = line.text(text).trim_end();
    let trimmed = content.trim_start();
    if trimmed.is_empty() || trimmed.starts_with('#') {
        return Vec::new();
    }
    let parts = take_apart(content, start);
    let value = &text[parts.value_start..parts.value_end];
    let mut found = Vec::new();
    if value.starts_with('[') && value.ends_with(']') {
        let quoted = quote_items(&value[1..value.len() - 1]);
        found.push(repair(
            parts.value_start,
            parts.value_end,
            format!("[{quoted}]"),
            "marks inside a `[…]` list",
        ));
    }
    let is_sentence = parts.is_item && text[parts.item_start..parts.value_start].trim().contains(' ');
    let mut whole_lines = Vec::new();
    if !value.is_empty() && !matches!(value.as_bytes()[0], b'|' | b'>') {
        whole_lines.push(whole(text, parts.value_start, parts.value_end, cause_of(value)));
    }
    if parts.is_item && parts.item_start < parts.value_start {
        whole_lines.push(whole(
            text,
            parts.item_start,
            parts.value_end,
            "a sentence with `: ` in a list item",
        ));
    }
    // A value goes on where its key stands further left; an item goes on where its text began.
    let has_key = parts.item_start < parts.value_start;
    if let Some(end) = continuation_end(text, next, parts.column + 1).filter(|_| has_key && !value.is_empty())
    {
        whole_lines.push(whole(text, parts.value_start, end, "a value over several lines that holds `: `"));
    }
    if let Some(end) = continuation_end(text, next, parts.column).filter(|_| parts.is_item) {
        whole_lines.push(whole(
            text,
            parts.item_start,
            end,
            "a list item over several lines that holds `: `",
        ));
    }
    // An item whose "key" has several words is a sentence: it stays in one piece.
    if is_sentence {
        whole_lines.sort_by_key(|repair| repair.span.start);
    }
    found.extend(whole_lines);
    found
}

fn repair(start: usize, end: usize, replacement: String, cause: &'static str) -> Repair {
    Repair { span: Span::new(start, end), replacement, cause }
}

fn whole(text: &str, start: usize, end: usize, cause: &'static str) -> Repair {
    repair(start, end, quote(&text[start..end]), cause)
}

/// Quotes a value so that it reads as the text that was written.
fn quote(value: &str) -> String {
    // A value in double quotes that YAML refused holds a bad escape: its inside is what was meant.
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let plain = match inner {
        Some(inner) if !inner.replace("\\\"", "").contains('"') => inner.replace("\\\"", "\""),
        _ => value.to_owned(),
    };
    format!("'{}'", plain.replace('\'', "''"))
}

/// Quotes each item of a flow list that is not plainly safe.
fn quote_items(inside: &str) -> String {
    let mut out = Vec::new();
    for item in split_items(inside) {
        let item = item.trim();
        out.push(if is_safe_item(item) { item.to_owned() } else { quote(item) });
    }
    out.join(", ")
}

/// Splits at the commas that stand outside of brackets and quotes.
fn split_items(inside: &str) -> Vec<&str> {
    let (mut items, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_i32, None);
    for (at, character) in inside.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if inside[start..at].trim().is_empty() => quote = Some(character),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => depth -= 1,
            (None, ',') if depth <= 0 => {
                items.push(&inside[start..at]);
                start = at + 1;
            }
            (None, _) => {}
        }
    }
    items.push(&inside[start..]);
    items.retain(|item| !item.trim().is_empty());
    items
}

fn is_safe_item(item: &str) -> bool {
    let quoted = |mark: char| item.len() > 1 && item.starts_with(mark) && item.ends_with(mark);
    if quoted('"') || quoted('\'') {
        return true;
    }
    item.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_' | b'.' | b'/'))
        && item.starts_with(|first: char| first.is_ascii_alphanumeric())
}

fn cause_of(value: &str) -> &'static str {
    match value.as_bytes()[0] {
        b'@' => "a value that begins with `@`",
        b'`' => "a value that begins with a backtick",
        b'"' | b'\'' => "text after a closing quote, or a bad escape",
        b'[' if value.starts_with("[ ]") || value.starts_with("[x]") => "a checkbox",
        b'[' | b'{' => "text after a closing bracket",
        b'%' | b'&' | b'*' | b'!' => "a value that begins with a mark of YAML",
        _ if value.contains(": ") || value.ends_with(':') => "a second `: ` in one line",
        _ => "marks that mean something to YAML",
    }
}

fn take_apart(content: &str, start: usize) -> Parts {
    let indent = content.len() - content.trim_start().len();
    let mut at = indent;
    let mut is_item = false;
    while content[at..].starts_with("- ") {
        is_item = true;
        at += 2 + content[at + 2..].len() - content[at + 2..].trim_start().len();
    }
    let item_start = at;
    let value = key_len(&content[at..]).map_or(at, |len| at + len);
    Parts {
        value_start: start + value,
        value_end: start + content.len(),
        item_start: start + item_start,
        is_item,
        column: item_start,
    }
}

/// Returns the length of `key: ` at the start, with the blanks after it.
fn key_len(text: &str) -> Option<usize> {
    if text.starts_with(['"', '\'', '`', '[', '{', '@']) {
        return None;
    }
    let colon = text.find(": ").or_else(|| text.ends_with(':').then(|| text.len() - 1))?;
    let after = &text[colon + 1..];
    Some(colon + 1 + (after.len() - after.trim_start().len()))
}

/// Returns the end of the lines that go on with the value: indented deeper, and neither item nor key.
fn continuation_end(text: &str, next: usize, column: usize) -> Option<usize> {
    let mut end = None;
    for (line, _) in markdown::lines(text, next) {
        let content = line.text(text).trim_end();
        let trimmed = content.trim_start();
        let deeper = content.len() - trimmed.len() >= column.max(1);
        if trimmed.is_empty() || !deeper || trimmed.starts_with("- ") || trimmed.starts_with('#') {
            break;
        }
        end = Some(line.start as usize + content.len());
    }
    end
}
