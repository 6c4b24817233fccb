//! Code under test that makes assertions hold: values that equal everything, assertions that are patched from outside.

use std::collections::BTreeSet;

use super::line::{Kind, Lines, holds, is_code, text};
use super::unit::is_word;
use super::{Change, Scene, Sight, framework, loose_equality};

/// Where assertions of Python come from.
const OF_PYTHON: &[&str] = &["TestCase", "TestResult"];
/// The same of JavaScript.
const OF_SCRIPTS: &[&str] =
    &["node:assert", "require('assert')", "require(\"assert\")", "chai.", "expect.extend"];
/// What the runner of Python is made of; whoever gives a member of it another value changes how tests are judged.
const RUNNER: &[&str] = &["TestCase.", "TestResult."];
/// Members of these that only say how a failure is told.
const HARMLESS: &[&str] = &["longMessage", "maxDiff"];
/// Modules of assertions of JavaScript.
const ASSERTS: &[&str] = &["assert", "assert/strict", "chai", "node:assert", "node:assert/strict"];
/// Most names of modules of assertions that one line is searched for.
const NAMES_IN_LINE_MAX: usize = 16;
/// What gives the members of an object other values.
const REPLACES: &[&str] = &["Object.assign(", "Object.defineProperty(", "Object.defineProperties("];

pub(super) fn sights(change: &Change<'_>, lines: &Lines, scene: &Scene<'_>) -> Vec<Sight> {
    let Some(after) = text(change.after).filter(|_| Kind::of(change.path) == Kind::Source) else {
        return Vec::new();
    };
    let all: Vec<String> = after.lines().map(|line| line.split_whitespace().collect()).collect();
    let is_python = change.path.ends_with(".py");
    let asserts: BTreeSet<&str> = all.iter().filter_map(|line| assert_name(line)).collect();
    let is_forged = |number: usize| {
        let line = &all[number - 1];
        let next = all.get(number).map_or("", String::as_str);
        equals_all(&format!("{line}{next}")) || patches(line, is_python) || patches_any(line, &asserts)
    };
    let news = lines.news(is_code).into_iter();
    let mut seen: Vec<Sight> = news
        .filter(|line| (1..=all.len()).contains(&line.number) && is_forged(line.number))
        .map(|line| line.sight())
        .collect();
    if let Some(before) = text(change.before).filter(|_| is_python) {
        let told = "a number or a text that equals others without being held against them";
        let known: BTreeSet<Option<usize>> = seen.iter().map(|sight| sight.line).collect();
        let loose = loose_equality::found(&before, &after).into_iter().map(Some);
        let loose = loose.filter(|line| !known.contains(line));
        seen.extend(loose.map(|line| Sight { line, text: told.to_owned() }));
    }
    seen.extend(framework::sights(change, lines, &scene.pulled_in));
    seen
}

/// `def __eq__(self, other): return True`, `fn eq(&self, _: &T) -> bool { true }`, without blanks.
fn equals_all(dense: &str) -> bool {
    let python = dense.split_once("def__eq__(").is_some_and(|(_, rest)| rest.contains("):returnTrue"));
    let lambda = dense.split_once("__eq__=lambda").is_some_and(|(_, rest)| rest.contains(":True"));
    let rust = dense.split_once("fneq(").is_some_and(|(_, rest)| rest.contains("->bool{true}"));
    python || lambda || rust
}

fn patches(dense: &str, is_python: bool) -> bool {
    let sources = if is_python { OF_PYTHON } else { OF_SCRIPTS };
    let target = assigned(dense);
    let is_member = target.is_some_and(|target| {
        let member = target.rsplit('.').next().unwrap_or_default();
        holds(target, sources) && (target.contains(").") || member.starts_with("assert"))
    });
    let is_runner = target.is_some_and(|target| {
        let member = target.rsplit('.').next().unwrap_or_default();
        let is_plain = target.chars().all(|next| is_word(next) || next == '.');
        let is_its = target.starts_with("unittest.") || holds(target, RUNNER);
        is_python && is_plain && is_its && !HARMLESS.contains(&member)
    });
    let is_alias = dense.starts_with("use") && dense.contains("asassert");
    is_member || is_runner || holds(dense, sources) && dense.contains("setattr(") || is_alias
}

/// Returns what a line gives another value.
fn assigned(dense: &str) -> Option<&str> {
    dense.split_once('=').filter(|(_, rest)| !rest.starts_with(['=', '>'])).map(|(target, _)| target)
}

/// Returns the name that a line gives to a module of assertions: `const a = require('assert')`, `import a from 'assert'`.
fn assert_name(dense: &str) -> Option<&str> {
    let mut parts = dense.split(['"', '\'', '`']);
    let (head, module) = (parts.next()?, parts.next()?);
    let head = Some(head).filter(|_| ASSERTS.contains(&module))?;
    let name = match head.strip_suffix("=require(") {
        Some(head) => ["const", "let", "var"].iter().find_map(|word| head.strip_prefix(word))?,
        None => head.strip_prefix("import")?.strip_suffix("from")?.trim_start_matches("*as"),
    };
    (!name.is_empty() && name.chars().all(is_word)).then_some(name)
}

/// The same of any of these names. A line that speaks of more than anybody needs is told without a look.
fn patches_any(dense: &str, asserts: &BTreeSet<&str>) -> bool {
    let words = dense.split(|next| !is_word(next));
    let named: BTreeSet<&str> = words.filter(|word| asserts.contains(word)).collect();
    named.len() > NAMES_IN_LINE_MAX || named.iter().any(|name| patches_named(dense, name))
}

/// `a[key] = …`, `a.equal = …`, `Object.assign(a, …)`, without blanks.
fn patches_named(dense: &str, name: &str) -> bool {
    let replaces = REPLACES.iter().any(|call| {
        let rest = dense.split_once(call).and_then(|(_, rest)| rest.strip_prefix(name));
        rest.is_some_and(|rest| !rest.starts_with(is_word))
    });
    let mut places = dense
        .match_indices(name)
        .filter(|(at, _)| !dense[..*at].ends_with(|next| is_word(next) || next == '.'));
    replaces
        || places.any(|(at, _)| {
            let rest = &dense[at + name.len()..];
            let (left, right) = rest.split_once('=').unwrap_or((rest, "="));
            let is_index =
                left.starts_with('[') && left.ends_with(']') && !left[..left.len() - 1].contains(']');
            let is_member = left
                .strip_prefix('.')
                .is_some_and(|member| !member.is_empty() && member.chars().all(is_word));
            (is_index || is_member) && !right.starts_with(['=', '>'])
        })
}
