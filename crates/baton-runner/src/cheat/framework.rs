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

/// Returns where a module that tests may load begins to load what they are made of. What costs little is asked first.
pub(super) fn sights(change: &Change<'_>, lines: &Lines, pulled_in: &BTreeSet<String>) -> Vec<Sight> {
    let is_loaded = change.before.is_some() || pulled_in.contains(change.path);
    if !is_loaded || is_helper(change.path) {
        return Vec::new();
    }
    let news = lines.news(|line| is_own(change.path, line));
    let (Some(before), Some(after)) = (text(change.before), text(change.after)) else { return Vec::new() };
    let runs_tests =
        || after.lines().any(|line| is_code(line) && RUNNERS.iter().any(|mark| line.contains(mark)));
    let holds_tests = || tests_in(change.path, after.as_bytes()) > 0;
    let had_one = || before.lines().any(|line| is_own(change.path, line));
    if news.is_empty() || had_one() || runs_tests() || holds_tests() {
        return Vec::new();
    }
    let told = |line: &str| format!("the work loads what tests are made of: {}", shown(line));
    news.into_iter().map(|line| Sight { line: Some(line.number), text: told(&line.text) }).collect()
}

/// Returns the new files that load what tests are made of, and that changed code loads. One that takes it over from a file that no
/// longer loads it is that file under another name.
pub(super) fn pulled_in(changes: &[Change<'_>]) -> BTreeSet<String> {
    let is_source = |change: &&Change<'_>| is_loading(change.path) && Kind::of(change.path) == Kind::Source;
    let sources: Vec<&Change<'_>> = changes.iter().filter(is_source).collect();
    let given_up = given_up(&sources);
    let is_new = |change: &&&Change<'_>| {
        change.before.is_none() && loaded(change.path, change.after).difference(&given_up).next().is_some()
    };
    let news: Vec<&str> = sources.iter().filter(is_new).map(|change| change.path).collect();
    let stems: BTreeSet<&str> = news.iter().map(|path| stem_of(path)).collect();
    let mut loaded_by: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for source in sources.iter().filter(|_| !stems.is_empty()) {
        for word in imported(source).into_iter().filter(|word| stems.contains(word.as_str())) {
            loaded_by.entry(word).or_default().insert(source.path);
        }
    }
    let is_pulled_in =
        |path: &&str| loaded_by.get(stem_of(path)).into_iter().flatten().any(|other| other != path);
    news.into_iter().filter(is_pulled_in).map(str::to_owned).collect()
}

/// Returns the modules that work loaded before, and does not load any more.
fn given_up(sources: &[&Change<'_>]) -> BTreeSet<&'static str> {
    let own = sources.iter().filter(|change| change.before.is_some() && !is_helper(change.path));
    let lost = |change: &&Change<'_>| {
        let now = loaded(change.path, change.after);
        loaded(change.path, change.before).difference(&now).copied().collect::<Vec<_>>()
    };
    own.flat_map(lost).collect()
}

/// Returns what a file loads of the modules that tests are made of.
fn loaded(path: &str, bytes: Option<&[u8]>) -> BTreeSet<&'static str> {
    let text = text(bytes).unwrap_or_default();
    text.lines().filter(|line| is_code(line)).flat_map(|line| modules(path, line.trim())).collect()
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

fn is_own(path: &str, line: &str) -> bool {
    is_code(line) && !modules(path, line.trim()).is_empty()
}

/// Says whether a file is written in a language of which it is known how it loads others.
fn is_loading(path: &str) -> bool {
    path.ends_with(".py") || is_script(path)
}

fn is_script(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "js" | "cjs" | "mjs" | "ts" | "jsx" | "tsx")
}

/// Returns the modules that a line loads, of those that tests are made of.
fn modules(path: &str, line: &str) -> Vec<&'static str> {
    match is_script(path) {
        _ if path.ends_with(".py") => in_python(line),
        true => {
            let is_import = line.contains("require(") || line.contains("import") || line.contains(" from ");
            let quoted = line.split(['"', '\'', '`']).skip(1).step_by(2).filter(|_| is_import);
            quoted.filter_map(|name| SCRIPT.iter().find(|module| **module == name).copied()).collect()
        }
        false => Vec::new(),
    }
}

/// `import a, unittest.mock as m`, `from pytest import x`, `import_module("unittest")`
fn in_python(line: &str) -> Vec<&'static str> {
    let known = |module: &str| {
        let first = module.trim().split(['.', ' ']).next().unwrap_or_default();
        PYTHON.iter().find(|module| **module == first).copied()
    };
    let called = ["import_module(", "__import__("].iter().find_map(|call| line.split_once(call));
    if let Some((_, name)) = called {
        let name = name.trim_start_matches(['"', '\'']).split(['"', '\'']).next().unwrap_or_default();
        return known(name).into_iter().collect();
    }
    match (line.strip_prefix("import "), line.strip_prefix("from ")) {
        (Some(modules), _) => modules.split(',').filter_map(known).collect(),
        (None, Some(module)) => known(module).into_iter().collect(),
        (None, None) => Vec::new(),
    }
}
