//! The handoff lists requirements.

use super::{Evaluator, Facts, Finding, items};

pub(super) static EVALUATOR: Evaluator = Evaluator { checkpoint: "requirements_identified", evaluate };

/// Requirements that stand in prose are not counted, so their absence shows nothing.
fn evaluate(facts: &Facts<'_>) -> Option<Finding> {
    match items(facts, &[], &["requirements", "functional_requirements"]) {
        0 => None,
        count => Finding::pass(format!("the handoff lists {count} requirements")),
    }
}
