//! Tests were switched off, or all but some of them.

use super::line::{Lines, holds, is_code};
use super::vanished::{Way, sights};
use super::{Change, Scene, Sight, Trick};

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
    "xit(",
    "xdescribe(",
    "xtest(",
    "fdescribe(",
    "fit(",
    "t.Skip(",
    "t.SkipNow(",
    "b.Skip(",
    "@Disabled",
    "@Ignore",
    "[Ignore",
    "Skip = \"",
    "skip: true",
    "pending(",
    "if False:",
    "if 0:",
    "if (false)",
    "if (0)",
    "if false {",
    "#if 0",
    "#[cfg(any())]",
    "#[cfg(FALSE)]",
    "__test__ = False",
];

fn look(change: &Change<'_>, scene: &Scene<'_>) -> Vec<Sight> {
    let Some(lines) = Lines::of(change) else { return Vec::new() };
    let is_mark = |line: &str| is_code(line) && holds(line, MARKS);
    let mut seen: Vec<Sight> = lines.news(is_mark).into_iter().map(|line| line.sight()).collect();
    seen.extend(sights(&scene.vanished, change.path, Way::Skipped));
    seen
}
