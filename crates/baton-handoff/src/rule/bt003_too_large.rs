//! The document is larger than Baton reads.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::limit;
use crate::span::Span;

pub(crate) const CODE: Code = Code(3);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "too-large",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT003.md"),
    check: Check::Reading,
};

/// Reports a document of this many bytes.
pub(crate) fn diagnostic(bytes: usize) -> Diagnostic {
    let max = limit::DOCUMENT_BYTES_MAX;
    Diagnostic::new(
        CODE,
        Span::at(0),
        format!("the document has {bytes} bytes, more than the limit of {max}"),
    )
    .help("hand over a summary, and put long logs into files that it refers to")
}
