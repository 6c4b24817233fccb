//! What tests no longer assert, compared test by test and over all files, so that what only moved is not missed.

use std::collections::{BTreeMap, BTreeSet};

use super::line::{Bag, Kind, shown, text};
use super::places::Places;
use super::unit::{Assertion, Unit, is_code_file, is_word, units};
use super::{Change, Sight};

/// Where the tests begin in a file that holds what they test as well.
const TESTS_BEGIN: &str = "#[cfg(test)]";
/// Most new assertions of a test that are held against old ones to see whether only a name changed.
const RENAMED_MAX: usize = 200;
/// Words that say that a name follows which is defined here.
const DEFINES: &[&str] = &[
    "def",
    "fn",
    "func",
    "function",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "type",
    "const",
    "static",
    "let",
    "var",
    "sub",
    "module",
    "mod",
];

/// How a test came to say less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Removed,
    Weakened,
    Skipped,
}

/// Something that a test of a file no longer does.
#[derive(Clone, Debug)]
pub(super) struct Vanished {
    pub(super) path: String,
    pub(super) way: Way,
    pub(super) line: Option<usize>,
    pub(super) text: String,
}

/// Returns the sights of one sort in one file.
pub(super) fn sights(vanished: &[Vanished], path: &str, way: Way) -> Vec<Sight> {
    let own = vanished.iter().filter(|one| one.path == path && one.way == way);
    own.map(|one| Sight { line: one.line, text: one.text.clone() }).collect()
}

/// A file with its tests on both sides.
struct Pair {
    path: String,
    before: Vec<Unit>,
    after: Vec<Unit>,
    is_deleted: bool,
}

/// What was taken out of the code, and what came.
#[derive(Default)]
struct Code {
    gone: BTreeSet<String>,
    come: BTreeSet<String>,
}

pub(super) fn find(changes: &[Change<'_>], places: &Places) -> Vec<Vanished> {
    let pairs: Vec<Pair> = changes.iter().filter_map(pair).collect();
    let code = Code::of(changes);
    let stand_in = StandIn::of(&pairs, places);
    let mut pool = Pool::of(&pairs, &stand_in);
    let mut found = Vec::new();
    for pair in &pairs {
        let own = missing(pair, &code, &mut pool);
        match pair.is_deleted && (!own.is_empty() || is_opaque(pair, (&code, &stand_in), changes)) {
            true => found.push(pair.vanished(Way::Removed, None, "a file of tests was deleted")),
            false => found.extend(own),
        }
    }
    found
}

/// Says whether a file of tests is gone of which only its bytes are understood.
fn is_opaque(pair: &Pair, (code, stand_in): (&Code, &StandIn<'_>), changes: &[Change<'_>]) -> bool {
    let is_plain = |unit: &Unit| !unit.is_test && unit.assertions.is_empty();
    let bytes = changes.iter().find(|change| change.path == pair.path).and_then(|change| change.before);
    let is_it = |change: &Change<'_>| change.before.is_none() && change.after == bytes;
    let is_moved = changes.iter().any(|change| is_it(change) && stand_in.may(change.path));
    let is_tested = pair.before.iter().any(|unit| code.tested(unit));
    pair.before.iter().all(is_plain) && !is_moved && !is_tested
}

fn pair(change: &Change<'_>) -> Option<Pair> {
    if !is_code_file(change.path) {
        return None;
    }
    let (before, after) = (text(change.before)?, text(change.after)?);
    let is_test = Kind::of(change.path) == Kind::Test;
    let part = |text: &str| match is_test {
        true => text.to_owned(),
        false => text.find(TESTS_BEGIN).map(|start| under(text, start)).unwrap_or_default(),
    };
    let (before, after) = (part(&before), part(&after));
    let is_deleted = is_test && change.after.is_none();
    let pair = Pair {
        path: change.path.to_owned(),
        before: units(change.path, &before),
        after: units(change.path, &after),
        is_deleted,
    };
    (!before.is_empty() || !after.is_empty()).then_some(pair)
}

/// Returns a text from a place on, with the numbers of its lines kept.
fn under(text: &str, start: usize) -> String {
    let above = text[..start].matches('\n').count();
    format!("{}{}", "\n".repeat(above), &text[start..])
}

impl Pair {
    fn vanished(&self, way: Way, line: Option<usize>, text: &str) -> Vanished {
        Vanished { path: self.path.clone(), way, line, text: text.to_owned() }
    }

    /// Returns the units that anything runs: tests, what stands outside of all, and what others call.
    fn live(&self) -> Vec<&Unit> {
        let mut mentions: BTreeMap<&str, usize> = BTreeMap::new();
        for unit in &self.after {
            let own: BTreeSet<&str> = words(&unit.text).collect();
            own.into_iter().for_each(|word| *mentions.entry(word).or_default() += 1);
        }
        let is_live = |unit: &&Unit| {
            let name = unit.name.rsplit('.').next().unwrap_or(&unit.name);
            let is_called =
                mentions.get(name).is_some_and(|count| *count > named(&self.after, &unit.name).len());
            unit.is_test || unit.name.is_empty() || is_called
        };
        self.after.iter().filter(is_live).collect()
    }
}

/// Assertions and tests that are new, and may be old ones that moved. Each stands in for one.
struct Pool<'p> {
    assertions: Bag<'p>,
    tests: Bag<'p>,
}

