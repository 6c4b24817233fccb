//! Tests were deleted, or there are fewer of them in a file than before.

use super::line::{Kind, Lines, is_code};
use super::{Change, Scope, Sight, Trick};

pub(super) static TRICK: Trick = Trick { name: "test_removed", look };

fn look(change: &Change<'_>, _: &Scope) -> Vec<Sight> {
    if change.before.is_none() {
        return Vec::new();
    }
    if change.after.is_none() && Kind::of(change.path) == Kind::Test {
        return vec![Sight { line: None, text: "a file of tests was deleted".to_owned() }];
    }
    let Some(lines) = Lines::of(change) else { return Vec::new() };
    lines.losses(begins_test).into_iter().map(|line| line.lost()).collect()
}

/// Says whether a line is where a test begins, in one of the usual languages.
pub(crate) fn begins_test(line: &str) -> bool {
    let line = line.trim();
    let begins = |starts: &[&str]| starts.iter().any(|start| line.starts_with(start));
    is_code(line)
        && (begins(&[
            "#[test]",
            "#[tokio::test",
            "#[rstest",
            "def test_",
            "async def test_",
            "func Test",
            "@Test",
            "[Fact",
            "[Test",
        ]) || begins(&["it(", "it.each", "test(", "test.each", "it \"", "it '", "specify("]))
}
