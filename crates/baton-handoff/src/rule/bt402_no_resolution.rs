//! Failed work without a word on what would help.

use super::show::shown;
use super::standing;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::outcome::Outcome;
use crate::report::Report;

pub(crate) const CODE: Code = Code(402);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "no-resolution",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT402.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some((Outcome::Failed, text)) = standing::of_task_file(subject) else { return };
    let record = &subject.handoff.record;
    if !standing::has_items(record, Field::Blockers) {
        let message = format!("the outcome is {}, and no blocker says what would help", shown(text.as_str()));
        report.push(
            Diagnostic::new(CODE, text.span, message)
                .label("needs `blockers`, each with a `suggested_resolution`")
                .help("add what stopped the work as a blocker, and what you would try or ask for next"),
        );
        return;
    }
    for blocker in record.records(Field::Blockers) {
        if !standing::has_text(blocker, Field::SuggestedResolution) {
            let span = blocker.text(Field::Blocker).map_or(blocker.span, |text| text.span);
            report.push(
                Diagnostic::new(
                    CODE,
                    span,
                    "the work failed, and this blocker has no `suggested_resolution`",
                )
                .label("what would resolve it?")
                .other(text.span, "the work failed")
                .help("add `suggested_resolution`: what you would try, or whom you would ask"),
            );
        }
    }
}
