//! Replacements for one scalar that stay right in YAML and in JSON.

use crate::record::Text;
use crate::tree::Style;
use crate::write::yaml;

/// Returns how to write `value` in the place of `text`; nothing for a block of text, which is no place for one word.
pub(super) fn rewritten(source: &str, text: &Text<'_>, value: &str) -> Option<String> {
    let written = text.span.text(source);
    match written.as_bytes().first()? {
        b'|' | b'>' if text.style == Style::Block => None,
        b'\'' if !value.contains('\'') => Some(format!("'{value}'")),
        b'"' | b'\'' => Some(yaml::quote(value)),
        // What JSON writes without quotes may stand in JSON.
        _ if is_literal(written) && !is_literal(value) => Some(yaml::quote(value)),
        _ => Some(yaml::scalar(value, Style::Plain)),
    }
}

fn is_literal(text: &str) -> bool {
    matches!(text, "true" | "false" | "null") || text.parse::<f64>().is_ok()
}
