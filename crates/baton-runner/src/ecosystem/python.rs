//! How a project in Python is tested: with pytest, or with what comes with Python where its tests are written for that.

use std::path::Path;

use super::{Command, JUNIT_FILE, Subject, names, read};

/// Where people install what a project depends on.
pub(super) const INSTALLED: &[&str] = &[".venv", "venv"];
/// Files in which a project says what it needs; a name that ends with `*` stands for all that begin so.
const NEEDS: &[&str] = &["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "Pipfile", "requirements*"];
/// Files that only pytest reads.
const OF_PYTEST: &[&str] = &["pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"];
/// Folders with tests; the first is the root.
const TEST_FOLDERS: &[&str] = &["", "tests", "test"];

pub(super) fn propose(root: &Path, text: &str) -> Vec<Command> {
    with_linter(text, tests(root).unwrap_or_else(pytest))
}

/// The same, where something says that there are tests.
pub(super) fn propose_if_tested(root: &Path, text: &str) -> Vec<Command> {
    tests(root).map(|tests| with_linter(text, tests)).unwrap_or_default()
}

/// Files of tests speak for themselves, and name no linter: what one speaks of, it silences.
pub(super) fn propose_tests(root: &Path, _: &str) -> Vec<Command> {
    vec![tests(root).unwrap_or_else(pytest)]
}

fn with_linter(text: &str, tests: Command) -> Vec<Command> {
    let mut found = vec![tests];
    let linters =
        [("ruff", vec!["ruff", "check", "."]), ("flake8", vec!["flake8"]), ("pylint", vec!["pylint", "."])];
    let linter = linters.into_iter().find(|(name, _)| text.contains(name));
    found.extend(linter.map(|(_, run)| Command::new(Subject::Lints, run)));
    found
}

fn pytest() -> Command {
    Command::with_junit(vec!["python3", "-m", "pytest", "--junitxml", JUNIT_FILE])
}

fn tests(root: &Path) -> Option<Command> {
    if needs_pytest(root) {
        return Some(pytest());
    }
    let folder = TEST_FOLDERS.iter().copied().find(|folder| has_unittest(&root.join(folder)))?;
    let mut run = vec!["python3", "-m", "unittest", "discover"];
    // From the root, only folders that are packages are found.
    if !folder.is_empty() && !root.join(folder).join("__init__.py").exists() {
        run.extend(["-s", folder]);
    }
    Some(Command::new(Subject::Tests, run))
}

fn needs_pytest(root: &Path) -> bool {
    let is_named = |name: &str| {
        NEEDS.iter().any(|need| match need.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == *need,
        })
    };
    let says_so =
        |name: &String| is_named(name) && read(&root.join(name)).is_some_and(|text| text.contains("pytest"));
    OF_PYTEST.iter().any(|path| root.join(path).is_file()) || names(root).iter().any(says_so)
}

fn has_unittest(folder: &Path) -> bool {
    let is_test = |name: &&String| name.starts_with("test") && name.ends_with(".py");
    let imports = |name: &String| {
        let text = read(&folder.join(name)).unwrap_or_default();
        text.lines().any(|line| line.starts_with("import unittest") || line.starts_with("from unittest"))
    };
    names(folder).iter().filter(is_test).any(imports)
}
