//! Partial work without the steps that are left.

use super::show::shown;
use super::standing;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::outcome::Outcome;
use crate::report::Report;

pub(crate) const CODE: Code = Code(404);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "no-next-steps",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT404.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some((Outcome::Partial, text)) = standing::of_task_file(subject) else { return };
    if standing::has_items(&subject.handoff.record, Field::NextSteps) {
        return;
    }
    let message = format!("the outcome is {}, and nothing says what is left to do", shown(text.as_str()));
    report.push(
        Diagnostic::new(CODE, text.span, message)
            .label("needs `suggested_next_steps`")
            .help("add `suggested_next_steps`, each with a `step` and a `priority`"),
    );
}
