//! No blocker and no question that blocks is open.

use baton_handoff::field::Field;
use baton_handoff::record::Value;

use super::page::{Form, Item};
use super::topic::Topic;
use super::{Case, Evaluator, Finding, named, quoted, words};

pub(super) static EVALUATOR: Evaluator = Evaluator {
    checkpoint: "no_open_blockers",
    rule: "neither this document nor one of an earlier stage has an open blocker or an open question that blocks",
    asserted: "",
    evaluate,
};

fn evaluate(case: &Case<'_>) -> Option<Finding> {
    let said = case.own.text(None);
    let mut open: Vec<String> = Vec::new();
    // A later document may settle what an earlier one left open.
    for item in case.earlier.iter().flat_map(|page| &page.items).filter(|item| blocks(item)) {
        let is_named = item.id.as_ref().is_some_and(|id| case.own.mentions(None).has(id));
        if !is_named && !said.contains(question(item).trim()) {
            open.push(quoted(question(item)));
        }
    }
    open.extend(case.page.items.iter().filter(|item| blocks(item)).map(|item| quoted(question(item))));
    if let Some(Value::Text(reason)) = case.record.entry(Field::BlockReason).map(|entry| &entry.value)
        && !reason.is_blank()
        && !words::is_nothing(reason.as_str())
    {
        open.push(quoted(reason.as_str()));
    }
    open.dedup();
    match open.is_empty() {
        true => Finding::pass("no blocker and no question that blocks is open"),
        false => Finding::fail(format!(
            "open: {}. Say how each was resolved, or hand over as `blocked` with the question",
            named(open.iter().map(String::as_str))
        )),
    }
}

fn question(item: &Item) -> &str {
    item.words_under(&["question", "blocker", "issue", "description"])
}

/// Says whether an entry is something open that blocks.
fn blocks(item: &Item) -> bool {
    let (is_question, is_blocker) = (item.is_about(Topic::Question), item.is_about(Topic::Blocker));
    let is_thing = item.form == Form::Entry || item.form == Form::Prose && item.id.is_some();
    if !(is_question || is_blocker) || !is_thing || item.is_ticked || words::is_nothing(&item.text) {
        return false;
    }
    let status = item.cell(|name| matches!(name, "status" | "state" | "resolution" | "answer" | "decision"));
    let is_settled = match status {
        Some(status) => {
            words::is_settled(status) || !words::has_any(status, &["open", "pending", "unresolved"])
        }
        None => words::is_settled(&item.text),
    };
    if is_settled {
        return false;
    }
    match says_blocking(item) {
        Some(blocking) => blocking,
        None => is_blocker,
    }
}

/// Reads "[Blocker: no]", "blocking: true" or "(blocking)".
fn says_blocking(item: &Item) -> Option<bool> {
    let is_mark =
        |name: &str| matches!(name.trim(), "blocking" | "blocker" | "blocker?" | "blocking?" | "is_blocking");
    let is_answer = |text: &str| words::has_any(text, &["yes", "true", "no", "false", "none"]);
    if let Some(text) =
        item.cell(is_mark).filter(|text| is_answer(text) && text.len() <= "blocking: false".len())
    {
        return Some(words::has_any(text, &["yes", "true"]));
    }
    let text = item.text.to_lowercase();
    let at =
        ["non-blocking", "not blocking", "not a blocker", "doesn't block", "does not block", "no blocker"];
    if at.iter().any(|words| text.contains(words)) {
        return Some(false);
    }
    let marked = text.find("blocker:").or_else(|| text.find("blocking:"));
    if let Some(at) = marked {
        let answer = text[at..].split(':').nth(1).unwrap_or_default();
        let first = words::words(answer).next().unwrap_or_default();
        return Some(!matches!(first.as_str(), "no" | "false" | "none" | "n"));
    }
    ["(blocking)", "[blocking]", "(blocker)", "[blocker]", "blocks the"]
        .iter()
        .any(|mark| text.contains(mark))
        .then_some(true)
}
