//! Several JSON values stand one after the other.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::span::Span;

pub(crate) const CODE: Code = Code(12);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "concatenated",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT012.md"),
    check: Check::Reading,
};

pub(crate) fn diagnostic(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a second JSON value begins here")
        .help("each is read as a handoff of its own; a JSON file should hold one value")
}
