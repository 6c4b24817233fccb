//! Settings of the tools that checks run, by their key, however they are laid out.

use std::collections::{BTreeMap, BTreeSet};

use super::line::{Lines, holds, is_code, text};
use super::{Change, Scene, Sight};

/// A tool, how the names of its files begin, and the keys that say what it looks at and what it makes of it.
const OF_TOOLS: &[(&str, &[&str], &[&str])] = &[
    ("jest", &["jest.config."], SCRIPT_KEYS),
    ("vitest", &["vitest.config.", "vitest.workspace."], SCRIPT_KEYS),
    ("mocha", &[".mocharc"], SCRIPT_KEYS),
    (
        "eslint",
        &[".eslintrc", "eslint.config.", ".eslintignore"],
        &["\"off\"", "'off'", "ignorePatterns", "ignores"],
    ),
    ("ruff", &["ruff.toml", ".ruff.toml"], PYTHON_KEYS),
    ("mypy", &["mypy.ini", ".mypy.ini"], PYTHON_KEYS),
    ("flake8", &[".flake8"], PYTHON_KEYS),
    (
        "tsc",
        &["tsconfig"],
        &["\"strict", "\"noImplicit", "\"include\"", "\"exclude\"", "\"files\"", "\"checkJs\""],
    ),
    ("tox", &["tox.ini"], &["commands", "env_list", "envlist"]),
    ("nox", &["noxfile.py"], &["session.run"]),
    ("phpunit", PHPUNIT_FILES, PHPUNIT_KEYS),
    ("pest", PHPUNIT_FILES, PHPUNIT_KEYS),
    ("nextest", &["nextest.toml"], &["default-filter", "filter", "retries", "run-wrapper"]),
];
const SCRIPT_KEYS: &[&str] = &[
    "exclude",
    "fgrep",
    "globalSetup",
    "grep",
    "include",
    "moduleNameMapper",
    "resolver",
    "roots",
    "runner",
    "setupFiles",
    "setupFilesAfterEnv",
    "spec",
    "testNamePattern",
    "testRunner",
    "transform",
];
const PHPUNIT_FILES: &[&str] = &["phpunit.xml", "phpunit.dist.xml"];
const PHPUNIT_KEYS: &[&str] = &["<directory", "<exclude", "<file", "<group", "<testsuite", "bootstrap"];
const PYTHON_KEYS: &[&str] =
    &["disable_error_code", "exclude", "extend-exclude", "ignore", "ignore_errors", "per-file-ignores"];
/// Parts of Cargo's own settings that say which programs build and run, and with what.
const OF_CARGO: &[&str] = &["alias", "build", "env", "target", "unstable"];

/// Returns where a setting that a check rests on is another one.
pub(super) fn sights(change: &Change<'_>, lines: &Lines, scene: &Scene<'_>) -> Vec<Sight> {
    let name = change.path.rsplit('/').next().unwrap_or(change.path);
    let runs = |tool: &str| [&scene.before, &scene.after].iter().any(|reach| reach.programs.contains(tool));
    let mut seen = Vec::new();
    for (_, _, keys) in OF_TOOLS
        .iter()
        .filter(|(tool, files, _)| runs(tool) && files.iter().any(|file| name.starts_with(file)))
    {
        if change.before.is_none() {
            seen.push(Sight { line: None, text: "it is new, and settles what a check runs".to_owned() });
            return seen;
        }
        let is_key = |line: &str| is_code(line) && holds(line, keys);
        // A switch that is turned on, or an exception that goes, makes a tool stricter.
        let news = lines.news(|line| is_key(line) && !is_on(line));
        let renewed: Vec<&str> =
            keys.iter().copied().filter(|key| news.iter().any(|line| line.text.contains(key))).collect();
        let same = |lost: &str| renewed.iter().any(|key| lost.contains(key));
        let names_tests = [SCRIPT_KEYS, PHPUNIT_KEYS].contains(keys);
        let is_lost = |line: &str| is_key(line) && (names_tests || is_on(line)) && !same(line);
        let lost = lines.losses(is_lost);
        seen.extend(news.iter().map(|line| line.sight()));
        seen.extend(lost.into_iter().map(|line| line.lost()));
    }
    let is_meant: fn(&str, &str, &str) -> bool = match name {
        "Cargo.toml" if change.before.is_some() => in_manifest,
        "config.toml" | "config" if change.path.contains(".cargo/") => in_cargo,
        "rust-toolchain.toml" | "rust-toolchain" => |_, key, _| key == "path",
        _ => return seen,
    };
    let (before, after) = (keyed(change.before), keyed(change.after));
    for place in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
        let (old, new) = (before.get(place), after.get(place));
        let value = new.or(old).map_or("", |(value, _)| value.as_str());
        if old.map(|(value, _)| value) != new.map(|(value, _)| value) && is_meant(&place.0, &place.1, value) {
            let text = format!("{} {} = {value}", place.0, place.1);
            seen.push(Sight { line: new.map(|(_, line)| *line), text: text.trim().to_owned() });
        }
    }
    seen
}

fn is_on(line: &str) -> bool {
    line.trim_end().trim_end_matches(',').ends_with("true")
}

/// A test that is not built, not run, or built from elsewhere.
fn in_manifest(section: &str, key: &str, value: &str) -> bool {
    match key {
        "harness" | "autotests" | "autobins" | "doctest" | "test" => value == "false",
        "path" | "required-features" => section.starts_with("[[test]]"),
        "default-members" => true,
        _ => section.starts_with("[lints") && value.contains("\"allow\""),
    }
}

fn in_cargo(section: &str, key: &str, _: &str) -> bool {
    let part = section.trim_start_matches('[').split(['.', ']']).next().filter(|part| !part.is_empty());
    OF_CARGO.contains(&part.unwrap_or_else(|| key.split('.').next().unwrap_or(key)))
}

/// Returns the values of a file of keys, by section and key, with their lines. Sections of the same name are counted.
fn keyed(bytes: Option<&[u8]>) -> BTreeMap<(String, String), (String, usize)> {
    let (mut found, mut section, mut counts) =
        (BTreeMap::new(), String::new(), BTreeMap::<String, usize>::new());
    for (index, line) in text(bytes).unwrap_or_default().lines().enumerate() {
        let line = line.split(" #").next().unwrap_or(line).trim();
        if line.starts_with('[') {
            let count = counts.entry(line.to_owned()).or_default();
            *count += 1;
            section = if *count > 1 { format!("{line} {count}") } else { line.to_owned() };
        } else if let Some((key, value)) = line.split_once('=') {
            let key = key.trim().trim_matches('"').to_owned();
            found.insert((section.clone(), key), (value.trim().to_owned(), index + 1));
        }
    }
    found
}
