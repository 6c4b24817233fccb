//! No critical bug that a document lists is open.

use super::page::{Form, Item};
use super::topic::Topic;
use super::{Case, Evaluator, Finding, named, quoted, words};

pub(super) static EVALUATOR: Evaluator = Evaluator {
    checkpoint: "no_critical_bugs",
    rule: "the document has a list of bugs, and no critical one in it or in an earlier document is open",
    asserted: "the document has no list of bugs, or it lists an open bug of high severity",
    evaluate,
};

const CRITICAL: &[&str] = &["critical", "blocker", "showstopper", "p0", "sev0", "sev1", "severe"];
const HIGH: &[&str] = &["high", "major", "p1"];

fn evaluate(case: &Case<'_>) -> Option<Finding> {
    let mentions = case.own.mentions(None);
    let earlier = case.earlier.iter().flat_map(|page| &page.items).filter(|item| is_open(item, CRITICAL));
    // What an earlier document found is open until this one speaks of it.
    let earlier = earlier.filter(|item| item.id.as_ref().is_some_and(|id| !mentions.has(id)));
    let open: Vec<String> =
        case.page.items.iter().filter(|item| is_open(item, CRITICAL)).chain(earlier).map(told).collect();
    if !open.is_empty() {
        return Finding::fail(format!(
            "a critical bug is open: {}. Fix it, and mark it as fixed, or let the checkpoint fail",
            named(open.iter().map(String::as_str))
        ));
    }
    let has_list = case.own.about(Topic::Bug).any(|item| item.form != Form::Heading);
    let has_high = case.own.items.iter().any(|item| is_open(item, HIGH));
    match has_list && !has_high {
        true => Finding::pass("the document lists bugs, and no critical one is open"),
        false => None,
    }
}

fn told(item: &Item) -> String {
    let name = item.id.as_ref().map(|id| format!("{} ", id.shown)).unwrap_or_default();
    format!("{name}{}", quoted(item.words_under(&["description", "summary", "title", "issue", "bug"])))
}

/// Says whether an entry is a bug of such a severity, and open.
fn is_open(item: &Item, severities: &[&str]) -> bool {
    let is_thing = item.form == Form::Entry || item.form == Form::Prose;
    if !item.is_about(Topic::Bug) || !is_thing || item.is_ticked || words::is_nothing(&item.text) {
        return false;
    }
    let severity = item.cell(|name| matches!(name, "severity" | "priority" | "level" | "impact"));
    let is_severe = match severity {
        Some(severity) => words::has_any(severity, severities),
        None => leads_with(&item.text, severities),
    };
    let status = item.cell(|name| matches!(name, "status" | "state" | "resolution" | "fixed" | "resolved"));
    let is_settled = match status {
        Some(status) => {
            words::is_settled(status) || words::has_any(status, &["yes", "true", "pass", "merged"])
        }
        None => words::is_settled(&item.text),
    };
    is_severe && !is_settled
}

/// Says whether a text begins by naming its severity, and goes on to name something: "Critical: the total is wrong",
/// "\[critical\] …", "B1 (critical): …". "Critical: 0" and "No critical bugs" name nothing.
fn leads_with(text: &str, severities: &[&str]) -> bool {
    let first: Vec<String> = words::words(text).take(6).collect();
    let Some(at) = first.iter().position(|word| severities.contains(&word.as_str())) else { return false };
    let is_negated = first[..at]
        .iter()
        .any(|word| matches!(word.as_str(), "no" | "none" | "not" | "zero" | "without" | "0"));
    let after = text.split_once([':', ']', ')', '|', '—', '–']).map_or("", |(_, rest)| rest);
    let rest: Vec<String> =
        words::words(after).filter(|word| !matches!(word.as_str(), "bugs" | "bug" | "issues")).collect();
    let is_none =
        rest.first().is_none_or(|word| matches!(word.as_str(), "0" | "none" | "no" | "nothing" | "zero"));
    !is_negated && !is_none
}
