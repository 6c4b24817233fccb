//! Every criterion is listed, and somebody can measure it.

use std::collections::BTreeSet;

use baton_handoff::rule::unmeasurable;

use super::page::{Form, Item};
use super::topic::{Topic, topics};
use super::{Case, Evaluator, Finding, known, named, quoted, words};

pub(super) static EVALUATOR: Evaluator = Evaluator {
    checkpoint: "acceptance_criteria_defined",
    rule: "the document or the task lists acceptance criteria, and each criterion of the document can be measured",
    asserted: "",
    evaluate,
};

fn evaluate(case: &Case<'_>) -> Option<Finding> {
    let mut listed: Vec<&Item> = case
        .page
        .items
        .iter()
        .filter(|item| known::is_criterion(item) && !words::is_nothing(said(item)))
        .collect();
    // Data is read under its own key and by its meaning.
    let mut seen = BTreeSet::new();
    listed.retain(|item| {
        item.id.as_ref().is_none_or(|id| seen.insert(id.key.clone())) || item.form == Form::Prose
    });
    if listed.is_empty() {
        // Nothing is listed, but a paragraph stands where the list would.
        let told = case.page.about(Topic::Criterion).filter(|item| item.form == Form::Prose);
        listed.extend(told.filter(|item| !words::is_nothing(&item.text)));
    }
    let vague: Vec<String> = listed.iter().filter_map(|item| complaint(item)).collect();
    match (vague.as_slice(), listed.len(), case.criteria.len()) {
        ([], 0, 0) => Finding::fail(
            "no acceptance criterion is listed. List each one with an id and what can be measured, such as \
             `- AC-1: the command prints 3 lines`",
        ),
        ([], 0, count) => Finding::pass(format!("the task sets {count} criteria")),
        ([], count, _) => Finding::pass(format!("{count} criteria are listed, and each can be measured")),
        (vague, ..) => Finding::fail(format!(
            "{}. Rewrite each with an outcome that can be measured: a number, a command and its result, or a file and \
             what it contains",
            named(vague.iter().map(String::as_str))
        )),
    }
}

/// Returns what a criterion says, without what stands beside it in its table.
fn said(item: &Item) -> &str {
    let is_words = |name: &str| {
        matches!(name, "criterion" | "text" | "description" | "title" | "statement" | "criteria")
            || topics(name).contains(&Topic::Criterion)
    };
    let own = item.cells.iter().find(|(name, text)| {
        is_words(&name.to_lowercase()) && super::id::Id::read(text).is_none() && !text.is_empty()
    });
    own.map_or(item.text.as_str(), |(_, text)| text.as_str())
}

/// Returns why nobody can measure a criterion, with its name.
fn complaint(item: &Item) -> Option<String> {
    let text = said(item);
    // A heading is the title of a criterion whose text follows.
    if item.form == Form::Heading {
        return None;
    }
    let text = super::id::Id::leading(text).map_or(text, |(_, rest)| rest);
    let why = unmeasurable(text.trim_matches(['"', '“', '”', ' ', '|']))?;
    let name = item.id.as_ref().map(|id| format!("{}: ", id.shown)).unwrap_or_default();
    Some(format!("{name}{} can't be measured ({why})", quoted(text.trim_matches(['"', ' ']))))
}
