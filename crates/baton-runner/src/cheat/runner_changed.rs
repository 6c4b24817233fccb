//! What the checks run, or what they look at, was changed: the test command, its filters, its hooks.

use std::collections::{BTreeMap, BTreeSet};

use super::line::{Kind, Lines, holds, is_code};
use super::reach::Reach;
use super::unit::is_word;
use super::{Change, Scene, Sight, Trick, settings};

pub(super) static TRICK: Trick = Trick { name: "runner_changed", look };

/// Settings that say which tests there are and how they are judged.
const SETTINGS: &[&str] = &[
    "testpaths",
    "addopts",
    "python_files",
    "python_functions",
    "python_classes",
    "usefixtures",
    "pytest11",
    "WILL_FAIL",
    "collect_ignore",
    "deselect",
    "norecursedirs",
    "testPathIgnorePatterns",
    "testMatch",
    "testRegex",
    "coveragePathIgnorePatterns",
    "default_filter",
    "default-filter",
    "excludeTags",
    "surefire",
];
/// Scripts that others rely on: one more is no trick, another one in place of it may be.
const SCRIPTS: &[&str] = &["\"test\":", "\"lint\":", "\"typecheck\":", "add_test("];
/// Ways to reach into a test runner from inside of a test.
const HOOKS: &[&str] = &[
    "def pytest_",
    "pytest_plugins",
    "collect_ignore",
    "sys.modules[\"pytest\"]",
    "jest.mock('@jest",
    "TestMain(",
];

/// Files that settle how a tool runs what it runs, and the words in them that do.
const TOOLS: &[(&str, &[&str])] = &[(".npmrc", &["script-shell", "node-options", "ignore-scripts"])];
/// Where pytest looks for its settings, and what a file of that name must hold to be one.
const PYTEST: &[(&str, &str)] = &[
    ("pytest.ini", ""),
    (".pytest.ini", ""),
    ("pyproject.toml", "[tool.pytest"),
    ("tox.ini", "[pytest]"),
    ("setup.cfg", "[tool:pytest]"),
];

fn look(change: &Change<'_>, lines: Option<&Lines>, scene: &Scene<'_>) -> Vec<Sight> {
    let mut seen = scene.said_anew.get(change.path).cloned().unwrap_or_default();
    let Some(lines) = lines else { return seen };
    seen.extend(settings::sights(change, lines, scene));
    let name = change.path.rsplit('/').next().unwrap_or(change.path);
    let tool =
        TOOLS.iter().find(|(file, _)| change.path == *file || change.path.ends_with(&format!("/{file}")));
    let is_table = scene.before.tables.contains(change.path) || scene.after.tables.contains(change.path);
    let settles_pytest = |text: &str| {
        let reads = scene.before.runs_pytest || scene.after.runs_pytest;
        reads && PYTEST.iter().any(|(file, mark)| name == *file && text.contains(mark))
    };
    let words = match Kind::of(change.path) {
        _ if tool.is_some() => tool.map_or(&[][..], |(_, words)| *words),
        _ if is_table => {
            let lost = lines.losses(|line| is_code(line) && !line.trim().is_empty());
            seen.extend(lost.into_iter().map(|line| line.lost()));
            return seen;
        }
        // A file that is new says what the checks of something new are, unless a check reads it.
        Kind::Build if change.before.is_some() => SETTINGS,
        Kind::Build | Kind::Source if settles_pytest(&added(lines)) => {
            seen.push(Sight { line: None, text: "it is new, and settles what a check runs".to_owned() });
            return seen;
        }
        Kind::Test => HOOKS,
        Kind::Build | Kind::Source | Kind::Document => return seen,
    };
    let is_meant =
        |line: &str| is_code(line) && (holds(line, words) || name == "conftest.py" && patches(line));
    seen.extend(lines.news(is_meant).into_iter().map(|line| line.sight()));
    seen.extend(lines.losses(is_meant).into_iter().map(|line| line.lost()));
    let is_script = |line: &str| change.before.is_some() && holds(line, SCRIPTS);
    if Kind::of(change.path) == Kind::Build {
        seen.extend(lines.losses(is_script).into_iter().map(|line| line.lost()));
    }
    let mut told = BTreeSet::new();
    seen.retain(|sight| told.insert(sight.line));
    seen
}

/// Something that lies elsewhere gets another value for all tests, or a test is reached into.
fn patches(line: &str) -> bool {
    let target =
        line.split_once('=').filter(|(_, rest)| !rest.starts_with('=')).map(|(target, _)| target.trim_end());
    let is_attribute =
        |target: &str| target.contains('.') && target.chars().all(|next| is_word(next) || next == '.');
    let reaches_tests = holds(line, &["setattr(", "patch("]) && line.contains("test_");
    target.is_some_and(is_attribute) || line.starts_with("setattr(") || reaches_tests
}

fn added(lines: &Lines) -> String {
    lines.added.iter().map(|line| line.text.as_str()).collect()
}

/// Returns where rules and manifests say something else than before, by the files that changed it. Worked out once: both may be
/// many.
pub(super) fn said_anew(
    before: &Reach,
    after: &Reach,
    changed: &BTreeSet<&str>,
) -> BTreeMap<String, Vec<Sight>> {
    let names: BTreeSet<&String> = before.said.keys().chain(after.said.keys()).collect();
    let mut anew: BTreeMap<String, Vec<Sight>> = BTreeMap::new();
    for name in names {
        let (old, new) = (before.said.get(name), after.said.get(name));
        let (Some(told), false) = (new.or(old), old.map(|said| &said.text) == new.map(|said| &said.text))
        else {
            continue;
        };
        let what = name.rsplit(':').next().unwrap_or(name);
        let sight = |line| Sight { line, text: format!("a check runs `{what}`, which is not what it was") };
        if changed.contains(told.file.as_str()) {
            anew.entry(told.file.clone()).or_default().push(sight(told.line));
            continue;
        }
        // Where the file that says it is as it was, one that it reads is not.
        let sources = [old, new].into_iter().flatten().flat_map(|said| &said.sources);
        let sources: BTreeSet<&String> = sources.filter(|file| changed.contains(file.as_str())).collect();
        for file in sources {
            anew.entry(file.clone()).or_default().push(sight(None));
        }
    }
    anew
}
