//! The summary of an executed plan: what it provides, which files, which decisions, which patterns.

use crate::dialect::{Definition, Dialect, Layout, Offer, Origin, Variant};
use crate::field::Field;
use crate::key::{Form, Key, optional, recommended};

const FILE: &[Key] = &[optional("path", Field::Path, Form::Text, "The file")];
const PATTERN: &[Key] = &[optional("pattern", Field::Pattern, Form::Text, "The pattern")];
const DECISION: &[Key] = &[optional("decision", Field::Decision, Form::Text, "What was decided")];

const KEY_FILES: &[Key] = &[
    optional("created", Field::FilesCreated, Form::Items(FILE), "Files that are new"),
    optional("modified", Field::FilesModified, Form::Items(FILE), "Files that changed"),
];

const KEYS: &[Key] = &[
    recommended("phase", Field::Stage, Form::Text, "The phase"),
    recommended("plan", Field::Task, Form::Text, "The plan that was executed"),
    optional("status", Field::Status, Form::Text, "How the plan ended"),
    optional("provides", Field::Done, Form::Each(&Form::Text), "What others can build on now"),
    optional("key-files", Field::FilesCreated, Form::Group(KEY_FILES), "The files that matter"),
    optional("key-decisions", Field::Decisions, Form::Items(DECISION), "What was decided"),
    optional("patterns-established", Field::Patterns, Form::Items(PATTERN), "Patterns worth following"),
    optional("completed", Field::CompletedAt, Form::Text, "When it was completed"),
];

pub(crate) static DEFINITION: Definition = Definition {
    dialect: Dialect::GsdSummary,
    name: "gsd-summary",
    about: "The summary of an executed get-shit-done plan",
    layout: Layout::Frontmatter,
    variants: &[Variant { name: "gsd-summary", about: "A plan summary", wrapper: None, keys: KEYS }],
    recognise,
    reads_prose: true,
};

fn recognise(offer: Offer<'_, '_>) -> Option<&'static Variant> {
    let own = offer.count(&[
        "provides",
        "requires",
        "affects",
        "subsystem",
        "tech-stack",
        "tech_stack",
        "key-files",
        "key_files",
        "key-decisions",
        "key_decisions",
        "patterns-established",
        "patterns_established",
        "requirements-completed",
        "dependency_graph",
        "one_liner",
        "duration",
        "completed",
    ]);
    (offer.origin == Origin::Frontmatter && offer.has("phase") && own >= 2).then_some(&DEFINITION.variants[0])
}
