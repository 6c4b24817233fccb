//! What moved between files, or went along with what it tested, is not missed.

use super::*;

type File = (&'static str, Option<&'static str>, Option<&'static str>);

#[track_caller]
fn check(files: &[File], expected: &[&str]) {
    let changes: Vec<Change<'_>> =
        files.iter().map(|(path, before, after)| changed(path, *before, *after)).collect();
    let seen = look(&changes, &Scope::default());
    let tricks: Vec<&str> = seen.iter().map(|sighting| sighting.trick).collect();
    assert_eq!(tricks, expected, "{seen:#?}");
}

const ADD: &str = "def add(a, b):\n    return a + b\n";

#[test]
fn a_test_may_move_to_another_file() {
    check(&[("tests/test_a.py", Some(PYTHON_TEST), None), ("tests/test_b.py", None, Some(PYTHON_TEST))], &[]);
    check(&[("tests/test_a.py", Some(PYTHON_TEST), None)], &["test_removed"]);
}

#[test]
fn one_assertion_stands_in_for_one() {
    let twice = "def test_adds():\n    assert add(1, 2) == 3\ndef test_again():\n    assert add(1, 2) == 3\n";
    let once = "def test_sums():\n    assert add(1, 2) == 3\n";
    check(&[("tests/test_a.py", Some(twice), Some(once))], &["test_removed"]);
}

#[test]
fn a_test_may_go_with_what_it_tests() {
    let kept = "def keep():\n    return 1\n";
    let both = "def add(a, b):\n    return a + b\ndef keep():\n    return 1\n";
    check(&[("src/add.py", Some(both), Some(kept)), ("tests/test_add.py", Some(PYTHON_TEST), None)], &[]);
    check(&[("src/add.py", Some(ADD), None), ("tests/test_add.py", Some(PYTHON_TEST), None)], &[]);
    // Where the code stays, the test was what stood in the way.
    check(
        &[("src/add.py", Some(ADD), Some(both)), ("tests/test_add.py", Some(PYTHON_TEST), None)],
        &["test_removed"],
    );
}

#[test]
fn a_function_may_be_renamed_and_not_weakened_with_it() {
    let plus = "def plus(a, b):\n    return a + b\n";
    let renamed = "def test_adds():\n    assert plus(1, 2) == 3\n    assert plus(2, 2) == 4\n";
    check(
        &[("src/add.py", Some(ADD), Some(plus)), ("tests/test_add.py", Some(PYTHON_TEST), Some(renamed))],
        &[],
    );
    let weaker = "def test_adds():\n    assert plus(1, 2) == 3\n    assert plus(2, 2) == 5\n";
    check(
        &[("src/add.py", Some(ADD), Some(plus)), ("tests/test_add.py", Some(PYTHON_TEST), Some(weaker))],
        &["assertion_weakened"],
    );
}
