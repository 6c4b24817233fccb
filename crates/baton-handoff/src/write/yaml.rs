//! Trees as YAML that every parser reads the same way: text in double quotes unless it is plainly safe.

use std::fmt::Write;

use crate::tree::{Kind, Node, Pair, Style};

/// Writes a mapping as a YAML block.
pub(crate) fn block(node: &Node<'_>) -> String {
    let mut out = String::new();
    match &node.kind {
        Kind::Map(pairs) if !pairs.is_empty() => map(&mut out, pairs, 0),
        Kind::List(items) if !items.is_empty() => list(&mut out, items, 0),
        Kind::Map(_) | Kind::List(_) | Kind::Scalar { .. } => {
            out.push_str(&inline(node));
            out.push('\n');
        }
    }
    out
}

fn map(out: &mut String, pairs: &[Pair<'_>], indent: usize) {
    for (at, pair) in pairs.iter().enumerate() {
        // The first key of an item stands after its dash.
        if at > 0 || !out.ends_with("- ") {
            push_indent(out, indent);
        }
        match is_plain_safe(&pair.key) {
            true => out.push_str(&pair.key),
            false => out.push_str(&quote(&pair.key)),
        }
        out.push(':');
        value(out, &pair.value, indent);
    }
}

fn list(out: &mut String, items: &[Node<'_>], indent: usize) {
    for item in items {
        push_indent(out, indent);
        out.push_str("- ");
        match &item.kind {
            Kind::Map(pairs) if !pairs.is_empty() => map(out, pairs, indent + 2),
            Kind::List(inner) if !inner.is_empty() => {
                out.truncate(out.len() - 1);
                out.push('\n');
                list(out, inner, indent + 2);
            }
            Kind::Map(_) | Kind::List(_) | Kind::Scalar { .. } => {
                out.push_str(&inline(item));
                out.push('\n');
            }
        }
    }
}

fn value(out: &mut String, node: &Node<'_>, indent: usize) {
    match &node.kind {
        Kind::Map(pairs) if !pairs.is_empty() => {
            out.push('\n');
            map(out, pairs, indent + 2);
        }
        Kind::List(items) if !items.is_empty() => {
            out.push('\n');
            list(out, items, indent + 2);
        }
        Kind::Map(_) | Kind::List(_) | Kind::Scalar { .. } => {
            out.push(' ');
            out.push_str(&inline(node));
            out.push('\n');
        }
    }
}

fn inline(node: &Node<'_>) -> String {
    match &node.kind {
        Kind::Map(_) => "{}".to_owned(),
        Kind::List(_) => "[]".to_owned(),
        Kind::Scalar { text, style } => scalar(text, *style),
    }
}

/// Writes a scalar so that it reads back as the same text.
pub(crate) fn scalar(text: &str, style: Style) -> String {
    match style {
        Style::Plain if text.is_empty() => "null".to_owned(),
        Style::Plain if text == "~" || is_plain_safe(text) => text.to_owned(),
        Style::Plain | Style::Quoted | Style::Block => quote(text),
    }
}

fn push_indent(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

/// Says whether text without quotes is this text and nothing else, also to parsers that guess types by themselves.
fn is_plain_safe(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphanumeric() || first == b'_')
        && bytes.all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b':')
        })
        && !text.ends_with(':')
}

/// Writes text in double quotes.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(out, "\\u{:04X}", u32::from(character));
            }
            character if character.is_control() => {
                let _ = write!(out, "\\x{:02X}", u32::from(character));
            }
            character => out.push(character),
        }
    }
    out.push('"');
    out
}
