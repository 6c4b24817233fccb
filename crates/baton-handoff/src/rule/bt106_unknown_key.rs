//! A key that the dialect does not know.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::Severity;

pub(crate) const CODE: Code = Code(106);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "unknown-key",
    severity: Severity::Note,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT106.md"),
    check: Check::Reading,
};
