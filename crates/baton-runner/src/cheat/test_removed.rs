//! Tests were deleted, and what they test was not.

use std::collections::BTreeSet;

use super::files::{Files, folder_of};
use super::line::{Kind, Lines, is_code};
use super::out_of_scope::is_within;
use super::places::{Places, package_of};
use super::unit::is_code_file;
use super::vanished::{Way, sights};
use super::{Change, Scene, Sight, Trick, neutralised};

pub(super) static TRICK: Trick = Trick { name: "test_removed", look };

/// How a class begins that a runner looks for tests in.
const CLASSES: &[&str] = &["class Test", "(unittest.TestCase)", "(TestCase)"];

fn look(change: &Change<'_>, lines: Option<&Lines>, scene: &Scene<'_>) -> Vec<Sight> {
    let is_test = Kind::of(change.path) == Kind::Test;
    let mut seen = sights(&scene.vanished, change.path, Way::Removed);
    if scene.unlinked.contains(change.path) {
        seen.push(Sight {
            line: None,
            text: "without it, unittest does not find the tests beside it".to_owned(),
        });
    }
    if is_test && !is_code_file(change.path) && change.after.is_none() {
        seen.push(Sight { line: None, text: "a file of tests was deleted".to_owned() });
    }
    if let Some(lines) = lines.filter(|_| is_test && change.after.is_some()) {
        let is_class = |line: &str| is_code(line) && CLASSES.iter().any(|mark| line.contains(mark));
        let come = lines.added.iter().filter(|line| is_class(&line.text)).count();
        seen.extend(neutralised::rebound(change, lines));
        seen.extend(
            lines.removed.iter().filter(|line| is_class(&line.text)).skip(come).map(|line| line.lost()),
        );
    }
    seen
}

/// Returns the files that made packages of folders with tests, and are gone.
pub(super) fn unlinked(changes: &[Change<'_>], files: &Files<'_>, places: &Places) -> BTreeSet<String> {
    let is_test = |path: &str| is_within(path, &format!("{}/test*.py", folder_of(path)));
    let tests = changes.iter().filter(|change| change.after.is_some() && is_test(change.path));
    let with_tests: BTreeSet<&str> = tests.map(|change| folder_of(change.path)).collect();
    let is_unlinked = |change: &&Change<'_>| {
        let folder = package_of(change.path).filter(|folder| places.needs_package(folder));
        let is_gone = change.before.is_some() && change.after.is_none();
        let has_tests = |folder: &str| {
            with_tests.contains(folder) || !files.unchanged(&format!("{folder}/test*.py")).is_empty()
        };
        is_gone && folder.is_some_and(has_tests)
    };
    changes.iter().filter(is_unlinked).map(|change| change.path.to_owned()).collect()
}
