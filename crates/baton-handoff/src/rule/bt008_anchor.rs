//! Anchors, aliases and merge keys make a document say other things than it shows.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::span::Span;

pub(crate) const CODE: Code = Code(8);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "anchor",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT008.md"),
    check: Check::Reading,
};

pub(crate) fn diagnostic(span: Span, what: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("{what} is not allowed in a handoff (the limit is 0)"))
        .help("write the value out where it is needed")
}
