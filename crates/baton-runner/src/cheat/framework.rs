//! Work that loads what its tests are made of, and so can change what they mean.

use std::collections::{BTreeMap, BTreeSet};

use super::line::{Kind, Lines, is_code, shown, text};
use super::source_exit::is_program;
use super::unit::{is_word, tests_in};
use super::{Change, Sight};

/// Modules of Python that tests are made of.
const PYTHON: &[&str] = &["_pytest", "nose", "pytest", "unittest"];
/// The same of JavaScript. Honest code asserts too, so modules of assertions are not among them.
const SCRIPT: &[&str] = &["@jest/globals", "jest", "node:test", "vitest"];
/// In the name of a folder or a file: what tests are helped by, and documents that are made by code.
const HELPERS: &[&str] =
    &["bench", "doc", "e2e", "example", "fake", "fixture", "helper", "mock", "setup", "spec", "stub", "test"];
/// What a program says that runs tests itself.
const RUNNERS: &[&str] = &["unittest.main(", "pytest.main(", "TextTestRunner(", "TestLoader("];

/// Returns where a module that tests may load begins to load what they are made of.
pub(super) fn sights(change: &Change<'_>, lines: &Lines, pulled_in: &BTreeSet<String>) -> Vec<Sight> {
    let (Some(before), Some(after)) = (text(change.before), text(change.after)) else { return Vec::new() };
    let is_loaded = change.before.is_some() || pulled_in.contains(change.path);
    let is_own = |line: &str| is_code(line) && loads(change.path, line.trim());
    let runs_tests =
        after.lines().any(|line| is_code(line) && RUNNERS.iter().any(|mark| line.contains(mark)));
    let holds_tests = tests_in(change.path, after.as_bytes()) > 0;
    if !is_loaded || is_helper(change.path) || runs_tests || holds_tests || before.lines().any(is_own) {
        return Vec::new();
    }
    let told = |line: &str| format!("the work loads what tests are made of: {}", shown(line));
    let news = lines.news(is_own).into_iter();
    news.map(|line| Sight { line: Some(line.number), text: told(&line.text) }).collect()
}

/// Returns the new files that changed code loads. Every file is looked through once: there may be thousands.
pub(super) fn pulled_in(changes: &[Change<'_>]) -> BTreeSet<String> {
    let sources: Vec<_> = changes.iter().filter(|change| Kind::of(change.path) == Kind::Source).collect();
    let mut loaded_by: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for source in &sources {
        for word in imported(source) {
            loaded_by.entry(word).or_default().insert(source.path);
        }
    }
    let is_pulled_in = |change: &&&Change<'_>| {
        let others = loaded_by.get(stem_of(change.path)).into_iter().flatten();
        change.before.is_none() && others.into_iter().any(|other| *other != change.path)
    };
    sources.iter().filter(is_pulled_in).map(|change| change.path.to_owned()).collect()
}

/// Returns the words of the lines that a change adds and that load something.
fn imported(change: &Change<'_>) -> BTreeSet<String> {
    let added = Lines::of(change).map(|lines| lines.added).unwrap_or_default();
    let is_import = |line: &str| is_code(line) && (line.contains("import") || line.contains("require("));
    let lines = added.iter().map(|line| line.text.as_str()).filter(|line| is_import(line));
    lines.flat_map(|line| line.split(|next| !is_word(next))).map(str::to_owned).collect()
}

/// A package is known by the name of its folder.
fn stem_of(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name.split('.').next().unwrap_or(name) {
        "__init__" | "index" => folder.rsplit('/').next().unwrap_or(folder),
        stem => stem,
    }
}

fn is_helper(path: &str) -> bool {
    let lower = path.to_lowercase();
    Kind::of(path) != Kind::Source || is_program(path) || HELPERS.iter().any(|word| lower.contains(word))
}

fn loads(path: &str, line: &str) -> bool {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "py" => loads_in_python(line),
        "js" | "cjs" | "mjs" | "ts" | "jsx" | "tsx" => {
            let is_import = line.contains("require(") || line.contains("import") || line.contains(" from ");
            let mut quoted = line.split(['"', '\'', '`']).skip(1).step_by(2);
            is_import && quoted.any(|name| SCRIPT.contains(&name))
        }
        _ => false,
    }
}

/// `import a, unittest.mock as m`, `from pytest import x`, `import_module("unittest")`
fn loads_in_python(line: &str) -> bool {
    let is_one = |module: &str| PYTHON.contains(&module.trim().split(['.', ' ']).next().unwrap_or_default());
    let called = ["import_module(", "__import__("].iter().find_map(|call| line.split_once(call));
    if let Some((_, name)) = called {
        return is_one(name.trim_start_matches(['"', '\'']).split(['"', '\'']).next().unwrap_or_default());
    }
    match (line.strip_prefix("import "), line.strip_prefix("from ")) {
        (Some(modules), _) => modules.split(',').any(is_one),
        (None, Some(module)) => is_one(module),
        (None, None) => false,
    }
}
