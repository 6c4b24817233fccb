//! Tests whose text is all there, and that do not run or do not count any more.

use std::collections::{BTreeMap, BTreeSet};

use super::line::{Kind, Lines, holds, is_code, text};
use super::unit::{begun, is_word};
use super::{Change, Sight};

/// What is put before a test that was there, so that it does not run, or passes when it fails.
const ATTRIBUTES: &[&str] =
    &["#[should_panic", "#[cfg(", "#[cfg_attr(", "skipif(", "skipIf(", "skipUnless(", ".failing"];
/// What does the same for a whole file that was there.
const FILE_WIDE: &[&str] =
    &["#![cfg(", "//go:build ", "// +build ", "pytestmark =", "pytest.importorskip(", "def load_tests("];
/// Most lines between an assertion and where its failure is caught.
const TRIED_LINES_MAX: usize = 30;

/// Returns where tests of a file that was there are switched off.
pub(super) fn skipped(change: &Change<'_>, lines: &Lines) -> Vec<Sight> {
    let (Some(before), Some(after)) = (text(change.before), text(change.after)) else { return Vec::new() };
    if change.before.is_none() || change.after.is_none() {
        return Vec::new();
    }
    let mut seen = Vec::new();
    let (old, new) = (attributes(&before), attributes(&after));
    for (name, now) in new.iter().filter(|(name, _)| old.contains_key(*name)) {
        let fresh = now.iter().filter(|(attribute, _)| !old[name].contains_key(*attribute));
        let fresh = fresh.filter(|(attribute, _)| holds(attribute, ATTRIBUTES) || patches_tests(attribute));
        seen.extend(
            fresh.map(|(attribute, line)| Sight { line: Some(*line), text: format!("{name}: {attribute}") }),
        );
    }
    if Kind::of(change.path) == Kind::Test {
        let is_wide = |line: &str| FILE_WIDE.iter().any(|mark| line.trim_start().starts_with(mark));
        seen.extend(lines.news(is_wide).into_iter().map(|line| line.sight()));
    }
    seen
}

/// Returns where names that tests rest on get another meaning, and where they are taken away.
pub(super) fn rebound(change: &Change<'_>, lines: &Lines) -> Vec<Sight> {
    let Some(before) = text(change.before).filter(|_| change.before.is_some()) else { return Vec::new() };
    if Kind::of(change.path) != Kind::Test || !change.path.ends_with(".py") {
        return Vec::new();
    }
    let known: BTreeSet<&str> = before.lines().flat_map(named).collect();
    let is_rebound = |line: &str| {
        let target = line
            .split_once('=')
            .filter(|(_, rest)| !rest.starts_with('='))
            .map(|(target, _)| target.trim_end());
        let deleted = line.strip_prefix("del ").and_then(|rest| rest.split(|next| !is_word(next)).next());
        target.or(deleted).is_some_and(|name| known.contains(name)) || holds(line, &["failureException"])
    };
    let mut seen: Vec<Sight> = lines.news(is_rebound).into_iter().map(|line| line.sight()).collect();
    let is_case = |line: &str| line.trim_start().starts_with("class ") && line.contains("TestCase");
    let plain = lines.added.iter().filter(|line| line.text.starts_with("class ") && !is_case(&line.text));
    let plain: BTreeSet<Option<&str>> = plain.map(|line| named(&line.text).next()).collect();
    let lost = lines.losses(is_case).into_iter().filter(|lost| plain.contains(&named(&lost.text).next()));
    seen.extend(lost.map(|line| line.lost()));
    seen
}

/// Returns where the failure of an assertion is caught and forgotten.
pub(super) fn swallowed(change: &Change<'_>, lines: &Lines) -> Vec<Sight> {
    let Some(after) = text(change.after).filter(|_| Kind::of(change.path) == Kind::Test) else {
        return Vec::new();
    };
    let all: Vec<&str> = after.lines().collect();
    let is_swallowed = |number: usize| {
        let dense: String = all[number - 1].split_whitespace().collect();
        let next = all.get(number).map_or("", |line| line.trim());
        let is_caught =
            dense.contains("catch") && (dense.ends_with("{}") || dense.ends_with('{') && next == "}");
        let is_chained = dense.starts_with('}') && dense.contains(".catch(()=>");
        let tried = all[..number].iter().rev().take(TRIED_LINES_MAX);
        let tried = tried.take_while(|line| !line.trim_start().starts_with("try"));
        (is_caught || is_chained) && tried.into_iter().any(|line| holds(line, &["assert", "expect("]))
    };
    let news = lines.news(is_code).into_iter();
    news.filter(|line| (1..=all.len()).contains(&line.number) && is_swallowed(line.number))
        .map(|line| line.sight())
        .collect()
}

/// Returns where a script of the shell ends with success before it has looked at everything.
pub(super) fn left_early(change: &Change<'_>, lines: &Lines) -> Vec<Sight> {
    let is_shell = [".sh", ".bash", ".bats"].iter().any(|ending| change.path.ends_with(ending));
    let Some(after) = text(change.after).filter(|_| is_shell && change.before.is_some()) else {
        return Vec::new();
    };
    let is_end = |line: &str| matches!(line.trim_end(), "exit 0" | "exit" | "return 0");
    let code = after.lines().enumerate().filter(|(_, line)| is_code(line) && !line.trim().is_empty());
    let last = code.last().map_or(0, |(index, _)| index + 1);
    lines.news(is_end).into_iter().filter(|line| line.number < last).map(|line| line.sight()).collect()
}

/// Says whether a decorator puts something in the place of what a test file itself holds.
fn patches_tests(attribute: &str) -> bool {
    attribute.contains("patch(") && attribute.contains("test_")
}

/// Returns what stands before each function and class, with the line it stands on.
fn attributes(text: &str) -> BTreeMap<String, BTreeMap<String, usize>> {
    let (mut found, mut open): (BTreeMap<String, BTreeMap<String, usize>>, BTreeMap<String, usize>) =
        Default::default();
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with("#[") || trimmed.starts_with('@') {
            open.insert(trimmed.to_owned(), index + 1);
        } else if let Some(name) = begun(trimmed).map(|(name, _)| name).or_else(|| class(trimmed)) {
            found.entry(name).or_default().append(&mut open);
        } else if !trimmed.is_empty() && is_code(line) {
            open.clear();
        }
    }
    found
}

fn class(line: &str) -> Option<String> {
    line.strip_prefix("class ").map(|rest| rest.chars().take_while(|next| is_word(*next)).collect())
}

/// Returns the names that a line of Python brings to the whole file.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let defined = ["class ", "def "].iter().find_map(|start| line.strip_prefix(start));
    let defined = defined.and_then(|rest| rest.split(|next| !is_word(next)).next());
    let imported =
        line.split_once("import ").filter(|_| line.starts_with("import ") || line.starts_with("from "));
    let parts = imported.map(|(_, names)| names).unwrap_or_default().split(',');
    let imported = parts.filter_map(|part| part.rsplit(' ').find(|word| !word.is_empty()));
    defined.into_iter().chain(imported.map(|name| name.trim_matches(['(', ')', ' '])))
}
