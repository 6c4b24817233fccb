//! A number or a flag is written as something else.

use super::expected::expected;
use super::show::shown;
use super::whole_number::{self, WholeNumber};
use super::{Check, Code, Level, Rule, Scalar};
use crate::diagnostic::{Diagnostic, Severity};
use crate::key::Form;
use crate::record::Text;
use crate::report::Report;
use crate::tree::Style;

pub(crate) const CODE: Code = Code(115);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "not-a-number-or-flag",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT115.md"),
    check: Check::Scalar(check),
};

fn check(scalar: &Scalar<'_, '_>, report: &mut Report) {
    let text = scalar.text;
    let is_right = match scalar.form {
        Form::Count { .. } | Form::Integer => whole_number::written(text) != WholeNumber::Other,
        Form::Flag => text.style == Style::Plain && is_flag(text.as_str()),
        _ => return,
    };
    if is_right || text.is_blank() {
        return;
    }
    let quotes = if text.style == Style::Quoted { " in quotes" } else { "" };
    let expected = expected(scalar.form, scalar.subject.project);
    let message =
        format!("`{}` is {}{quotes}, where {expected} is expected", scalar.key.name, shown(text.as_str()));
    let diagnostic = Diagnostic::new(CODE, text.span, message);
    report.push(match meant(scalar.form, text) {
        Some(value) => diagnostic.replace(format!("write `{value}`"), value),
        None => diagnostic,
    });
}

fn is_flag(text: &str) -> bool {
    matches!(text, "true" | "True" | "TRUE" | "false" | "False" | "FALSE")
}

/// Returns the value that can only be meant: the number inside the quotes, the flag behind `yes`.
fn meant(form: Form, text: &Text<'_>) -> Option<String> {
    let word = text.value.trim().to_ascii_lowercase();
    match (form, word.as_str()) {
        (Form::Flag, "true" | "yes") => Some("true".to_owned()),
        (Form::Flag, "false" | "no") => Some("false".to_owned()),
        (Form::Flag, _) => None,
        (form, digits) => match whole_number::digits(digits) {
            WholeNumber::Value(value) if fits(form, value) => Some(digits.to_owned()),
            WholeNumber::Value(_) | WholeNumber::Huge | WholeNumber::Other => None,
        },
    }
}

fn fits(form: Form, value: i64) -> bool {
    match form {
        Form::Count { max } => (0..=max).contains(&value),
        _ => true,
    }
}
