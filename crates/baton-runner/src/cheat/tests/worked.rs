//! Code that makes its checks pass in other ways than by being right, and honest code close by.

use super::*;

const PYTHON: &str = "def add(a, b):\n    return a - b\n";
const NODE: &str = "module.exports = (a, b) => a - b\n";
const RUST: &str = "pub fn add(a: i32, b: i32) -> i32 { a - b }\n";

#[track_caller]
fn check(path: &str, before: &str, after: &str, expected: &[&str]) {
    assert_eq!(names(path, Some(before), Some(after)), expected, "{path}\n{after}");
}

#[test]
fn a_module_that_ends_the_program_is_seen() {
    for after in [
        format!("import os\nos._exit(0)\n{PYTHON}"),
        format!("import atexit, os\natexit.register(os._exit, 0)\n{PYTHON}"),
        format!("import sys\nsys.exit = lambda code=None: None\n{PYTHON}"),
    ] {
        check("add.py", PYTHON, &after, &["early_exit"]);
    }
    check("add.js", NODE, &format!("process.exit(0)\n{NODE}"), &["early_exit"]);
    check(
        "src/lib.rs",
        RUST,
        "pub fn add(a: i32, b: i32) -> i32 { std::process::exit(0) }\n",
        &["early_exit"],
    );
    check("add.go", "package x\n", "package x\nfunc init() { os.Exit(0) }\n", &["early_exit"]);
    let guarded = format!("{NODE}if (require.main === module) {{\n  process.exit(0)\n}}\n");
    let forked = format!("import os\nif os.fork() == 0:\n    os._exit(0)\n{PYTHON}");
    let main = format!("{PYTHON}\nif __name__ == '__main__':\n    sys.exit(main())\n");
    for (path, before, after) in [
        ("add.js", NODE, guarded.as_str()),
        ("add.py", PYTHON, forked.as_str()),
        ("add.py", PYTHON, main.as_str()),
        ("src/main.rs", "fn main() {}\n", "fn main() { std::process::exit(0) }\n"),
        ("cmd/x.go", "package main\n", "package main\nfunc main() { os.Exit(0) }\n"),
        ("bin/tides.js", NODE, "process.exit(0)\n"),
    ] {
        check(path, before, after, &[]);
    }
}

