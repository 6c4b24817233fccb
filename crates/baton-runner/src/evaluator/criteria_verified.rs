//! Every criterion is judged as met, with a reference that resolves.

use baton_engine::verdict::Verdict;

use super::id::Mentions;
use super::known::Known;
use super::page::{Form, Item};
use super::topic::{Topic, topics};
use super::{Case, Evaluator, Finding, id, named, words};

pub(super) static EVALUATOR: Evaluator = Evaluator {
    checkpoint: "criteria_verified",
    rule: "the document judges every criterion as met, each with a reference, and the files that it refers to exist",
    asserted: "no criterion is known, or a reference is in words that name no file, test or command",
    evaluate,
};

/// Columns and keys that say what a criterion is, and not what shows that it is met.
const OF_CRITERION: &[&str] = &[
    "id",
    "ac",
    "criterion",
    "criteria",
    "requirement",
    "description",
    "title",
    "text",
    "statement",
    "name",
];
/// Words that judge, and show nothing.
const JUDGING: &[&str] = &[
    "pass",
    "passes",
    "passed",
    "yes",
    "no",
    "met",
    "ok",
    "done",
    "verified",
    "complete",
    "completed",
    "true",
    "n",
    "a",
    "implemented",
    "status",
    "verdict",
    "fulfilled",
    "satisfied",
    "works",
    "good",
    "x",
    "verdict:",
    "result",
    "is",
    "it",
    "and",
    "the",
    "all",
    "criterion",
    "green",
];

/// How well a criterion is shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Unjudged,
    Unmet,
    Bare,
    Missing,
    /// The reference is in words.
    Told,
    Resolved,
}

fn evaluate(case: &Case<'_>) -> Option<Finding> {
    let all = case.known_criteria();
    if all.is_empty() {
        return None;
    }
    let shown: Vec<(&Known, Shown)> = all.iter().map(|known| (known, shown(case, known))).collect();
    let of = |wanted: Shown| {
        let names = shown.iter().filter(move |(_, own)| *own == wanted).map(|(known, _)| known.name.as_str());
        Some(named(names)).filter(|names| !names.is_empty())
    };
    let wrong = [
        (Shown::Unmet, "not judged as met: "),
        (Shown::Unjudged, "without a verdict: "),
        (Shown::Bare, "without a reference: "),
        (Shown::Missing, "with a reference to a file that doesn't exist: "),
    ];
    let wrong: Vec<String> =
        wrong.iter().filter_map(|(wanted, words)| Some(format!("{words}{}", of(*wanted)?))).collect();
    if !wrong.is_empty() {
        return Finding::fail(format!(
            "criteria {}. Give every criterion a verdict and what shows it: a test, a file, a command or a receipt, such as \
             `| {} | pass | tests/test_tides.py |`",
            wrong.join("; "),
            all[0].name
        ));
    }
    if of(Shown::Told).is_some() {
        return None;
    }
    Finding::pass(format!("the document judges all {} criteria as met, each with a reference", all.len()))
}

/// Returns how well the entry that shows a criterion best does so; one that says that it isn't met weighs more than all others.
fn shown(case: &Case<'_>, known: &Known) -> Shown {
    let of_criterion = case.page.items.iter().filter(|item| item.form != Form::Heading && is_of(item, known));
    let all: Vec<Shown> = of_criterion.map(|item| judged(case, item)).collect();
    match all.contains(&Shown::Unmet) {
        true => Shown::Unmet,
        false => all.into_iter().max().unwrap_or(Shown::Unjudged),
    }
}

fn is_of(item: &Item, known: &Known) -> bool {
    let text = match &item.id {
        Some(id) => format!("{}: {}", id.shown, item.text),
        None => item.text.clone(),
    };
    known.is_in(&text, &Mentions::of(&text))
}

fn judged(case: &Case<'_>, item: &Item) -> Shown {
    match verdict(item) {
        None => Shown::Unjudged,
        Some(Verdict::Fail | Verdict::Inconclusive) => Shown::Unmet,
        Some(Verdict::Pass) => reference(case, item),
    }
}

fn verdict(item: &Item) -> Option<Verdict> {
    let is_verdict =
        |name: &str| matches!(name, "verdict" | "status" | "result" | "met" | "met?" | "claim" | "verified");
    match item.cell(is_verdict) {
        Some(text) if !text.is_empty() => Some(of_words(text).unwrap_or(Verdict::Inconclusive)),
        _ if item.is_ticked => Some(Verdict::Pass),
        _ => of_words(&item.text),
    }
}

fn of_words(text: &str) -> Option<Verdict> {
    let lower = text.to_lowercase();
    const UNMET: &[&str] = &[
        "fail",
        "fails",
        "failed",
        "unmet",
        "partial",
        "partially",
        "pending",
        "blocked",
        "unverified",
        "skipped",
    ];
    let denies =
        ["not met", "not verified", "not satisfied", "isn't met", "not pass", "❌", "✗", "not tested"];
    if words::has_any(&lower, UNMET) && !lower.contains("0 fail")
        || denies.iter().any(|words| lower.contains(words))
    {
        return Some(Verdict::Fail);
    }
    const MET: &[&str] = &[
        "pass",
        "passes",
        "passed",
        "met",
        "verified",
        "yes",
        "satisfied",
        "fulfilled",
        "ok",
        "done",
        "true",
    ];
    (words::has_any(&lower, MET) || lower.contains(['✅', '✓', '✔', '☑'])).then_some(Verdict::Pass)
}

/// Says what stands beside a verdict.
fn reference(case: &Case<'_>, item: &Item) -> Shown {
    let is_own = |name: &str| OF_CRITERION.contains(&name) || topics(name).contains(&Topic::Criterion);
    let beside: String = match item.cells.is_empty() {
        true => item.text.clone(),
        false => {
            let told = item.cells.iter().filter(|(name, _)| !is_own(&name.to_lowercase()));
            told.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" \n")
        }
    };
    let paths: Vec<&str> =
        words::paths(&beside).filter(|path| path.contains('/') || is_source(path)).collect();
    let is_there = |path: &&str| {
        let is_end = |known: &String| known.strip_suffix(*path).is_some_and(|before| before.ends_with('/'));
        case.has_file(path) || case.files.paths().iter().any(is_end)
    };
    // Without a list of the files nothing can be looked up.
    let can_look = !case.files.paths().is_empty();
    if can_look && !paths.is_empty() {
        return if paths.iter().any(is_there) { Shown::Resolved } else { Shown::Missing };
    }
    if beside.contains("receipt-") || beside.contains('`') {
        return Shown::Resolved;
    }
    let telling = words::words(&beside)
        .filter(|word| !JUDGING.contains(&word.as_str()) && id::Id::read(word).is_none())
        .count();
    if telling >= 2 { Shown::Told } else { Shown::Bare }
}

/// Says whether a name without a folder is that of a file, by its ending.
fn is_source(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ending.bytes().all(|byte| byte.is_ascii_lowercase()) && ending.len() >= 2
}
