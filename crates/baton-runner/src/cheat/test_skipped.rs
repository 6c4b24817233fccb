//! Tests were switched off, or all but some of them.

use super::line::{Kind, Lines, holds, is_code};
use super::vanished::{Way, sights};
use super::{Change, Scene, Sight, Trick, neutralised};

pub(super) static TRICK: Trick = Trick { name: "test_skipped", look };

const MARKS: &[&str] = &[
    "#[ignore",
    "@pytest.mark.skip",
    "@pytest.mark.xfail",
    "pytest.skip(",
    "@unittest.skip",
    "@unittest.expectedFailure",
    "self.skipTest(",
    "it.skip(",
    "test.skip(",
    "describe.skip(",
    "it.todo(",
    "test.todo(",
    "it.only(",
    "test.only(",
    "describe.only(",
    "t.Skip(",
    "t.SkipNow(",
    "b.Skip(",
    "@Disabled",
    "@Ignore",
    "[Ignore",
    "Skip = \"",
    "#[cfg(any())]",
    "#[cfg(FALSE)]",
    "__test__ = False",
    "raise unittest.SkipTest",
    "raise SkipTest",
    "test.failing(",
    "it.failing(",
    "pytestmark = pytest.mark.skip",
];

/// What means this only in a file of tests, at the start of a line.
const STARTS: &[&str] = &[
    "xit(",
    "xdescribe(",
    "xtest(",
    "fdescribe(",
    "fit(",
    "pending(",
    "if False:",
    "if 0:",
    "if (false)",
    "if (0)",
    "if false {",
    "#if 0",
];
/// The same, anywhere in a line.
const IN_TESTS: &[&str] =
    &["skip: true", "skip: '", "skip: \"", "todo: true", "t.skip(", "t.todo(", "this.skip("];

fn look(change: &Change<'_>, lines: Option<&Lines>, scene: &Scene<'_>) -> Vec<Sight> {
    let Some(lines) = lines else { return Vec::new() };
    let is_test = Kind::of(change.path) == Kind::Test;
    let begins = |line: &str| STARTS.iter().any(|start| line.trim_start().starts_with(start));
    let is_mark = |line: &str| {
        is_code(line) && (holds(line, MARKS) || is_test && (begins(line) || holds(line, IN_TESTS)))
    };
    let mut seen: Vec<Sight> = lines.news(is_mark).into_iter().map(|line| line.sight()).collect();
    seen.extend(neutralised::skipped(change, lines));
    seen.extend(sights(&scene.vanished, change.path, Way::Skipped));
    seen
}
