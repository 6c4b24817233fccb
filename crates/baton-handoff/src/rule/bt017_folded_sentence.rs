//! A sentence in a list became a mapping of one key, because of its `: `.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::Severity;

pub(crate) const CODE: Code = Code(17);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "folded-sentence",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT017.md"),
    check: Check::Reading,
};