impl<'p> Pool<'p> {
    fn of(pairs: &'p [Pair], stand_in: &StandIn<'_>) -> Self {
        let mut pool = Self { assertions: Bag::of(std::iter::empty()), tests: Bag::of(std::iter::empty()) };
        let was_there = |pair: &Pair| !pair.before.iter().all(is_empty);
        for pair in pairs.iter().filter(|pair| was_there(pair) || stand_in.may(&pair.path)) {
            for unit in pair.live() {
                let before = named(&pair.before, &unit.name);
                let mut old = Bag::of(before.iter().flat_map(|unit| dense(unit)));
                dense(unit)
                    .filter(|assertion| !old.takes(assertion))
                    .for_each(|new| pool.assertions.put(new));
                if unit.is_test && before.is_empty() {
                    pool.tests.put(&unit.name);
                }
            }
        }
        pool
    }
}

fn is_empty(unit: &Unit) -> bool {
    unit.text.is_empty()
}

/// Which new files may hold tests that stood elsewhere.
struct StandIn<'p> {
    places: &'p Places,
    /// A check ran the files of a pattern, and one of them is gone.
    left_a_pattern: bool,
}

impl<'p> StandIn<'p> {
    fn of(pairs: &[Pair], places: &'p Places) -> Self {
        let left_a_pattern = pairs.iter().any(|pair| pair.is_deleted && places.runs(&pair.path));
        Self { places, left_a_pattern }
    }

    fn may(&self, path: &str) -> bool {
        self.places.collects(path) && (!self.left_a_pattern || self.places.runs(path))
    }
}

fn named<'u>(units: &'u [Unit], name: &str) -> Vec<&'u Unit> {
    units.iter().filter(|unit| unit.name == name).collect()
}

fn dense(unit: &Unit) -> impl Iterator<Item = &str> {
    unit.assertions.iter().map(|assertion| assertion.dense.as_str())
}

