//! What tests no longer assert, compared test by test and over all files, so that what only moved is not missed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::line::{Bag, Kind, shown, text};
use super::places::Places;
use super::unit::{Assertion, Unit, is_code_file, is_word, units};
use super::{Change, Sight};

/// Where the tests begin in a file that holds what they test as well.
const TESTS_BEGIN: &str = "#[cfg(test)]";
/// Most new assertions and tests that are held against an old one to see whether only a name changed.
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
    pub(super) way: Way,
    pub(super) line: Option<usize>,
    pub(super) text: String,
}

/// Returns the sights of one sort in one file.
pub(super) fn sights(vanished: &BTreeMap<String, Vec<Vanished>>, path: &str, way: Way) -> Vec<Sight> {
    let own = vanished.get(path).into_iter().flatten().filter(|one| one.way == way);
    own.map(|one| Sight { line: one.line, text: one.text.clone() }).collect()
}

/// A file with its tests on both sides.
struct Pair<'c> {
    path: &'c str,
    before: Units,
    after: Units,
    is_deleted: bool,
    /// The bytes of a file that is gone.
    bytes: Option<&'c [u8]>,
    /// A check ran it because its name fits a pattern, and it is gone: only what a check runs stands in for it.
    left_pattern: bool,
}

/// The units of a file, in their order and by their names.
struct Units {
    all: Vec<Unit>,
    places: BTreeMap<String, Vec<usize>>,
}

impl Units {
    fn of(path: &str, text: &str) -> Self {
        let all = units(path, text);
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, unit) in all.iter().enumerate() {
            places.entry(unit.name.clone()).or_default().push(place);
        }
        Self { all, places }
    }

    fn named(&self, name: &str) -> Vec<&Unit> {
        let places = self.places.get(name).into_iter().flatten();
        places.filter_map(|place| self.all.get(*place)).collect()
    }

    fn count(&self, name: &str) -> usize {
        self.places.get(name).map_or(0, Vec::len)
    }
}

/// What was taken out of the code, and what came.
#[derive(Default)]
struct Code {
    gone: BTreeSet<String>,
    come: BTreeSet<String>,
}

/// Returns what tests no longer do, by their files.
pub(super) fn find(changes: &[Change<'_>], places: &Places) -> BTreeMap<String, Vec<Vanished>> {
    let pairs: Vec<Pair<'_>> = changes.iter().filter_map(|change| pair(change, places)).collect();
    let (code, come) = (Code::of(changes), come(changes, places));
    let mut pool = Pool::of(&pairs, places);
    let mut found = BTreeMap::new();
    for pair in &pairs {
        let own = missing(pair, &code, &mut pool);
        let own = match pair.is_deleted && (!own.is_empty() || is_opaque(pair, &code, &come)) {
            true => vec![vanished(Way::Removed, None, "a file of tests was deleted")],
            false => own,
        };
        if !own.is_empty() {
            found.insert(pair.path.to_owned(), own);
        }
    }
    found
}

fn vanished(way: Way, line: Option<usize>, text: &str) -> Vanished {
    Vanished { way, line, text: text.to_owned() }
}

/// Returns what new files hold that may be tests which stood elsewhere, and whether a check runs one of them by a pattern.
fn come<'c>(changes: &[Change<'c>], places: &Places) -> HashMap<&'c [u8], bool> {
    let mut come = HashMap::new();
    for change in changes.iter().filter(|change| change.before.is_none() && places.collects(change.path)) {
        if let Some(bytes) = change.after {
            *come.entry(bytes).or_default() |= places.runs(change.path);
        }
    }
    come
}

/// Says whether a file of tests is gone of which only its bytes are understood.
fn is_opaque(pair: &Pair<'_>, code: &Code, come: &HashMap<&[u8], bool>) -> bool {
    let is_plain = |unit: &Unit| !unit.is_test && unit.assertions.is_empty();
    let same = pair.bytes.and_then(|bytes| come.get(bytes));
    let is_moved = same.is_some_and(|is_run| *is_run || !pair.left_pattern);
    let is_tested = pair.before.all.iter().any(|unit| code.tested(unit));
    pair.before.all.iter().all(is_plain) && !is_moved && !is_tested
}

fn pair<'c>(change: &Change<'c>, places: &Places) -> Option<Pair<'c>> {
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
        path: change.path,
        before: Units::of(change.path, &before),
        after: Units::of(change.path, &after),
        is_deleted,
        bytes: change.before.filter(|_| is_deleted),
        left_pattern: is_deleted && places.runs(change.path),
    };
    (!before.is_empty() || !after.is_empty()).then_some(pair)
}

/// Returns a text from a place on, with the numbers of its lines kept.
fn under(text: &str, start: usize) -> String {
    let above = text[..start].matches('\n').count();
    format!("{}{}", "\n".repeat(above), &text[start..])
}

