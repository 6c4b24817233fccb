//! A failure of a command no longer counts: `|| true` and its kin, where the project is built and checked.

use super::line::{Kind, Lines, holds, is_code};
use super::{Change, Scene, Sight, Trick, lint_silence};

pub(super) static TRICK: Trick = Trick { name: "failure_swallowed", look };

const MARKS: &[&str] = &[
    "|| true",
    "||true",
    "|| :",
    "|| exit 0",
    "; exit 0",
    "; true\"",
    "set +e",
    "continue-on-error: true",
    "allow_failure: true",
    "ignore_errors",
    "ignoreFailures",
    "--passWithNoTests",
    "passWithNoTests",
    "--no-fail",
    "--exit-zero",
    "--keep-going || ",
    "testFailureIgnore",
    "maven.test.skip",
    "skipTests",
    "--no-verify",
    "-DskipTests",
];

fn look(change: &Change<'_>, lines: Option<&Lines>, scene: &Scene<'_>) -> Vec<Sight> {
    let Some(lines) = lines else { return Vec::new() };
    if Kind::of(change.path) != Kind::Build {
        return lint_silence::sights(change, lines, scene);
    }
    let is_mark = |line: &str| is_code(line) && (holds(line, MARKS) || is_silent_recipe(change.path, line));
    lines.news(is_mark).into_iter().map(|line| line.sight()).collect()
}

/// A recipe of make that begins with `-` goes on after an error.
fn is_silent_recipe(path: &str, line: &str) -> bool {
    path.to_lowercase().ends_with("makefile") && line.starts_with("\t-")
}
