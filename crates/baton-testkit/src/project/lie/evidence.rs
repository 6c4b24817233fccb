//! Lies about what was run.

use super::Edit::{Replace, Text};
use super::{Claim, Plan};
use crate::project::kind::{ARTIFACT, GENERIC, PACKAGE, STAGES, SUMMARY, TASKFILE, template};

pub(super) const PLANS: &[Plan] = &[
    Plan {
        kind: &ARTIFACT,
        edits: &[Text { file: "evidence/pytest.log", text: template!("log/pytest_failed.log") }],
        claims: &[
            Claim {
                name: "The ledger says that pytest ended with 0, and its log shows a failed test",
                code: 1008,
                file: "2-build.json",
                text: "tests/test_{{slug}}.py\",\n      \"exit_code\": 0",
            },
            Claim {
                name: "A criterion is met by a log that shows a failed test",
                code: 1010,
                file: "2-build.json",
                text: "of a file without rows are empty\",\n      \"claim\": \"met\"",
            },
            Claim {
                name: "Another criterion is met by a log that shows a failed test",
                code: 1010,
                file: "2-build.json",
                text: "add up to the figure of the office\",\n      \"claim\": \"met\"",
            },
        ],
    },
    Plan {
        kind: &ARTIFACT,
        edits: &[Text {
            file: "evidence/ruff.log",
            text: concat!(
                "tools/{{slug}}.py:3:1: F401 [*] `os` imported but unused\n",
                "Found 1 error.\n",
                "[*] 1 fixable with the `--fix` option.\n",
            ),
        }],
        claims: &[Claim {
            name: "The ledger says that ruff ended with 0, and its log shows an error",
            code: 1008,
            file: "2-build.json",
            text: "ruff check tools\",\n      \"exit_code\": 0",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace {
            file: "implementation.md",
            old: "4 passed, 0 failed",
            new: "19 passed, 0 failed",
        }],
        claims: &[Claim {
            name: "A stage says that 19 tests passed, and its log counts 4",
            code: 1009,
            file: "implementation.md",
            text: "message: 19 passed, 0 failed",
        }],
    },
    Plan {
        kind: &TASKFILE,
        edits: &[Replace { file: "02-review.md", old: "tests_total: 6", new: "tests_total: 31" }],
        claims: &[Claim {
            name: "A review counts 31 tests, and its JUnit file 6",
            code: 1009,
            file: "02-review.md",
            text: "tests_total: 31",
        }],
    },
    Plan {
        kind: &TASKFILE,
        edits: &[Replace { file: "01-build.md", old: "tests_passed: 6", new: "tests_passed: 26" }],
        claims: &[Claim {
            name: "A task file counts 26 passed tests, and its log 6",
            code: 1009,
            file: "01-build.md",
            text: "tests_passed: 26",
        }],
    },
    Plan {
        kind: &GENERIC,
        edits: &[Replace { file: "1-build.json", old: "\"6 passed\"", new: "\"16 passed\"" }],
        claims: &[Claim {
            name: "A note says that 16 tests passed, and its log counts 6",
            code: 1009,
            file: "1-build.json",
            text: "\"16 passed\"",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Text { file: "evidence/qa-tests_passing.log", text: template!("log/cargo_failed.log") }],
        claims: &[Claim {
            name: "The tests pass in a stage whose stored log shows a failed one",
            code: 1010,
            file: "qa.md",
            text: "name: tests_passing\n    status: pass",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Text {
            file: "evidence/implementation-clippy.log",
            text: template!("log/clippy_failed.log"),
        }],
        claims: &[Claim {
            name: "A stage has no lint errors, and the stored log of the linter shows one",
            code: 1010,
            file: "implementation.md",
            text: "name: no_lint_errors\n    status: pass",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Text { file: "evidence/implementation-build.log", text: template!("log/build_failed.log") }],
        claims: &[Claim {
            name: "The code is complete, and the stored log of the build shows that it does not compile",
            code: 1010,
            file: "implementation.md",
            text: "name: code_complete\n    status: pass",
        }],
    },
    Plan {
        kind: &GENERIC,
        edits: &[Text { file: "2-check-evidence/tsc.log", text: template!("log/tsc_failed.log") }],
        claims: &[Claim {
            name: "The code is complete in a note whose stored log of the compiler shows an error",
            code: 1010,
            file: "2-check.json",
            text: "\"code_complete\", \"status\": \"pass\"",
        }],
    },
    Plan {
        kind: &GENERIC,
        edits: &[Text { file: "1-build-evidence/eslint.log", text: template!("log/eslint_failed.log") }],
        claims: &[Claim {
            name: "A note has no lint errors, and the stored log of the linter shows one",
            code: 1010,
            file: "1-build.json",
            text: "\"no_lint_errors\", \"status\": \"pass\"",
        }],
    },
    Plan {
        kind: &GENERIC,
        edits: &[Text {
            file: "2-check-evidence/tests_passing.log",
            text: template!("log/vitest_failed.log"),
        }],
        claims: &[Claim {
            name: "The tests pass in a note whose stored log shows a failed one",
            code: 1010,
            file: "2-check.json",
            text: "\"tests_passing\", \"status\": \"pass\"",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace {
            file: "implementation.md",
            old: "  - evidence/implementation-build.log\n",
            new: "  - evidence/implementation-build.log\n  - evidence/implementation-coverage.log\n",
        }],
        claims: &[Claim {
            name: "A stage gives a coverage log as evidence that was never stored",
            code: 1011,
            file: "implementation.md",
            text: "evidence/implementation-coverage.log",
        }],
    },
    Plan {
        kind: &ARTIFACT,
        edits: &[Replace {
            file: "4-report.json",
            old: "\"evidence_refs\": [\"artifacts/{{id}}/evidence/verify-pytest.log\"]",
            new: concat!(
                "\"evidence_refs\": [\n",
                "    \"artifacts/{{id}}/evidence/verify-pytest.log\",\n",
                "    \"artifacts/{{id}}/evidence/figures.csv\"\n",
                "  ]",
            ),
        }],
        claims: &[Claim {
            name: "A report gives figures as evidence that were never stored",
            code: 1011,
            file: "4-report.json",
            text: "artifacts/{{id}}/evidence/figures.csv",
        }],
    },
    Plan {
        kind: &SUMMARY,
        edits: &[Replace {
            file: "5-testing.md",
            old: "      - 5-testing-evidence/cargo-test.log\n",
            new: "      - 5-testing-evidence/cargo-test.log\n      - 5-testing-evidence/load-test.log\n",
        }],
        claims: &[Claim {
            name: "A report gives a load test as evidence that was never stored",
            code: 1011,
            file: "5-testing.md",
            text: "5-testing-evidence/load-test.log",
        }],
    },
    Plan {
        kind: &PACKAGE,
        edits: &[Replace {
            file: "3-package.yaml",
            old: "    - evidence/go-test.log\n",
            new: "    - evidence/go-test.log\n    - evidence/go-race.log\n",
        }],
        claims: &[Claim {
            name: "A package gives a run of the race detector as evidence that was never stored",
            code: 1011,
            file: "3-package.yaml",
            text: "evidence/go-race.log",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Text { file: "evidence/qa-tests_passing.log", text: template!("log/cargo_empty.log") }],
        claims: &[Claim {
            name: "The tests pass in a stage whose stored log shows that every test was filtered out",
            code: 1013,
            file: "qa.md",
            text: "name: tests_passing\n    status: pass",
        }],
    },
    Plan {
        kind: &GENERIC,
        edits: &[Text { file: "2-check-evidence/tests_passing.log", text: template!("log/jest_empty.log") }],
        claims: &[Claim {
            name: "The tests pass in a note whose stored log shows that none were found",
            code: 1013,
            file: "2-check.json",
            text: "\"tests_passing\", \"status\": \"pass\"",
        }],
    },
];
