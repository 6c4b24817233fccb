//! A file of tests came or changed, or a test was added where the code is.

use crate::cheat::{Kind, tests_in};
use crate::workspace::FileChange;

use super::{Case, Evaluator, Finding, named, words};

pub(super) static EVALUATOR: Evaluator = Evaluator {
    checkpoint: "tests_written",
    rule: "a test was added or changed since the task began",
    asserted: "the document names existing tests that cover the work, and they exist; or the files before the work weren't saved",
    evaluate,
};

/// Words beside a test that was there before the work.
const COVERING: &[&str] = &[
    "cover",
    "covers",
    "covered",
    "covering",
    "existing",
    "already",
    "unchanged",
    "exercise",
    "exercises",
    "exercised",
    "no",
];
/// Most files of tests that are searched for the name of one.
const TESTS_MAX: usize = 500;
/// Shortest word that can be the name of a test.
const NAME_BYTES_MIN: usize = 6;

fn evaluate(case: &Case<'_>) -> Option<Finding> {
    let changes = case.changes?;
    let with_tests: Vec<&str> =
        changes.iter().filter(|change| has_tests(change)).map(|change| change.path.as_str()).collect();
    if !with_tests.is_empty() {
        return Finding::pass(format!("tests were written in {}", named(with_tests)));
    }
    if names_covering_test(case) {
        return None;
    }
    Finding::fail(
        "no test was added or changed since the task began. Add a test of the work; or, where none is needed, name the \
         existing tests that cover it, such as `covered by tests/test_tides.py`",
    )
}

fn has_tests(change: &FileChange) -> bool {
    let Some(after) = &change.after else { return false };
    let tests = |bytes: &[u8]| tests_in(&change.path, bytes);
    Kind::of(&change.path) == Kind::Test || tests(after) > change.before.as_deref().map_or(0, tests)
}

/// Says whether the handoff names a test that covers the work and that exists.
fn names_covering_test(case: &Case<'_>) -> bool {
    let message = case.message(EVALUATOR.checkpoint).unwrap_or_default();
    let items = case.own.items.iter().map(|item| item.text.as_str());
    std::iter::once(message).chain(items).filter(|text| words::has_any(text, COVERING)).any(|text| {
        words::paths(text).any(|path| Kind::of(path) == Kind::Test && case.has_file(path))
            || text
                .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                .any(|word| is_test(case, word))
    })
}

/// Says whether a word is the name of a test of the project.
fn is_test(case: &Case<'_>, word: &str) -> bool {
    let is_name = word.len() >= NAME_BYTES_MIN && word.contains("test") && word.contains('_');
    let mut tests = case.files.paths().iter().filter(|path| Kind::of(path) == Kind::Test).take(TESTS_MAX);
    is_name && tests.any(|path| case.files.text(path).is_some_and(|text| text.contains(word)))
}
