//! A key is written twice in one mapping.

use super::show::shown;
use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::span::Span;

pub(crate) const CODE: Code = Code(10);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "duplicate-key",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT010.md"),
    check: Check::Reading,
};

pub(crate) fn diagnostic(key: &str, first: Span, second: Span) -> Diagnostic {
    Diagnostic::new(CODE, second, format!("{} is written twice", shown(key)))
        .label("again here")
        .other(first, "first here")
        .help("keep one; attempts belong into a list")
}
