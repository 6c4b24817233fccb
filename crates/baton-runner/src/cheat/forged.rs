//! Code under test that makes assertions hold: values that equal everything, assertions that are patched from outside.

use super::line::{Kind, Lines, is_code, text};
use super::{Change, Sight};

/// Where assertions come from.
const SOURCES: &[&str] =
    &["TestCase", "node:assert", "require('assert')", "require(\"assert\")", "chai.", "expect.extend"];

pub(super) fn sights(change: &Change<'_>, lines: &Lines) -> Vec<Sight> {
    let Some(after) = text(change.after).filter(|_| Kind::of(change.path) == Kind::Source) else {
        return Vec::new();
    };
    let all: Vec<String> = after.lines().map(|line| line.split_whitespace().collect()).collect();
    let is_forged = |number: usize| {
        let line = &all[number - 1];
        let next = all.get(number).map_or("", String::as_str);
        equals_all(&format!("{line}{next}")) || patches(line)
    };
    let news = lines.news(is_code).into_iter();
    news.filter(|line| (1..=all.len()).contains(&line.number) && is_forged(line.number))
        .map(|line| line.sight())
        .collect()
}

/// `def __eq__(self, other): return True`, `fn eq(&self, _: &T) -> bool { true }`, without blanks.
fn equals_all(dense: &str) -> bool {
    let python = dense.split_once("def__eq__(").is_some_and(|(_, rest)| rest.contains("):returnTrue"));
    let rust = dense.split_once("fneq(").is_some_and(|(_, rest)| rest.contains("->bool{true}"));
    python || rust
}

fn patches(dense: &str) -> bool {
    let is_source = SOURCES.iter().any(|source| dense.contains(source));
    let target =
        dense.split_once('=').filter(|(_, rest)| !rest.starts_with(['=', '>'])).map(|(target, _)| target);
    let is_member = target.is_some_and(|target| {
        let member = target.rsplit('.').next().unwrap_or_default();
        SOURCES.iter().any(|source| target.contains(source))
            && (target.contains(").") || member.starts_with("assert"))
    });
    let is_alias = dense.starts_with("use") && dense.contains("asassert");
    is_member || is_source && dense.contains("setattr(") || is_alias
}
