//! A test asserts something else than before: fewer things, another result, or something that always holds.

use super::line::{Kind, Lines, holds, is_code};
use super::unit::is_code_file;
use super::vanished::{Way, sights};
use super::{Change, Scene, Sight, Trick, forged, neutralised};

pub(super) static TRICK: Trick = Trick { name: "assertion_weakened", look };

/// What holds whatever the work does, without blanks.
const ALWAYS: &[&str] = &[
    "assert!(true)",
    "assert_eq!(true,true)",
    "assert_eq!(1,1)",
    "assert(true)",
    "assertTrue(true)",
    "assertTrue(True)",
    "expect(true).toBe(true)",
    "expect(true).toBeTruthy()",
    "expect(1).toBe(1)",
    "Assert.True(true)",
    "assert.ok(true)",
    "||true)",
];
/// The same as whole statements, where the language needs no brackets.
const ALWAYS_ALONE: &[&str] = &["assertTrue", "assert1", "assert1==1"];
/// A failed assertion that is caught and forgotten.
const CAUGHT: &[&str] =
    &["except AssertionError", "except:", "except Exception", "catch_unwind", "rescue Minitest::Assertion"];

/// An assertion that is made to mean something else, without blanks.
const REDEFINED: &[&str] = &[
    "macro_rules!assert",
    "defassertEqual(",
    "defassertTrue(",
    "defassertFalse(",
    "defassertRaises(",
    "functionexpect(",
    "constexpect=",
    "letexpect=",
    "varexpect=",
    "global.expect=",
    "globalThis.expect=",
    "TestCase.assert",
];
/// Parts of a path that say that what is expected lies there.
const EXPECTED: &[&str] = &["expected", "golden", "snapshots", ".snap"];

fn look(change: &Change<'_>, lines: Option<&Lines>, scene: &Scene<'_>) -> Vec<Sight> {
    let is_test = Kind::of(change.path) == Kind::Test || is_beside_tests(change);
    let Some(lines) = lines else { return Vec::new() };
    let mut seen = forged::sights(change, lines, scene);
    if !is_test {
        return seen;
    }
    let is_weak =
        |line: &str| is_code(line) && (always_holds(line) || holds(line, CAUGHT) || redefines(line));
    seen.extend(lines.news(is_weak).iter().map(|line| line.sight()));
    seen.extend(neutralised::swallowed(change, lines));
    seen.extend(sights(&scene.vanished, change.path, Way::Weakened));
    let lower = change.path.to_lowercase();
    let is_result = EXPECTED.iter().any(|part| lower.contains(part)) && !is_code_file(change.path);
    if is_result && change.before.is_some() && change.after.is_some() {
        seen.extend(lines.losses(|line| !line.trim().is_empty()).iter().map(|line| line.lost()));
    }
    seen
}

fn redefines(line: &str) -> bool {
    let dense = dense(line);
    REDEFINED
        .iter()
        .any(|mark| dense.contains(mark) && (!mark.starts_with("TestCase") || dense.contains('=')))
}

fn dense(line: &str) -> String {
    line.chars().filter(|character| !character.is_whitespace()).collect()
}

/// Some languages keep their tests in the file they test.
fn is_beside_tests(change: &Change<'_>) -> bool {
    let tested = |bytes: Option<&[u8]>| {
        bytes.is_some_and(|bytes| String::from_utf8_lossy(bytes).contains("#[cfg(test)]"))
    };
    tested(change.before) || tested(change.after)
}

fn always_holds(line: &str) -> bool {
    let dense = dense(line);
    holds(&dense, ALWAYS) || ALWAYS_ALONE.contains(&dense.as_str())
}
