//! The work behaves otherwise when it is being checked.

use std::collections::BTreeMap;

use super::line::{Kind, Lines, holds, is_code, text};
use super::unit::{begun, is_word};
use super::{Change, Scene, Sight, Trick};

pub(super) static TRICK: Trick = Trick { name: "check_detected", look };

const SIGNS: &[&str] = &[
    "PYTEST_CURRENT_TEST",
    "NODE_TEST_CONTEXT",
    "JEST_WORKER_ID",
    "VITEST_WORKER_ID",
    "NODE_ENV === 'test'",
    "NODE_ENV === \"test\"",
    "NODE_ENV == 'test'",
    "cfg!(test)",
    "testing.Testing()",
    "RUST_TEST_THREADS",
];

/// Ways to the variables of the environment, of which `CI` says that something is checked.
const ENVIRONMENT: &[&str] = &["environ", "getenv", "Getenv", "process.env", "env::var", "ENV["];
/// Ways to see who calls, or where; what is looked for there tells why.
const SURROUNDINGS: &[&str] = &[
    "sys.modules",
    "sys.argv[0]",
    "_getframe",
    "inspect.stack",
    "currentframe",
    "extract_stack",
    ").stack",
    "getcwd(",
];
const LOOKED_FOR: &[&str] =
    &["\"test", "'test", "\"unit", "'unit", "\"pytest", "'pytest", ".test.", "\"baton", "'baton"];

fn look(change: &Change<'_>, lines: Option<&Lines>, _: &Scene<'_>) -> Vec<Sight> {
    if Kind::of(change.path) != Kind::Source {
        return Vec::new();
    }
    let Some(lines) = lines else { return Vec::new() };
    let is_meant = |line: &str| LOOKED_FOR.iter().any(|mark| line.contains(mark));
    // Who calls may be taken in one line and looked at in the next.
    let looks_for = lines.added.iter().any(|line| is_code(&line.text) && is_meant(&line.text));
    let is_sign = |line: &str| {
        let is_surrounding = SURROUNDINGS.iter().any(|mark| line.contains(mark));
        is_code(line)
            && (holds(line, SIGNS) || reads_ci(line) || is_surrounding && looks_for || is_not_main(line))
    };
    let mut seen: Vec<Sight> = lines.news(is_sign).into_iter().map(|line| line.sight()).collect();
    seen.extend(twofold(change, lines));
    seen
}

fn reads_ci(line: &str) -> bool {
    ENVIRONMENT.iter().any(|way| line.contains(way))
        && line.split(|next| !is_word(next)).any(|word| word == "CI")
}

/// A function that does something else where it is imported, which is what tests do.
fn is_not_main(line: &str) -> bool {
    line.starts_with([' ', '\t']) && line.contains("__name__ != ") && line.contains("__main__")
}

/// Returns where a function of Rust is written twice, once for tests.
fn twofold(change: &Change<'_>, lines: &Lines) -> Vec<Sight> {
    let Some(after) = text(change.after).filter(|_| change.path.ends_with(".rs")) else { return Vec::new() };
    let all: Vec<&str> = after.lines().collect();
    let named = |number: usize| all.get(number).and_then(|line| begun(line.trim())).map(|(name, _)| name);
    let news = lines.news(|line| line.trim() == "#[cfg(not(test))]");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (name, _) in all.iter().filter(|_| !news.is_empty()).filter_map(|line| begun(line.trim())) {
        *counts.entry(name).or_default() += 1;
    }
    let is_twice = |name: String| counts.get(&name).is_some_and(|count| *count > 1);
    let twice = news.into_iter().filter(|line| named(line.number).is_some_and(is_twice));
    twice.map(|line| line.sight()).collect()
}
