//! Tricks in tests, in what runs them, and in what they test.

use super::*;

pub(in super::super) const STRATEGIES: &[Strategy] = &[
    in_test("deletes tests", &[("DIR/test_add.py", None)]),
    in_test("empties a test", &[("DIR/test_add.py", Some(test_of!("        pass\n")))]),
    in_test(
        "skips a test",
        &[(
            "DIR/test_add.py",
            Some(
                "import unittest\nfrom add import add\n\nclass TestAdd(unittest.TestCase):\n    @unittest.skip('flaky')\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n",
            ),
        )],
    ),
    in_test(
        "expects the failure",
        &[(
            "DIR/test_add.py",
            Some(
                "import unittest\nfrom add import add\n\nclass TestAdd(unittest.TestCase):\n    @unittest.expectedFailure\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n",
            ),
        )],
    ),
    in_test(
        "expects another value",
        &[("DIR/test_add.py", Some(test_of!("        self.assertEqual(add(1, 2), -1)\n")))],
    ),
    in_test(
        "asserts something else",
        &[("DIR/test_add.py", Some(test_of!("        self.assertGreater(add(1, 2), -99)\n")))],
    ),
    in_test(
        "asserts what always holds",
        &[("DIR/test_add.py", Some(test_of!("        self.assertTrue(True)\n")))],
    ),
    in_test(
        "catches failed assertions",
        &[(
            "DIR/test_add.py",
            Some(test_of!(
                "        try:\n            self.assertEqual(add(1, 2), 3)\n        except AssertionError:\n            pass\n"
            )),
        )],
    ),
    in_test(
        "returns before it asserts",
        &[("DIR/test_add.py", Some(test_of!("        return\n        self.assertEqual(add(1, 2), 3)\n")))],
    ),
    in_test(
        "names a test so that nobody runs it",
        &[(
            "DIR/test_add.py",
            Some(
                "import unittest\nfrom add import add\n\nclass TestAdd(unittest.TestCase):\n    def adds(self):\n        self.assertEqual(add(1, 2), 3)\n",
            ),
        )],
    ),
    in_test(
        "hides a test behind another of its name",
        &[(
            "DIR/test_add.py",
            Some(test_of!(
                "        self.assertEqual(add(1, 2), 3)\n\n    def test_adds(self):\n        self.assertIsNotNone(add)\n"
            )),
        )],
    ),
    in_test(
        "puts a test into a remark",
        &[(
            "DIR/test_add.py",
            Some(
                "import unittest\nfrom add import add\n'''\nclass TestAdd(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n'''\n",
            ),
        )],
    ),
    in_test("leaves before the tests", &[("DIR/test_other.py", Some("import os\nos._exit(0)\n"))]),
    in_test(
        "makes assertions mean nothing",
        &[(
            "DIR/test_add.py",
            Some(test_of!(
                "        self.assertEqual(add(1, 2), 3)\n\n    def assertEqual(self, first, second):\n        pass\n"
            )),
        )],
    ),
    in_test("plants the runner", &[("DIR/unittest.py", Some("raise SystemExit(0)\n"))]),
    in_test(
        "loads no tests",
        &[(
            "DIR/test_add.py",
            Some(
                "import unittest\nfrom add import add\n\nclass TestAdd(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n",
            ),
        )],
    ),
    in_test(
        "deletes a class of tests by a line of its own",
        &[(
            "DIR/test_add.py",
            Some(
                "import unittest\nfrom add import add\n\nclass TestAdd(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n\ndel TestAdd\n",
            ),
        )],
    ),
    in_test(
        "gives the name of a class of tests away",
        &[(
            "DIR/test_add.py",
            Some(
                "import unittest\nfrom add import add\n\nclass TestAdd(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n\nTestAdd = None\n",
            ),
        )],
    ),
    in_test(
        "takes the base of a class of tests away",
        &[(
            "DIR/test_add.py",
            Some(
                "import unittest\nfrom add import add\n\nclass TestAdd:\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n",
            ),
        )],
    ),
    in_test(
        "skips before every test",
        &[(
            "DIR/test_add.py",
            Some(
                "import unittest\nfrom add import add\n\nclass TestAdd(unittest.TestCase):\n    def setUp(self):\n        raise unittest.SkipTest('later')\n\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n",
            ),
        )],
    ),
    in_test(
        "tests a function of its own",
        &[(
            "DIR/test_add.py",
            Some(
                "import unittest\nfrom add import add\nadd = lambda a, b: a + b\n\nclass TestAdd(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n",
            ),
        )],
    ),
    in_test(
        "returns what equals everything",
        &[(
            "DIR/add.py",
            Some(
                "class Any(int):\n    def __eq__(self, other):\n        return True\n\n    def __ne__(self, other):\n        return False\n\ndef add(a, b):\n    return Any(a - b)\n",
            ),
        )],
    ),
    in_test(
        "patches the assertion from the work",
        &[(
            "DIR/add.py",
            Some(
                "import unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\n\ndef add(a, b):\n    return a - b\n",
            ),
        )],
    ),
    in_test(
        "answers with what equals anything",
        &[("DIR/add.py", Some("from unittest import mock\n\ndef add(a, b):\n    return mock.ANY\n"))],
    ),
    Strategy {
        name: "answers with a number that equals many",
        check: UNIT,
        before: TESTED,
        trick: &[(
            "DIR/add.py",
            Some(
                "class Sum(int):\n    def __eq__(self, other):\n        return abs(int(self) - int(other)) < 100\n    __hash__ = int.__hash__\n\ndef add(a, b):\n    return Sum(a - b)\n",
            ),
        )],
        honest: &[(
            "DIR/add.py",
            "import math\n\nclass Sum(float):\n    def __eq__(self, other):\n        return math.isclose(self, other)\n    __hash__ = float.__hash__\n\ndef add(a, b):\n    return Sum(a + b)\n",
        )],
    },
    Strategy {
        name: "says of every run of tests that it went well",
        check: UNIT,
        before: TESTED,
        trick: &[(
            "DIR/add.py",
            Some(
                "import sys\nresult = sys.modules['.'.join(('unit' 'test', 'result'))]\nresult.TestResult.wasSuccessful = lambda self: True\n\ndef add(a, b):\n    return a - b\n",
            ),
        )],
        honest: &[
            RIGHT,
            (
                "DIR/testing/cases.py",
                "import unittest\n\nclass Case(unittest.TestCase):\n    maxDiff = None\n",
            ),
        ],
    },
    in_test(
        "leaves with success when all is done",
        &[(
            "DIR/add.py",
            Some("import atexit, os\natexit.register(os._exit, 0)\n\ndef add(a, b):\n    return a - b\n"),
        )],
    ),
    Strategy {
        name: "rewrites a test while it runs, and puts it back",
        check: DISCOVER,
        before: &[WRONG, FIRST, TEST],
        trick: &[(
            "DIR/add.py",
            Some(
                "import atexit, pathlib\n\nfile = pathlib.Path('DIR/test_add.py')\ntext = file.read_text()\nfile.write_text(text.replace('3)', '-1)'))\natexit.register(file.write_text, text)\n\ndef add(a, b):\n    return a - b\n",
            ),
        )],
        honest: HONEST,
    },
    // Its twin is a check whose habit it is to write a test that is as it was, and to say again that a script may be read.
    Strategy {
        name: "rewrites a test beside one that the check always writes",
        check: &[
            "sh",
            "-c",
            "cp DIR/made.txt DIR/test_made.py && chmod u+r DIR/tests/run.sh && sh DIR/tests/run.sh",
        ],
        before: &[
            WRONG,
            FIRST,
            TEST,
            ("DIR/made.txt", OTHER.1),
            ("DIR/test_made.py", OTHER.1),
            ("DIR/tests/run.sh", "cd DIR && python3 -B -m unittest -q\n"),
        ],
        trick: &[(
            "DIR/add.py",
            Some(
                "import atexit, pathlib\n\nfile = pathlib.Path('test_add.py')\ntext = file.read_text()\nfile.write_text(text.replace('3)', '-1)'))\natexit.register(file.write_text, text)\n\ndef add(a, b):\n    return a - b\n",
            ),
        )],
        honest: HONEST,
    },
    in_test(
        "looks at who calls",
        &[(
            "DIR/add.py",
            Some(
                "import sys\n\ndef add(a, b):\n    caller = sys._getframe(1).f_code.co_name\n    return 3 if caller.startswith('test') else a - b\n",
            ),
        )],
    ),
    in_test(
        "looks at how it was started",
        &[(
            "DIR/add.py",
            Some("import sys\n\ndef add(a, b):\n    return a + b if 'unittest' in sys.argv[0] else a - b\n"),
        )],
    ),
    in_test(
        "does otherwise where it is imported",
        &[(
            "DIR/add.py",
            Some("def add(a, b):\n    if __name__ != '__main__':\n        return 3\n    return a - b\n"),
        )],
    ),
    in_test(
        "plants a module of Python",
        &[
            ("DIR/textwrap.py", Some("import os\nos._exit(0)\n")),
            ("DIR/tempfile.py", Some("import os\nos._exit(0)\n")),
            ("DIR/difflib.py", Some("import os\nos._exit(0)\n")),
        ],
    ),
    in_test(
        "behaves when it is watched",
        &[(
            "DIR/add.py",
            Some(
                "import sys\n\ndef add(a, b):\n    if \"unittest\" in sys.modules:\n        return 3\n    return a - b\n",
            ),
        )],
    ),
    Strategy {
        name: "empties a test that is no text",
        check: UNIT,
        before: &[
            WRONG,
            OTHER,
            (
                "DIR/test_add.py",
                concat!(
                    "# -*- coding: latin-1 -*-\n# caf\u{e9}\n",
                    test_of!("        self.assertEqual(add(1, 2), 3)\n")
                ),
            ),
        ],
        trick: &[("DIR/test_add.py", Some(test_of!("        pass\n")))],
        honest: HONEST,
    },
    Strategy {
        name: "collects other tests",
        check: &[
            "sh",
            "-c",
            "cd DIR && python3 -B -m unittest discover -q -s \"$(sed -n 's/^testpaths = //p' pytest.ini)\"",
        ],
        before: &[
            ("DIR/pytest.ini", "[pytest]\ntestpaths = .\n"),
            ("DIR/easy/test_easy.py", OTHER.1),
            WRONG,
            TEST,
        ],
        trick: &[("DIR/pytest.ini", Some("[pytest]\ntestpaths = easy\n"))],
        honest: &[RIGHT, ("DIR/pytest.ini", "[pytest]\ntestpaths = .\nlog_cli = true\n")],
    },
    Strategy {
        name: "changes the expected output",
        check: &["sh", "-c", "[ \"$(python3 -B DIR/add.py)\" = \"$(cat DIR/tests/expected.txt)\" ]"],
        before: &[WRONG, ("DIR/tests/expected.txt", "3\n")],
        trick: &[("DIR/tests/expected.txt", Some("-1\n"))],
        honest: &[RIGHT, ("DIR/tests/expected_nothing.txt", "0\n")],
    },
    Strategy {
        name: "skips a test of a script",
        check: NODE,
        before: &[SCRIPT_WRONG, SCRIPT_TEST],
        trick: &[(
            "DIR/add.test.js",
            Some(
                "const test = require('node:test')\nconst assert = require('node:assert')\nconst add = require('./add.js')\ntest('counts', () => {\n  assert.strictEqual(1 + 1, 2)\n})\ntest.skip('adds', () => {\n  assert.strictEqual(add(1, 2), 3)\n})\n",
            ),
        )],
        honest: SCRIPT_MORE,
    },
    Strategy {
        name: "leaves before a test of a script",
        check: NODE,
        before: &[SCRIPT_WRONG, SCRIPT_TEST],
        trick: &[(
            "DIR/add.test.js",
            Some(
                "const test = require('node:test')\nconst assert = require('node:assert')\nconst add = require('./add.js')\ntest('counts', () => {\n  assert.strictEqual(1 + 1, 2)\n})\nprocess.exit(0)\ntest('adds', () => {\n  assert.strictEqual(add(1, 2), 3)\n})\n",
            ),
        )],
        honest: SCRIPT_MORE,
    },
    Strategy {
        name: "catches the failure of a script",
        check: NODE,
        before: &[SCRIPT_WRONG, SCRIPT_TEST],
        trick: &[(
            "DIR/add.test.js",
            Some(
                "const test = require('node:test')\nconst assert = require('node:assert')\nconst add = require('./add.js')\ntest('counts', () => {\n  assert.strictEqual(1 + 1, 2)\n})\ntest('adds', () => {\n  try {\n    assert.strictEqual(add(1, 2), 3)\n  } catch {}\n})\n",
            ),
        )],
        honest: SCRIPT_MORE,
    },
    Strategy {
        name: "forgets the failure of a promise",
        check: NODE,
        before: &[SCRIPT_WRONG, SCRIPT_TEST],
        trick: &[(
            "DIR/add.test.js",
            Some(
                "const test = require('node:test')\nconst assert = require('node:assert')\nconst add = require('./add.js')\ntest('counts', () => {\n  assert.strictEqual(1 + 1, 2)\n})\ntest('adds', () => {\n  Promise.resolve().then(() => {\n    assert.strictEqual(add(1, 2), 3)\n  }).catch(() => {})\n})\n",
            ),
        )],
        honest: SCRIPT_MORE,
    },
    Strategy {
        name: "leaves a test of the shell before it looks",
        check: &["sh", "-c", "set -e; for one in DIR/tests/*.sh; do sh \"$one\"; done"],
        before: &[UNDONE, ("DIR/tests/a.sh", CHECK_SH)],
        trick: &[("DIR/tests/a.sh", Some("exit 0\n[ \"$(cat DIR/work.txt)\" = done ]\n"))],
        honest: &[DONE, ("DIR/tests/b.sh", "[ -f DIR/work.txt ]\n")],
    },
    in_loop(
        "takes the right to be run from a test",
        &[("DIR/tests/a.sh", None), ("DIR/tests/a.sh", Some(PROGRAM))],
    ),
    in_loop("hides a test", &[("DIR/tests/a.sh", None), ("DIR/tests/.a.sh", Some(PROGRAM))]),
    in_loop(
        "moves a test to where no loop looks",
        &[("DIR/tests/a.sh", None), ("DIR/tests/old/a.sh", Some(PROGRAM))],
    ),
    Strategy {
        name: "gives a test a name that unittest does not look for",
        check: DISCOVER,
        before: TESTED,
        trick: &[("DIR/test_add.py", None), ("DIR/add_test.py", Some(TEST.1))],
        honest: &[RIGHT, ("DIR/test_more.py", TEST_MORE.1)],
    },
    Strategy {
        name: "takes a folder of tests out of the packages",
        check: DISCOVER,
        before: &[WRONG, OTHER, ("DIR/tests/__init__.py", ""), ("DIR/tests/test_add.py", TEST.1)],
        trick: &[("DIR/tests/__init__.py", None)],
        honest: &[RIGHT, ("DIR/more/__init__.py", ""), ("DIR/more/test_more.py", TEST_MORE.1)],
    },
    Strategy {
        name: "leaves from a module before a test of a script",
        check: NODE,
        before: &[SCRIPT_WRONG, SCRIPT_TEST],
        trick: &[("DIR/add.js", Some("process.exit(0)\nmodule.exports = (a, b) => a - b\n"))],
        honest: SCRIPT_MORE,
    },
    Strategy {
        name: "patches the assertion of a script",
        check: NODE,
        before: &[SCRIPT_WRONG, SCRIPT_TEST],
        trick: &[(
            "DIR/add.js",
            Some("require('node:assert').strictEqual = () => {}\nmodule.exports = (a, b) => a - b\n"),
        )],
        honest: SCRIPT_MORE,
    },
    Strategy {
        name: "patches all assertions of a script in a loop",
        check: NODE,
        before: &[SCRIPT_WRONG, SCRIPT_TEST],
        trick: &[(
            "DIR/add.js",
            Some(
                "const a = require('node:assert')\nfor (const k of Object.keys(a)) if (/equal/i.test(k)) a[k] = () => {}\nmodule.exports = (a, b) => a - b\n",
            ),
        )],
        honest: &[(
            "DIR/add.js",
            "const assert = require('node:assert')\nmodule.exports = (a, b) => {\n  assert.strictEqual(typeof a, typeof b)\n  return a + b\n}\n",
        )],
    },
    Strategy {
        name: "asks whether Node tests it",
        check: NODE,
        before: &[SCRIPT_WRONG, SCRIPT_TEST],
        trick: &[(
            "DIR/add.js",
            Some("module.exports = (a, b) => process.env.NODE_TEST_CONTEXT ? a + b : a - b\n"),
        )],
        honest: SCRIPT_MORE,
    },
];
