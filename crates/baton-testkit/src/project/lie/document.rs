//! Lies that the document itself contradicts.

use super::Edit::Replace;
use super::{Claim, Plan};
use crate::project::kind::{GENERIC, STAGES, SUMMARY, TASKFILE};

pub(super) const PLANS: &[Plan] = &[
    Plan {
        kind: &STAGES,
        edits: &[Replace { file: "qa.md", old: "{{at 325 -03:00}}", new: "{{at 246 -03:00}}" }],
        claims: &[Claim {
            name: "A stage ended four minutes before it began",
            code: 207,
            file: "qa.md",
            text: "completed_at: {{at 246 -03:00}}",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace {
            file: "qa.md",
            old: "status: complete\n",
            new: "status: complete\nverdict: changes requested\n",
        }],
        claims: &[Claim {
            name: "A stage is complete, and its verdict asks for changes",
            code: 703,
            file: "qa.md",
            text: "status: complete",
        }],
    },
    Plan {
        kind: &TASKFILE,
        edits: &[Replace {
            file: "02-review.md",
            old: "outcome: completed\n",
            new: "outcome: completed\nblockers:\n  - blocker: Nobody has chosen a provider\n    impact: Nothing is sent\n",
        }],
        claims: &[Claim {
            name: "A task is completed, and a blocker is named",
            code: 704,
            file: "02-review.md",
            text: "outcome: completed",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace {
            file: "qa.md",
            old: "message: Two small remarks, both in the notes",
            new: "message: Not checked, there was no time",
        }],
        claims: &[
            Claim {
                name: "A checkpoint passes, and its message says that it was not checked",
                code: 705,
                file: "qa.md",
                text: "message: Not checked, there was no time",
            },
            Claim {
                name: "The same message denies its pass in its own words",
                code: 1015,
                file: "qa.md",
                text: "message: Not checked, there was no time",
            },
        ],
    },
    Plan {
        kind: &GENERIC,
        edits: &[Replace {
            file: "1-build.json",
            old: "\"name\": \"no_lint_errors\", \"status\": \"pass\", \"message\": \"eslint has nothing to say\"",
            new: "\"name\": \"figures_agree\", \"status\": \"fail\", \"message\": \"the sum of July is off\"",
        }],
        claims: &[Claim {
            name: "A note is complete, and one of its checks failed",
            code: 706,
            file: "1-build.json",
            text: "\"status\": \"complete\"",
        }],
    },
    Plan {
        kind: &SUMMARY,
        edits: &[Replace { file: "6-qa.md", old: "tests_passed: 4", new: "tests_passed: 3" }],
        claims: &[Claim {
            name: "Three passed and none failed of four tests",
            code: 711,
            file: "6-qa.md",
            text: "tests_total: 4",
        }],
    },
];
