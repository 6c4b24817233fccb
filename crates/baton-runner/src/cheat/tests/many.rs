//! Thousands of files: every one of them is looked at, and none once for each of the others.

use super::*;

/// How many files of each sort there are.
const EACH: usize = 2000;

type File = (String, Option<String>, Option<String>);

/// Ten files of ten sorts, of which four are told.
fn files(number: usize) -> [File; 10] {
    let some = |text: &str| Some(text.replace('N', &number.to_string()));
    let file = |path: &str, before: Option<&str>, after: Option<&str>| {
        (path.replace('N', &number.to_string()), before.and_then(some), after.and_then(some))
    };
    let case = "class T(unittest.TestCase):\n    def test_N(self):\n        self.assertEqual(add(N), 1)\n";
    [
        // Without it, the test beside it is not found; and that test asserts less.
        file("dN/__init__.py", Some(""), None),
        file(
            "dN/test_a.py",
            Some("def test_N():\n    assert add(N) == 2\n"),
            Some("def test_N():\n    add(N)\n"),
        ),
        file("tests/test_N.py", Some(case), None),
        // What only moved.
        file("tests/old_N.sh", Some("#!/bin/sh\nrun N\n"), None),
        file("tests/new_N.sh", None, Some("#!/bin/sh\nrun N\n")),
        // Work that loads a new file, which loads what tests are made of.
        file("src/mN.py", Some("x = 1\n"), Some("import nN\nx = 1\n")),
        file("src/nN.py", None, Some("import unittest\ny = N\n")),
        file("src/aN.js", Some("let a = N\n"), Some("let a = N + 1\n")),
        file("rules/N.mk", Some("all:\n\tcc N.c\n"), Some("all:\n\tcc -O2 N.c\n")),
        file("docs/N.md", None, Some("# N\n")),
    ]
}

#[test]
fn thousands_of_files_are_looked_at_once_each() {
    let files: Vec<File> = (0..EACH).flat_map(files).collect();
    let changes: Vec<Change<'_>> = files
        .iter()
        .map(|(path, before, after)| changed(path, before.as_deref(), after.as_deref()))
        .collect();
    let unittest = ["python3", "-m", "unittest"].map(str::to_owned).to_vec();
    let make = ["make", "-f", "rules/1.mk"].map(str::to_owned).to_vec();
    let scope = Scope {
        commands: vec![unittest, make],
        submodules: (0..EACH).map(|number| format!("vendor/{number}")).collect(),
        ..Scope::default()
    };
    let seen = look(&changes, &scope);
    let count = |trick: &str| seen.iter().filter(|sighting| sighting.trick == trick).count();
    let told = [count("test_removed"), count("assertion_weakened"), count("runner_changed")];
    assert_eq!((told, seen.len()), ([2 * EACH, 2 * EACH, 1], 4 * EACH + 1));
}
