//! Nothing that was given is a handoff, so nothing was judged.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::Severity;

pub(crate) const CODE: Code = Code(902);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "nothing-found",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT902.md"),
    check: Check::Reading,
};
