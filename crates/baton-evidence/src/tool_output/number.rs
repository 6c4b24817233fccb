//! Numbers and lists of numbers in the summaries of tools.

/// Parts of a list that are read; no tool has as many.
const PARTS_MAX: usize = 16;

/// Reads a number at the beginning, and returns what follows.
pub(super) fn leading(text: &str) -> Option<(u64, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text.get(..end)?.parse().ok()?, text.get(end..)?))
}

/// Reads `3 passed<separator>1 failed`; nothing if a part is anything else.
pub(super) fn list<'t>(text: &'t str, separator: &str) -> Option<Vec<(u64, &'t str)>> {
    let mut parts = Vec::new();
    for part in text.split(separator) {
        let (number, word) = leading(part.trim())?;
        let word = word.strip_prefix(' ')?.trim_start();
        if word.is_empty() || parts.len() == PARTS_MAX {
            return None;
        }
        parts.push((number, word));
    }
    Some(parts)
}

/// Reads `Passed: 3<separator>Failed: 1`; nothing if a part is anything else.
pub(super) fn labelled<'t>(text: &'t str, separator: &str) -> Option<Vec<(&'t str, u64)>> {
    let mut parts = Vec::new();
    for part in text.split(separator) {
        let (label, value) = part.split_once([':', '='])?;
        let (number, rest) = leading(value.trim())?;
        if !rest.is_empty() || parts.len() == PARTS_MAX {
            return None;
        }
        parts.push((label.trim(), number));
    }
    Some(parts)
}

/// Sums what has one of these words.
pub(super) fn sum(parts: &[(u64, &str)], words: &[&str]) -> u64 {
    let chosen = parts.iter().filter(|(_, word)| words.contains(word));
    chosen.fold(0, |sum, (number, _)| number.saturating_add(sum))
}

/// Sums what has one of these labels.
pub(super) fn sum_labelled(parts: &[(&str, u64)], labels: &[&str]) -> u64 {
    let chosen = parts.iter().filter(|(label, _)| labels.contains(label));
    chosen.fold(0, |sum, (_, number)| number.saturating_add(sum))
}

/// Says whether a text is a length of time, such as `0.12s`, `5ms`, `1m 3s`, `2.5 s`, `0.25s (0:00:01)`.
pub(super) fn is_duration(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.chars().all(|part| part.is_ascii_digit() || " .:()hmsindecou,".contains(part))
}
