//! The document lists what is required.

use super::page::Form;
use super::topic::Topic;
use super::{Case, Evaluator, Finding, known, words};

pub(super) static EVALUATOR: Evaluator = Evaluator {
    checkpoint: "requirements_identified",
    rule: "the document lists at least one requirement or user story",
    asserted: "the requirements are in running text",
    evaluate,
};

/// Words of a sentence that requires something.
const REQUIRING: &[&str] = &[
    "must", "shall", "should", "needs", "need", "requires", "required", "can", "cannot", "may", "will",
    "want",
];

fn evaluate(case: &Case<'_>) -> Option<Finding> {
    let listed = case.page.items.iter().filter(|item| {
        known::is_requirement(item) && item.form != Form::Heading && !words::is_nothing(&item.text)
            || item.form == Form::Heading && item.id.is_some() && known::is_requirement(item)
            || is_story(&item.text)
    });
    let count = listed.count();
    if count > 0 {
        return Finding::pass(format!("the document lists {count} requirements"));
    }
    let has_text = |form| case.page.about(Topic::Requirement).any(|item| item.form == form);
    let requires = case.page.items.iter().any(|item| words::has_any(&item.text, REQUIRING));
    if has_text(Form::Prose) || requires {
        return None;
    }
    Finding::fail(
        "the document lists no requirement. List each one with an id under a heading `Requirements`, such as \
         `- R-1: the command prints the tides of a day`",
    )
}

fn is_story(text: &str) -> bool {
    let text = text.to_lowercase();
    (text.starts_with("as a ") || text.starts_with("as an ")) && text.contains("want")
}
