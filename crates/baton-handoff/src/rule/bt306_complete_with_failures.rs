//! Work is called complete while its own figures count failures.

use super::show::shown;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::outcome::{self, Outcome};
use crate::record::Text;
use crate::report::Report;
use crate::tree::{Kind, Node, Pair};

pub(crate) const CODE: Code = Code(306);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "complete-with-failures",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT306.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let record = &subject.handoff.record;
    let Some(failure) = record.tree(Field::Metrics).and_then(first_failure) else { return };
    let claim = [Field::Status, Field::Outcome].into_iter().find_map(|field| record.text(field));
    let Some(claim) = claim.filter(|claim| says_complete(claim)) else { return };
    let count = failure.value.text().map_or_else(|| "a list".to_owned(), shown);
    report.push(
        Diagnostic::new(
            CODE,
            failure.key_span.cover(failure.value.span),
            format!("the status is {}, but {} is {count}", shown(claim.as_str()), shown(&failure.key)),
        )
        .other(claim.span, "complete here")
        .help("fix what failed, or hand over as `failed` or `retry` and say why"),
    );
}

fn says_complete(claim: &Text<'_>) -> bool {
    outcome::from_words(claim.as_str()) == Some(Outcome::Completed)
}

/// Finds the first count of failures above zero, however deep it stands.
fn first_failure<'a, 's>(metrics: &'a Node<'s>) -> Option<&'a Pair<'s>> {
    metrics.pairs()?.iter().find_map(|pair| match &pair.value.kind {
        Kind::Map(_) => first_failure(&pair.value),
        Kind::List(items) => (counts_failures(&pair.key) && !items.is_empty()).then_some(pair),
        Kind::Scalar { text, .. } => {
            let is_positive = || text.trim().parse::<f64>().is_ok_and(|count| count > 0.0);
            (counts_failures(&pair.key) && is_positive()).then_some(pair)
        }
    })
}

/// Says whether a key counts what failed; failures that were expected or are gone do not count.
fn counts_failures(key: &str) -> bool {
    let ends_with = |end: &str| {
        key.len() >= end.len() && key.as_bytes()[key.len() - end.len()..].eq_ignore_ascii_case(end.as_bytes())
    };
    if !(ends_with("failed") || ends_with("failures")) {
        return false;
    }
    let key = key.to_ascii_lowercase();
    !["expected", "known", "allowed", "fixed", "previous", "before", "baseline", "xfailed"]
        .iter()
        .any(|word| key.contains(word))
}
