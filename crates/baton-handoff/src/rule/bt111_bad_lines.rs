//! A range of lines that is none.

use super::rewrite::rewritten;
use super::show::shown;
use super::{Check, Code, Level, Rule, Scalar};
use crate::diagnostic::{Diagnostic, Severity};
use crate::key::Form;
use crate::report::Report;

pub(crate) const CODE: Code = Code(111);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "bad-lines",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT111.md"),
    check: Check::Scalar(check),
};

fn check(scalar: &Scalar<'_, '_>, report: &mut Report) {
    let Form::Lines = scalar.form else { return };
    let text = scalar.text;
    let lines = text.as_str();
    if text.is_blank()
        || lines == "all"
        || range(lines).is_some_and(|(first, last)| first >= 1 && first <= last)
    {
        return;
    }
    let why = match range(lines) {
        Some((0, _)) => "lines are counted from 1",
        Some(_) => "the first line comes after the last",
        None => "`N-M` or `all` is expected",
    };
    let diagnostic =
        Diagnostic::new(CODE, text.span, format!("{} is no range of lines: {why}", shown(lines)));
    let fix = meant(lines).and_then(|meant| Some((rewritten(scalar.subject.source, text, &meant)?, meant)));
    report.push(match fix {
        Some((replacement, meant)) => diagnostic.replace(format!("write `{meant}`"), replacement),
        None => diagnostic.help("name one range that holds all the lines, or write `all`"),
    });
}

fn range(lines: &str) -> Option<(u32, u32)> {
    let (first, last) = lines.split_once('-')?;
    let number =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    Some((number(first)?, number(last)?))
}

/// Reads the other ways in which people write one range: `12`, `L3-L9`, `3 – 9`, `All`.
fn meant(lines: &str) -> Option<String> {
    let lines = lines.trim().to_lowercase();
    if lines == "all" {
        return Some(lines);
    }
    let plain: String =
        lines.replace(['–', '—'], "-").chars().filter(|mark| !matches!(mark, ' ' | 'l')).collect();
    let plain = if plain.contains('-') { plain } else { format!("{plain}-{plain}") };
    let (first, last) = range(&plain)?;
    (first >= 1 && first <= last).then(|| format!("{first}-{last}"))
}
