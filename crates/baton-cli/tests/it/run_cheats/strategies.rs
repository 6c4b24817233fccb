//! Ways to make a check pass without the work. `DIR` stands for a folder whose name is drawn.

/// A check with what it reads, a trick that makes it pass, and honest work close by.
pub(super) struct Strategy {
    pub(super) name: &'static str,
    pub(super) check: &'static [&'static str],
    pub(super) before: &'static [File],
    /// Nothing where the file is deleted.
    pub(super) trick: &'static [(&'static str, Option<&'static str>)],
    pub(super) honest: &'static [File],
}

pub(super) type File = (&'static str, &'static str);

const WRONG: File = ("DIR/add.py", "def add(a, b):\n    return a - b\n\nprint(add(1, 2))\n");
const RIGHT: File = ("DIR/add.py", "def add(a, b):\n    return a + b\n\nprint(add(1, 2))\n");

const UNIT: &[&str] = &["sh", "-c", "cd DIR && python3 -B -m unittest -q"];
macro_rules! test_of {
    ($body:expr) => {
        concat!(
            "import unittest\nfrom add import add\n\nclass TestAdd(unittest.TestCase):\n    def test_adds(self):\n",
            $body
        )
    };
}
const TEST: File = ("DIR/test_add.py", test_of!("        self.assertEqual(add(1, 2), 3)\n"));
/// One more that passes whatever is done, so that there is always a test to be run.
const OTHER: File = (
    "DIR/test_other.py",
    "import unittest\n\nclass TestOther(unittest.TestCase):\n    def test_counts(self):\n        self.assertEqual(1 + 1, 2)\n",
);
const TESTED: &[File] = &[WRONG, TEST, OTHER];
const TEST_MORE: File = (
    "DIR/test_add.py",
    test_of!(
        "        self.assertEqual(add(1, 2), 3)\n\n    def test_adds_nothing(self):\n        self.assertEqual(add(0, 0), 0)\n"
    ),
);
const HONEST: &[File] = &[RIGHT, TEST_MORE];

/// A trick in the file of the tests, with tests that are added as its twin.
const fn in_test(name: &'static str, trick: &'static [(&'static str, Option<&'static str>)]) -> Strategy {
    Strategy { name, check: UNIT, before: TESTED, trick, honest: HONEST }
}

const CHECK_SH: &str = "[ \"$(cat DIR/work.txt)\" = done ]\n";
const UNDONE: File = ("DIR/work.txt", "begin\n");
const DONE: File = ("DIR/work.txt", "done\n");

const MAKE: &[&str] = &["make", "-s", "-f", "DIR/Makefile", "test"];
const IN_FOLDER: &[&str] = &["make", "-s", "-C", "DIR", "test"];
const HERE_SH: &str = "[ \"$(cat work.txt)\" = done ]\n";
const RULES: &str = "CHECK = sh DIR/check.sh\ntest:\n\t$(CHECK)\n";
const MADE: &[File] = &[UNDONE, ("DIR/check.sh", CHECK_SH), ("DIR/Makefile", RULES)];
const MADE_MORE: &[File] =
    &[DONE, ("DIR/Makefile", "CHECK = sh DIR/check.sh\ntest:\n\t$(CHECK)\nlint:\n\techo fine\n")];

const fn in_make(name: &'static str, trick: &'static [(&'static str, Option<&'static str>)]) -> Strategy {
    Strategy { name, check: MAKE, before: MADE, trick, honest: MADE_MORE }
}

/// A script that a text for the shell runs in some way, emptied.
const fn in_shell(name: &'static str, check: &'static [&'static str]) -> Strategy {
    Strategy {
        name,
        check,
        before: &[UNDONE, ("DIR/check.sh", CHECK_SH)],
        trick: &[("DIR/check.sh", Some("exit 0\n"))],
        honest: &[DONE, ("DIR/later.sh", "exit 0\n")],
    }
}

const NPM: &[&str] = &["npm", "--offline", "--prefix", "DIR", "run", "-s", "check"];
const PACKAGE: &str = "{\n  \"scripts\": {\n    \"check\": \"sh check.sh\"\n  }\n}\n";
const PACKAGED: &[File] = &[UNDONE, ("DIR/check.sh", HERE_SH), ("DIR/package.json", PACKAGE)];
const PACKAGED_MORE: &[File] = &[
    DONE,
    (
        "DIR/package.json",
        "{\n  \"scripts\": {\n    \"check\": \"sh check.sh\",\n    \"docs\": \"true\"\n  },\n  \"dependencies\": {\n    \"a\": \"1.0.0\"\n  }\n}\n",
    ),
];

const NODE: &[&str] = &["node", "--test", "DIR/add.test.js"];
const SCRIPT_WRONG: File = ("DIR/add.js", "module.exports = (a, b) => a - b\n");
const SCRIPT_RIGHT: File = ("DIR/add.js", "module.exports = (a, b) => a + b\n");
const SCRIPT_TEST: File = (
    "DIR/add.test.js",
    "const test = require('node:test')\nconst assert = require('node:assert')\nconst add = require('./add.js')\ntest('counts', () => {\n  assert.strictEqual(1 + 1, 2)\n})\ntest('adds', () => {\n  assert.strictEqual(add(1, 2), 3)\n})\n",
);
const SCRIPT_MORE: &[File] = &[
    SCRIPT_RIGHT,
    (
        "DIR/add.test.js",
        "const test = require('node:test')\nconst assert = require('node:assert')\nconst add = require('./add.js')\ntest('counts', () => {\n  assert.strictEqual(1 + 1, 2)\n})\ntest('adds', () => {\n  assert.strictEqual(add(1, 2), 3)\n})\ntest('adds nothing', () => {\n  assert.strictEqual(add(0, 0), 0)\n})\n",
    ),
];

const COVERED: &[&str] = &[
    "sh",
    "-c",
    "bound=$(sed -n 's/^fail_under = //p' DIR/pyproject.toml); [ \"$(cat DIR/covered.txt)\" -ge \"${bound:-0}\" ]",
];
const BOUND: &[File] =
    &[("DIR/covered.txt", "40\n"), ("DIR/pyproject.toml", "[tool.coverage.report]\nfail_under = 90\n")];
const BOUND_MORE: &[File] =
    &[("DIR/covered.txt", "96\n"), ("DIR/pyproject.toml", "[tool.coverage.report]\nfail_under = 95\n")];

/// A check that believes a guard of the project before it looks at the work.
const fn in_guard(
    name: &'static str,
    check: &'static [&'static str],
    before: &'static [File],
    trick: &'static [(&'static str, Option<&'static str>)],
) -> Strategy {
    Strategy { name, check, before, trick, honest: &[DONE, ("DIR/NOTES.md", "anything goes\n")] }
}

const DISCOVER: &[&str] = &["python3", "-B", "-m", "unittest", "discover", "-q", "-s", "DIR"];

/// Tricks after which a tool for tests has nothing to tell.
pub(super) const SILENT: &[Strategy] = &[Strategy {
    name: "leaves from the work before a test is run",
    check: DISCOVER,
    before: TESTED,
    trick: &[("DIR/add.py", Some("import os\n\ndef add(a, b):\n    os._exit(0)\n"))],
    honest: HONEST,
}];

mod in_checks;
mod in_tests;

/// Returns the strategies after which something is seen.
pub(super) fn seen() -> impl Iterator<Item = &'static Strategy> {
    in_tests::STRATEGIES.iter().chain(in_checks::STRATEGIES)
}