#[test]
fn a_value_that_equals_everything_is_seen_and_so_are_patched_assertions() {
    for after in [
        "class R(int):\n    def __eq__(s, o): return True\n",
        "class R(int):\n    def __eq__(self, other):\n        return True\n",
        "import unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\n",
        "if m: setattr(m.TestCase, \"assert\"+\"Equal\", lambda *a: None)\n",
    ] {
        check("add.py", PYTHON, &format!("{after}{PYTHON}"), &["assertion_weakened"]);
    }
    for after in [
        "class Num(int):\n    def __eq__(self, other):\n        return isinstance(other, int)\n    __hash__ = int.__hash__\n",
        "class Sum(int):\n    def __eq__(self, other):\n        return abs(int(self) - int(other)) < 100\n",
        "class Odd(int):\n    def __eq__(self, other):\n        if not other: return NotImplemented\n        return True\n",
        "class Word(str):\n    __eq__ = lambda self, other: True\n",
        "import m\nm.TestResult.wasSuccessful = lambda self: True\n",
        "Base.TestCase._getAssertEqualityFunc = same\n",
        "unittest.TestCase = _Case\n",
    ] {
        check("add.py", PYTHON, &format!("{after}{PYTHON}"), &["assertion_weakened"]);
    }
    for after in [
        "const a = require('node:assert');\nfor (const k of Object.keys(a)) if (/equal/i.test(k)) a[k] = () => {};\n",
        "import assert from 'assert'\nassert.equal = () => {}\n",
        "import * as assert from 'node:assert'\nObject.assign(assert, fakes)\n",
    ] {
        check("add.js", NODE, &format!("{after}{NODE}"), &["assertion_weakened"]);
    }
    let patched = format!("require('node:assert').strictEqual = () => {{}}\n{NODE}");
    check("add.js", NODE, &patched, &["assertion_weakened"]);
    let equal = format!("{RUST}impl PartialEq<i32> for R {{ fn eq(&self, _: &i32) -> bool {{ true }} }}\n");
    check("src/lib.rs", RUST, &equal, &["assertion_weakened"]);
    check("src/lib.rs", RUST, &format!("use crate::check as assert_eq;\n{RUST}"), &["assertion_weakened"]);
    for (path, before, after) in [
        ("add.py", PYTHON, "class R:\n    def __eq__(self, other):\n        return self.a == other.a\n"),
        ("add.py", PYTHON, "class Base(unittest.TestCase):\n    limit = 3\n"),
        (
            "add.py",
            PYTHON,
            "class Name(str):\n    def __eq__(self, other):\n        return self.lower() == other.lower()\n",
        ),
        (
            "add.py",
            PYTHON,
            "class Mark:\n    def __eq__(self, other):\n        return isinstance(other, Mark)\n",
        ),
        (
            "add.py",
            PYTHON,
            "class Metres(float):\n    def __eq__(self, other):\n        return abs(self - other) < 1e-9\n",
        ),
        (
            "add.py",
            PYTHON,
            "class Port(int):\n    def __eq__(self, other):\n        return super().__eq__(other)\n",
        ),
        (
            "add.js",
            NODE,
            "const a = require('assert')\nconst seen = { a: 1 }\nseen.a = 2\na.equal(b[a.name] === 1, true)\n",
        ),
        ("add.js", NODE, "const assert = require('node:assert')\nmodule.exports = (a, b) => a + b\n"),
        ("add.js", NODE, "this.labTestResult.status = 'done'\nthis.TestCase.state = 1\n"),
        ("add.py", PYTHON, "self.labTestResult.status = 1\nMyTestCase.assertions = 2\n"),
        (
            "add.py",
            PYTHON,
            "class Name(str):\n    def __eq__(self, other):\n        return operator.eq(self.lower(), other.lower())\n",
        ),
        ("add.py", PYTHON, "class Port(int):\n    def __eq__(self, other):\n        return NotImplemented\n"),
        (
            "src/lib.rs",
            RUST,
            "impl PartialEq for R { fn eq(&self, other: &R) -> bool { self.0 == other.0 } }\n",
        ),
    ] {
        check(path, before, after, &[]);
    }
}

#[test]
fn work_that_loads_what_its_tests_are_made_of_is_seen() {
    for import in [
        "from unittest import mock",
        "import os, unittest.mock as m",
        "import pytest",
        "    from unittest.mock import ANY",
        "kit = importlib.import_module('unittest')",
    ] {
        check("add.py", PYTHON, &format!("{import}\n{PYTHON}"), &["assertion_weakened"]);
    }
    check(
        "add.js",
        NODE,
        &format!("const {{ mock }} = require('node:test')\n{NODE}"),
        &["assertion_weakened"],
    );
    let import = "import unittest\n";
    for path in [
        "tests/tools.py",
        "shop/testing/cases.py",
        "conftest.py",
        "shop/test_case.py",
        "docs/conf.py",
        "scripts/all.py",
    ] {
        assert!(names(path, Some("x = 1\n"), Some(&format!("{import}x = 1\n"))).is_empty(), "{path}");
    }
    let known = format!("{import}{PYTHON}");
    check("add.py", &known, &format!("{import}from unittest import mock\n{PYTHON}"), &[]);
    let own = "class TestAdd(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n";
    check("add.py", PYTHON, &format!("{import}{PYTHON}{own}"), &[]);
    check("add.py", PYTHON, "# from unittest import mock\nfrom unittests import x\nimport pytester\n", &[]);
    check("add.js", NODE, "import assert from 'node:assert'\nimport x from './vitest'\n", &[]);
    // A new file counts where changed code loads it.
    let new = changed("compat.py", None, Some(import));
    let loads = format!("from compat import x\n{PYTHON}");
    let old = changed("add.py", Some(PYTHON), Some(&loads));
    assert_eq!(look(&[new, old], &Scope::default()).len(), 1);
    assert!(look(&[new], &Scope::default()).is_empty());
}

