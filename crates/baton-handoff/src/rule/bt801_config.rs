//! The configuration has a mistake.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::Severity;

pub(crate) const CODE: Code = Code(801);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "config",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT801.md"),
    check: Check::Reading,
};
