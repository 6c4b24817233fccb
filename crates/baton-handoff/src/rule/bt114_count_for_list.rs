//! A number stands where a list is expected.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::report::Report;
use crate::span::Span;

pub(crate) const CODE: Code = Code(114);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "count-for-list",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT114.md"),
    check: Check::Reading,
};

/// Reports a count; the number itself is kept with the data.
pub(crate) fn push(report: &mut Report, span: Span, key: &str, count: &str) {
    let message = format!("`{key}` is the number {count}, the items themselves are expected");
    report.push(Diagnostic::new(CODE, span, message).label("a count says how many, not which"));
}
