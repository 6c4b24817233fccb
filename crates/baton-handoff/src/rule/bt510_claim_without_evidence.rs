//! A builder claims that a criterion is met and shows nothing for it.

use super::show::shown;
use super::standing;
use super::wording;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::outcome::{self, Outcome};
use crate::report::Report;

pub(crate) const CODE: Code = Code(510);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "claim-without-evidence",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT510.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Artifact || subject.handoff.variant.name != "build-artifact" {
        return;
    }
    for criterion in subject.handoff.record.records(Field::Criteria) {
        let Some(claim) = criterion.text(Field::Status).filter(|text| !text.is_blank()) else { continue };
        if standing::has_texts(criterion, Field::Evidence) || admits(claim.as_str()) {
            continue;
        }
        report.push(
            Diagnostic::new(
                CODE,
                claim.span,
                format!("the claim {} rests on no evidence", shown(claim.as_str())),
            )
            .label("what would show this?")
            .help("add `evidence`: the command, file or output in which a verifier can see it"),
        );
    }
}

/// Says whether a claim is that the criterion is not met.
fn admits(claim: &str) -> bool {
    let denies =
        wording::words(claim).next().is_some_and(|word| wording::is_one_of(word, &["no", "not", "unmet"]));
    match outcome::from_verdict(claim) {
        _ if denies => true,
        Some(
            Outcome::Partial | Outcome::Failed | Outcome::Blocked | Outcome::InProgress | Outcome::NotStarted,
        ) => true,
        Some(Outcome::Completed | Outcome::Unknown) | None => false,
    }
}
