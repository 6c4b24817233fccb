//! A value has a form that its key cannot take.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::Severity;

pub(crate) const CODE: Code = Code(102);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "wrong-type",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT102.md"),
    check: Check::Reading,
};
