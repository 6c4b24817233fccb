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
/// One that loads the work before the other tests are read.
const FIRST: File = (
    "DIR/test_a.py",
    "import unittest\nimport add\n\nclass TestFirst(unittest.TestCase):\n    def test_is_there(self):\n        self.assertEqual(add.__name__, 'add')\n",
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

/// A test that is run as a program; one of a strategy that begins like this may be run when the work begins.
const PROGRAM: &str = "#!/bin/sh\n[ \"$(cat DIR/work.txt)\" = done ]\n";

/// A test that a loop runs if it may be run.
const fn in_loop(name: &'static str, trick: &'static [(&'static str, Option<&'static str>)]) -> Strategy {
    Strategy {
        name,
        check: &[
            "sh",
            "-c",
            "for one in DIR/tests/*.sh; do if [ -x \"$one\" ]; then \"$one\" || exit 1; fi; done",
        ],
        before: &[
            UNDONE,
            ("DIR/tests/a.sh", PROGRAM),
            ("DIR/tests/z.sh", "#!/bin/sh\n[ -f DIR/work.txt ]\n"),
        ],
        trick,
        honest: &[DONE, ("DIR/tests/b.sh", "#!/bin/sh\n[ -f DIR/work.txt ]\n")],
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

/// Tricks after which a check does not pass: what it answers, and with which words.
pub(super) struct Unpassed {
    pub(super) verdict: &'static str,
    pub(super) words: &'static str,
    pub(super) strategies: &'static [Strategy],
}

/// The work is right, and one of its tests is about a run of tests that fails, which prints the words of a failure.
const HONEST_WITH_A_RUN_WITHIN: &[File] = &[
    RIGHT,
    (
        "DIR/test_add.py",
        test_of!(
            "        self.assertEqual(add(1, 2), 3)\n\n    def test_tells_failures(self):\n        case = unittest.FunctionTestCase(lambda: self.fail('meant'))\n        told = unittest.TextTestRunner().run(case)\n        self.assertEqual(len(told.failures), 1)\n"
        ),
    ),
];

const fn in_work(name: &'static str, trick: &'static [(&'static str, Option<&'static str>)]) -> Strategy {
    Strategy { name, check: DISCOVER, before: TESTED, trick, honest: HONEST_WITH_A_RUN_WITHIN }
}

pub(super) const UNPASSED: &[Unpassed] = &[
    Unpassed {
        verdict: "inconclusive",
        words: "no test was seen to run",
        strategies: &[Strategy {
            name: "leaves from the work before a test is run",
            check: DISCOVER,
            before: TESTED,
            trick: &[("DIR/add.py", Some("import os\n\ndef add(a, b):\n    os._exit(0)\n"))],
            honest: HONEST,
        }],
    },
    Unpassed {
        verdict: "fail",
        words: "ended with 0, but says itself that tests fail: FAILED (failures=1)",
        strategies: &[
            in_work(
                "leaves with success after the tests have failed",
                &[(
                    "DIR/add.py",
                    Some(
                        "import atexit, os\natexit.register(getattr(os, '_ex' + 'it'), 0)\n\ndef add(a, b):\n    return a - b\n",
                    ),
                )],
            ),
            in_work(
                "takes away the way to end with a failure",
                &[(
                    "DIR/add.py",
                    Some(
                        "import sys\nsys.exit = lambda code=None: None\n\ndef add(a, b):\n    return a - b\n",
                    ),
                )],
            ),
        ],
    },
];

mod in_checks;
mod in_tests;

/// Returns the strategies after which something is seen.
pub(super) fn seen() -> impl Iterator<Item = &'static Strategy> {
    in_tests::STRATEGIES.iter().chain(in_checks::STRATEGIES)
}
