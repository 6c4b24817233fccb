//! The status says complete, and the verdict says something else.

use super::show::shown;
use super::standing;
use super::{Check, Code, Level, Rule, Subject};
use crate::alias;
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::key;
use crate::outcome::{self, Outcome};
use crate::record::{Confidence, Record};
use crate::report::Report;
use crate::span::Span;

pub(crate) const CODE: Code = Code(703);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "status-against-verdict",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT703.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let record = &subject.handoff.record;
    let Some((verdict, span)) = verdict(record) else { return };
    let Some(Outcome::Failed | Outcome::Blocked | Outcome::Partial) = outcome::from_verdict(verdict) else {
        return;
    };
    let Some(status) = standing::claims_completion(record) else { return };
    let message = format!("the status is {}, and the verdict is {}", shown(status.as_str()), shown(verdict));
    let diagnostic = Diagnostic::new(CODE, status.span, message)
        .label("reads as if the work were done")
        .other(span, "the work did not pass")
        .help("let the status say how the work stands; the verdict counts");
    // Outside of the strict dialects a status is often that of the report itself.
    report.push(if subject.handoff.dialect.is_strict() { diagnostic } else { diagnostic.as_warning() });
}

/// Returns the verdict that is written as data, also under a key that the dialect does not know.
fn verdict<'a>(record: &'a Record<'_>) -> Option<(&'a str, Span)> {
    let known = record.text(Field::Verdict).filter(|text| text.confidence == Confidence::Stated);
    known.map(|text| (text.as_str(), text.span)).or_else(|| {
        let is_verdict = |word: &str| alias::field(&key::normalise(word)) == Some(Field::Verdict);
        let extension = record.extensions.iter().find(|extension| is_verdict(&extension.key))?;
        Some((extension.value.text()?, extension.value.span))
    })
}
