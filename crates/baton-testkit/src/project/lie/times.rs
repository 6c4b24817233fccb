//! Lies about time.

use super::Edit::Replace;
use super::{Claim, Plan};
use crate::project::kind::{ARTIFACT, GENERIC, PACKAGE, STAGES, SUMMARY, TASKFILE};

pub(super) const PLANS: &[Plan] = &[
    Plan {
        kind: &TASKFILE,
        edits: &[Replace {
            file: "02-review.md",
            old: "started_at: {{at 120 +02:00}}\ncompleted_at: {{at 190 +02:00}}\n",
            new: "completed_at: {{at 70 +02:00}}\n",
        }],
        claims: &[Claim {
            name: "A review ended before the build that it reviews",
            code: 1101,
            file: "02-review.md",
            text: "completed_at: {{at 70 +02:00}}",
        }],
    },
    Plan {
        kind: &ARTIFACT,
        edits: &[Replace { file: "4-report.json", old: "{{at 200 +00:00}}", new: "{{at 95 +00:00}}" }],
        claims: &[Claim {
            name: "A report was made before the build that it reports on",
            code: 1101,
            file: "4-report.json",
            text: "\"produced_at\": \"{{at 95 +00:00}}\"",
        }],
    },
    Plan {
        kind: &SUMMARY,
        edits: &[Replace { file: "6-qa.md", old: "{{at 300 +01:00}}", new: "{{at 225 +01:00}}" }],
        claims: &[Claim {
            name: "The last phase ended before the tests that it rests on",
            code: 1101,
            file: "6-qa.md",
            text: "timestamp: {{at 225 +01:00}}",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace { file: "qa.md", old: "{{at 250 -03:00}}", new: "{{at 180 -03:00}}" }],
        claims: &[Claim {
            name: "A stage began an hour before the one before it ended",
            code: 1102,
            file: "qa.md",
            text: "started_at: {{at 180 -03:00}}",
        }],
    },
    Plan {
        kind: &GENERIC,
        edits: &[Replace { file: "2-check.json", old: "{{at 100 -07:00}}", new: "{{at 30 -07:00}}" }],
        claims: &[Claim {
            name: "A check began an hour before the build ended",
            code: 1102,
            file: "2-check.json",
            text: "\"started_at\": \"{{at 30 -07:00}}\"",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace { file: "qa.md", old: "{{at 325 -03:00}}", new: "{{at 250 -03:00}}" }],
        claims: &[Claim {
            name: "A stage with work in it began and ended in the same second",
            code: 1103,
            file: "qa.md",
            text: "completed_at: {{at 250 -03:00}}",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace {
            file: "implementation.md",
            old: "duration_minutes: 125",
            new: "duration_minutes: 1250",
        }],
        claims: &[Claim {
            name: "A stage says that it took 1250 minutes, and its times are 125 minutes apart",
            code: 1103,
            file: "implementation.md",
            text: "duration_minutes: 1250",
        }],
    },
    Plan {
        kind: &TASKFILE,
        edits: &[Replace { file: "02-review.md", old: "{{at 190 +02:00}}", new: "{{at 120 +02:00}}" }],
        claims: &[Claim {
            name: "A review with work in it began and ended in the same second",
            code: 1103,
            file: "02-review.md",
            text: "completed_at: {{at 120 +02:00}}",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace { file: "qa.md", old: "{{at 325 -03:00}}", new: "{{at 4645 -03:00}}" }],
        claims: &[Claim {
            name: "A stage ended three days after the commit that added its handoff",
            code: 1104,
            file: "qa.md",
            text: "completed_at: {{at 4645 -03:00}}",
        }],
    },
    Plan {
        kind: &SUMMARY,
        edits: &[Replace { file: "6-qa.md", old: "{{at 300 +01:00}}", new: "2099-01-01T09:00:00+01:00" }],
        claims: &[Claim {
            name: "A report was written in 2099",
            code: 1104,
            file: "6-qa.md",
            text: "timestamp: 2099-01-01T09:00:00+01:00",
        }],
    },
    Plan {
        kind: &PACKAGE,
        edits: &[Replace { file: "3-package.yaml", old: "{{at 200 +00:00}}", new: "{{at 3200 +00:00}}" }],
        claims: &[Claim {
            name: "A package is dated two days after the commit that added it",
            code: 1104,
            file: "3-package.yaml",
            text: "timestamp: {{at 3200 +00:00}}",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace { file: "qa.md", old: "{{at 325 -03:00}}", new: "{{at 325 none}}" }],
        claims: &[Claim {
            name: "One time of a chain has no offset, and all others have one",
            code: 1114,
            file: "qa.md",
            text: "completed_at: {{at 325 none}}",
        }],
    },
    Plan {
        kind: &TASKFILE,
        edits: &[Replace { file: "02-review.md", old: "{{at 190 +02:00}}", new: "{{at 190 none}}" }],
        claims: &[Claim {
            name: "One time of a task has no offset, and all others have one",
            code: 1114,
            file: "02-review.md",
            text: "completed_at: {{at 190 none}}",
        }],
    },
];
