//! A value is written in other words than the dialect's.

use super::rewrite::rewritten;
use super::show::shown;
use super::{Check, Code, Level, Rule, Scalar, choice};
use crate::diagnostic::{Diagnostic, Severity};
use crate::report::Report;

pub(crate) const CODE: Code = Code(104);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "synonym",
    severity: Severity::Warning,
    level: Level::Written,
    page: include_str!("../../../../docs/errors/BT104.md"),
    check: Check::Scalar(check),
};

fn check(scalar: &Scalar<'_, '_>, report: &mut Report) {
    let Some(words) = choice::words_unless_known(scalar) else { return };
    let text = scalar.text;
    let Some(word) = choice::meant(text.as_str(), &words) else { return };
    let message = format!("{} is written for `{word}`", shown(text.as_str()));
    let diagnostic = Diagnostic::new(CODE, text.span, message).label(format!("the dialect says `{word}`"));
    report.push(match rewritten(scalar.subject.source, text, word) {
        Some(replacement) => diagnostic.replace(format!("write `{word}`"), replacement),
        None => diagnostic,
    });
}
