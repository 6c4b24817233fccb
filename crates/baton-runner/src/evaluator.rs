//! Checkpoints that no command settles, and what the host sees of them: in the handoff, in the files, or in other documents of the
//! task.
//!
//! One file for each checkpoint, of one shape: a rule that says what settles it, and a function. A rule refutes only what it can
//! see to be wrong or missing. Where it sees nothing either way, the agent's word stays what it is: asserted.

mod acceptance_criteria_defined;
mod criteria_verified;
mod docs_updated;
mod id;
mod known;
mod no_critical_bugs;
mod no_open_blockers;
mod page;
mod requirements_addressed;
mod requirements_identified;
mod tasks_defined;
mod tests_planned;
mod tests_written;
mod topic;
mod words;

use baton_engine::context::order::Criterion;
use baton_engine::verdict::Verdict;
use baton_handoff::document;
use baton_handoff::field::Field;
use baton_handoff::handoff::Handoff;
use baton_handoff::record::Record;

use crate::cheat::Kind;
use crate::workspace::FileChange;
use known::Known;
use page::Page;

/// Most files or items that a finding names.
const NAMED_MAX: usize = 6;
/// Most characters that a finding repeats of a text.
const QUOTED_CHARS_MAX: usize = 80;
/// Most documents of the project that are read with a handoff.
const DOCUMENTS_MAX: usize = 16;
/// Largest document of the project that is read with a handoff.
const DOCUMENT_BYTES_MAX: usize = 256 * 1024;

/// Every evaluator, in the order of the stages.
const ALL: &[&Evaluator] = &[
    &requirements_identified::EVALUATOR,
    &acceptance_criteria_defined::EVALUATOR,
    &no_open_blockers::EVALUATOR,
    &requirements_addressed::EVALUATOR,
    &tasks_defined::EVALUATOR,
    &tests_planned::EVALUATOR,
    &tests_written::EVALUATOR,
    &criteria_verified::EVALUATOR,
    &no_critical_bugs::EVALUATOR,
    &docs_updated::EVALUATOR,
];

/// A way to settle a checkpoint without a command.
#[derive(Debug)]
pub(crate) struct Evaluator {
    checkpoint: &'static str,
    /// What has to be there, in words.
    pub(crate) rule: &'static str,
    /// Where the agent's word stays asserted, in words; empty where the rule always settles it.
    pub(crate) asserted: &'static str,
    evaluate: fn(&Case<'_>) -> Option<Finding>,
}

/// What the host knows of work that was handed over.
#[derive(Clone, Copy)]
pub(crate) struct Facts<'a> {
    /// The handoff as it was written.
    pub(crate) handoff: &'a str,
    /// What the task is judged by.
    pub(crate) criteria: &'a [Criterion],
    /// What changed since the task began; nothing where that is not known.
    pub(crate) changes: Option<&'a [FileChange]>,
    /// The documents of the project that changed in this stage.
    pub(crate) documents: &'a [FileChange],
    /// The handoffs of the stages before, and the documents of the project that changed in them.
    pub(crate) earlier: &'a [String],
    /// The files after the work.
    pub(crate) files: &'a dyn Files,
}

/// The files of a project.
pub(crate) trait Files {
    fn paths(&self) -> &[String];

    fn text(&self, path: &str) -> Option<String>;
}

/// The facts in the form in which rules read them.
struct Case<'a> {
    record: Record<'a>,
    /// The handoff itself.
    own: Page,
    /// The handoff with the documents that came with it.
    page: Page,
    earlier: Vec<Page>,
    criteria: &'a [Criterion],
    changes: Option<&'a [FileChange]>,
    files: &'a dyn Files,
}

impl Case<'_> {
    /// Returns the message beside a checkpoint of the handoff.
    fn message(&self, checkpoint: &str) -> Option<&str> {
        let mut all = self.record.records(Field::Checkpoints).iter();
        all.find(|own| own.str(Field::Name).map(str::trim) == Some(checkpoint))?.str(Field::Message)
    }

    /// Returns the criteria that later stages are held to: those of the task, and those that an earlier document defines.
    fn known_criteria(&self) -> Vec<Known> {
        known::criteria(self.criteria, &self.earlier)
    }

    fn has_file(&self, path: &str) -> bool {
        self.files.paths().iter().any(|known| known == path)
    }
}

/// What was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) verdict: Verdict,
    pub(crate) detail: String,
}

impl Finding {
    fn pass(detail: impl Into<String>) -> Option<Self> {
        Some(Self { verdict: Verdict::Pass, detail: detail.into() })
    }

    fn fail(detail: impl Into<String>) -> Option<Self> {
        Some(Self { verdict: Verdict::Fail, detail: detail.into() })
    }
}

/// Returns the evaluator of a checkpoint; nothing where only the agent can say whether it holds.
pub(crate) fn of(checkpoint: &str) -> Option<&'static Evaluator> {
    ALL.iter().copied().find(|evaluator| evaluator.checkpoint == checkpoint)
}

/// Settles those of these checkpoints that a rule settles, in their order.
pub(crate) fn evaluate<'n>(
    checkpoints: impl IntoIterator<Item = &'n str>,
    facts: &Facts<'_>,
) -> Vec<(&'n str, Finding)> {
    let read = document::read(facts.handoff);
    let Some(record) = read.handoffs.first().map(Handoff::everything) else { return Vec::new() };
    let own = Page::of_handoff(facts.handoff);
    let mut page = own.clone();
    page.items.extend(documents(facts.documents).flat_map(|text| Page::of_document(&text).items));
    let earlier = facts.earlier.iter().map(|text| Page::of_handoff(text)).collect();
    let &Facts { criteria, changes, files, .. } = facts;
    let case = Case { record, own, page, earlier, criteria, changes, files };
    let settled = checkpoints.into_iter().filter_map(|name| Some((name, (of(name)?.evaluate)(&case)?)));
    settled.collect()
}

/// Yields the texts of changed documents.
pub(crate) fn documents(changes: &[FileChange]) -> impl Iterator<Item = String> {
    let texts = changes.iter().filter(|change| is_document(&change.path)).filter_map(|change| {
        let bytes = change.after.as_ref().filter(|bytes| bytes.len() <= DOCUMENT_BYTES_MAX)?;
        String::from_utf8(bytes.clone()).ok()
    });
    texts.take(DOCUMENTS_MAX)
}

/// Says whether a file is a document for readers.
fn is_document(path: &str) -> bool {
    let in_docs = || path.split('/').rev().skip(1).any(|part| matches!(part, "doc" | "docs"));
    Kind::of(path) == Kind::Document || in_docs()
}

/// Returns the first few of these names, as one text.
fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let all: Vec<&str> = names.into_iter().collect();
    let more = all.len().saturating_sub(NAMED_MAX);
    let shown = all.iter().take(NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// Returns a text on one line and cut to a bound, in quotation marks.
fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = line.chars().take(QUOTED_CHARS_MAX).collect();
    let more = if shown.len() < line.len() { "…" } else { "" };
    format!("\"{shown}{more}\"")
}

#[cfg(test)]
mod tests;