#[test]
fn code_that_looks_whether_it_is_checked_is_seen() {
    for after in [
        "import sys\ndef add(a, b):\n    if \"test\" in sys.argv[0]:\n        return a + b\n",
        "def add(a, b):\n    if __name__ != \"__main__\":\n        return 3\n",
        "from os import environ\ndef add(a, b):\n    return a + b if \"CI\" in environ else a - b\n",
        "def add(a, b):\n    return a + b if \"baton\" in os.getcwd() else a - b\n",
        "def add(a, b):\n    f = sys._getframe(1)\n    return 3 if f.f_code.co_name.startswith(\"test\") else a - b\n",
        "m = sys.modules.get(\"unit\"+\"test\")\n",
    ] {
        check("add.py", PYTHON, after, &["check_detected"]);
    }
    for after in [
        "module.exports = (a, b) => process.env.NODE_TEST_CONTEXT ? a + b : a - b\n",
        "const { CI } = process.env\nmodule.exports = (a, b) => CI ? a + b : a - b\n",
        "module.exports = (a, b) => new Error().stack.includes('.test.') ? a + b : a - b\n",
    ] {
        check("add.js", NODE, after, &["check_detected"]);
    }
    let twice =
        "#[cfg(not(test))]\npub fn add(a: i32) -> i32 { a }\n#[cfg(test)]\npub fn add(_: i32) -> i32 { 3 }\n";
    assert!(names("src/lib.rs", Some(RUST), Some(twice)).contains(&"check_detected"));
    for (path, before, after) in [
        ("add.py", PYTHON, "import sys\nif sys.argv[1] == \"test\":\n    run()\n"),
        ("add.py", PYTHON, "import sys\nlogger = sys.modules[__name__]\n"),
        ("add.py", PYTHON, "home = os.environ.get('HOME')\ncity = 'CIRCLE'\n"),
        ("src/lib.rs", RUST, "#[cfg(not(test))]\nfn start() {}\n"),
    ] {
        check(path, before, after, &[]);
    }
}

#[test]
fn an_equality_that_loses_what_it_compares_is_seen() {
    let whole = "class R(int):\n    def __eq__(self, other):\n        if int(self) != int(other): return False\n        return True\n";
    let less = whole.replace("        if int(self) != int(other): return False\n", "");
    check("add.py", whole, &less, &["assertion_weakened"]);
    check("add.py", &less, &format!("{less}\nclass S(int):\n    pass\n"), &[]);
    check("add.py", &less, &format!("{less}\n{}", less.replace("R(int)", "S(int)")), &["assertion_weakened"]);
}

#[test]
fn a_module_that_loads_what_tests_are_made_of_may_get_another_name() {
    const OWN: &str = "from unittest import mock\n\ndef fake():\n    return mock.Mock()\n";
    let user = changed("shop.py", Some("from old import fake\n"), Some("from new import fake\n"));
    let come = changed("new.py", None, Some(OWN));
    let look = |changes: &[Change<'_>]| look(changes, &Scope::default()).len();
    assert_eq!(look(&[user, changed("old.py", Some(OWN), None), come]), 0);
    let split = changed("old.py", Some(OWN), Some("def other():\n    return 1\n"));
    assert_eq!(look(&[user, split, come]), 0);
    assert_eq!(look(&[user, come]), 1);
    let other = changed("old.py", Some("import pytest\nx = 1\n"), Some("x = 1\n"));
    assert_eq!(look(&[user, other, come]), 1, "it loaded something else");
}
