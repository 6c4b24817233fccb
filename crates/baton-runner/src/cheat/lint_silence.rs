//! Marks that make a lint pass over a whole file, where a check runs that lint.

use super::line::{Lines, holds};
use super::{Change, Scene, Sight};

/// A tool, and what silences it from its place to the end of the file.
const MARKS: &[(&str, &[&str])] = &[
    ("clippy", &["#![allow(warnings", "#![allow(clippy::all", "#![allow(clippy::pedantic"]),
    ("eslint", &["/* eslint-disable */", "/* eslint-disable\n"]),
    ("flake8", &["flake8: noqa"]),
    ("mypy", &["mypy: ignore-errors"]),
    ("pylint", &["pylint: skip-file"]),
    ("ruff", &["ruff: noqa\n", "flake8: noqa"]),
    ("tsc", &["@ts-nocheck"]),
];

pub(super) fn sights(change: &Change<'_>, lines: &Lines, scene: &Scene<'_>) -> Vec<Sight> {
    let runs = |tool: &str| [&scene.before, &scene.after].iter().any(|reach| reach.programs.contains(tool));
    let marks: Vec<&str> =
        MARKS.iter().filter(|(tool, _)| runs(tool)).flat_map(|(_, marks)| marks.iter().copied()).collect();
    let is_code_file = change.after.is_some() && super::unit::is_code_file(change.path);
    let is_mark = |line: &str| is_code_file && holds(&format!("{}\n", line.trim_end()), &marks);
    lines.news(is_mark).into_iter().map(|line| line.sight()).collect()
}
