//! A document came or changed.

use crate::cheat::Kind;
use crate::workspace::FileChange;

use super::{Evaluator, Facts, Finding, named};

pub(super) static EVALUATOR: Evaluator = Evaluator { checkpoint: "docs_updated", evaluate };

fn evaluate(facts: &Facts<'_>) -> Option<Finding> {
    let documents: Vec<&str> = facts
        .changes?
        .iter()
        .filter(|change| is_document(change))
        .map(|change| change.path.as_str())
        .collect();
    match documents.is_empty() {
        true => Finding::fail("no document was added or changed since the task began"),
        false => Finding::pass(format!("documents were changed: {}", named(documents.into_iter()))),
    }
}

fn is_document(change: &FileChange) -> bool {
    let in_docs = || change.path.split('/').rev().skip(1).any(|part| matches!(part, "doc" | "docs"));
    Kind::of(&change.path) == Kind::Document || in_docs()
}
