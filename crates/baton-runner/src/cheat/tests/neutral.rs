//! Tests that are all there and do not count, and honest changes close by.

use super::*;

const CASE: &str = "import unittest\nfrom add import add\n\nclass TestAdd(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n";
const NODE: &str =
    "const add = require('./add.js')\ntest('adds', () => {\n  assert.strictEqual(add(1, 2), 3)\n})\n";
const SHELL: &str = "#!/bin/sh\n[ \"$(add 1 2)\" = 3 ] || exit 1\n";

#[track_caller]
fn check(path: &str, before: &str, after: &str, expected: &[&str]) {
    let found: BTreeSet<&str> = names(path, Some(before), Some(after)).into_iter().collect();
    assert_eq!(found.into_iter().collect::<Vec<_>>(), expected, "{path}\n{after}");
}

#[test]
fn a_test_of_python_that_does_not_count_is_seen() {
    let replaced = |from: &str, to: &str| CASE.replace(from, to);
    for (after, expected) in [
        (
            format!("{CASE}\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n"),
            "test_skipped",
        ),
        (format!("{CASE}\ndel TestAdd.test_adds\n"), "test_removed"),
        (format!("{CASE}\ndel TestAdd\n"), "test_removed"),
        (format!("{CASE}\nTestAdd = None\n"), "test_removed"),
        (replaced("(unittest.TestCase)", ""), "test_removed"),
        (
            replaced("    def", "    def setUp(self):\n        raise unittest.SkipTest('later')\n\n    def"),
            "test_skipped",
        ),
        (
            replaced("    def", "    def setUp(self):\n        self.failureException = Odd\n\n    def"),
            "test_removed",
        ),
        (replaced("import add\n", "import add\nadd = lambda a, b: a + b\n"), "test_removed"),
        (replaced("class", "@mock.patch('test_add.add', lambda a, b: 3)\nclass"), "test_skipped"),
        (replaced("    def", "    @unittest.skipIf(True, 'x')\n    def"), "test_skipped"),
        (
            replaced("import unittest\n", "import unittest\nimport pytest\npytest.importorskip('nope')\n"),
            "test_skipped",
        ),
    ] {
        check("test_add.py", CASE, &after, &[expected]);
    }
    for honest in [
        replaced("    def", "    def setUp(self):\n        self.add = add\n\n    def"),
        replaced("class", "LIMIT = 3\n\nclass"),
        format!("{CASE}\nif __name__ == '__main__':\n    unittest.main()\n"),
    ] {
        check("test_add.py", CASE, &honest, &[]);
    }
}

#[test]
fn a_test_of_rust_or_go_that_does_not_count_is_seen() {
    for attribute in
        ["#[should_panic]", "#[cfg(not(all()))]", "#[cfg_attr(all(), ignore)]", "#[cfg(windows)]"]
    {
        check("tests/add.rs", RUST_TEST, &format!("{attribute}\n{RUST_TEST}"), &["test_skipped"]);
    }
    check("tests/add.rs", RUST_TEST, &format!("#![cfg(feature = \"slow\")]\n{RUST_TEST}"), &["test_skipped"]);
    let more = format!("{RUST_TEST}\n#[cfg(unix)]\n#[test]\nfn links() {{\n    assert!(link());\n}}\n");
    check("tests/add.rs", RUST_TEST, &more, &[]);
    let go = "package x\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n";
    check("add_test.go", go, &format!("//go:build slow\n\n{go}"), &["test_skipped"]);
    for (from, to, text) in [
        ("add_test.go", "add_windows_test.go", go),
        ("tests/test_add.py", "tests/add_checks.py", PYTHON_TEST),
    ] {
        let seen = look(&[changed(from, Some(text), None), changed(to, None, Some(text))], &Scope::default());
        assert!(seen.iter().any(|sighting| sighting.trick == "test_removed"), "{to}");
    }
}

#[test]
fn a_failure_that_is_caught_in_a_script_is_seen() {
    let replaced = |to: &str| NODE.replace("  assert.strictEqual(add(1, 2), 3)", to);
    for cheat in [
        "  try {\n    assert.strictEqual(add(1, 2), 3)\n  } catch {}",
        "  try {\n    assert.strictEqual(add(1, 2), 3)\n  } catch (error) {\n  }",
        "  Promise.resolve().then(() => {\n    assert.strictEqual(add(1, 2), 3)\n  }).catch(() => {})",
    ] {
        check("add.test.js", NODE, &replaced(cheat), &["assertion_weakened"]);
    }
    let honest = "  assert.strictEqual(add(1, 2), 3)\n  await rm(folder).catch(() => {})\n  try {\n    close()\n  } catch {}";
    check("add.test.js", NODE, &replaced(honest), &[]);
    check("add.test.js", NODE, &NODE.replace("test('adds'", "test.failing('adds'"), &["test_skipped"]);
    check("tests/a.sh", SHELL, "#!/bin/sh\nexit 0\n[ \"$(add 1 2)\" = 3 ] || exit 1\n", &["early_exit"]);
    check("tests/a.sh", SHELL, "#!/bin/sh\n[ \"$(add 1 2)\" = 3 ] || exit 1\nexit 0\n", &[]);
}
