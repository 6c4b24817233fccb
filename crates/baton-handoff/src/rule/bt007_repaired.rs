//! A line of YAML was read only after it was put in quotes.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::Severity;

pub(crate) const CODE: Code = Code(7);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "repaired",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT007.md"),
    check: Check::Reading,
};
