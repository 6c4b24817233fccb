//! A task of the quay: a package, its acknowledgment, and the package that goes on to review.

use super::Change::{Evidence, Handoff, Write};
use super::{Kind, Step};

pub(crate) static PACKAGE: Kind = Kind {
    name: "package",
    id: "Q-#",
    folder: "packages/{{id}}",
    before: &[],
    steps: &[DESIGN, ACKNOWLEDGE, CODE, REVIEW],
};

const DESIGN: Step = Step {
    name: "design",
    minute: 62,
    person: 0,
    message: "{{id}}: design {{title}}",
    changes: &[
        Write { path: "docs/design/{{slug}}.md", text: template!("base/design.md") },
        Handoff { file: "1-package.yaml", text: template!("package/1-package.yaml") },
    ],
};

const ACKNOWLEDGE: Step = Step {
    name: "acknowledge",
    minute: 71,
    person: 2,
    message: "{{id}}: take {{title}} on",
    changes: &[Handoff { file: "2-acknowledgment.yaml", text: template!("package/2-acknowledgment.yaml") }],
};

const CODE: Step = Step {
    name: "code",
    minute: 190,
    person: 2,
    message: "{{id}}: read {{title}}",
    changes: &[
        Write { path: "quay/{{slug}}.go", text: template!("base/module.go") },
        Write { path: "quay/{{slug}}_test.go", text: template!("base/module_test.go") },
    ],
};

const REVIEW: Step = Step {
    name: "review",
    minute: 204,
    person: 2,
    message: "{{id}}: hand {{title}} over to review",
    changes: &[
        Handoff { file: "3-package.yaml", text: template!("package/3-package.yaml") },
        Evidence { file: "evidence/go-test.log", text: template!("log/go.log") },
    ],
};
