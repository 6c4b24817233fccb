//! The YAML cannot be parsed, not even after repair.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::span::Span;

pub(crate) const CODE: Code = Code(6);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "yaml-syntax",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT006.md"),
    check: Check::Reading,
};

pub(crate) fn diagnostic(span: Span, message: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("this YAML cannot be read: {message}"))
        .help("put values that hold `: `, `#`, `@`, brackets or quotes in double quotes, or write JSON")
}
