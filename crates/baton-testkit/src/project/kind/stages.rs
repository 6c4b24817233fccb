//! A chain of four stage documents about a module of Rust.

use super::Change::{Append, Delete, Evidence, Handoff, Write};
use super::{Change, Kind, Step};

pub(crate) static STAGES: Kind = Kind {
    name: "stages",
    id: "F#",
    folder: "handoffs/{{id}}",
    before: OLD_ROWS,
    steps: &[SPEC, DESIGN, CODE, IMPLEMENTATION, QA],
};

pub(super) const OLD_ROWS: &[Change] =
    &[Write { path: "src/old/{{slug}}.rs", text: template!("base/old.rs") }];

pub(super) const SPEC: Step = Step {
    name: "spec",
    minute: 45,
    person: 0,
    message: "{{id}}: say what {{title}} are",
    changes: &[
        Write { path: "docs/spec/{{slug}}.md", text: template!("base/spec.md") },
        Handoff { file: "requirements.md", text: template!("stages/requirements.md") },
    ],
};

pub(super) const DESIGN: Step = Step {
    name: "design",
    minute: 110,
    person: 1,
    message: "{{id}}: design {{title}}",
    changes: &[
        Write { path: "docs/design/{{slug}}.md", text: template!("base/design.md") },
        Handoff { file: "architecture.md", text: template!("stages/architecture.md") },
    ],
};

const CODE: Step = Step {
    name: "code",
    minute: 230,
    person: 2,
    message: "{{id}}: work out {{title}}",
    changes: &[
        Write { path: "src/{{slug}}.rs", text: template!("base/module.rs") },
        Write { path: "tests/{{slug}}.rs", text: template!("base/module_test.rs") },
        Append { path: "src/lib.rs", text: "pub mod {{slug}};\n" },
        Delete { path: "src/old/{{slug}}.rs" },
    ],
};

const IMPLEMENTATION: Step = Step {
    name: "implementation",
    minute: 245,
    person: 2,
    message: "{{id}}: hand {{title}} over to qa",
    changes: &[
        Handoff { file: "implementation.md", text: template!("stages/implementation.md") },
        Evidence { file: "evidence/implementation-tests_passing.log", text: template!("log/cargo.log") },
        Evidence { file: "evidence/implementation-build.log", text: template!("log/build.log") },
        Evidence { file: "evidence/implementation-clippy.log", text: template!("log/clippy.log") },
    ],
};

pub(super) const QA: Step = Step {
    name: "qa",
    minute: 330,
    person: 3,
    message: "{{id}}: verify {{title}}",
    changes: &[
        Append { path: "docs/spec/{{slug}}.md", text: "\nVerified with the figures of last summer.\n" },
        Handoff { file: "qa.md", text: template!("stages/qa.md") },
        Evidence { file: "evidence/qa-tests_passing.log", text: template!("log/cargo.log") },
    ],
};
