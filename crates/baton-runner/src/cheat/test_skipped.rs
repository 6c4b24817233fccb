//! Tests were switched off, or all but some of them.

use super::line::{Lines, holds, is_code};
use super::{Change, Scope, Sight, Trick};

pub(super) static TRICK: Trick = Trick { name: "test_skipped", look };

const MARKS: &[&str] = &[
    "#[ignore",
    "@pytest.mark.skip",
    "@pytest.mark.xfail",
    "pytest.skip(",
    "@unittest.skip",
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
];

fn look(change: &Change<'_>, _: &Scope) -> Vec<Sight> {
    let Some(lines) = Lines::of(change) else { return Vec::new() };
    let is_mark = |line: &str| is_code(line) && holds(line, MARKS);
    lines.news(is_mark).into_iter().map(|line| line.sight()).collect()
}
