//! Two notes in JSON, in nobody's dialect.

use super::Change::{Append, Evidence, Handoff, Write};
use super::{Kind, Step};

pub(crate) static GENERIC: Kind =
    Kind { name: "generic", id: "N-#", folder: "notes/{{id}}", before: &[], steps: &[CODE, BUILD, CHECK] };

const CODE: Step = Step {
    name: "code",
    minute: 80,
    person: 1,
    message: "{{id}}: show {{title}}",
    changes: &[
        Write { path: "web/src/{{slug}}.ts", text: template!("base/module.ts") },
        Write { path: "web/test/{{slug}}.test.ts", text: template!("base/module.test.ts") },
        Append { path: "web/src/router.ts", text: "pages.push(\"{{slug}}\");\n" },
    ],
};

const BUILD: Step = Step {
    name: "build",
    minute: 92,
    person: 1,
    message: "{{id}}: note what was done",
    changes: &[
        Handoff { file: "1-build.json", text: template!("generic/1-build.json") },
        Evidence { file: "1-build-evidence/tests_passing.log", text: template!("log/jest.log") },
        Evidence { file: "1-build-evidence/eslint.log", text: template!("log/eslint.log") },
    ],
};

const CHECK: Step = Step {
    name: "check",
    minute: 153,
    person: 3,
    message: "{{id}}: note what was checked",
    changes: &[
        Handoff { file: "2-check.json", text: template!("generic/2-check.json") },
        Evidence { file: "2-check-evidence/tests_passing.log", text: template!("log/vitest.log") },
        Evidence { file: "2-check-evidence/tsc.log", text: template!("log/tsc.log") },
    ],
};
