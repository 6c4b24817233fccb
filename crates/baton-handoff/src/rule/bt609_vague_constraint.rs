//! A constraint that nobody can hold anybody to.

use super::show::shown;
use super::wording;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(609);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "vague-constraint",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT609.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Package {
        return;
    }
    for constraint in subject.handoff.record.texts(Field::Constraints) {
        let text = constraint.as_str();
        if wording::is_checkable(text) {
            continue;
        }
        let Some(word) = wording::vague_word(text) else { continue };
        report.push(
            Diagnostic::new(CODE, constraint.span, format!("{} binds nobody", shown(text)))
                .label(format!("how is {} measured?", shown(word)))
                .help("write the limit itself: a number, a date, a file that must not change, a library that must not be used"),
        );
    }
}