/// Returns what the tests of a file no longer do.
fn missing(pair: &Pair, code: &Code, pool: &mut Pool<'_>) -> Vec<Vanished> {
    let mut found = Vec::new();
    let fresh = |unit: &&Unit| unit.is_test && named(&pair.before, &unit.name).is_empty();
    let mut fresh: Vec<&Unit> = pair.after.iter().filter(fresh).collect();
    for unit in &pair.before {
        let now = named(&pair.after, &unit.name);
        if named(&pair.before, &unit.name).len() < now.len() && pair.path.ends_with(".py") && unit.is_test {
            let line = now.last().map(|unit| unit.line);
            let text = format!("a second {} hides the first", unit.name);
            found.push(pair.vanished(Way::Removed, line, &text));
        }
        let mut same = Bag::of(now.iter().flat_map(|unit| dense(unit)));
        let mut lost: Vec<&Assertion> =
            unit.assertions.iter().filter(|assertion| !same.takes(&assertion.dense)).collect();
        let mut old = Bag::of(dense(unit));
        let new = now.iter().flat_map(|unit| &unit.assertions);
        let mut new: Vec<&Assertion> =
            new.filter(|assertion| !old.takes(&assertion.dense)).take(RENAMED_MAX).collect();
        lost.retain(|assertion| {
            let renamed = new.iter().position(|other| code.renames(assertion, other));
            renamed.map(|index| new.swap_remove(index)).is_none() && !pool.assertions.takes(&assertion.dense)
        });
        match now.first() {
            Some(same) => {
                if unit.is_test && !same.is_test {
                    let text = format!("{} is no test any more", unit.name);
                    found.push(pair.vanished(Way::Removed, Some(same.line), &text));
                }
                if unit.is_test && same.returns > unit.returns {
                    let text = format!("{} returns before it has asserted everything", unit.name);
                    found.push(pair.vanished(Way::Skipped, Some(same.line), &text));
                }
                // The place of a test that asserts less, or of what it asserts instead.
                let line = new.first().map_or(same.line, |other| other.line);
                let line = (line > 0).then_some(line);
                found.extend(
                    lost.iter().map(|assertion| pair.vanished(Way::Weakened, line, &told(unit, assertion))),
                );
            }
            None if code.tested(unit) => {}
            None if !unit.is_test => {
                found.extend(
                    lost.iter().map(|assertion| pair.vanished(Way::Weakened, None, &told(unit, assertion))),
                );
            }
            None if !lost.is_empty() => {
                let renamed = fresh.iter().position(|other| renamed_whole(code, unit, other));
                if renamed.map(|index| fresh.swap_remove(index)).is_none() {
                    found.push(pair.vanished(Way::Removed, None, &format!("removed: {}", unit.name)));
                }
            }
            // A test without assertions can only be known by its name, or by another that came in its place.
            None => {
                let is_known =
                    pool.tests.takes(&unit.name) || !unit.assertions.is_empty() || fresh.pop().is_some();
                if !is_known {
                    found.push(pair.vanished(Way::Removed, None, &format!("removed: {}", unit.name)));
                }
            }
        }
    }
    found
}

fn told(unit: &Unit, assertion: &Assertion) -> String {
    let place = if unit.name.is_empty() { String::new() } else { format!(" in {}", unit.name) };
    format!("no longer asserted{place}: {}", shown(&assertion.text))
}

/// Says whether a test is another one under new names.
fn renamed_whole(code: &Code, old: &Unit, new: &Unit) -> bool {
    old.assertions.iter().all(|assertion| new.assertions.iter().any(|other| code.renames(assertion, other)))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|next: char| !is_word(next)).filter(|word| !word.is_empty())
}

impl Code {
    fn of(changes: &[Change<'_>]) -> Self {
        let (mut before, mut after, mut left) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for change in changes.iter().filter(|change| Kind::of(change.path) == Kind::Source) {
            let cut = |bytes| {
                let text: String = text(bytes).unwrap_or_default().into_owned();
                text.split(TESTS_BEGIN).next().unwrap_or_default().to_owned()
            };
            let (old, new) = (cut(change.before), cut(change.after));
            before.extend(defined(&old));
            after.extend(defined(&new));
            left.extend(words(&new).map(str::to_owned));
        }
        let gone =
            before.iter().filter(|name| !after.contains(*name) && !left.contains(*name)).cloned().collect();
        let come = after.difference(&before).cloned().collect();
        Self { gone, come }
    }

    /// Says whether what a test was about was taken out along with it.
    fn tested(&self, unit: &Unit) -> bool {
        words(&unit.text).any(|word| self.gone.contains(word))
    }

    /// Says whether two assertions differ in nothing but names that the code changed.
    fn renames(&self, old: &Assertion, new: &Assertion) -> bool {
        let (mut olds, mut news) = (pieces(&old.text), pieces(&new.text));
        let mut is_one = old.dense != new.dense;
        loop {
            match (olds.next(), news.next()) {
                (None, None) => return is_one,
                (Some(old), Some(new)) if old == new => {}
                (Some(old), Some(new)) if self.gone.contains(old) && self.come.contains(new) => is_one = true,
                _ => return false,
            }
        }
    }
}

/// Cuts a text into words and what stands between them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = rest.find(|next: char| is_word(next) != is_word(first)).unwrap_or(rest.len());
        let (piece, left) = rest.split_at(end);
        rest = left;
        Some(piece.trim_end())
    })
}

fn defined(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let mut all = words(line);
        while let Some(word) = all.next() {
            if DEFINES.contains(&word) {
                found.extend(all.next().filter(|name| name.len() > 1).map(str::to_owned));
                break;
            }
        }
    }
    found
}
