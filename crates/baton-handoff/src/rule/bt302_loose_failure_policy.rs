//! A failure policy that would loosen the limits, or never ask a person.

use super::whole_number::{self, WholeNumber};
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::limit;
use crate::report::Report;

pub(crate) const CODE: Code = Code(302);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "loose-failure-policy",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT302.md"),
    check: Check::Handoff(check),
};

/// The bounds of a key: a number outside of them counts as the nearer one.
struct Bounds {
    field: Field,
    key: &'static str,
    min: i64,
    max: i64,
}

const BOUNDS: [Bounds; 2] = [
    Bounds { field: Field::Retry, key: "retry", min: 0, max: limit::RETRIES_MAX },
    // With 0 a person would be asked before anything failed. Asking late is bounded by the retries.
    Bounds { field: Field::EscalateAfter, key: "escalate_after", min: 1, max: i64::MAX },
];

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Summary {
        return;
    }
    let Some(policy) = subject.handoff.record.record(Field::OnFailure) else { return };
    for Bounds { field, key, min, max } in BOUNDS {
        let Some(text) = policy.text(field) else { continue };
        let WholeNumber::Value(value) = whole_number::written(text) else { continue };
        let counts_as = value.clamp(min, max);
        if counts_as == value {
            continue;
        }
        report.push(
            Diagnostic::new(CODE, text.span, format!("`{key}` is {value}, and counts as {counts_as}"))
                .help("a handoff can tighten the limits of its project, never loosen them")
                .replace(format!("write `{counts_as}`"), counts_as.to_string()),
        );
    }
}
