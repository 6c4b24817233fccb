//! The document is not UTF-8 text.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::span::Span;
use std::str::Utf8Error;

pub(crate) const CODE: Code = Code(4);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "not-text",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT004.md"),
    check: Check::Reading,
};

/// Reports bytes that are not UTF-8, and says what they probably are.
pub(crate) fn diagnostic(bytes: &[u8], error: &Utf8Error) -> Diagnostic {
    let what = match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "the document is UTF-16, not UTF-8".to_owned(),
        _ => format!("the byte at offset {} is not UTF-8", error.valid_up_to()),
    };
    Diagnostic::new(CODE, Span::at(error.valid_up_to()), what).help("save the document as UTF-8")
}
