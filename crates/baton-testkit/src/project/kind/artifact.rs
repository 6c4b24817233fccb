//! A waypoint of the importers: plan, build, request, report and decision as artifacts.

use super::Change::{Append, Delete, Evidence, Handoff, Write};
use super::{Kind, Step};

pub(crate) static ARTIFACT: Kind = Kind {
    name: "artifact",
    id: "WP-#",
    folder: "artifacts/{{id}}",
    before: &[Write { path: "tools/old_{{slug}}.py", text: template!("base/old.py") }],
    steps: &[PLAN, CODE, BUILD, REQUEST, REPORT, DECISION],
};

const PLAN: Step = Step {
    name: "plan",
    minute: 22,
    person: 1,
    message: "{{id}}: plan {{title}}",
    changes: &[Handoff { file: "1-plan.json", text: template!("artifact/1-plan.json") }],
};

const CODE: Step = Step {
    name: "code",
    minute: 120,
    person: 1,
    message: "{{id}}: import {{title}}",
    changes: &[
        Write { path: "tools/{{slug}}.py", text: template!("base/module.py") },
        Write { path: "tests/test_{{slug}}.py", text: template!("base/test_module.py") },
        Append { path: "tools/registry.py", text: "IMPORTERS.append(\"{{slug}}\")\n" },
        Delete { path: "tools/old_{{slug}}.py" },
    ],
};

const BUILD: Step = Step {
    name: "build",
    minute: 132,
    person: 1,
    message: "{{id}}: keep what was run",
    changes: &[
        Handoff { file: "2-build.json", text: template!("artifact/2-build.json") },
        Evidence { file: "evidence/pytest.log", text: template!("log/pytest.log") },
        Evidence { file: "evidence/ruff.log", text: template!("log/ruff.log") },
    ],
};

const REQUEST: Step = Step {
    name: "request",
    minute: 141,
    person: 0,
    message: "{{id}}: ask for verification",
    changes: &[Handoff { file: "3-request.json", text: template!("artifact/3-request.json") }],
};

const REPORT: Step = Step {
    name: "report",
    minute: 203,
    person: 3,
    message: "{{id}}: report on {{title}}",
    changes: &[
        Handoff { file: "4-report.json", text: template!("artifact/4-report.json") },
        Evidence { file: "evidence/verify-pytest.log", text: template!("log/pytest.log") },
    ],
};

const DECISION: Step = Step {
    name: "decision",
    minute: 216,
    person: 0,
    message: "{{id}}: accept {{title}}",
    changes: &[Handoff { file: "5-decision.json", text: template!("artifact/5-decision.json") }],
};
