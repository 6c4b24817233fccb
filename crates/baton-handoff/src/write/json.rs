//! Trees as JSON.

use crate::tree::{Kind, Node, Style};

/// Writes a tree as indented JSON with a line ending.
pub(crate) fn pretty(node: &Node<'_>) -> String {
    let mut out = String::new();
    value(&mut out, node, 0);
    out.push('\n');
    out
}

fn value(out: &mut String, node: &Node<'_>, indent: usize) {
    match &node.kind {
        Kind::Scalar { text, style } => out.push_str(&scalar(text, *style)),
        Kind::List(items) if items.is_empty() => out.push_str("[]"),
        Kind::Map(pairs) if pairs.is_empty() => out.push_str("{}"),
        Kind::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                line(out, at, indent + 2);
                value(out, item, indent + 2);
            }
            close(out, indent, ']');
        }
        Kind::Map(pairs) => {
            out.push('{');
            for (at, pair) in pairs.iter().enumerate() {
                line(out, at, indent + 2);
                out.push_str(&quote(&pair.key));
                out.push_str(": ");
                value(out, &pair.value, indent + 2);
            }
            close(out, indent, '}');
        }
    }
}

fn line(out: &mut String, at: usize, indent: usize) {
    out.push_str(if at == 0 { "\n" } else { ",\n" });
    out.extend(std::iter::repeat_n(' ', indent));
}

fn close(out: &mut String, indent: usize, bracket: char) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
    out.push(bracket);
}

fn scalar(text: &str, style: Style) -> String {
    match style {
        Style::Plain if matches!(text, "" | "~" | "null" | "Null" | "NULL") => "null".to_owned(),
        Style::Plain
            if matches!(text, "true" | "false")
                || serde_json::from_str::<serde_json::Number>(text).is_ok() =>
        {
            text.to_owned()
        }
        Style::Plain | Style::Quoted | Style::Block => quote(text),
    }
}

/// Writes text as a JSON string.
pub(crate) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
