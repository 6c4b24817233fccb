//! Figures that contradict each other.

use super::show::shown;
use super::wording;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::report::Report;
use crate::tree::{Kind, Node, Pair};

pub(crate) const CODE: Code = Code(711);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "counts-do-not-add-up",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT711.md"),
    check: Check::Handoff(check),
};

/// What is counted, without its plural.
const FAMILIES: &[&str] = &["test", "scenario", "check", "case", "assertion", "spec", ""];
const TOTAL: &[&str] = &["total", "run", "count", "executed"];
const PASSED: &[&str] = &["passed", "passing", "pass"];
const FAILED: &[&str] = &["failed", "failing", "fail", "failures"];
const SKIPPED: &[&str] = &["skipped", "skip", "pending", "ignored", "todo"];
/// Words of keys that count things, and of keys that compare two counts.
const COUNTS: &[&str] = &[
    "total",
    "passed",
    "failed",
    "skipped",
    "created",
    "modified",
    "deleted",
    "completed",
    "count",
    "tests",
    "files",
];
const COMPARES: &[&str] = &["change", "delta", "diff", "difference", "net"];

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if let Some(metrics) = subject.handoff.record.tree(Field::Metrics) {
        visit(metrics, report);
    }
}

fn visit(node: &Node<'_>, report: &mut Report) {
    match &node.kind {
        Kind::Scalar { .. } => {}
        Kind::List(items) => items.iter().for_each(|item| visit(item, report)),
        Kind::Map(pairs) => {
            let counts: Vec<_> = pairs.iter().filter_map(Count::of).collect();
            FAMILIES.iter().for_each(|family| add_up(&counts, family, report));
            for pair in pairs {
                single(pair, report);
                visit(&pair.value, report);
            }
        }
    }
}

/// A pair whose value is a whole number, with the one or two words of its key.
struct Count<'a, 's> {
    number: i64,
    pair: &'a Pair<'s>,
    first: &'a str,
    second: Option<&'a str>,
}

impl<'a, 's> Count<'a, 's> {
    fn of(pair: &'a Pair<'s>) -> Option<Self> {
        let number = count(pair)?;
        let mut parts = pair.key.split(['_', '-', ' ']);
        let (first, second) = (parts.next()?, parts.next());
        parts.next().is_none().then_some(Self { number, pair, first, second })
    }

    /// Says whether the key is one of `words` of a family: `tests_passed`, `passed_tests`, or the family alone for its total.
    fn is(&self, family: &str, words: &[&str]) -> bool {
        let names_family =
            |part: &str| !family.is_empty() && part.trim_end_matches('s').eq_ignore_ascii_case(family);
        match self.second {
            None => {
                family.is_empty() && wording::is_one_of(self.first, words)
                    || names_family(self.first) && words.contains(&"total")
            }
            Some(second) => {
                names_family(self.first) && wording::is_one_of(second, words)
                    || names_family(second) && wording::is_one_of(self.first, words)
            }
        }
    }
}

/// Holds the parts of a family against its total.
fn add_up(counts: &[Count<'_, '_>], family: &str, report: &mut Report) {
    let find = |words: &[&str]| {
        let found = counts.iter().find(|count| count.is(family, words))?;
        Some((found.number, found.pair))
    };
    let (Some((total, total_pair)), Some((passed, passed_pair))) = (find(TOTAL), find(PASSED)) else {
        return;
    };
    let (failed, skipped) = (find(FAILED), find(SKIPPED));
    let value = |part: Option<(i64, &Pair<'_>)>| part.map_or(0, |(count, _)| count);
    let sum = passed.saturating_add(value(failed)).saturating_add(value(skipped));
    // Without the failures the parts are not all there: then they only must not be more than the whole.
    if sum == total || failed.is_none() && sum < total {
        return;
    }
    let mut parts = vec![format!("{passed} passed")];
    parts.extend(failed.map(|(count, _)| format!("{count} failed")));
    parts.extend(skipped.map(|(count, _)| format!("{count} skipped")));
    let message = format!("{} do not add up to {total}", parts.join(" and "));
    let diagnostic = Diagnostic::new(CODE, total_pair.value.span, message)
        .label("the total")
        .other(passed_pair.value.span, "passed")
        .help("copy the figures from the output of the run; name what was skipped too");
    report.push(match failed {
        Some((_, pair)) => diagnostic.other(pair.value.span, "failed"),
        None => diagnostic,
    });
}

fn count(pair: &Pair<'_>) -> Option<i64> {
    pair.value.text()?.trim().parse().ok()
}

/// Looks at one figure: a negative count, or more of something than there is.
fn single(pair: &Pair<'_>, report: &mut Report) {
    let Some(text) = pair.value.text() else { return };
    if count(pair).is_some_and(|count| count < 0) {
        let has = |list: &[&str]| pair.key.split(['_', '-', ' ']).any(|part| wording::is_one_of(part, list));
        if has(COUNTS) && !has(COMPARES) {
            let message = format!("{} is {}: a count cannot be negative", shown(&pair.key), text.trim());
            report.push(Diagnostic::new(CODE, pair.value.span, message).label("less than none"));
        }
        return;
    }
    if let Some((part, whole)) = ratio(text)
        && part > whole
    {
        let message = format!("{} is {part} of {whole}: more than there are", shown(&pair.key));
        report
            .push(Diagnostic::new(CODE, pair.value.span, message).label("the part is larger than the whole"));
    }
}

/// Reads a text that begins with `X/Y`.
fn ratio(text: &str) -> Option<(u64, u64)> {
    let (part, rest) = text.trim().split_once('/')?;
    let rest = rest.trim_start();
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    let (whole, after) = rest.split_at(end);
    let ends = after.is_empty() || after.starts_with([' ', ',', '(']);
    Some((part.trim().parse().ok()?, whole.parse().ok()?)).filter(|_| ends)
}