impl Pair<'_> {
    /// Returns the units that anything runs: tests, what stands outside of all, and what others call.
    fn live(&self) -> Vec<&Unit> {
        let mut mentions: BTreeMap<&str, usize> = BTreeMap::new();
        for unit in &self.after.all {
            let own: BTreeSet<&str> = words(&unit.text).collect();
            own.into_iter().for_each(|word| *mentions.entry(word).or_default() += 1);
        }
        let is_live = |unit: &&Unit| {
            let name = unit.name.rsplit('.').next().unwrap_or(&unit.name);
            let is_called = mentions.get(name).is_some_and(|count| *count > self.after.count(&unit.name));
            unit.is_test || unit.name.is_empty() || is_called
        };
        self.after.all.iter().filter(is_live).collect()
    }
}

/// Assertions and tests that are new, and may be old ones that moved. Each stands in for one.
struct Pool<'p> {
    /// In files that were there, and in new ones that a check runs by a pattern.
    sure: Stock<'p>,
    /// In new files that a runner may look into.
    likely: Stock<'p>,
}

#[derive(Default)]
struct Stock<'p> {
    assertions: Bag<'p>,
    tests: Bag<'p>,
}

impl<'p> Pool<'p> {
    fn of(pairs: &'p [Pair<'_>], places: &Places) -> Self {
        let mut pool = Self { sure: Stock::default(), likely: Stock::default() };
        for pair in pairs {
            let was_there = !pair.before.all.iter().all(is_empty);
            if !was_there && !places.collects(pair.path) {
                continue;
            }
            let is_sure = was_there || places.runs(pair.path);
            let stock = if is_sure { &mut pool.sure } else { &mut pool.likely };
            for unit in pair.live() {
                let before = pair.before.named(&unit.name);
                let mut old = Bag::of(before.iter().flat_map(|unit| dense(unit)));
                dense(unit)
                    .filter(|assertion| !old.takes(assertion))
                    .for_each(|new| stock.assertions.put(new));
                if unit.is_test && before.is_empty() {
                    stock.tests.put(&unit.name);
                }
            }
        }
        pool
    }

    fn takes_assertion(&mut self, pair: &Pair<'_>, dense: &str) -> bool {
        !pair.left_pattern && self.likely.assertions.takes(dense) || self.sure.assertions.takes(dense)
    }

    fn takes_test(&mut self, pair: &Pair<'_>, name: &str) -> bool {
        !pair.left_pattern && self.likely.tests.takes(name) || self.sure.tests.takes(name)
    }
}

fn is_empty(unit: &Unit) -> bool {
    unit.text.is_empty()
}

fn dense(unit: &Unit) -> impl Iterator<Item = &str> {
    unit.assertions.iter().map(|assertion| assertion.dense.as_str())
}

/// Returns what the tests of a file no longer do.
fn missing(pair: &Pair<'_>, code: &Code, pool: &mut Pool<'_>) -> Vec<Vanished> {
    let mut found = Vec::new();
    let fresh = |unit: &&Unit| unit.is_test && pair.before.count(&unit.name) == 0;
    let mut fresh: Vec<&Unit> = pair.after.all.iter().filter(fresh).collect();
    for unit in &pair.before.all {
        let now = pair.after.named(&unit.name);
        if pair.before.count(&unit.name) < now.len() && pair.path.ends_with(".py") && unit.is_test {
            let line = now.last().map(|unit| unit.line);
            let text = format!("a second {} hides the first", unit.name);
            found.push(vanished(Way::Removed, line, &text));
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
            renamed.map(|index| new.swap_remove(index)).is_none()
                && !pool.takes_assertion(pair, &assertion.dense)
        });
        match now.first() {
            Some(same) => {
                if unit.is_test && !same.is_test {
                    let text = format!("{} is no test any more", unit.name);
                    found.push(vanished(Way::Removed, Some(same.line), &text));
                }
                if unit.is_test && same.returns > unit.returns {
                    let text = format!("{} returns before it has asserted everything", unit.name);
                    found.push(vanished(Way::Skipped, Some(same.line), &text));
                }
                // The place of a test that asserts less, or of what it asserts instead.
                let line = new.first().map_or(same.line, |other| other.line);
                let line = (line > 0).then_some(line);
                found.extend(
                    lost.iter().map(|assertion| vanished(Way::Weakened, line, &told(unit, assertion))),
                );
            }
            None if code.tested(unit) => {}
            None if !unit.is_test => {
                found.extend(
                    lost.iter().map(|assertion| vanished(Way::Weakened, None, &told(unit, assertion))),
                );
            }
            None if !lost.is_empty() => {
                let mut others = fresh.iter().take(RENAMED_MAX);
                let renamed = others.position(|other| renamed_whole(code, unit, other));
                if renamed.map(|index| fresh.swap_remove(index)).is_none() {
                    found.push(vanished(Way::Removed, None, &format!("removed: {}", unit.name)));
                }
            }
            // A test without assertions can only be known by its name, or by another that came in its place.
            None => {
                let is_known =
                    pool.takes_test(pair, &unit.name) || !unit.assertions.is_empty() || fresh.pop().is_some();
                if !is_known {
                    found.push(vanished(Way::Removed, None, &format!("removed: {}", unit.name)));
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
