//! The handoff lists what is to be tested, or how.

use baton_handoff::field::Field;

use super::{Evaluator, Facts, Finding, items};

pub(super) static EVALUATOR: Evaluator = Evaluator { checkpoint: "tests_planned", evaluate };

fn evaluate(facts: &Facts<'_>) -> Option<Finding> {
    match items(facts, &[Field::ValidationPlan, Field::Verification], &["tests", "test_plan"]) {
        0 => None,
        count => Finding::pass(format!("the handoff lists {count} tests")),
    }
}
