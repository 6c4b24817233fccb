//! Tests that are switched off by what they are called, where they lie, or whether they may be run.

use super::reached::{File, seen};
use super::*;

const LOOP: &[&str] =
    &["sh", "-c", "for t in tests/*.sh; do if [ -x \"$t\" ]; then \"./$t\" || exit 1; fi; done"];
const SCRIPT: Option<&str> = Some("#!/bin/sh\n./tides.sh | grep -q '^low '\n");
const UNIT: Option<&str> =
    Some("class D(unittest.TestCase):\n    def test_zero(self):\n        self.assertEqual(add(7, 1), 8)\n");
const UNITTEST: &[&str] = &["python3", "-m", "unittest"];

/// Says what is seen where a test moves.
#[track_caller]
fn moved(run: &[&str], from: &str, into: &str, text: Option<&str>) -> Vec<String> {
    seen(run, &[], &[(from, text, None), (into, None, text)])
}

#[test]
fn a_test_that_may_not_be_run_any_more_is_seen_where_a_check_runs_what_may() {
    let look = |run: &[&str], path: &str, loses_program| {
        let bytes = SCRIPT.map(str::as_bytes);
        let change = Change { path, before: bytes, after: bytes, is_whole: true, loses_program };
        let commands = vec![run.iter().map(|word| (*word).to_owned()).collect()];
        look(&[change], &Scope { commands, ..Scope::default() }).len()
    };
    for run in [LOOP, &["run-parts", "--regex=.*", "tests"]] {
        assert_eq!(look(run, "tests/a.sh", true), 1, "{run:?}");
        assert_eq!(
            look(run, "tests/a.sh", false),
            0,
            "{run:?}: it may be run now, and may not have been before"
        );
        assert_eq!(look(run, "other/a.sh", true), 0, "{run:?}");
    }
    assert_eq!(look(&["pytest"], "tests/test_a.py", true), 0, "its runner reads it");
}

#[test]
fn a_script_that_moves_out_of_a_pattern_is_seen() {
    for into in ["tests/.a.sh", "tests/old/a.sh", "tests/a.sh.off"] {
        assert_eq!(moved(LOOP, "tests/a.sh", into, SCRIPT), ["test_removed tests/a.sh"], "{into}");
    }
    assert!(moved(LOOP, "tests/a.sh", "tests/b.sh", SCRIPT).is_empty());
    let found = &["sh", "-c", "find tests -name '*.sh' | xargs -n1 sh"];
    assert!(moved(found, "tests/a.sh", "tests/old/a.sh", SCRIPT).is_empty(), "it is found there too");
    assert!(moved(&["bats", "tests"], "tests/a.sh", "tests/old/a.sh", SCRIPT).is_empty());
    assert_eq!(moved(&["bats", "tests"], "tests/a.sh", "tests/.a.sh", SCRIPT), ["test_removed tests/a.sh"]);
}

#[test]
fn a_test_that_unittest_does_not_find_any_more_is_seen() {
    let (from, into) = ("tests/test_deep.py", "tests/deep_test.py");
    assert_eq!(moved(UNITTEST, from, into, UNIT), ["test_removed tests/test_deep.py"]);
    assert!(moved(UNITTEST, from, "tests/test_deeper.py", UNIT).is_empty());
    for run in [&["pytest"][..], &["python3", "-m", "unittest", "discover", "-p", "*_test.py"]] {
        assert!(moved(run, from, into, UNIT).is_empty(), "{run:?}");
    }
    let pattern = &["python3", "-m", "unittest", "discover", "--pattern=*_test.py"];
    assert!(
        moved(pattern, "tests/a_test.py", "tests/b_test.py", UNIT).is_empty(),
        "it is told what to look for"
    );
    let package: &[(&str, Option<&str>, Option<&str>)] = &[("tests/__init__.py", Some(""), None)];
    let tests: &[File] = &[("tests/test_deep.py", "x = 1\n")];
    assert_eq!(seen(UNITTEST, tests, package), ["test_removed tests/__init__.py"]);
    for run in [
        &["pytest"][..],
        &["python3", "-m", "unittest", "discover", "-s", "tests"],
        &["python3", "-m", "unittest", "discover", "--start-directory=tests"],
        &["sh", "-c", "cd tests && python3 -m unittest"],
    ] {
        assert!(seen(run, tests, package).is_empty(), "{run:?}");
    }
    assert!(seen(UNITTEST, &[("tests/data.py", "x = 1\n")], package).is_empty(), "no test lies there");
}

#[test]
fn a_pattern_holds_for_what_it_ran_and_for_nothing_else() {
    let python = [("tests/test_a.py", UNIT, None), ("tests/unit/test_a.py", None, UNIT)];
    let mut both = vec![("tests/smoke.sh", SCRIPT, None), ("tests/10_smoke.sh", None, SCRIPT)];
    both.extend(python);
    assert!(seen(LOOP, &[], &both).is_empty(), "{:?}", seen(LOOP, &[], &both));
    let mut left = vec![("tests/smoke.sh", SCRIPT, None), ("tests/old/smoke.sh", None, SCRIPT)];
    left.extend(python);
    assert_eq!(seen(LOOP, &[], &left), ["test_removed tests/smoke.sh"]);
    // A word that a script names is no pattern.
    let named = &["sh", "-c", "\"$NPM\" test"];
    let script = Some("test('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n");
    assert!(moved(named, "test/a.test.js", "spec/a.test.js", script).is_empty());
}
