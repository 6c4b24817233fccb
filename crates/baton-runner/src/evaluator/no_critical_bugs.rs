//! The handoff names nothing critical that it found.

use baton_handoff::field::Field;

use super::{Evaluator, Facts, Finding, named};

pub(super) static EVALUATOR: Evaluator = Evaluator { checkpoint: "no_critical_bugs", evaluate };

/// That nothing is named does not show that nothing is there.
fn evaluate(facts: &Facts<'_>) -> Option<Finding> {
    let found = facts.handoff.records(Field::Gotchas).iter();
    let critical: Vec<&str> = found
        .filter(|issue| {
            issue.str(Field::Severity).is_some_and(|word| word.trim().eq_ignore_ascii_case("critical"))
        })
        .filter_map(|issue| issue.str(Field::Issue))
        .collect();
    match critical.is_empty() {
        true => None,
        false => Finding::fail(format!("the handoff calls this critical: {}", named(critical.into_iter()))),
    }
}
