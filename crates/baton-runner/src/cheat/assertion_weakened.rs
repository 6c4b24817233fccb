//! A test asserts less than before: fewer things, or something that always holds.

use super::line::{Kind, Lines, holds, is_code};
use super::{Change, Scope, Sight, Trick};

pub(super) static TRICK: Trick = Trick { name: "assertion_weakened", look };

const ASSERTIONS: &[&str] =
    &["assert", "expect(", "should.", ".should(", "t.Error", "t.Fatal", "require.", "Assert.", "must_equal"];
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

fn look(change: &Change<'_>, _: &Scope) -> Vec<Sight> {
    let is_test = Kind::of(change.path) == Kind::Test || is_beside_tests(change);
    let Some(lines) = Lines::of(change).filter(|_| is_test) else { return Vec::new() };
    let is_assertion = |line: &str| is_code(line) && holds(line, ASSERTIONS);
    let mut seen: Vec<Sight> =
        lines.news(|line| is_code(line) && always_holds(line)).iter().map(|line| line.sight()).collect();
    seen.extend(lines.news(|line| is_code(line) && holds(line, CAUGHT)).iter().map(|line| line.sight()));
    if change.before.is_some() && change.after.is_some() {
        seen.extend(lines.losses(is_assertion).iter().map(|line| line.lost()));
    }
    seen
}

/// Some languages keep their tests in the file they test.
fn is_beside_tests(change: &Change<'_>) -> bool {
    let tested = |bytes: Option<&[u8]>| {
        bytes.is_some_and(|bytes| String::from_utf8_lossy(bytes).contains("#[cfg(test)]"))
    };
    tested(change.before) || tested(change.after)
}

fn always_holds(line: &str) -> bool {
    let dense: String = line.chars().filter(|character| !character.is_whitespace()).collect();
    holds(&dense, ALWAYS) || ALWAYS_ALONE.contains(&dense.as_str())
}
