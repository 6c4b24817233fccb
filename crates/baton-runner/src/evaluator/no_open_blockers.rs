//! The handoff names no blocker and no question that blocks.

use baton_handoff::field::Field;

use super::{Evaluator, Facts, Finding, named};

pub(super) static EVALUATOR: Evaluator = Evaluator { checkpoint: "no_open_blockers", evaluate };

fn evaluate(facts: &Facts<'_>) -> Option<Finding> {
    let blockers = facts.handoff.records(Field::Blockers).iter();
    let blockers = blockers.filter_map(|blocker| blocker.str(Field::Blocker));
    let questions = facts.handoff.records(Field::Questions).iter();
    let blocking = questions
        .filter(|question| {
            question.str(Field::Blocking).is_some_and(|word| matches!(word.trim(), "true" | "yes"))
        })
        .filter_map(|question| question.str(Field::Question));
    let open: Vec<&str> = blockers.chain(blocking).map(str::trim).filter(|text| !text.is_empty()).collect();
    match open.is_empty() {
        true => Finding::pass("the handoff names no blocker"),
        false => Finding::fail(format!("the handoff names what blocks: {}", named(open.into_iter()))),
    }
}
