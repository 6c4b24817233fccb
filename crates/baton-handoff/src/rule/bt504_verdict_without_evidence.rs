//! A verdict on a criterion that shows nothing for it.

use super::show::shown;
use super::standing;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(504);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "verdict-without-evidence",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT504.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Artifact {
        return;
    }
    for criterion in subject.handoff.record.records(Field::Criteria) {
        let Some(verdict) = criterion.text(Field::Verdict).filter(|text| !text.is_blank()) else { continue };
        let Some(evidence) = criterion.entry(Field::Evidence) else { continue };
        if standing::has_texts(criterion, Field::Evidence) {
            continue;
        }
        report.push(
            Diagnostic::new(CODE, verdict.span, format!("the verdict {} rests on no evidence", shown(verdict.as_str())))
                .label("what shows this?")
                .other(evidence.key_span, "this names none")
                .help("refer to the output, file or receipt that shows it; without any, the verdict is `inconclusive` and says why"),
        );
    }
}
