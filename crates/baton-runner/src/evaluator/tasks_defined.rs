//! The handoff lists what is to be done.

use baton_handoff::field::Field;

use super::{Evaluator, Facts, Finding, items};

pub(super) static EVALUATOR: Evaluator = Evaluator { checkpoint: "tasks_defined", evaluate };

fn evaluate(facts: &Facts<'_>) -> Option<Finding> {
    match items(facts, &[Field::NextSteps, Field::Remaining], &["tasks", "plan"]) {
        0 => None,
        count => Finding::pass(format!("the handoff lists {count} steps")),
    }
}
