//! Work that is partial or blocked without saying what is in the way.

use super::show::shown;
use super::standing;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::outcome::Outcome;
use crate::report::Report;

pub(crate) const CODE: Code = Code(401);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "blockers-missing",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT401.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some((Outcome::Partial | Outcome::Blocked, text)) = standing::of_task_file(subject) else { return };
    let record = &subject.handoff.record;
    if standing::has_items(record, Field::Blockers) {
        return;
    }
    let message = format!("the outcome is {}, and no blocker says why", shown(text.as_str()));
    let diagnostic = Diagnostic::new(CODE, text.span, message).label("needs `blockers`").help(
        "add `blockers`: what stands in the way, its impact, what would resolve it, and which tasks wait",
    );
    report.push(match record.entry(Field::Blockers) {
        Some(entry) => diagnostic.other(entry.key_span, "this names none"),
        None => diagnostic,
    });
}
