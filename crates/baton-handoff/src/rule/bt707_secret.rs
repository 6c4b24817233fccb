//! A password, key or token stands in the document.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::Document;
use crate::report::Report;
use crate::secret;

pub(crate) const CODE: Code = Code(707);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "secret",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT707.md"),
    check: Check::Source(check),
};

fn check(document: &Document<'_>, report: &mut Report) {
    if document.handoffs.is_empty() {
        return;
    }
    for found in secret::find(document.source) {
        report.push(
            Diagnostic::new(CODE, found.span, format!("{} stands in the document", found.kind))
                .label(found.kind)
                .help("revoke it, then refer to the place it is kept in by name"),
        );
    }
}
