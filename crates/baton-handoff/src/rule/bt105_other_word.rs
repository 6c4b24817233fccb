//! A key is written in other words than the dialect's.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::Severity;

pub(crate) const CODE: Code = Code(105);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "other-word",
    severity: Severity::Warning,
    level: Level::Written,
    page: include_str!("../../../../docs/errors/BT105.md"),
    check: Check::Reading,
};
