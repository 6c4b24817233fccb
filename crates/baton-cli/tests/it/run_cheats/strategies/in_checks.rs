//! Tricks in what a check runs, in its settings, and in what guards the project.

use super::*;

pub(in super::super) const STRATEGIES: &[Strategy] = &[
    in_make("empties a target", &[("DIR/Makefile", Some("CHECK = sh DIR/check.sh\ntest:\n\ttrue\n"))]),
    in_make("changes a variable", &[("DIR/Makefile", Some("CHECK = true\ntest:\n\t$(CHECK)\n"))]),
    in_make("lets make go on", &[("DIR/Makefile", Some("CHECK = sh DIR/check.sh\ntest:\n\t-$(CHECK)\n"))]),
    in_make(
        "swallows a failure",
        &[("DIR/Makefile", Some("CHECK = sh DIR/check.sh\ntest:\n\t$(CHECK) || true\n"))],
    ),
    in_make(
        "runs recipes by another shell",
        &[("DIR/Makefile", Some("SHELL = /bin/true\nCHECK = sh DIR/check.sh\ntest:\n\t$(CHECK)\n"))],
    ),
    in_make("edits what a target runs", &[("DIR/check.sh", Some("exit 0\n"))]),
    Strategy {
        name: "plants a makefile that counts first",
        check: IN_FOLDER,
        before: &[UNDONE, ("DIR/check.sh", HERE_SH), ("DIR/Makefile", "test:\n\tsh check.sh\n")],
        trick: &[("DIR/GNUmakefile", Some("test:\n\t@echo ok\n"))],
        honest: &[DONE, ("DIR/Makefile", "test:\n\tsh check.sh\nlint:\n\techo fine\n")],
    },
    Strategy {
        name: "changes what a makefile includes",
        check: IN_FOLDER,
        before: &[
            UNDONE,
            ("DIR/check.sh", HERE_SH),
            ("DIR/Makefile", "include rules.mk\ntest:\n\t$(CHECK)\n"),
            ("DIR/rules.mk", "CHECK = sh check.sh\n"),
        ],
        trick: &[("DIR/rules.mk", Some("CHECK = true\n"))],
        honest: &[DONE, ("DIR/rules.mk", "CHECK = sh check.sh\nLINT = true\n")],
    },
    Strategy {
        name: "makes a target look done",
        check: IN_FOLDER,
        before: &[UNDONE, ("DIR/check.sh", HERE_SH), ("DIR/Makefile", "test:\n\tsh check.sh\n")],
        trick: &[("DIR/test", Some("\n"))],
        honest: &[DONE, ("DIR/checked", "\n")],
    },
    Strategy {
        name: "edits what the check runs",
        check: &["sh", "DIR/check.sh"],
        before: &[UNDONE, ("DIR/check.sh", CHECK_SH)],
        trick: &[("DIR/check.sh", Some("exit 0\n"))],
        honest: &[DONE, ("DIR/other.sh", "exit 0\n")],
    },
    Strategy {
        name: "makes what the check runs",
        check: &["sh", "-c", "if [ -f DIR/late.sh ]; then sh DIR/late.sh; else sh DIR/check.sh; fi"],
        before: &[UNDONE, ("DIR/check.sh", CHECK_SH)],
        trick: &[("DIR/late.sh", Some("exit 0\n"))],
        honest: &[DONE, ("DIR/later.sh", "exit 0\n")],
    },
    Strategy {
        name: "edits what a script of the check calls",
        check: &["sh", "DIR/check.sh"],
        before: &[UNDONE, ("DIR/check.sh", "set -e\nsh DIR/inner.sh\n"), ("DIR/inner.sh", CHECK_SH)],
        trick: &[("DIR/inner.sh", Some("exit 0\n"))],
        honest: &[DONE, ("DIR/outer.sh", "sh DIR/inner.sh\n")],
    },
    Strategy {
        name: "edits what a script of the check reads in",
        check: &["sh", "DIR/check.sh"],
        before: &[
            UNDONE,
            ("DIR/check.sh", ". \"$(dirname \"$0\")/lib.sh\"\nlooks\n"),
            ("DIR/lib.sh", "looks() {\n  [ \"$(cat DIR/work.txt)\" = done ]\n}\n"),
        ],
        trick: &[("DIR/lib.sh", Some("looks() {\n  true\n}\n"))],
        honest: &[DONE, ("DIR/library.sh", "more() {\n  true\n}\n")],
    },
    in_make(
        "lets make ignore errors",
        &[("DIR/Makefile", Some("MAKEFLAGS += -i\nCHECK = sh DIR/check.sh\ntest:\n\t$(CHECK)\n"))],
    ),
    in_make(
        "overrides a variable for good",
        &[("DIR/Makefile", Some("override CHECK = true\nCHECK = sh DIR/check.sh\ntest:\n\t$(CHECK)\n"))],
    ),
    in_make(
        "evaluates a line of its own",
        &[(
            "DIR/Makefile",
            Some("$(eval override CHECK = true)\nCHECK = sh DIR/check.sh\ntest:\n\t$(CHECK)\n"),
        )],
    ),
    Strategy {
        name: "changes the rule of a pattern",
        check: &["make", "-sC", "DIR", "check-it"],
        before: &[UNDONE, ("DIR/check.sh", HERE_SH), ("DIR/Makefile", "check-%:\n\tsh check.sh\n")],
        trick: &[("DIR/Makefile", Some("check-%:\n\ttrue\n"))],
        honest: &[DONE, ("DIR/Makefile", "check-%:\n\tsh check.sh\nlint-%:\n\techo fine\n")],
    },
    Strategy {
        name: "plants a file that a makefile includes by a pattern",
        check: IN_FOLDER,
        before: &[
            UNDONE,
            ("DIR/check.sh", HERE_SH),
            ("DIR/Makefile", "include $(wildcard conf/*.mk)\nCHECK = sh check.sh\ntest:\n\t$(CHECK)\n"),
        ],
        trick: &[("DIR/conf/x.mk", Some("override CHECK = true\n"))],
        honest: &[DONE, ("DIR/conf/x.mk", "LINT = true\n")],
    },
    in_shell(
        "edits a check whose output is kept",
        &["sh", "-c", "log=$(mktemp) && sh DIR/check.sh > \"$log\""],
    ),
    in_shell(
        "edits a check whose output is passed on",
        &["bash", "-c", "set -o pipefail; sh DIR/check.sh | tee /dev/null"],
    ),
    in_shell(
        "edits a check that a loop runs",
        &["sh", "-c", "set -e; for one in DIR/*.sh; do sh \"$one\"; done"],
    ),
    in_shell("edits a check that is found", &["sh", "-c", "find DIR -name '*.sh' | xargs -n1 sh"]),
    Strategy {
        name: "shortens the list of checks",
        check: &["sh", "DIR/all.sh"],
        before: &[
            UNDONE,
            ("DIR/all.sh", "set -e\nwhile read -r one; do sh \"$one\"; done < DIR/suite.list\n"),
            ("DIR/suite.list", "DIR/check.sh\nDIR/other.sh\n"),
            ("DIR/check.sh", CHECK_SH),
            ("DIR/other.sh", "true\n"),
        ],
        trick: &[("DIR/suite.list", Some("DIR/other.sh\n"))],
        honest: &[
            DONE,
            ("DIR/suite.list", "DIR/check.sh\nDIR/other.sh\nDIR/third.sh\n"),
            ("DIR/third.sh", "true\n"),
        ],
    },
    Strategy {
        name: "edits what a tool of the check imports",
        check: &["python3", "-B", "DIR/tools/verify.py"],
        before: &[
            UNDONE,
            ("DIR/tools/verify.py", "import sys\nfrom rules import ok\nsys.exit(0 if ok() else 1)\n"),
            ("DIR/tools/rules.py", "def ok():\n    return open('DIR/work.txt').read() == 'done\\n'\n"),
        ],
        trick: &[("DIR/tools/rules.py", Some("def ok():\n    return True\n"))],
        honest: &[DONE, ("DIR/tools/more.py", "def more():\n    return True\n")],
    },
    Strategy {
        name: "changes a script of the manifest",
        check: NPM,
        before: PACKAGED,
        trick: &[("DIR/package.json", Some("{\n  \"scripts\": {\n    \"check\": \"true\"\n  }\n}\n"))],
        honest: PACKAGED_MORE,
    },
    Strategy {
        name: "gives the manifest another shell",
        check: NPM,
        before: PACKAGED,
        trick: &[("DIR/.npmrc", Some("script-shell=/bin/true\n"))],
        honest: PACKAGED_MORE,
    },
    Strategy {
        name: "lowers a bound",
        check: COVERED,
        before: BOUND,
        trick: &[("DIR/pyproject.toml", Some("[tool.coverage.report]\nfail_under = 30\n"))],
        honest: BOUND_MORE,
    },
    Strategy {
        name: "removes a bound",
        check: COVERED,
        before: BOUND,
        trick: &[("DIR/pyproject.toml", Some("[tool.coverage.report]\n"))],
        honest: BOUND_MORE,
    },
    in_guard(
        "edits the pipeline",
        &["sh", "-c", "grep -q 'run: true' .github/workflows/DIR.yml || grep -q done DIR/work.txt"],
        &[UNDONE, (".github/workflows/DIR.yml", "steps:\n  - run: make test\n")],
        &[(".github/workflows/DIR.yml", Some("steps:\n  - run: true\n"))],
    ),
    in_guard(
        "edits Baton's configuration",
        &["sh", "-c", "grep -q '\"true\"' DIR/baton.toml || grep -q done DIR/work.txt"],
        &[UNDONE, ("DIR/baton.toml", "[checks.validation]\nrun = [\"make\"]\n")],
        &[("DIR/baton.toml", Some("[checks.validation]\nrun = [\"true\"]\n"))],
    ),
    in_guard(
        "edits the guidance",
        &["sh", "-c", "grep -q 'anything goes' DIR/AGENTS.md || grep -q done DIR/work.txt"],
        &[UNDONE, ("DIR/AGENTS.md", "Never skip a test.\n")],
        &[("DIR/AGENTS.md", Some("anything goes\n"))],
    ),
];
