//! A request for clarification that offers no choice.

use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(511);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "no-options",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT511.md"),
    check: Check::Handoff(check),
};

/// Fewest answers that make a choice.
const OPTIONS_MIN: usize = 2;

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Artifact || subject.handoff.variant.name != "clarification-request"
    {
        return;
    }
    let record = &subject.handoff.record;
    let Some(entry) = record.entry(Field::Options) else { return };
    let options = record.texts(Field::Options).iter().filter(|option| !option.is_blank()).count();
    if options >= OPTIONS_MIN {
        return;
    }
    let message = match options {
        0 => "the request offers no answers to choose from",
        _ => "the request offers one answer: that is no choice",
    };
    report.push(
        Diagnostic::new(CODE, entry.key_span, message)
            .help("offer at least two answers, each of which you could go on with"),
    );
}
