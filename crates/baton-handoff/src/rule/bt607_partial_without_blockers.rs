//! An acknowledgment that is of two minds about whether work can begin.

use super::standing;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::outcome::{self, Outcome};
use crate::report::Report;

pub(crate) const CODE: Code = Code(607);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "partial-without-blockers",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT607.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Package || subject.handoff.variant.name != "acknowledgment" {
        return;
    }
    let record = &subject.handoff.record;
    let Some(understood) = record.tree(Field::Understood).filter(|tree| !tree.is_blank()) else { return };
    let has_blockers = standing::has_items(record, Field::Blockers);
    if understood.text().is_some_and(is_not_whole) {
        if !has_blockers && !standing::has_items(record, Field::Questions) {
            report.push(
                Diagnostic::new(
                    CODE,
                    understood.span,
                    "not everything was understood, and no blocker says what",
                )
                .label("needs `blockers`")
                .help("add `blockers`: each artifact that is missing, each constraint that is not clear"),
            );
        }
        if record.str(Field::Action).map(str::trim) != Some("request_clarification") {
            report.push(
                Diagnostic::new(
                    CODE,
                    understood.span,
                    "not everything was understood, and no clarification is requested",
                )
                .label("needs an `action`")
                .help("add `action: request_clarification`"),
            );
        }
        return;
    }
    let starts =
        record.text(Field::Starting).filter(|text| !text.is_blank() && !outcome::is_no(text.as_str()));
    if let (Some(starting), true) = (starts, has_blockers) {
        report.push(
            Diagnostic::new(CODE, starting.span, "work begins although blockers are named")
                .other(record.place(Field::Blockers), "these stand in the way")
                .help("begin when they are gone, or say `understood: partial` and request clarification")
                .as_warning(),
        );
    }
}

fn is_not_whole(understood: &str) -> bool {
    understood == "partial"
        || outcome::is_no(understood)
        || outcome::from_words(understood) == Some(Outcome::Partial)
}
