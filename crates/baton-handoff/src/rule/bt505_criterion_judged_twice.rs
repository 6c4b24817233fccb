//! A report with two verdicts on one criterion.

use super::show::shown;
use super::twice;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(505);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "criterion-judged-twice",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT505.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Artifact || subject.handoff.variant.name != "verification-report" {
        return;
    }
    let judged = subject.handoff.record.records(Field::Criteria).iter().filter_map(|criterion| {
        let text = criterion.text(Field::Criterion).filter(|text| !text.is_blank())?;
        Some((text.as_str().trim(), (text, criterion.str(Field::Verdict).unwrap_or_default())))
    });
    for ((first, first_verdict), (again, verdict)) in twice::repeats(judged) {
        let message = match first_verdict == verdict {
            true => format!("the criterion {} is judged twice", shown(again.as_str())),
            false => {
                let criterion = shown(again.as_str());
                format!("the criterion {criterion} is judged {} and {}", shown(first_verdict), shown(verdict))
            }
        };
        report.push(
            Diagnostic::new(CODE, again.span, message)
                .label("again here")
                .other(first.span, "first here")
                .help("keep one verdict for each criterion, with all the evidence for it"),
        );
    }
}
