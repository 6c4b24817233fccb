//! Times as handoffs write them: each stands for all the instants that it can mean.

use baton_handoff::rule::instant::{self, TimeForm};

use crate::finding::Said;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// Offsets reach from twelve hours behind to fourteen hours ahead of UTC.
const BEHIND_MAX: i64 = 12 * HOUR;
const AHEAD_MAX: i64 = 14 * HOUR;

/// How exactly a time was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    Exact,
    WithoutZone,
    DateOnly,
}

/// A time with the seconds between which it must lie.
#[derive(Clone, Debug)]
pub struct Moment {
    pub said: Said,
    pub precision: Precision,
    pub earliest: i64,
    pub latest: i64,
}

impl Moment {
    /// Reads a time; nothing for a text that is none.
    pub fn read(said: Said) -> Option<Self> {
        let text = said.text.trim();
        let seconds = |text: &str| instant::parse(text).map(|at| at.as_second());
        let (precision, earliest, latest) = match instant::form(text) {
            TimeForm::Whole => {
                let at = seconds(text)?;
                (Precision::Exact, at, at)
            }
            TimeForm::WithoutSeconds => {
                let (clock, zone) = text.split_at_checked("0000-00-00T00:00".len())?;
                let at = seconds(&format!("{clock}:00{zone}"))?;
                (Precision::Exact, at, at + 59)
            }
            TimeForm::WithoutZone => {
                let has_seconds = text.len() > "0000-00-00T00:00".len();
                let at = seconds(&format!("{text}{}Z", if has_seconds { "" } else { ":00" }))?;
                (Precision::WithoutZone, at - AHEAD_MAX, at + BEHIND_MAX)
            }
            TimeForm::DateOnly => {
                let at = seconds(&format!("{text}T00:00:00Z"))?;
                (Precision::DateOnly, at - AHEAD_MAX, at + DAY + BEHIND_MAX)
            }
            TimeForm::Other => return None,
        };
        Some(Self { said, precision, earliest, latest })
    }

    /// Says whether this lies before `other`, whatever the offsets.
    pub fn is_before(&self, other: &Self) -> bool {
        self.latest < other.earliest
    }

    pub fn is_exact(&self) -> bool {
        self.precision == Precision::Exact
    }
}

/// Returns a span of time as people say it.
pub fn spoken(seconds: i64) -> String {
    let seconds = seconds.abs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / HOUR),
        _ => format!("{} days", seconds / DAY),
    }
}

/// Reads a duration such as `2h 15m`, `90 min` or `135` in the unit that its key names.
pub fn duration_seconds(text: &str, key: &str) -> Option<i64> {
    let mut total: f64 = 0.0;
    let mut rest = text.trim().trim_start_matches('~').trim();
    if let Ok(number) = rest.parse::<f64>() {
        let unit = ["minutes", "minute", "mins", "min"].iter().any(|unit| key.ends_with(unit));
        let hours = ["hours", "hour", "hrs"].iter().any(|unit| key.ends_with(unit));
        let seconds = ["seconds", "second", "secs", "sec"].iter().any(|unit| key.ends_with(unit));
        let factor = match (unit, hours, seconds) {
            (true, _, _) => 60.0,
            (_, true, _) => 3600.0,
            (_, _, true) => 1.0,
            _ => return None,
        };
        return whole_seconds(number * factor);
    }
    while !rest.is_empty() {
        let digits = rest.find(|character: char| !character.is_ascii_digit() && character != '.')?;
        let (number, after) = rest.split_at(digits);
        let after = after.trim_start();
        let letters = after.find(|character: char| !character.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, remaining) = after.split_at(letters);
        let factor = match unit.to_ascii_lowercase().as_str() {
            "d" | "day" | "days" => 86_400.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * factor;
        rest = remaining.trim_start_matches([' ', ',']);
    }
    whole_seconds(total)
}

fn whole_seconds(seconds: f64) -> Option<i64> {
    let in_reach = seconds.is_finite() && (0.0..1e10).contains(&seconds);
    in_reach.then_some(seconds.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Moment {
        Moment::read(Said::new(text, Default::default())).unwrap_or_else(|| panic!("{text} is a time"))
    }

    #[test]
    fn a_time_without_offset_is_ordered_only_where_no_offset_changes_it() {
        let noon = moment("2026-03-01T12:00:00Z");
        assert!(!moment("2026-03-01T05:00:00").is_before(&noon), "it may be five in Alaska");
        assert!(moment("2026-02-28T23:00:00").is_before(&noon));
        assert!(!moment("2026-03-01").is_before(&noon));
        assert!(moment("2026-02-27").is_before(&noon));
        assert!(moment("2026-03-01T12:30+01:00").is_before(&noon));
    }

    #[test]
    fn durations_are_read_in_words_and_by_the_unit_of_their_key() {
        assert_eq!(duration_seconds("2h 15m", "duration"), Some(8100));
        assert_eq!(duration_seconds("~90 min", "duration"), Some(5400));
        assert_eq!(duration_seconds("1 hour, 30 minutes", "time_spent"), Some(5400));
        assert_eq!(duration_seconds("135", "duration_minutes"), Some(8100));
        assert_eq!(duration_seconds("135", "duration"), None);
        assert_eq!(duration_seconds("a while", "duration"), None);
    }
}
