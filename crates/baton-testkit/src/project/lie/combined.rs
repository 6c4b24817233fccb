//! Handoffs that lie more than once.

use super::Edit::{Change, Replace, Text};
use super::{Claim, Plan};
use crate::project::kind::Change::Append;
use crate::project::kind::{ARTIFACT, STAGES, TASKFILE, template};

pub(super) const PLANS: &[Plan] = &[
    Plan {
        kind: &STAGES,
        edits: &[
            Replace {
                file: "implementation.md",
                old: "files_modified:\n",
                new: "  - path: src/{{slug}}_report.rs\n    purpose: Prints the sum\nfiles_modified:\n",
            },
            Replace { file: "implementation.md", old: "lines: 1-21", new: "lines: 95-120" },
            Replace { file: "implementation.md", old: "4 passed, 0 failed", new: "44 passed, 0 failed" },
            Text { file: "evidence/implementation-clippy.log", text: template!("log/clippy_failed.log") },
        ],
        claims: &[
            Claim {
                name: "One of four lies of a stage: a created file that no commit ever had",
                code: 1001,
                file: "implementation.md",
                text: "- path: src/{{slug}}_report.rs",
            },
            Claim {
                name: "One of four lies of a stage: lines beyond the end of the file",
                code: 1002,
                file: "implementation.md",
                text: "lines: 95-120",
            },
            Claim {
                name: "One of four lies of a stage: ten times as many tests as the log counts",
                code: 1009,
                file: "implementation.md",
                text: "message: 44 passed, 0 failed",
            },
            Claim {
                name: "One of four lies of a stage: no lint errors beside a log with one",
                code: 1010,
                file: "implementation.md",
                text: "name: no_lint_errors\n    status: pass",
            },
        ],
    },
    Plan {
        kind: &TASKFILE,
        edits: &[
            Change {
                step: "code",
                change: Append { path: "web/src/format.ts", text: "export const digits{{number}} = 3;\n" },
            },
            Replace { file: "01-build.md", old: "commit: {{commit code}}", new: "commit: {{short code}}" },
            Replace {
                file: "01-build.md",
                old: "  - 01-build-evidence/tsc.log\n",
                new: "  - 01-build-evidence/tsc.log\n  - 01-build-evidence/axe.log\n",
            },
            Replace { file: "01-build.md", old: "tests_passed: 6", new: "tests_passed: 60" },
        ],
        claims: &[
            Claim {
                name: "One of three lies of a task file: a change that is not listed",
                code: 1006,
                file: "01-build.md",
                text: "files_modified:",
            },
            Claim {
                name: "One of three lies of a task file: evidence that was never stored",
                code: 1011,
                file: "01-build.md",
                text: "01-build-evidence/axe.log",
            },
            Claim {
                name: "One of three lies of a task file: ten times as many tests as the log counts",
                code: 1009,
                file: "01-build.md",
                text: "tests_passed: 60",
            },
        ],
    },
    Plan {
        kind: &ARTIFACT,
        edits: &[
            Text { file: "evidence/pytest.log", text: template!("log/pytest_failed.log") },
            Replace {
                file: "2-build.json",
                old: "    { \"path\": \"tools/registry.py\", \"change_type\": \"modify\" },\n",
                new: concat!(
                    "    { \"path\": \"tools/registry.py\", \"change_type\": \"modify\" },\n",
                    "    { \"path\": \"tools/{{slug}}_cli.py\", \"change_type\": \"add\" },\n",
                ),
            },
        ],
        claims: &[
            Claim {
                name: "One of two lies of a build: an exit code that its log contradicts",
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
            Claim {
                name: "One of two lies of a build: a touched file that no commit ever had",
                code: 1001,
                file: "2-build.json",
                text: "tools/{{slug}}_cli.py",
            },
        ],
    },
];
