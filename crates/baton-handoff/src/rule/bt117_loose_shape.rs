//! A value is in a looser form than the dialect's, and is read all the same.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::Severity;

pub(crate) const CODE: Code = Code(117);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "loose-shape",
    severity: Severity::Warning,
    level: Level::Written,
    page: include_str!("../../../../docs/errors/BT117.md"),
    check: Check::Reading,
};
