//! A file or stream cannot be read or written.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::Severity;

pub(crate) const CODE: Code = Code(901);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "unreadable",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT901.md"),
    check: Check::Reading,
};
