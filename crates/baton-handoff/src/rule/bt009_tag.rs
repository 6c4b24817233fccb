//! A YAML tag would make text into something else.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::span::Span;

pub(crate) const CODE: Code = Code(9);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "tag",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT009.md"),
    check: Check::Reading,
};

pub(crate) fn diagnostic(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a tag is not allowed in a handoff")
        .help("remove the `!tag`; values are read as text")
}
