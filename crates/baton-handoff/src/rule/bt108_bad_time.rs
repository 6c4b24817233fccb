//! A time that names no instant.

use super::instant::{self, TimeForm};
use super::rewrite::rewritten;
use super::show::shown;
use super::{Check, Code, Level, Rule, Scalar};
use crate::diagnostic::{Diagnostic, Severity};
use crate::key::{Form, Need};
use crate::outcome;
use crate::report::Report;

pub(crate) const CODE: Code = Code(108);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "bad-time",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT108.md"),
    check: Check::Scalar(check),
};

fn check(scalar: &Scalar<'_, '_>, report: &mut Report) {
    let Form::Time = scalar.form else { return };
    let text = scalar.text;
    if text.is_blank() || instant::parse(text.as_str()).is_some() {
        return;
    }
    let (key, value) = (scalar.key.name, shown(text.as_str()));
    if scalar.key.need != Need::Required && outcome::is_none_word(text.as_str()) {
        let message = format!("`{key}` is {value}: no time is written `null`");
        report.push(Diagnostic::new(CODE, text.span, message).replace("write `null`", "null"));
        return;
    }
    let form = instant::form(text.as_str());
    let (message, help) = match form {
        TimeForm::DateOnly => {
            (format!("`{key}` is a date without a time of day"), "add the time and its zone")
        }
        TimeForm::WithoutZone => {
            (format!("`{key}` has no time zone"), "add `Z` for UTC, or the offset such as `+02:00`")
        }
        TimeForm::WithoutSeconds => (format!("`{key}` has no seconds"), "RFC 3339 wants `hh:mm:ss`"),
        TimeForm::Whole => {
            (format!("{value} is a time that does not exist"), "look at the month, the day and the hour")
        }
        TimeForm::Other => {
            (format!("{value} is not an RFC 3339 time"), "write it like `2026-03-01T09:30:00Z`")
        }
    };
    let diagnostic = Diagnostic::new(CODE, text.span, message).help(help);
    let with_seconds = (form == TimeForm::WithoutSeconds).then(|| with_seconds(text.as_str()));
    let fix = with_seconds.filter(|time| instant::parse(time).is_some());
    report.push(match fix.and_then(|time| rewritten(scalar.subject.source, text, &time)) {
        Some(replacement) => diagnostic.replace("add the seconds", replacement),
        None => diagnostic,
    });
}

/// Adds seconds to `YYYY-MM-DDThh:mm` with a zone.
fn with_seconds(time: &str) -> String {
    let (minutes, zone) = time.split_at("0000-00-00T00:00".len());
    format!("{minutes}:00{zone}")
}
