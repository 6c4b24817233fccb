//! A block goes beyond one of the bounds.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::span::Span;

pub(crate) const CODE: Code = Code(5);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "limit",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT005.md"),
    check: Check::Reading,
};

/// Reports that a block has more than `max` of something.
pub(crate) fn diagnostic(span: Span, what: &str, max: usize) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("more than {max} {what}")).label(format!("the limit is {max}"))
}
