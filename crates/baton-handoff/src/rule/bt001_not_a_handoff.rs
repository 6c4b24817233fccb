//! The document says nothing that a handoff says.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::handoff::Refusal;
use crate::span::Span;

pub(crate) const CODE: Code = Code(1);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "not-a-handoff",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT001.md"),
    check: Check::Reading,
};

/// Reports why a document was not taken for a handoff.
pub(crate) fn diagnostic(refusal: &Refusal) -> Diagnostic {
    let message = match refusal.near_miss {
        true => format!("this is about handoffs, but is none: {}", refusal.reason),
        false => format!("this is not a handoff: {}", refusal.reason),
    };
    Diagnostic::new(CODE, Span::at(0), message).help("`baton new taskfile` writes a handoff to fill in")
}
