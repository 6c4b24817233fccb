//! The JSON cannot be parsed.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::span::Span;

pub(crate) const CODE: Code = Code(11);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "json-syntax",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT011.md"),
    check: Check::Reading,
};

pub(crate) fn diagnostic(span: Span, message: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("this JSON cannot be read: {message}"))
}
