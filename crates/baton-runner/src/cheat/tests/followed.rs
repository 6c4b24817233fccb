//! Ways from a command to what it runs that are longer than a name.

use super::reached::{File, seen};

const CHECK: &str = "#!/bin/sh\n[ \"$(cat work.txt)\" = done ]\n";
const PASSES: Option<&str> = Some("#!/bin/sh\nexit 0\n");
const RULES: &str = "CHECK = sh check.sh\ntest:\n\t$(CHECK)\n";

/// A makefile before and after, and the words of make.
#[track_caller]
fn made(run: &[&str], before: &str, after: &str) -> Vec<String> {
    seen(run, &[("check.sh", CHECK)], &[("Makefile", Some(before), Some(after))])
}

#[test]
fn whatever_changes_what_a_recipe_does_is_seen() {
    let test = ["make", "-s", "test"];
    for line in [
        "MAKEFLAGS += -i",
        "MAKEFLAGS+=-i",
        "GNUMAKEFLAGS = -i",
        "override CHECK = true",
        "$(eval override CHECK = true)",
        "export BASH_ENV = ./env",
        "export override CHECK = true",
    ] {
        let found = made(&test, RULES, &format!("{line}\n{RULES}"));
        assert_eq!(found, ["runner_changed Makefile"], "{line}");
    }
    for line in ["LINTFLAGS += -q", "export VERSION = 2", "LINT ?= lint", "override LINT = lint"] {
        let found = made(&test, RULES, &format!("{line}\n{RULES}"));
        assert!(found.is_empty(), "{line}: {found:?}");
    }
}

#[test]
fn a_variable_for_all_recipes_counts_where_one_reads_it() {
    let reads = ("check.sh", "[ \"$(cat ${FILE:-work.txt})\" = done ]\n");
    let rules = "test:\n\tsh check.sh\n";
    let after = "export FILE = other\ntest:\n\tsh check.sh\n";
    let found = seen(&["make", "test"], &[reads], &[("Makefile", Some(rules), Some(after))]);
    assert_eq!(found, ["runner_changed Makefile"]);
}

#[test]
fn a_rule_for_a_pattern_is_a_rule() {
    let before = "check-%:\n\tsh check.sh $*\n";
    assert_eq!(made(&["make", "check-a"], before, "check-%:\n\ttrue\n"), ["runner_changed Makefile"]);
    let more = "check-%:\n\tsh check.sh $*\nlint-%:\n\tlint $*\n";
    assert!(made(&["make", "check-a"], before, more).is_empty());
}

#[test]
fn letters_behind_one_dash_are_options() {
    let change = ("sub/Makefile", Some("test:\n\tsh check.sh\n"), Some("test:\n\ttrue\n"));
    for run in
        [&["make", "-sC", "sub", "test"][..], &["make", "-skCsub", "test"], &["make", "--directory=sub"]]
    {
        assert_eq!(seen(run, &[], &[change]), ["runner_changed sub/Makefile"], "{run:?}");
    }
}

#[test]
fn a_pattern_of_files_to_include_stands_for_all_of_them() {
    for rules in ["include $(wildcard conf/*.mk)\n", "-include conf/*.mk\n"] {
        let rules = format!("{rules}{RULES}");
        let unchanged: [File; 1] = [("Makefile", Box::leak(rules.into_boxed_str()))];
        let planted = ("conf/x.mk", None, Some("override CHECK = true\n"));
        assert_eq!(seen(&["make", "test"], &unchanged, &[planted]), ["runner_changed conf/x.mk"]);
        let other = ("conf/x.mk", None, Some("LINT = true\n"));
        assert!(seen(&["make", "test"], &unchanged, &[other]).is_empty());
    }
}

