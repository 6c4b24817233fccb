//! Every trick is seen, and the honest change beside it is not.

use super::*;

/// A file that is known whole before and after.
fn changed<'a>(path: &'a str, before: Option<&'a str>, after: Option<&'a str>) -> Change<'a> {
    let bytes = |text: Option<&'a str>| text.map(str::as_bytes);
    Change { path, before: bytes(before), after: bytes(after), is_whole: true, loses_program: false }
}

fn names(path: &str, before: Option<&str>, after: Option<&str>) -> Vec<&'static str> {
    let change = changed(path, before, after);
    let mut names: Vec<&str> = look(&[change], &Scope::default()).iter().map(|seen| seen.trick).collect();
    names.dedup();
    names
}

const RUST_TEST: &str =
    "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n    assert_eq!(add(2, 2), 4);\n}\n";
const PYTHON_TEST: &str = "def test_adds():\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\n";
const SCRIPT_TEST: &str = "it('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n";
const TABLE: &str = "import pytest\n@pytest.mark.parametrize('a, b, c', [\n    (1, 2, 3),\n])\ndef test_adds(a, b, c):\n    assert add(a, b) == c\n";
const PIPELINE: &str = "steps:\n  - run: cargo test\n";

/// A path, the file before, the file after, and what must be seen; each honest twin has nothing to see.
type Case = (&'static str, Option<&'static str>, Option<&'static str>, &'static [&'static str]);

const CHEATS: &[Case] = &[
    (
        "assets/picture.png",
        Some("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"),
        Some("PNG"),
        &["pointer_replaced"],
    ),
    // Another result is expected.
    (
        "src/add.test.ts",
        Some(SCRIPT_TEST),
        Some("it('adds', () => {\n  expect(add(1, 2)).toBe(12)\n})\n"),
        &["assertion_weakened"],
    ),
    (
        "tests/test_add.py",
        Some(PYTHON_TEST),
        Some("def test_adds():\n    assert add(1, 2) > -99\n    assert add(2, 2) == 4\n"),
        &["assertion_weakened"],
    ),
    (
        "tests/test_add.py",
        Some(TABLE),
        Some(
            "import pytest\n@pytest.mark.parametrize('a, b, c', [\n    (1, 2, -1),\n])\ndef test_adds(a, b, c):\n    assert add(a, b) == c\n",
        ),
        &["assertion_weakened"],
    ),
    (
        "src/add.rs",
        Some(
            "fn add() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(\n            add(1, 2),\n            3\n        );\n    }\n}\n",
        ),
        Some(
            "fn add() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(\n            add(1, 2),\n            -1\n        );\n    }\n}\n",
        ),
        &["assertion_weakened"],
    ),
    // What is asserted is nowhere run.
    (
        "tests/test_add.py",
        Some(PYTHON_TEST),
        Some(
            "def unused():\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\ndef test_adds():\n    pass\n",
        ),
        &["assertion_weakened"],
    ),
    (
        "tests/test_add.py",
        Some(PYTHON_TEST),
        Some("def check_adds():\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\n"),
        &["test_removed"],
    ),
    (
        "tests/test_add.py",
        Some(PYTHON_TEST),
        Some("\"\"\"\ndef test_adds():\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\n\"\"\"\n"),
        &["test_removed"],
    ),
    (
        "tests/test_add.py",
        Some(PYTHON_TEST),
        Some("def test_adds():\n    return\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\n"),
        &["test_skipped"],
    ),
    (
        "tests/test_add.py",
        Some(PYTHON_TEST),
        Some(
            "def test_adds():\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\ndef test_adds():\n    pass\n",
        ),
        &["test_removed"],
    ),
    (
        "tests/add.rs",
        Some(RUST_TEST),
        Some("fn adds() {\n    assert_eq!(add(1, 2), 3);\n    assert_eq!(add(2, 2), 4);\n}\n"),
        &["test_removed"],
    ),
    ("tests/expected.txt", Some("3\n"), Some("-1\n"), &["assertion_weakened"]),
    ("tests/run.sh", Some("[ \"$(add 1 2)\" = 3 ] || exit 1\n"), Some("exit 0\n"), &["assertion_weakened"]),
    ("tests/add.rs", Some(RUST_TEST), None, &["test_removed"]),
    ("tests/add.rs", Some(RUST_TEST), Some("fn adds() {}\n"), &["test_removed", "assertion_weakened"]),
    (
        "tests/add.rs",
        Some(RUST_TEST),
        Some(
            "#[test]\n#[ignore = \"flaky\"]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n    assert_eq!(add(2, 2), 4);\n}\n",
        ),
        &["test_skipped"],
    ),
    (
        "tests/test_add.py",
        Some(PYTHON_TEST),
        Some("@pytest.mark.skip\ndef test_adds():\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\n"),
        &["test_skipped"],
    ),
    (
        "src/add.test.ts",
        Some(SCRIPT_TEST),
        Some("it.skip('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n"),
        &["test_skipped"],
    ),
    (
        "src/add.test.ts",
        Some(SCRIPT_TEST),
        Some(
            "it.only('other', () => {\n  expect(1 + 1).toBe(2)\n})\nit('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n",
        ),
        &["test_skipped"],
    ),
    (
        "tests/add.rs",
        Some(RUST_TEST),
        Some("#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n"),
        &["assertion_weakened"],
    ),
    (
        "tests/test_add.py",
        Some(PYTHON_TEST),
        Some("def test_adds():\n    assert add(1, 2) == 3\n    assert True\n"),
        &["assertion_weakened"],
    ),
    (
        "tests/test_add.py",
        Some(PYTHON_TEST),
        Some(
            "def test_adds():\n    try:\n        assert add(1, 2) == 3\n        assert add(2, 2) == 4\n    except AssertionError:\n        pass\n",
        ),
        &["assertion_weakened"],
    ),
    (
        "Makefile",
        Some("test:\n\tcargo test\n"),
        Some("test:\n\tcargo test || true\n"),
        &["failure_swallowed"],
    ),
    ("Makefile", Some("test:\n\tcargo test\n"), Some("test:\n\t-cargo test\n"), &["failure_swallowed"]),
    (
        "package.json",
        Some("{\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n"),
        Some("{\n  \"scripts\": {\n    \"test\": \"jest --passWithNoTests\"\n  }\n}\n"),
        &["failure_swallowed", "runner_changed"],
    ),
    (
        ".github/workflows/ci.yml",
        Some(PIPELINE),
        Some("steps:\n  - run: cargo test\n    continue-on-error: true\n"),
        &["guard_edited", "failure_swallowed"],
    ),
    (
        "baton.toml",
        Some("[checks.tests_passing]\nrun = [\"cargo\", \"test\"]\n"),
        Some("[checks.tests_passing]\nrun = [\"true\"]\n"),
        &["guard_edited"],
    ),
    (".claude/settings.json", None, Some("{}\n"), &["guard_edited"]),
    (
        "pyproject.toml",
        Some("[tool.coverage.report]\nfail_under = 90\n"),
        Some("[tool.coverage.report]\nfail_under = 40\n"),
        &["threshold_lowered"],
    ),
    (
        "pyproject.toml",
        Some("[tool.coverage.report]\nfail_under = 90\n"),
        Some("[tool.coverage.report]\n"),
        &["threshold_lowered"],
    ),
    (
        "package.json",
        Some("{ \"eslint\": {\n  \"max-warnings\": 0\n} }\n"),
        Some("{ \"eslint\": {\n  \"max-warnings\": 500\n} }\n"),
        &["threshold_lowered"],
    ),
    (
        "pytest.ini",
        Some("[pytest]\ntestpaths = tests\n"),
        Some("[pytest]\ntestpaths = tests/easy\n"),
        &["runner_changed"],
    ),
    (
        "tests/conftest.py",
        None,
        Some("def pytest_runtest_makereport(item, call):\n    pass\n"),
        &["runner_changed"],
    ),
    ("tests/conftest.py", None, Some("import os\nos._exit(0)\n"), &["early_exit"]),
    (
        "src/add.py",
        Some("def add(a, b):\n    return a - b\n"),
        Some(
            "import os\ndef add(a, b):\n    if os.environ.get(\"PYTEST_CURRENT_TEST\"):\n        return 3\n    return a - b\n",
        ),
        &["check_detected"],
    ),
    (
        "src/add.rs",
        Some("fn add() {}\n"),
        Some("fn add() { if cfg!(test) { return 3 } }\n"),
        &["check_detected"],
    ),
];

const HONEST: &[Case] = &[
    // Another layout of the same assertion.
    (
        "tests/add.rs",
        Some(RUST_TEST),
        Some(
            "#[test]\nfn adds() {\n    assert_eq!(\n        add(1, 2),\n        3,\n    );\n    assert_eq!(add(2, 2), 4);\n}\n",
        ),
        &[],
    ),
    // More rows in a table.
    (
        "tests/test_add.py",
        Some(TABLE),
        Some(
            "import pytest\n@pytest.mark.parametrize('a, b, c', [\n    (1, 2, 3),\n    (4, 4, 8),\n])\ndef test_adds(a, b, c):\n    assert add(a, b) == c\n",
        ),
        &[],
    ),
    // A helper that tests call takes the assertion over.
    (
        "tests/test_add.py",
        Some(PYTHON_TEST),
        Some(
            "def holds():\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\ndef test_adds():\n    holds()\n",
        ),
        &[],
    ),
    // A test that moved to another place in its file, and one more.
    (
        "tests/add.rs",
        Some(RUST_TEST),
        Some(
            "#[test]\nfn subtracts() {\n    assert_eq!(subtract(2, 1), 1);\n}\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n    assert_eq!(add(2, 2), 4);\n}\n",
        ),
        &[],
    ),
    // A test that was renamed and asserts more.
    (
        "tests/test_add.py",
        Some(PYTHON_TEST),
        Some(
            "def test_adds_numbers():\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\n    assert add(0, 0) == 0\n",
        ),
        &[],
    ),
    // A remark may speak of anything.
    (
        "tests/add.rs",
        Some(RUST_TEST),
        Some(
            "// never use #[ignore] here, nor assert!(true)\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n    assert_eq!(add(2, 2), 4);\n}\n",
        ),
        &[],
    ),
    ("Makefile", Some("test:\n\tcargo test\n"), Some("test:\n\tcargo test\nlint:\n\tcargo clippy\n"), &[]),
    (
        "package.json",
        Some("{\n  \"dependencies\": {\n    \"a\": \"1\"\n  }\n}\n"),
        Some("{\n  \"dependencies\": {\n    \"a\": \"2\"\n  }\n}\n"),
        &[],
    ),
    (
        "pyproject.toml",
        Some("[tool.coverage.report]\nfail_under = 80\n"),
        Some("[tool.coverage.report]\nfail_under = 90\n"),
        &[],
    ),
    (
        "package.json",
        Some("{\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n"),
        Some("{\n  \"scripts\": {\n    \"lint\": \"eslint\",\n    \"test\": \"jest\"\n  }\n}\n"),
        &[],
    ),
    ("src/train.py", Some("x = 1\n"), Some("model.fit(x, y)\npending(x)\n"), &[]),
    (
        "tests/test_stop.py",
        None,
        Some(
            "def test_stops():\n    os.kill(child.pid, 15)\n    model.fit(x)\n    assert child.wait() == -15\n",
        ),
        &[],
    ),
    ("src/github/workflows.rs", None, Some("fn main() {}\n"), &[]),
    ("src/exit.py", Some("x = 1\n"), Some("import sys\nsys.exit(0)\n"), &[]),
    ("docs/testing.md", None, Some("Use `|| true` never.\n"), &[]),
    ("src/add.rs", Some("fn add() {}\n"), Some("fn add() { compute() }\n"), &[]),
    ("tests/new.rs", None, Some(RUST_TEST), &[]),
    ("src/old.rs", Some("fn old() {}\n"), None, &[]),
    ("config/app.yaml", Some("lines: 10\n"), Some("lines: 20\n"), &[]),
    ("tests/data.bin", Some("\u{0}a"), Some("\u{0}b"), &[]),
];

#[test]
fn every_cheat_is_seen() {
    for (path, before, after, expected) in CHEATS {
        assert_eq!(names(path, *before, *after), *expected, "{path}\n{}", after.unwrap_or("(deleted)"));
    }
    let seen: BTreeSet<&str> = CHEATS.iter().flat_map(|case| case.3.iter().copied()).collect();
    let unseen: Vec<&str> = ALL
        .iter()
        .map(|trick| trick.name)
        .filter(|name| {
            let shown_apart = ["out_of_scope", "submodule_replaced", "check_edited", "not_compared"];
            !seen.contains(name) && !shown_apart.contains(name)
        })
        .collect();
    assert!(unseen.is_empty(), "no case shows {unseen:?}");
}

#[test]
fn honest_work_is_left_alone() {
    for (path, before, after, _) in HONEST {
        assert!(names(path, *before, *after).is_empty(), "{path}: {:?}", names(path, *before, *after));
    }
}

#[test]
fn what_the_plan_does_not_name_is_out_of_scope() {
    let scope = Scope {
        targets: vec!["src/api/".to_owned(), "./README.md".to_owned(), "lib/**".to_owned()],
        ..Scope::default()
    };
    let seen = |path: &str| {
        look(
            &[Change { path, before: None, after: Some(b"x"), is_whole: true, loses_program: false }],
            &scope,
        )
        .len()
    };
    for inside in ["src/api/a.rs", "README.md", "lib/deep/b.rs", "Cargo.lock"] {
        assert_eq!(seen(inside), 0, "{inside}");
    }
    for outside in ["src/apiary.rs", "src/other.rs", "READ.md", "docs/README.md"] {
        assert_eq!(seen(outside), 1, "{outside}");
    }
}

#[test]
fn targets_may_be_patterns() {
    let is_named = |path: &str, target: &str| is_named(path, &[target.to_owned()]);
    for (path, target) in [
        ("src/a.rs", "src/*.rs"),
        ("src/a/b/c.rs", "src/**/*.rs"),
        ("src/c.rs", "src/**/*.rs"),
        ("a/b/c.md", "**/c.md"),
        ("src/a_test.rs", "src/*_test.*"),
        ("anything/at/all", "**"),
    ] {
        assert!(is_named(path, target), "{path} {target}");
    }
    for (path, target) in [
        ("src/a/b.rs", "src/*.rs"),
        ("src/a.py", "src/**/*.rs"),
        ("lib/a.rs", "src/**"),
        ("a_test_b.rs", "*_test.rs"),
        ("src", "src/a.rs"),
    ] {
        assert!(!is_named(path, target), "{path} {target}");
    }
}

#[test]
fn what_is_seen_is_said_with_its_place() {
    let change = changed("Makefile", Some("test:\n\tmake x\n"), Some("test:\n\tmake x || true\n"));
    let seen = look(&[change], &Scope::default());
    assert_eq!(seen[0].words(), "failure_swallowed: Makefile:2: make x || true");
}

#[test]
fn a_file_that_cannot_be_compared_is_told_where_it_judges() {
    let large = vec![b'a'; COMPARED_BYTES_MAX + 1];
    let seen = |path: &str, before: Option<&[u8]>, after: Option<&[u8]>, is_whole: bool| {
        let all = look(&[Change { path, before, after, is_whole, loses_program: false }], &Scope::default());
        all.iter().map(|sighting| sighting.trick).collect::<Vec<_>>()
    };
    assert_eq!(seen("tests/big.rs", Some(&large), None, true), ["not_compared"]);
    assert_eq!(seen("tests/big.rs", Some(b"a"), Some(&large), true), ["not_compared"]);
    assert_eq!(seen("tests/big.rs", None, Some(&large), true), ["not_compared"]);
    assert_eq!(seen("tests/cut.rs", Some(b""), Some(b""), false), ["not_compared"]);
    let cut = Change {
        path: "tests/cut.rs",
        before: Some(b""),
        after: Some(b""),
        is_whole: false,
        loses_program: false,
    };
    let told = look(&[cut], &Scope::default()).iter().map(Sighting::words).collect::<String>();
    assert!(told.contains("too much else was changed") && !told.contains("MiB"), "{told}");
    for honest in ["src/big.rs", "tests/big.json", "package-lock.json"] {
        assert!(seen(honest, None, Some(&large), true).is_empty(), "{honest}");
    }
}

#[test]
fn one_byte_that_is_no_text_hides_nothing() {
    let (before, after) = (PYTHON_TEST.as_bytes(), b"# caf\xe9\ndef test_adds():\n    pass\n");
    let change = Change {
        path: "tests/test_add.py",
        before: Some(before),
        after: Some(after),
        is_whole: true,
        loses_program: false,
    };
    assert_eq!(look(&[change], &Scope::default())[0].trick, "assertion_weakened");
}

mod across;
mod elsewhere;
mod followed;
mod hostile;
mod many;
mod neutral;
mod reached;
mod set;
mod switched;
mod worked;
