//! How a project in Python is tested: with pytest, or with what comes with Python where its tests are written for that.

use std::path::Path;

use super::{Command, Subject, read};

/// Where people install what a project depends on.
pub(super) const INSTALLED: &[&str] = &[".venv", "venv"];
/// Files in which a project says what it needs; a name that ends with `*` stands for all that begin so.
const NEEDS: &[&str] = &["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "Pipfile", "requirements*"];
/// Files that only pytest reads.
const OF_PYTEST: &[&str] = &["pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"];
/// Folders with tests; the first is the root.
const TEST_FOLDERS: &[&str] = &["", "tests", "test"];
/// Most files of a folder that are looked at.
const ENTRIES_MAX: usize = 512;

const PYTEST: &[&str] = &["python3", "-m", "pytest"];

pub(super) fn propose(root: &Path, text: &str) -> Vec<Command> {
    with_linter(text, tests(root).unwrap_or_else(|| PYTEST.to_vec()))
}

/// The same, where something says that there are tests.
pub(super) fn propose_if_tested(root: &Path, text: &str) -> Vec<Command> {
    tests(root).map(|run| with_linter(text, run)).unwrap_or_default()
}

fn with_linter(text: &str, run: Vec<&'static str>) -> Vec<Command> {
    let mut found = vec![(Subject::Tests, run)];
    let linters =
        [("ruff", vec!["ruff", "check", "."]), ("flake8", vec!["flake8"]), ("pylint", vec!["pylint", "."])];
    found.extend(
        linters.into_iter().find(|(name, _)| text.contains(name)).map(|(_, run)| (Subject::Lints, run)),
    );
    found
}

fn tests(root: &Path) -> Option<Vec<&'static str>> {
    if needs_pytest(root) {
        return Some(PYTEST.to_vec());
    }
    let folder = TEST_FOLDERS.iter().copied().find(|folder| has_unittest(&root.join(folder)))?;
    let mut run = vec!["python3", "-m", "unittest", "discover"];
    // From the root, only folders that are packages are found.
    if !folder.is_empty() && !root.join(folder).join("__init__.py").exists() {
        run.extend(["-s", folder]);
    }
    Some(run)
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

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(ENTRIES_MAX);
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
