//! The session state that a paused run leaves as JSON.

use crate::dialect::{Definition, Dialect, Layout, Offer, Variant};
use crate::field::Field;
use crate::key::{Form, Key, optional, recommended, required};

const REMAINING: &[Key] = &[
    required("name", Field::Step, Form::Text, "What is left to do"),
    optional("id", Field::Id, Form::Text, "Its id"),
    optional("status", Field::Status, Form::Text, "How far it is"),
];

const BLOCKER: &[Key] = &[
    required("description", Field::Blocker, Form::Text, "What stands in the way"),
    optional("type", Field::Type, Form::Text, "What sort of blocker"),
    optional("workaround", Field::SuggestedResolution, Form::Text, "What would help"),
];

const ACTION: &[Key] = &[
    required("action", Field::Question, Form::Text, "What a person has to do"),
    optional("context", Field::QuestionContext, Form::Text, "Why"),
    optional("blocking", Field::Blocking, Form::Flag, "Whether work waits for it"),
];

const DECISION: &[Key] = &[
    required("decision", Field::Decision, Form::Text, "What was decided"),
    optional("rationale", Field::Rationale, Form::Text, "Why"),
];

const KEYS: &[Key] = &[
    recommended("version", Field::SchemaVersion, Form::Text, "The version of this form"),
    recommended("timestamp", Field::At, Form::Text, "When it was written"),
    recommended("phase", Field::Stage, Form::Text, "The phase"),
    optional("phase_name", Field::Title, Form::Text, "The phase's name"),
    optional("task", Field::Task, Form::Text, "The task in the plan"),
    required("status", Field::Status, Form::Text, "How the session stands"),
    optional("completed_tasks", Field::Done, Form::Each(&Form::Text), "What is done"),
    optional("remaining_tasks", Field::Remaining, Form::Items(REMAINING), "What is left"),
    optional("blockers", Field::Blockers, Form::Items(BLOCKER), "What stands in the way"),
    optional("human_actions_pending", Field::Questions, Form::Items(ACTION), "What a person has to do"),
    optional("decisions", Field::Decisions, Form::Items(DECISION), "What was decided"),
    optional(
        "uncommitted_files",
        Field::FilesModified,
        Form::Items(FILE),
        "Files with changes not committed",
    ),
    optional("next_action", Field::NextSteps, Form::Items(NEXT), "What to do first"),
    optional("context_notes", Field::Gotchas, Form::Items(NOTE), "What one should know"),
];

const NEXT: &[Key] = &[required("step", Field::Step, Form::Text, "What to do")];
const FILE: &[Key] = &[required("path", Field::Path, Form::Text, "The file")];
const NOTE: &[Key] = &[required("note", Field::Issue, Form::Text, "The note")];

pub(crate) static DEFINITION: Definition = Definition {
    dialect: Dialect::GsdHandoff,
    name: "gsd-handoff",
    about: "Session state of a paused get-shit-done run",
    layout: Layout::Json,
    variants: &[Variant { name: "gsd-handoff", about: "A paused session", wrapper: None, keys: KEYS }],
    recognise,
    reads_prose: false,
};

fn recognise(offer: Offer<'_, '_>) -> Option<&'static Variant> {
    let own = offer.count(&[
        "completed_tasks",
        "remaining_tasks",
        "human_actions_pending",
        "context_notes",
        "uncommitted_files",
    ]);
    (own >= 2 && offer.count(&["status", "phase", "plan", "next_action", "version"]) >= 1)
        .then_some(&DEFINITION.variants[0])
}
