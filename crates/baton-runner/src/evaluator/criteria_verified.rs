//! The handoff judges each criterion of the task, and each as met.

use baton_engine::verdict::Verdict;
use baton_handoff::field::Field;
use baton_handoff::record::Record;

use super::{Evaluator, Facts, Finding, named};

pub(super) static EVALUATOR: Evaluator = Evaluator { checkpoint: "criteria_verified", evaluate };

fn evaluate(facts: &Facts<'_>) -> Option<Finding> {
    let judged = facts.handoff.records(Field::Criteria);
    if facts.criteria.is_empty() || judged.iter().all(|item| verdict(item).is_none()) {
        // Nobody is held to judgements that are not there; an independent verifier judges each one anyway.
        return None;
    }
    let is_met =
        |name: &str| judged.iter().any(|item| is_of(item, name) && verdict(item) == Some(Verdict::Pass));
    let unmet: Vec<&str> =
        facts.criteria.iter().map(|own| own.as_str()).filter(|name| !is_met(name)).collect();
    match unmet.is_empty() {
        true => Finding::pass(format!("the handoff judges all {} criteria as met", facts.criteria.len())),
        false => {
            Finding::fail(format!("the handoff does not judge these as met: {}", named(unmet.into_iter())))
        }
    }
}

fn is_of(item: &Record<'_>, name: &str) -> bool {
    let own = item.extensions.iter().find(|own| own.key == "id").and_then(|own| own.value.text());
    let said = [item.str(Field::Id), own, item.str(Field::Criterion)];
    said.into_iter().flatten().any(|said| said.trim() == name)
}

fn verdict(item: &Record<'_>) -> Option<Verdict> {
    item.str(Field::Verdict).or_else(|| item.str(Field::Status)).map(Verdict::from_words)
}
