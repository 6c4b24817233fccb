//! A file of tests came or changed, or a test was added where the code is.

use crate::cheat::{Kind, tests_in};
use crate::workspace::FileChange;

use super::{Evaluator, Facts, Finding, named};

pub(super) static EVALUATOR: Evaluator = Evaluator { checkpoint: "tests_written", evaluate };

fn evaluate(facts: &Facts<'_>) -> Option<Finding> {
    let changes = facts.changes?;
    let with_tests: Vec<&str> =
        changes.iter().filter(|change| has_tests(change)).map(|change| change.path.as_str()).collect();
    match with_tests.is_empty() {
        true => Finding::fail("no test was added or changed since the task began"),
        false => Finding::pass(format!("tests were written in {}", named(with_tests.into_iter()))),
    }
}

fn has_tests(change: &FileChange) -> bool {
    let Some(after) = &change.after else { return false };
    let tests = |bytes: &[u8]| tests_in(&change.path, bytes);
    Kind::of(&change.path) == Kind::Test || tests(after) > change.before.as_deref().map_or(0, tests)
}
