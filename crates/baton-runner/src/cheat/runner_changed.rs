//! What the checks run, or what they look at, was changed: the test command, its filters, its hooks.

use super::line::{Kind, Lines, holds, is_code};
use super::{Change, Scope, Sight, Trick};

pub(super) static TRICK: Trick = Trick { name: "runner_changed", look };

/// Settings that say which tests there are and how they are judged.
const SETTINGS: &[&str] = &[
    "testpaths",
    "addopts",
    "python_files",
    "collect_ignore",
    "deselect",
    "norecursedirs",
    "testPathIgnorePatterns",
    "testMatch",
    "testRegex",
    "coveragePathIgnorePatterns",
    "autotests = false",
    "test = false",
    "harness = false",
    "doctest = false",
    "\"test\":",
    "\"lint\":",
    "\"typecheck\":",
    "default_filter",
    "default-filter",
    "excludeTags",
    "surefire",
];
/// Ways to reach into a test runner from inside of a test.
const HOOKS: &[&str] = &[
    "pytest_collection_modifyitems",
    "pytest_runtest_makereport",
    "pytest_sessionfinish",
    "pytest_ignore_collect",
    "pytest_runtest_call",
    "collect_ignore",
    "sys.modules[\"pytest\"]",
    "jest.mock('@jest",
    "TestMain(",
];

fn look(change: &Change<'_>, _: &Scope) -> Vec<Sight> {
    let Some(lines) = Lines::of(change) else { return Vec::new() };
    let words = match Kind::of(change.path) {
        // A file that is new says what the checks of something new are.
        Kind::Build if change.before.is_some() => SETTINGS,
        Kind::Test => HOOKS,
        Kind::Build | Kind::Source | Kind::Document => return Vec::new(),
    };
    let is_meant = |line: &str| is_code(line) && holds(line, words);
    let mut seen: Vec<Sight> =
        lines.added.iter().filter(|line| is_meant(line.text)).map(|line| line.sight()).collect();
    seen.extend(lines.losses(is_meant).into_iter().map(|line| line.lost()));
    seen
}
