//! Somebody has said by what the work is judged: with the task, or in the handoff.

use baton_handoff::field::Field;

use super::{Evaluator, Facts, Finding, items};

pub(super) static EVALUATOR: Evaluator = Evaluator { checkpoint: "acceptance_criteria_defined", evaluate };

fn evaluate(facts: &Facts<'_>) -> Option<Finding> {
    let in_handoff = items(facts, &[Field::Criteria, Field::SuccessCriteria], &["acceptance_criteria"]);
    match facts.criteria.len() + in_handoff {
        // They may stand in the prose around the data.
        0 => None,
        count => Finding::pass(format!("{count} criteria are defined")),
    }
}
