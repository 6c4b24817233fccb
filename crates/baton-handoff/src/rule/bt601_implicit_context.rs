//! A summary that the receiver could not work from.

use super::show::shown;
use super::wording;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(601);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "implicit-context",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT601.md"),
    check: Check::Handoff(check),
};

/// Fewest words that can say what was done.
const TELLING_WORDS_MIN: usize = 4;

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Package || subject.handoff.variant.name != "package" {
        return;
    }
    let Some(summary) = subject.handoff.record.text(Field::Summary).filter(|text| !text.is_blank()) else {
        return;
    };
    if wording::tells(summary.as_str(), TELLING_WORDS_MIN) {
        return;
    }
    report.push(
        Diagnostic::new(
            CODE,
            summary.span,
            format!("{} says too little about what was done", shown(summary.as_str())),
        )
        .label("the receiver knows only what stands here")
        .help("say in two or three sentences what was done, to what, and with which result"),
    );
}
