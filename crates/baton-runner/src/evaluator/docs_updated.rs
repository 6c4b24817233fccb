//! A document came or changed, or the handoff says why none has to.

use super::topic::Topic;
use super::{Case, Evaluator, Finding, is_document, named, words};

pub(super) static EVALUATOR: Evaluator = Evaluator {
    checkpoint: "docs_updated",
    rule: "a document of the project was added or changed since the task began",
    asserted: "the document gives a reason why no documentation has to change; or the files before the work weren't saved",
    evaluate,
};

const NEGATIONS: &[&str] = &[
    "no",
    "not",
    "none",
    "n/a",
    "without",
    "unaffected",
    "unchanged",
    "nothing",
    "needless",
    "isn't",
    "doesn't",
];

fn evaluate(case: &Case<'_>) -> Option<Finding> {
    let changed =
        case.changes?.iter().filter(|change| is_document(&change.path) && change.after != change.before);
    let documents: Vec<&str> = changed.map(|change| change.path.as_str()).collect();
    if !documents.is_empty() {
        return Finding::pass(format!("documents were changed: {}", named(documents)));
    }
    let message = case.message(EVALUATOR.checkpoint).unwrap_or_default();
    let about = case.own.about(Topic::Document).map(|item| item.text.as_str());
    let elsewhere = case
        .own
        .items
        .iter()
        .flat_map(|item| item.text.split(['\n', ';']))
        .filter(|text| speaks_of_documents(text));
    if std::iter::once(message).chain(about).chain(elsewhere).any(is_reason) {
        return None;
    }
    Finding::fail(
        "no document was added or changed since the task began. Update the documentation, or say why it stays as it is, \
         such as `No documentation changes: the command and its output are the same`",
    )
}

fn speaks_of_documents(text: &str) -> bool {
    words::words(text)
        .any(|word| word.starts_with("doc") || word.starts_with("readme") || word == "changelog")
}

/// Says whether a text gives a reason: it denies a change, and says more than that.
fn is_reason(text: &str) -> bool {
    words::has_any(text, NEGATIONS) && words::words(text).count() >= 4
}
