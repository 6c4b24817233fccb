//! What the host can see of checkpoints that no command settles: in the handoff itself, or in what changed.
//!
//! One file for each checkpoint, of one shape. What an evaluator sees to be false, no claim can make true; where it sees nothing,
//! the agent's word stays what it is: asserted.

mod acceptance_criteria_defined;
mod criteria_verified;
mod docs_updated;
mod no_critical_bugs;
mod no_open_blockers;
mod requirements_identified;
mod tasks_defined;
mod tests_planned;
mod tests_written;

use std::collections::BTreeSet;

use baton_engine::verdict::Verdict;
use baton_engine::word::CriterionId;
use baton_handoff::field::Field;
use baton_handoff::record::Record;

use crate::workspace::FileChange;

/// Most files or items that a finding names.
const NAMED_MAX: usize = 3;

/// Every evaluator, in the order of the stages.
const ALL: &[&Evaluator] = &[
    &requirements_identified::EVALUATOR,
    &acceptance_criteria_defined::EVALUATOR,
    &no_open_blockers::EVALUATOR,
    &tasks_defined::EVALUATOR,
    &tests_planned::EVALUATOR,
    &tests_written::EVALUATOR,
    &criteria_verified::EVALUATOR,
    &no_critical_bugs::EVALUATOR,
    &docs_updated::EVALUATOR,
];

/// A way to see whether a checkpoint holds.
#[derive(Debug)]
pub(crate) struct Evaluator {
    checkpoint: &'static str,
    evaluate: fn(&Facts<'_>) -> Option<Finding>,
}

/// What the host knows of work that was handed over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    /// Everything that the handoff says.
    pub(crate) handoff: &'a Record<'a>,
    /// What the task is judged by.
    pub(crate) criteria: &'a BTreeSet<CriterionId>,
    /// What changed since the task began; nothing where that is not known.
    pub(crate) changes: Option<&'a [FileChange]>,
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

/// Looks at a checkpoint; nothing where there is nothing to see.
pub(crate) fn evaluate(checkpoint: &str, facts: &Facts<'_>) -> Option<Finding> {
    let known = ALL.iter().find(|evaluator| evaluator.checkpoint == checkpoint)?;
    (known.evaluate)(facts)
}

/// Returns how many items stand under one of these fields, or under a key of the handoff's own with one of these names.
fn items(facts: &Facts<'_>, fields: &[Field], keys: &[&str]) -> usize {
    let own = facts.handoff.extensions.iter().filter(|own| keys.contains(&own.key.as_ref()));
    let under_keys: usize = own.filter_map(|own| own.value.items()).map(<[_]>::len).sum();
    let under_fields = fields.iter().map(|field| match field.shape() {
        baton_handoff::field::Shape::Texts => facts.handoff.texts(*field).len(),
        _ => facts.handoff.records(*field).len(),
    });
    under_fields.sum::<usize>() + under_keys
}

/// Returns the first few of these names, as one text.
fn named<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let all: Vec<&str> = names.collect();
    let more = if all.len() > NAMED_MAX { ", …" } else { "" };
    format!("{}{more}", all.iter().take(NAMED_MAX).copied().collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests;