#[test]
fn a_script_judges_though_its_output_is_passed_on() {
    let edited = ("check.sh", Some(CHECK), PASSES);
    for text in [
        "./check.sh > log.txt",
        "./check.sh > log.txt 2>&1 || { cat log.txt; exit 1; }",
        "set -o pipefail; ./check.sh 2>&1 | tee log.txt",
        "./check.sh | cat",
        "BASH_ENV=./check.sh bash -c true",
        "source <(cat check.sh)",
    ] {
        assert_eq!(seen(&["bash", "-c", text], &[], &[edited]), ["check_edited check.sh"], "{text}");
    }
    for text in [
        "./check.sh > out; diff out wanted",
        "./check.sh | sort > out; cmp out wanted",
        "./check.sh | head -1 | grep -q done",
        "./check.sh > out; cat out | grep -q done",
        "[ \"$(./check.sh | tail -1)\" = done ]",
    ] {
        let found = seen(&["bash", "-c", text], &[], &[edited]);
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn what_only_the_shell_knows_may_be_any_script_that_is_named() {
    let edited = ("checks/a.sh", Some(CHECK), PASSES);
    for text in [
        "for t in checks/*.sh; do sh \"$t\"; done",
        "for t in checks/*.sh; do \"$t\"; done",
        "find checks -name '*.sh' | xargs -n1 sh",
        "find checks -name '*.sh' -exec sh {} +",
    ] {
        let one = |change| seen(&["sh", "-c", text], &[], &[change]);
        assert_eq!(one(edited), ["check_edited checks/a.sh"], "{text}");
        for honest in [("checks/new.sh", None, PASSES), ("deploy.sh", Some("a\n"), Some("b\n"))] {
            assert!(one(honest).is_empty(), "{text}: {:?}", one(honest));
        }
    }
    let check = ("check.sh", "while read -r t; do sh \"$t\"; done < suite.list\n");
    let one = |change| seen(&["sh", "check.sh"], &[check], &[change]);
    assert_eq!(one(("suite.list", Some("a.sh\nb.sh\n"), Some("b.sh\n"))), ["runner_changed suite.list"]);
    assert!(one(("suite.list", Some("a.sh\n"), Some("a.sh\nb.sh\n"))).is_empty());
    let path = ("check.sh", "PATH=\"$PWD/bin:$PATH\"\nverify work.txt\n");
    let found = seen(&["sh", "check.sh"], &[path], &[("bin/verify", Some(CHECK), PASSES)]);
    assert_eq!(found, ["check_edited bin/verify"]);
}

#[test]
fn a_tool_of_the_check_is_followed_to_what_lies_beside_it() {
    let python = ("tools/verify.py", "import sys\nfrom rules import ok\nsys.exit(not ok())\n");
    let found =
        seen(&["python3", "tools/verify.py"], &[python], &[("tools/rules.py", Some("a\n"), Some("b\n"))]);
    assert_eq!(found, ["check_edited tools/rules.py"]);
    let node = ("tools/verify.js", "process.exit(require('./rules')(require('../src/add')))\n");
    let one = |path| seen(&["node", "tools/verify.js"], &[node], &[(path, Some("a\n"), Some("b\n"))]);
    assert_eq!(one("tools/rules.js"), ["check_edited tools/rules.js"]);
    assert!(one("src/add.js").is_empty());
    // Beside a check at the root lies the work.
    let check = ("check.py", "from add import add\nassert add(1, 2) == 3\n");
    assert!(seen(&["python3", "check.py"], &[check], &[("add.py", Some("a\n"), Some("b\n"))]).is_empty());
}

#[test]
fn what_python_finds_first_may_not_be_planted() {
    let unittest = &["python3", "-m", "unittest"][..];
    let one = |run: &[&str], path: &str, before, after| seen(run, &[], &[(path, before, Some(after))]);
    for path in ["textwrap.py", "tempfile/__init__.py", "sitecustomize.py", "time.py"] {
        assert_eq!(one(unittest, path, None, "x = 1\n"), [format!("check_edited {path}")]);
    }
    assert_eq!(one(unittest, "add.pyc", None, "\u{1}"), ["check_edited add.pyc"]);
    let (unchecked, checked, timed) = ("abcd\u{1}\0\0\0", "abcd\u{3}\0\0\0", "abcd\0\0\0\0");
    let cached = "__pycache__/add.cpython-312.pyc";
    assert_eq!(one(unittest, cached, None, unchecked), [format!("check_edited {cached}")]);
    assert_eq!(one(unittest, "x.pth", None, "import evil\n"), ["check_edited x.pth"]);
    for (path, before, after) in [
        ("calendar.py", Some("x = 1\n"), "x = 2\n"),
        ("src/queue.py", None, "x = 1\n"),
        ("tides.py", None, "x = 1\n"),
        (cached, None, checked),
        (cached, None, timed),
        ("model.pth", None, "PK\u{3}\u{4}"),
    ] {
        assert!(one(unittest, path, before, after).is_empty(), "{path}");
    }
    assert!(one(&["cargo", "test"], "time.py", None, "x = 1\n").is_empty());
}

#[test]
fn a_conftest_that_reaches_into_the_work_is_seen() {
    let one = |after| seen(&["pytest"], &[], &[("conftest.py", None, Some(after))]);
    for patch in [
        "import add\nadd.add = lambda a, b: a + b\n",
        "@pytest.fixture(autouse=True)\ndef quick(monkeypatch):\n    monkeypatch.setattr('tests.test_add.add', f)\n",
    ] {
        assert_eq!(one(patch), ["runner_changed conftest.py"], "{patch}");
    }
    for honest in [
        "@pytest.fixture\ndef server(monkeypatch):\n    monkeypatch.setattr('requests.get', fake)\n    return Server(port=1)\n",
        "import os\nos.environ['TZ'] = 'UTC'\nBASE = os.path.dirname(__file__)\n",
    ] {
        assert!(one(honest).is_empty(), "{honest}");
    }
}
