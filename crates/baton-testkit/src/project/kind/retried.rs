//! A chain of stage documents in which the implementation fails at first.

use super::Change::{Append, Delete, Evidence, Handoff, Write};
use super::stages::{DESIGN, OLD_ROWS, QA, SPEC};
use super::{Kind, Step};

pub(crate) static RETRIED: Kind = Kind {
    name: "retried",
    id: "F#",
    folder: "handoffs/{{id}}",
    before: OLD_ROWS,
    steps: &[SPEC, DESIGN, CODE, FIRST, REPAIR, SECOND, QA],
};

const CODE: Step = Step {
    name: "code",
    minute: 175,
    person: 2,
    message: "{{id}}: begin {{title}}",
    changes: &[
        Write { path: "src/{{slug}}.rs", text: template!("base/module_broken.rs") },
        Write { path: "tests/{{slug}}.rs", text: template!("base/module_test.rs") },
        Append { path: "src/lib.rs", text: "pub mod {{slug}};\n" },
        Delete { path: "src/old/{{slug}}.rs" },
    ],
};

const FIRST: Step = Step {
    name: "first",
    minute: 182,
    person: 2,
    message: "{{id}}: say what failed",
    changes: &[
        Handoff { file: "implementation-1.md", text: template!("retried/implementation-1.md") },
        Evidence { file: "evidence/implementation-tests-1.log", text: template!("log/cargo_failed.log") },
    ],
};

const REPAIR: Step = Step {
    name: "repair",
    minute: 230,
    person: 2,
    message: "{{id}}: multiply by the nights",
    changes: &[Write { path: "src/{{slug}}.rs", text: template!("base/module.rs") }],
};

const SECOND: Step = Step {
    name: "second",
    minute: 245,
    person: 2,
    message: "{{id}}: hand {{title}} over to qa",
    changes: &[
        Handoff { file: "implementation-2.md", text: template!("retried/implementation-2.md") },
        Evidence { file: "evidence/implementation-tests-2.log", text: template!("log/cargo.log") },
    ],
};
