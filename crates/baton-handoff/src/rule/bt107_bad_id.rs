//! An id that cannot be used as one.

use super::show::shown;
use super::{Check, Code, Level, Rule, Scalar};
use crate::diagnostic::{Diagnostic, Severity};
use crate::key::Form;
use crate::limit;
use crate::report::Report;

pub(crate) const CODE: Code = Code(107);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "bad-id",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT107.md"),
    check: Check::Scalar(check),
};

fn check(scalar: &Scalar<'_, '_>, report: &mut Report) {
    let Form::Id = scalar.form else { return };
    let text = scalar.text;
    if text.is_blank() || is_id(text.as_str()) {
        return;
    }
    // A long text under an id may be anything, also something that must not be repeated.
    let message = match text.value.len() > limit::ID_BYTES_MAX {
        true => {
            format!("this id has {} bytes, more than the limit of {}", text.value.len(), limit::ID_BYTES_MAX)
        }
        false => format!("{} is not an id", shown(text.as_str())),
    };
    report.push(Diagnostic::new(CODE, text.span, message).help(format!(
        "an id has 1 to {} letters, digits, `.`, `_` and `-`, and begins with a letter or digit",
        limit::ID_BYTES_MAX
    )));
}

fn is_id(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    text.len() <= limit::ID_BYTES_MAX
        && text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
        && text.bytes().all(inner)
}
