//! A success criterion that nobody can measure.

use super::show::shown;
use super::wording;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(604);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "unmeasurable-criterion",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT604.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Package {
        return;
    }
    for criterion in subject.handoff.record.texts(Field::SuccessCriteria) {
        let text = criterion.as_str();
        let Some(label) = wording::unmeasurable(text) else { continue };
        report.push(
            Diagnostic::new(CODE, criterion.span, format!("{} cannot be measured", shown(text)))
                .label(label)
                .help("name a number, a command and its result, or a file and what it contains"),
        );
    }
}
