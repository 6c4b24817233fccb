//! Lies that only the other handoffs of a chain, or of another one, tell.

use super::Edit::{Drop, Remove, Replace};
use super::{Claim, Plan};
use crate::project::kind::{ARTIFACT, PACKAGE, RETRIED, STAGES, SUMMARY, TASKFILE};

pub(super) const PLANS: &[Plan] = &[
    Plan {
        kind: &SUMMARY,
        edits: &[Replace {
            file: "6-qa.md",
            old: "criteria_total: 5\n    criteria_met: 5",
            new: "criteria_total: 3\n    criteria_met: 3",
        }],
        claims: &[Claim {
            name: "Five criteria were planned, and three were there at the end",
            code: 1105,
            file: "6-qa.md",
            text: "criteria_total: 3",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace { file: "implementation.md", old: "tasks_total: 4", new: "tasks_total: 3" }],
        claims: &[Claim {
            name: "The design has four tasks, and the implementation three",
            code: 1105,
            file: "implementation.md",
            text: "tasks_total: 3",
        }],
    },
    Plan {
        kind: &SUMMARY,
        edits: &[Replace {
            file: "6-qa.md",
            old: "tests_total: 4\n    tests_passed: 4",
            new: "tests_total: 2\n    tests_passed: 2",
        }],
        claims: &[Claim {
            name: "Four tests ran before the last phase, and two in it",
            code: 1105,
            file: "6-qa.md",
            text: "tests_total: 2",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace {
            file: "qa.md",
            old: "  - id: AC-2\n    criterion: {{title}} are kept in cents\n    status: pass\n",
            new: "",
        }],
        claims: &[Claim {
            name: "A criterion of the requirements is gone when they are verified",
            code: 1106,
            file: "qa.md",
            text: "acceptance_criteria:",
        }],
    },
    Plan {
        kind: &ARTIFACT,
        edits: &[Replace {
            file: "4-report.json",
            old: concat!(
                "    },\n",
                "    {\n",
                "      \"id\": \"C2\",\n",
                "      \"criterion\": \"{{title}} add up to the figure of the office\",\n",
                "      \"verdict\": \"pass\",\n",
                "      \"evidence\": [\"artifacts/{{id}}/evidence/verify-pytest.log\"]\n",
                "    }",
            ),
            new: "    }",
        }],
        claims: &[Claim {
            name: "A report judges one of the two criteria it was asked about",
            code: 1106,
            file: "4-report.json",
            text: "\"criterion_verdicts\":",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace {
            file: "qa.md",
            old: "evidence:\n",
            new: "  - id: AC-4\n    criterion: {{title}} can be printed\n    status: pass\nevidence:\n",
        }],
        claims: &[Claim {
            name: "A criterion is verified that nobody ever asked for",
            code: 1107,
            file: "qa.md",
            text: "criterion: {{title}} can be printed",
        }],
    },
    Plan {
        kind: &ARTIFACT,
        edits: &[Replace {
            file: "4-report.json",
            old: "  \"criterion_verdicts\": [\n",
            new: concat!(
                "  \"criterion_verdicts\": [\n",
                "    {\n",
                "      \"id\": \"C3\",\n",
                "      \"criterion\": \"{{title}} are read in less than a second\",\n",
                "      \"verdict\": \"pass\",\n",
                "      \"evidence\": [\"artifacts/{{id}}/evidence/verify-pytest.log\"]\n",
                "    },\n",
            ),
        }],
        claims: &[Claim {
            name: "A report judges a criterion it was never asked about",
            code: 1107,
            file: "4-report.json",
            text: "\"criterion\": \"{{title}} are read in less than a second\"",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Replace {
            file: "qa.md",
            old: "criterion: {{title}} are rounded once, at the end",
            new: "criterion: {{title}} may be rounded at any time",
        }],
        claims: &[Claim {
            name: "A criterion keeps its id and says something else",
            code: 1108,
            file: "qa.md",
            text: "criterion: {{title}} may be rounded at any time",
        }],
    },
    Plan {
        kind: &ARTIFACT,
        edits: &[Replace {
            file: "4-report.json",
            old: "{{title}} add up to the figure of the office",
            new: "{{title}} are printed without an error",
        }],
        claims: &[Claim {
            name: "A report judges another text under the id of a criterion",
            code: 1108,
            file: "4-report.json",
            text: "\"criterion\": \"{{title}} are printed without an error\"",
        }],
    },
    Plan {
        kind: &TASKFILE,
        edits: &[Replace { file: "01-build.md", old: "issue: {{about}}", new: "issue: {{about of 1}}" }],
        claims: &[Claim {
            name: "The gotcha of a task file was pasted from the task file of another task",
            code: 1109,
            file: "01-build.md",
            text: "issue: {{about of 1}}",
        }],
    },
    Plan {
        kind: &ARTIFACT,
        edits: &[Replace { file: "2-build.json", old: "{{about}}", new: "{{about of 2}}" }],
        claims: &[Claim {
            name: "The summary of a build was pasted from the build of another task",
            code: 1109,
            file: "2-build.json",
            text: "\"diff_summary\": \"{{about of 2}}\"",
        }],
    },
    Plan {
        kind: &PACKAGE,
        edits: &[Replace { file: "1-package.yaml", old: "{{about}}", new: "{{about of 3}}" }],
        claims: &[Claim {
            name: "The summary of a package was pasted from the package of another task",
            code: 1109,
            file: "1-package.yaml",
            text: "summary: {{about of 3}}",
        }],
    },
    Plan {
        kind: &RETRIED,
        edits: &[
            Replace { file: "implementation-1.md", old: "retry_count: 0", new: "retry_count: 2" },
            Replace { file: "implementation-2.md", old: "retry_count: 1", new: "retry_count: 0" },
        ],
        claims: &[Claim {
            name: "The first attempt was the second retry, and the one after it none",
            code: 1110,
            file: "implementation-2.md",
            text: "retry_count: 0",
        }],
    },
    Plan {
        kind: &SUMMARY,
        edits: &[
            Replace { file: "3-testing.md", old: "retry_count: 0", new: "retry_count: 2" },
            Replace { file: "5-testing.md", old: "retry_count: 1", new: "retry_count: 0" },
        ],
        claims: &[Claim {
            name: "Two retries of a phase were counted, and none in the report after it",
            code: 1110,
            file: "5-testing.md",
            text: "retry_count: 0",
        }],
    },
    Plan {
        kind: &SUMMARY,
        edits: &[Replace { file: "5-testing.md", old: "from: \"@tester\"", new: "from: \"@contractor\"" }],
        claims: &[Claim {
            name: "A report is handed over by an agent to whom nobody gave the work",
            code: 1111,
            file: "5-testing.md",
            text: "from: \"@contractor\"",
        }],
    },
    Plan {
        kind: &PACKAGE,
        edits: &[Replace { file: "3-package.yaml", old: "agent: builder", new: "agent: contractor" }],
        claims: &[Claim {
            name: "A package is handed over by an agent to whom nobody gave the work",
            code: 1111,
            file: "3-package.yaml",
            text: "agent: contractor",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[Remove { file: "architecture.md" }],
        claims: &[Claim {
            name: "A chain goes from requirements to implementation, and nobody designed anything",
            code: 1112,
            file: "implementation.md",
            text: "stage: implementation",
        }],
    },
    Plan {
        kind: &STAGES,
        edits: &[
            Remove { file: "implementation.md" },
            Remove { file: "evidence/implementation-tests_passing.log" },
            Remove { file: "evidence/implementation-build.log" },
            Remove { file: "evidence/implementation-clippy.log" },
        ],
        claims: &[Claim {
            name: "A chain goes from architecture to qa, and nobody implemented anything",
            code: 1112,
            file: "qa.md",
            text: "stage: qa",
        }],
    },
    Plan {
        kind: &RETRIED,
        edits: &[
            Drop { step: "repair" },
            Remove { file: "evidence/implementation-tests-1.log" },
            Remove { file: "evidence/implementation-tests-2.log" },
            Replace {
                file: "implementation-1.md",
                old: "evidence:\n  - evidence/implementation-tests-1.log\n",
                new: "",
            },
            Replace {
                file: "implementation-1.md",
                old: "code_complete\n    status: fail\n    message: The sum is missing",
                new: "code_complete\n    status: pass",
            },
            Replace { file: "implementation-2.md", old: "commit: {{commit repair}}\n", new: "" },
            Replace {
                file: "implementation-2.md",
                old: concat!(
                    "files_modified:\n",
                    "  - path: src/{{slug}}.rs\n",
                    "    lines: 13-21\n",
                    "    change_type: modify\n",
                    "    description: Multiplies by the nights, and sums the lines\n",
                    "evidence:\n",
                    "  - evidence/implementation-tests-2.log\n",
                ),
                new: "",
            },
            Remove { file: "evidence/qa-tests_passing.log" },
            Replace { file: "qa.md", old: "evidence:\n  - evidence/qa-tests_passing.log\n", new: "" },
        ],
        claims: &[Claim {
            name: "The tests failed in one attempt and pass in the next, and no file changed between",
            code: 1113,
            file: "implementation-2.md",
            text: "name: tests_passing\n    status: pass",
        }],
    },
];
