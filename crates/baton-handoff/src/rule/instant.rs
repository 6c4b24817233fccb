//! Times as RFC 3339 writes them.

use jiff::Timestamp;

use crate::field::Field;
use crate::record::Record;

/// How far a text has the form of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeForm {
    Whole,
    DateOnly,
    WithoutZone,
    WithoutSeconds,
    Other,
}

/// Returns the instant that a text names, if it is an RFC 3339 time.
pub fn parse(text: &str) -> Option<Timestamp> {
    match form(text) {
        TimeForm::Whole => text.parse().ok(),
        TimeForm::DateOnly | TimeForm::WithoutZone | TimeForm::WithoutSeconds | TimeForm::Other => None,
    }
}

pub fn of(record: &Record<'_>, field: Field) -> Option<Timestamp> {
    parse(record.str(field)?)
}

/// Compares the text with `YYYY-MM-DDThh:mm:ss.fZ`, digit by digit.
pub fn form(text: &str) -> TimeForm {
    let Some(rest) = strip_shape(text, "0000-00-00") else { return TimeForm::Other };
    if rest.is_empty() {
        return TimeForm::DateOnly;
    }
    let Some(rest) = rest.strip_prefix(['T', 't', ' ']).and_then(|rest| strip_shape(rest, "00:00")) else {
        return TimeForm::Other;
    };
    let seconds = strip_shape(rest, ":00");
    let rest = seconds.unwrap_or(rest);
    let rest = match rest.strip_prefix('.').filter(|_| seconds.is_some()) {
        Some(fraction) => fraction.trim_start_matches(|digit: char| digit.is_ascii_digit()),
        None => rest,
    };
    let is_zone = matches!(rest, "Z" | "z")
        || rest
            .strip_prefix(['+', '-'])
            .and_then(|offset| strip_shape(offset, "00:00"))
            .is_some_and(str::is_empty);
    match (rest.is_empty(), is_zone, seconds) {
        (true, _, _) => TimeForm::WithoutZone,
        (_, true, Some(_)) => TimeForm::Whole,
        (_, true, None) => TimeForm::WithoutSeconds,
        (false, false, _) => TimeForm::Other,
    }
}

/// Takes a shape off the front of a text: `0` stands for any digit, other characters for themselves.
fn strip_shape<'t>(text: &'t str, shape: &str) -> Option<&'t str> {
    let (front, rest) = text.split_at_checked(shape.len())?;
    let fits = front.bytes().zip(shape.bytes()).all(|(byte, wanted)| match wanted {
        b'0' => byte.is_ascii_digit(),
        _ => byte == wanted,
    });
    fits.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn only_whole_times_are_instants() {
        let good = [
            "2026-03-01T09:30:00Z",
            "2026-03-01t09:30:00.123z",
            "2026-03-01 09:30:00+05:30",
            "2026-06-30T23:59:60Z",
        ];
        for text in good {
            assert!(parse(text).is_some(), "{text}");
        }
        let bad = [
            "20260301T093000Z",
            "2026-03-01T09Z",
            "2026-13-01T09:30:00Z",
            "2026-03-01T09:30:00+0100",
            "1e3",
            "",
        ];
        for text in bad {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
