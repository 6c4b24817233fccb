//! The structured handoff section of a task file: what changed, what was learned, what comes next.

use super::{Definition, Dialect, Layout, Offer, Origin, Variant};
use crate::field::Field;
use crate::key::{Form, Key, Vocabulary, optional, recommended, required};

const CREATED: &[Key] = &[
    required("path", Field::Path, Form::Path, "The file, from the project's root"),
    required("purpose", Field::Purpose, Form::Text, "What the file does"),
    optional("lines", Field::Lines, Form::Lines, "Which lines, or all"),
];

const MODIFIED: &[Key] = &[
    required("path", Field::Path, Form::Path, "The file, from the project's root"),
    optional("lines", Field::Lines, Form::Lines, "Which lines, or all"),
    required(
        "change_type",
        Field::ChangeType,
        Form::Choice(&["add", "modify", "delete", "refactor"]),
        "What sort of change",
    ),
    required("description", Field::Description, Form::Text, "What changed and why"),
];

const CRITERION: &[Key] = &[
    required("id", Field::Criterion, Form::Text, "The criterion, by its id"),
    required("claim", Field::Status, Form::Text, "What is said of it: met or not_met"),
    optional("evidence", Field::Evidence, Form::Each(&Form::Text), "The test or place that shows it"),
];

const COMMAND: &[Key] = &[
    required("run", Field::Command, Form::Text, "The command line"),
    required("exit_code", Field::ExitCode, Form::Text, "How it ended"),
];

const DECISION: &[Key] = &[
    required("decision", Field::Decision, Form::Text, "What was decided"),
    recommended("rationale", Field::Rationale, Form::Text, "Why"),
];

const PATTERN: &[Key] = &[
    optional("id", Field::Id, Form::Id, "Generated when missing"),
    required("pattern", Field::Pattern, Form::Text, "The pattern in one sentence"),
    recommended("location", Field::Location, Form::Text, "Where it is used or defined"),
    recommended("applies_to", Field::AppliesTo, Form::Each(&Form::Tag), "When to use it"),
];

const GOTCHA: &[Key] = &[
    optional("id", Field::Id, Form::Id, "Generated when missing"),
    required("issue", Field::Issue, Form::Text, "The trap in one sentence"),
    recommended("discovered_in", Field::DiscoveredIn, Form::Text, "Where or how it was found"),
    recommended("mitigation", Field::Mitigation, Form::Text, "How to avoid or handle it"),
    required("severity", Field::Severity, Form::Word(Vocabulary::Severities), "How bad it is"),
];

const DEPENDENCY: &[Key] = &[
    required("file", Field::Path, Form::Path, "The file the next agent should read"),
    required("reason", Field::Reason, Form::Text, "Why it is needed"),
];

const QUESTION: &[Key] = &[
    required("question", Field::Question, Form::Text, "The question that is open"),
    optional("context", Field::QuestionContext, Form::Text, "Why it matters"),
    optional("options", Field::Options, Form::Each(&Form::Text), "The answers the agent can think of"),
    optional("recommendation", Field::Recommendation, Form::Text, "The answer the agent would give"),
    optional("confidence", Field::Confidence, Form::Text, "How sure the agent is of that answer"),
    required("blocking", Field::Blocking, Form::Flag, "Whether it blocks what comes next"),
];

const STEP: &[Key] = &[
    required("step", Field::Step, Form::Text, "What should happen next"),
    required("priority", Field::Priority, Form::Word(Vocabulary::Severities), "How urgent it is"),
    optional("depends_on", Field::DependsOn, Form::Each(&Form::Text), "What it depends on"),
];

const BLOCKER: &[Key] = &[
    required("blocker", Field::Blocker, Form::Text, "What blocks"),
    recommended("impact", Field::Impact, Form::Text, "What cannot be done"),
    optional("suggested_resolution", Field::SuggestedResolution, Form::Text, "What would help"),
    optional("blocking_tasks", Field::BlockingTasks, Form::Each(&Form::Id), "The tasks it holds up"),
    optional("reason", Field::BlockReason, Form::Choice(BLOCK_REASONS), "What sort of thing is missing"),
];

const BLOCK_REASONS: &[&str] = &["needs_human_input", "external_dependency", "scope_change"];

/// The outcomes of a task file.
pub(crate) const OUTCOMES: &[&str] = &["completed", "partial", "failed", "blocked"];

const KEYS: &[Key] = &[
    required("outcome", Field::Outcome, Form::Choice(OUTCOMES), "How the task ended"),
    optional("understood", Field::Understood, Form::Tree, "The goal and its limits in the agent's words"),
    optional("summary", Field::Summary, Form::Text, "What was done, in two or three sentences"),
    optional("files_created", Field::FilesCreated, Form::Items(CREATED), "Files that are new"),
    optional("files_modified", Field::FilesModified, Form::Items(MODIFIED), "Files that changed"),
    optional("criteria", Field::Criteria, Form::Items(CRITERION), "What is claimed of each criterion"),
    optional("commands", Field::Commands, Form::Items(COMMAND), "The commands that were run"),
    optional("decisions", Field::Decisions, Form::Items(DECISION), "What was decided"),
    optional("patterns_discovered", Field::Patterns, Form::Items(PATTERN), "Patterns worth following"),
    optional("gotchas", Field::Gotchas, Form::Items(GOTCHA), "Traps worth knowing"),
    optional("dependencies_for_next", Field::FilesToRead, Form::Items(DEPENDENCY), "Files to read first"),
    optional("open_questions", Field::Questions, Form::Items(QUESTION), "Questions nobody answered yet"),
    optional("suggested_next_steps", Field::NextSteps, Form::Items(STEP), "What should happen next"),
    optional("blockers", Field::Blockers, Form::Items(BLOCKER), "What stands in the way"),
    optional("last_failure", Field::LastFailure, Form::Text, "What was wrong with the attempt before"),
];

pub(crate) static DEFINITION: Definition = Definition {
    dialect: Dialect::Taskfile,
    name: "taskfile",
    about: "The structured handoff section of a task file",
    layout: Layout::Fence { heading: "Handoff" },
    variants: &[Variant { name: "taskfile", about: "A task's handoff", wrapper: None, keys: KEYS }],
    recognise,
    reads_prose: false,
};

fn recognise(offer: Offer<'_, '_>) -> Option<&'static Variant> {
    let lists = offer.count(&[
        "files_created",
        "files_modified",
        "patterns_discovered",
        "gotchas",
        "dependencies_for_next",
        "open_questions",
        "suggested_next_steps",
        "blockers",
    ]);
    let own = offer.count(&["patterns_discovered", "dependencies_for_next", "suggested_next_steps"]);
    let stated = offer
        .node
        .get("outcome")
        .and_then(|outcome| outcome.text())
        .is_some_and(|text| OUTCOMES.contains(&text));
    let in_section = matches!(offer.origin, Origin::Fence | Origin::Section);
    (stated && in_section || offer.has("outcome") && lists >= 1 || own >= 2 || own >= 1 && lists >= 3)
        .then_some(&DEFINITION.variants[0])
}
