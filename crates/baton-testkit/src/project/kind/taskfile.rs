//! A task of the web desk: a fenced handoff of the build, and a review in frontmatter.

use super::Change::{Append, Evidence, Handoff, Write};
use super::{Kind, Step};

pub(crate) static TASKFILE: Kind = Kind {
    name: "taskfile",
    id: "task-#.1",
    folder: "tasks/{{id}}",
    before: &[],
    steps: &[CODE, BUILD, REVIEW],
};

const CODE: Step = Step {
    name: "code",
    minute: 100,
    person: 0,
    message: "{{id}}: show {{title}}",
    changes: &[
        Write { path: "web/src/{{slug}}.ts", text: template!("base/module.ts") },
        Write { path: "web/test/{{slug}}.test.ts", text: template!("base/module.test.ts") },
        Append { path: "web/src/router.ts", text: "pages.push(\"{{slug}}\");\n" },
    ],
};

const BUILD: Step = Step {
    name: "build",
    minute: 112,
    person: 0,
    message: "{{id}}: hand over to review",
    changes: &[
        Handoff { file: "01-build.md", text: template!("taskfile/01-build.md") },
        Evidence { file: "01-build-evidence/vitest.log", text: template!("log/vitest.log") },
        Evidence { file: "01-build-evidence/tsc.log", text: template!("log/tsc.log") },
        Evidence { file: "01-build-evidence/eslint.log", text: template!("log/eslint.log") },
    ],
};

const REVIEW: Step = Step {
    name: "review",
    minute: 195,
    person: 3,
    message: "{{id}}: review {{title}}",
    changes: &[
        Append { path: "web/src/{{slug}}.ts", text: "\nexport const signed = true;\n" },
        Handoff { file: "02-review.md", text: template!("taskfile/02-review.md") },
        Evidence { file: "02-review-evidence/junit.xml", text: template!("log/junit.xml") },
    ],
};
