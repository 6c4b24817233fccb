//! Lies about files, lines and commits.

use super::Edit::{Change, Replace};
use super::{Claim, Plan};
use crate::project::kind::Change::Append;
use crate::project::kind::{ARTIFACT, GENERIC, PACKAGE, RETRIED, STAGES, SUMMARY, TASKFILE};

pub(super) const PLANS: &[Plan] = &[
    Plan {
        kind: &STAGES,
        edits: &[Replace {
            file: "implementation.md",
            old: "files_modified:\n",
            new: "  - path: src/{{slug}}_cache.rs\n    purpose: Keeps the last sum\nfiles_modified:\n",
        }],
        claims: &[Claim {
            name: "A stage lists a created file that no commit ever had",
            code: 1001,
            file: "implementation.md",
            text: "- path: src/{{slug}}_cache.rs",
        }],
    },
    Plan {
        kind: &TASKFILE,
        edits: &[Replace {
            file: "01-build.md",
            old: "  - path: web/src/router.ts\n",
            new: concat!(
                "  - path: web/src/{{slug}}_page.ts\n",
                "    change_type: add\n",
                "    description: The page itself\n",
                "  - path: web/src/router.ts\n",
            ),
        }],
        claims: &[Claim {
            name: "A task file lists a modified file that no commit ever had",
            code: 1001,
            file: "01-build.md",
            text: "web/src/{{slug}}_page.ts",
        }],
    },
    Plan {
        kind: &PACKAGE,
        edits: &[Replace {
            file: "3-package.yaml",
            old: "      - path: quay/{{slug}}_test.go\n",
            new: concat!(
                "      - path: quay/{{slug}}_bench.go\n",
                "        type: code\n",
                "      - path: quay/{{slug}}_test.go\n",
            ),
        }],
        claims: &[Claim {
            name: "A package hands over a file that no commit ever had",
            code: 1001,
            file: "3-package.yaml",
            text: "quay/{{slug}}_bench.go",
        }],
    },
    Plan {
        kind: &GENERIC,
        edits: &[Replace {
            file: "1-build.json",
            old: "\"files_created\": [\"web/src/{{slug}}.ts\", ",
            new: "\"files_created\": [\n    \"web/src/{{slug}}_print.ts\",\n    \"web/src/{{slug}}.ts\", ",
        }],
        claims: &[Claim {
            name: "A note lists a created file that no commit ever had",
            code: 1001,
            file: "1-build.json",
            text: "web/src/{{slug}}_print.ts",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace { file: "implementation.md", old: "lines: 1-21", new: "lines: 140-188" }],
        claims: &[Claim {
            name: "A stage names lines 140 to 188 of a file that has 21",
            code: 1002,
            file: "implementation.md",
            text: "lines: 140-188",
        }],
    },
    Plan {
        kind: &TASKFILE,
        edits: &[Replace { file: "02-review.md", old: "lines: 1-2", new: "lines: 310-322" }],
        claims: &[Claim {
            name: "A review names lines 310 to 322 of a file that has fewer than 20",
            code: 1002,
            file: "02-review.md",
            text: "lines: 310-322",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace {
            file: "implementation.md",
            old: "files_modified:\n",
            new: "  - path: src/money.rs\n    purpose: Amounts in cents\nfiles_modified:\n",
        }],
        claims: &[Claim {
            name: "A stage claims to have created a file that the project began with",
            code: 1003,
            file: "implementation.md",
            text: "- path: src/money.rs",
        }],
    },
    Plan {
        kind: &SUMMARY,
        edits: &[Replace {
            file: "2-implementation.md",
            old: "      - tests/{{slug}}.rs\n",
            new: "      - tests/{{slug}}.rs\n      - src/clock.rs\n",
        }],
        claims: &[Claim {
            name: "A report claims to have created a file that the project began with",
            code: 1003,
            file: "2-implementation.md",
            text: "- src/clock.rs",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace {
            file: "qa.md",
            old: "criteria_total: 3\n",
            new: concat!(
                "  - path: README.md\n",
                "    change_type: modify\n",
                "    description: Tells of {{title}}\n",
                "criteria_total: 3\n",
            ),
        }],
        claims: &[Claim {
            name: "A stage claims to have modified the readme, which nobody touched since the first day",
            code: 1004,
            file: "qa.md",
            text: "- path: README.md",
        }],
    },
    Plan {
        kind: &ARTIFACT,
        edits: &[Replace {
            file: "2-build.json",
            old: "    { \"path\": \"tools/registry.py\", \"change_type\": \"modify\" },\n",
            new: concat!(
                "    { \"path\": \"tools/registry.py\", \"change_type\": \"modify\" },\n",
                "    { \"path\": \"tools/common.py\", \"change_type\": \"modify\" },\n",
            ),
        }],
        claims: &[Claim {
            name: "A build claims to have modified a file that nobody touched since the first day",
            code: 1004,
            file: "2-build.json",
            text: "tools/common.py",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace {
            file: "implementation.md",
            old: "  - path: src/old/{{slug}}.rs\n",
            new: "  - path: src/old/{{slug}}.rs\n  - path: src/clock.rs\n",
        }],
        claims: &[Claim {
            name: "A stage claims to have deleted a file that is still there",
            code: 1005,
            file: "implementation.md",
            text: "- path: src/clock.rs",
        }],
    },
    Plan {
        kind: &ARTIFACT,
        edits: &[Replace {
            file: "2-build.json",
            old: "\"path\": \"tools/old_{{slug}}.py\", \"change_type\": \"delete\" }\n",
            new: concat!(
                "\"path\": \"tools/old_{{slug}}.py\", \"change_type\": \"delete\" },\n",
                "    { \"path\": \"tools/common.py\", \"change_type\": \"delete\" }\n",
            ),
        }],
        claims: &[Claim {
            name: "A build claims to have deleted a file that is still there",
            code: 1005,
            file: "2-build.json",
            text: "tools/common.py",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Change {
            step: "code",
            change: Append { path: "src/config.rs", text: "pub const UNCHECKED: &str = \"{{slug}}\";\n" },
        }],
        claims: &[Claim {
            name: "The commit a stage names also changes the settings, which the stage does not list",
            code: 1006,
            file: "implementation.md",
            text: "files_modified:",
        }],
    },
    Plan {
        kind: &TASKFILE,
        edits: &[Change {
            step: "code",
            change: Append { path: "web/src/format.ts", text: "export const unit{{number}} = \"EUR\";\n" },
        }],
        claims: &[Claim {
            name: "The commit a task file names also changes the formats, which it does not list",
            code: 1006,
            file: "01-build.md",
            text: "files_modified:",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace {
            file: "implementation.md",
            old: "commit: {{commit code}}",
            new: "commit: 9c1f0e7ab2d3465890aa17b3c4d5e6f708192a3b",
        }],
        claims: &[Claim {
            name: "A stage names a commit that the repository does not have",
            code: 1007,
            file: "implementation.md",
            text: "commit: 9c1f0e7ab2d3465890aa17b3c4d5e6f708192a3b",
        }],
    },
    Plan {
        kind: &SUMMARY,
        edits: &[Replace {
            file: "4-implementation.md",
            old: "commit: {{commit repair}}",
            new: "commit: 4e88d1c09b7a6f5e4d3c2b1a0f9e8d7c6b5a4938",
        }],
        claims: &[Claim {
            name: "A report names a commit that the repository does not have",
            code: 1007,
            file: "4-implementation.md",
            text: "commit: 4e88d1c09b7a6f5e4d3c2b1a0f9e8d7c6b5a4938",
        }],
    },
    Plan {
        kind: &RETRIED,
        edits: &[Replace {
            file: "implementation-1.md",
            old: "  - path: tests/{{slug}}.rs\n",
            new: concat!(
                "  - path: src/{{slug}}/rounding.rs\n",
                "    purpose: Rounds once\n",
                "  - path: tests/{{slug}}.rs\n",
            ),
        }],
        claims: &[Claim {
            name: "A failed attempt lists a created file that no commit ever had",
            code: 1001,
            file: "implementation-1.md",
            text: "- path: src/{{slug}}/rounding.rs",
        }],
    },
];
