//! Where the checks look for tests, as far as their commands say it.

use std::collections::BTreeSet;

use super::files::folder_of;
use super::out_of_scope::is_within;
use super::reach::Reach;

/// Ends of the names of files of Go that count on one system alone.
const GO_SYSTEMS: &[&str] = &[
    "aix", "android", "arm", "arm64", "darwin", "freebsd", "illumos", "ios", "js", "netbsd", "openbsd",
    "plan9", "riscv64", "solaris", "wasm", "windows",
];

#[derive(Debug, Default)]
pub(super) struct Places {
    /// What fits one of these is run. A word without a star may be anything that a script names.
    patterns: BTreeSet<String>,
    /// Python looks for tests by the rules of unittest alone, and where it is told to.
    unittest: Option<BTreeSet<String>>,
    /// Folders that Python is started in.
    started_in: BTreeSet<String>,
}

impl Places {
    pub(super) fn of(before: &Reach, after: &Reach) -> Self {
        let named: BTreeSet<String> = before.programs.union(&after.programs).cloned().collect();
        let has_pattern = named.iter().any(|word| word.contains('*') && word.ends_with(".py"));
        let is_unittest = named.contains("unittest") && !before.runs_pytest && !after.runs_pytest;
        let patterns = before.guessed.union(&after.guessed).filter(|word| word.contains('*'));
        Self {
            patterns: patterns.cloned().collect(),
            unittest: (is_unittest && !has_pattern).then_some(named),
            started_in: before.python_folders.union(&after.python_folders).cloned().collect(),
        }
    }

    /// Says whether a check runs the files that fit a pattern, and this is one of them.
    pub(super) fn runs(&self, path: &str) -> bool {
        let fits = |pattern: &String| {
            let last = pattern.rsplit('/').next().unwrap_or(pattern);
            let is_shown = !file_name(path).starts_with('.') || !last.starts_with('*');
            let is_beside = !last.contains('*') || pattern.split('/').count() == path.split('/').count();
            is_shown && is_beside && is_within(path, pattern)
        };
        self.patterns.iter().any(fits)
    }

    /// Says whether a runner looks for tests in a file of this name, on any system. A test that moves elsewhere is not run.
    pub(super) fn collects(&self, path: &str) -> bool {
        let name = file_name(path);
        if let Some(stem) = name.strip_suffix(".py") {
            return ["test", "conftest"].iter().any(|start| stem.starts_with(start))
                || self.unittest.is_none() && (stem.ends_with("_test") || stem.ends_with("_tests"));
        }
        let system = name.strip_suffix("_test.go").and_then(|stem| stem.rsplit('_').next());
        !name.starts_with('.') && !system.is_some_and(|system| GO_SYSTEMS.contains(&system))
    }

    /// Says whether unittest looks into a folder only because a file there makes a package of it.
    pub(super) fn needs_package(&self, folder: &str) -> bool {
        let Some(named) = self.unittest.as_ref().filter(|_| !folder.is_empty()) else { return false };
        let own = file_name(folder);
        let is_named = |word: &String| word.split('.').next() == Some(own);
        !self.started_in.contains(folder) && !named.iter().any(is_named)
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the folder of which a file makes a package of Python.
pub(super) fn package_of(path: &str) -> Option<&str> {
    (file_name(path) == "__init__.py").then(|| folder_of(path))
}
