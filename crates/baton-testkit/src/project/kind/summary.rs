//! A folder of reports: planned, built, tested, mended, tested again, accepted.

use super::Change::{Append, Evidence, Handoff, Write};
use super::{Kind, Step};

pub(crate) static SUMMARY: Kind = Kind {
    name: "summary",
    id: "S-#",
    folder: "reports/{{slug}}",
    before: &[],
    steps: &[PLAN, CODE, BUILT, FAILED, REPAIR, MENDED, TESTED, ACCEPTED],
};

const PLAN: Step = Step {
    name: "plan",
    minute: 32,
    person: 0,
    message: "Plan {{title}}",
    changes: &[
        Write { path: "docs/plan/{{slug}}.md", text: template!("base/plan.md") },
        Handoff { file: "1-planning.md", text: template!("summary/1-planning.md") },
    ],
};

const CODE: Step = Step {
    name: "code",
    minute: 115,
    person: 2,
    message: "Work out {{title}}",
    changes: &[
        Write { path: "src/{{slug}}.rs", text: template!("base/module_broken.rs") },
        Write { path: "tests/{{slug}}.rs", text: template!("base/module_test.rs") },
        Append { path: "src/lib.rs", text: "pub mod {{slug}};\n" },
    ],
};

const BUILT: Step = Step {
    name: "built",
    minute: 122,
    person: 2,
    message: "Report on {{title}}",
    changes: &[Handoff { file: "2-implementation.md", text: template!("summary/2-implementation.md") }],
};

const FAILED: Step = Step {
    name: "failed",
    minute: 163,
    person: 3,
    message: "Report the failure of {{title}}",
    changes: &[
        Handoff { file: "3-testing.md", text: template!("summary/3-testing.md") },
        Evidence { file: "3-testing-evidence/cargo-test.log", text: template!("log/cargo_failed.log") },
    ],
};

const REPAIR: Step = Step {
    name: "repair",
    minute: 205,
    person: 2,
    message: "Multiply {{title}} by the nights",
    changes: &[Write { path: "src/{{slug}}.rs", text: template!("base/module.rs") }],
};

const MENDED: Step = Step {
    name: "mended",
    minute: 212,
    person: 2,
    message: "Report that {{title}} are mended",
    changes: &[Handoff { file: "4-implementation.md", text: template!("summary/4-implementation.md") }],
};

const TESTED: Step = Step {
    name: "tested",
    minute: 243,
    person: 3,
    message: "Report the second run of {{title}}",
    changes: &[
        Handoff { file: "5-testing.md", text: template!("summary/5-testing.md") },
        Evidence { file: "5-testing-evidence/cargo-test.log", text: template!("log/cargo.log") },
    ],
};

const ACCEPTED: Step = Step {
    name: "accepted",
    minute: 303,
    person: 1,
    message: "Accept {{title}}",
    changes: &[Handoff { file: "6-qa.md", text: template!("summary/6-qa.md") }],
};
