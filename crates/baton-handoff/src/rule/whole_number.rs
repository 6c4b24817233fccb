//! Whole numbers as a dialect wants them: decimal digits without quotes, zeros before them or signs but `-`.

use crate::record::Text;
use crate::tree::Style;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WholeNumber {
    Value(i64),
    /// A whole number of more digits than anything counts.
    Huge,
    Other,
}

/// Reads a number as it is written.
pub(super) fn written(text: &Text<'_>) -> WholeNumber {
    match text.style {
        Style::Plain => digits(text.as_str()),
        Style::Quoted | Style::Block => WholeNumber::Other,
    }
}

pub(super) fn digits(text: &str) -> WholeNumber {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_plain || digits.len() > 1 && digits.starts_with('0') {
        return WholeNumber::Other;
    }
    text.parse().map_or(WholeNumber::Huge, WholeNumber::Value)
}

/// Reads the number that is meant, however it is written.
pub(super) fn meant(text: &Text<'_>) -> Option<i64> {
    text.as_str().trim().parse().ok()
}
