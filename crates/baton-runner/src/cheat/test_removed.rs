//! Tests were deleted, and what they test was not.

use super::line::{Kind, Lines, is_code};
use super::unit::is_code_file;
use super::vanished::{Way, sights};
use super::{Change, Scene, Sight, Trick, neutralised};

pub(super) static TRICK: Trick = Trick { name: "test_removed", look };

/// How a class begins that a runner looks for tests in.
const CLASSES: &[&str] = &["class Test", "(unittest.TestCase)", "(TestCase)"];

fn look(change: &Change<'_>, scene: &Scene<'_>) -> Vec<Sight> {
    let is_test = Kind::of(change.path) == Kind::Test;
    let mut seen = sights(&scene.vanished, change.path, Way::Removed);
    if is_test && !is_code_file(change.path) && change.after.is_none() {
        seen.push(Sight { line: None, text: "a file of tests was deleted".to_owned() });
    }
    if let Some(lines) = Lines::of(change).filter(|_| is_test && change.after.is_some()) {
        let is_class = |line: &str| is_code(line) && CLASSES.iter().any(|mark| line.contains(mark));
        let come = lines.added.iter().filter(|line| is_class(&line.text)).count();
        seen.extend(neutralised::rebound(change, &lines));
        seen.extend(
            lines.removed.iter().filter(|line| is_class(&line.text)).skip(come).map(|line| line.lost()),
        );
    }
    seen
}
