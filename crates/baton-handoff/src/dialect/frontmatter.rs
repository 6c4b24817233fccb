//! Stage documents: markdown whose frontmatter says how the stage ended, checkpoint by checkpoint.

use super::{Definition, Dialect, Layout, Offer, Variant};
use crate::field::Field;
use crate::key::{Form, Key, Vocabulary, optional, required};
use crate::limit;

/// The stages that are built in, each with the checkpoints it must show.
pub(crate) const STAGES: &[(&str, &[&str])] = &[
    (
        "requirements",
        &["requirements_identified", "impact_analyzed", "acceptance_criteria_defined", "no_open_blockers"],
    ),
    ("architecture", &["requirements_addressed", "design_complete", "tasks_defined", "tests_planned"]),
    ("implementation", &["tests_written", "code_complete", "tests_passing", "no_lint_errors"]),
    ("qa", &["criteria_verified", "tests_passing", "no_critical_bugs", "docs_updated"]),
];

const CHECKPOINT: &[Key] = &[
    required("name", Field::Name, Form::Text, "The checkpoint's name"),
    required("status", Field::Status, Form::Choice(&["pass", "fail", "skip"]), "How it ended"),
    optional("message", Field::Message, Form::Text, "Why it ended so"),
];

const KEYS: &[Key] = &[
    required("id", Field::Task, Form::Id, "The task that moves"),
    required("stage", Field::Stage, Form::Word(Vocabulary::Stages), "The stage this document ends"),
    optional("title", Field::Title, Form::Text, "The task's title"),
    required(
        "status",
        Field::Status,
        Form::Choice(&["in_progress", "complete", "failed", "blocked"]),
        "How the stage stands",
    ),
    required("started_at", Field::StartedAt, Form::Time, "When the stage began"),
    optional("completed_at", Field::CompletedAt, Form::Time, "When it was completed; null until then"),
    required("checkpoints", Field::Checkpoints, Form::Items(CHECKPOINT), "The stage's checkpoints"),
    required("handoff_ready", Field::Ready, Form::Flag, "True exactly when all checkpoints pass"),
    required(
        "retry_count",
        Field::RetryCount,
        Form::Count { max: limit::RETRIES_MAX },
        "How often the stage was tried again",
    ),
    optional("last_failure", Field::LastFailure, Form::Text, "What failed last"),
    optional(
        "block_reason",
        Field::BlockReason,
        Form::Choice(&["needs_human_input", "external_dependency", "scope_change"]),
        "Why the stage is blocked",
    ),
    optional("block_details", Field::BlockDetails, Form::Text, "What exactly is missing"),
];

pub(crate) static DEFINITION: Definition = Definition {
    dialect: Dialect::Frontmatter,
    name: "frontmatter",
    about: "Stage documents: markdown with YAML frontmatter and checkpoints",
    layout: Layout::Frontmatter,
    variants: &[Variant { name: "frontmatter", about: "A stage document", wrapper: None, keys: KEYS }],
    recognise,
    reads_prose: false,
};

fn recognise(offer: Offer<'_, '_>) -> Option<&'static Variant> {
    let telling =
        offer.count(&["checkpoints", "handoff_ready", "block_reason", "block_details", "last_failure"]);
    let usual = offer.count(&["stage", "status", "retry_count", "started_at", "completed_at", "id"]);
    (telling >= 1 && usual >= 2 || offer.has("stage") && usual >= 5).then_some(&DEFINITION.variants[0])
}
