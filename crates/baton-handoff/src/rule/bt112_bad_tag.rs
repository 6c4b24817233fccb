//! A tag that is not lowercase words joined by hyphens.

use super::rewrite::rewritten;
use super::show::shown;
use super::{Check, Code, Level, Rule, Scalar};
use crate::diagnostic::{Diagnostic, Severity};
use crate::key::{Form, normalise};
use crate::report::Report;

pub(crate) const CODE: Code = Code(112);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "bad-tag",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT112.md"),
    check: Check::Scalar(check),
};

fn check(scalar: &Scalar<'_, '_>, report: &mut Report) {
    let Form::Tag = scalar.form else { return };
    let text = scalar.text;
    let tag = text.as_str();
    if text.is_null() || is_tag(tag) {
        return;
    }
    let message =
        if tag.is_empty() { "this tag is empty".to_owned() } else { format!("{} is not a tag", shown(tag)) };
    let diagnostic = Diagnostic::new(CODE, text.span, message)
        .help("a tag is lowercase words of letters and digits, joined by hyphens");
    let only_letters = tag.chars().all(|mark| mark.is_alphanumeric() || matches!(mark, ' ' | '_' | '-'));
    let better = normalise(tag).replace('_', "-");
    let fix =
        (only_letters && is_tag(&better)).then(|| rewritten(scalar.subject.source, text, &better)).flatten();
    report.push(match fix {
        Some(replacement) => diagnostic.replace(format!("write `{better}`"), replacement),
        None => diagnostic,
    });
}

fn is_tag(tag: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() && !letter.is_uppercase();
    tag.split('-').all(|word| !word.is_empty() && word.chars().all(is_letter))
}
