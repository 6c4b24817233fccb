//! Any other YAML or JSON that says what a handoff says, by the words of the alias table; and prose.

use super::{Definition, Dialect, Layout, Offer, Variant};
use crate::alias;
use crate::field::Field;
use crate::key::{self, Form, Key, optional};
use crate::tree::{Kind, Node};

const FILE: &[Key] = &[
    optional("path", Field::Path, Form::Text, "The file"),
    optional("lines", Field::Lines, Form::Text, "Which lines"),
    optional("purpose", Field::Purpose, Form::Text, "What the file does"),
    optional("change_type", Field::ChangeType, Form::Text, "What sort of change"),
    optional("description", Field::Description, Form::Text, "What changed"),
    optional("reason", Field::Reason, Form::Text, "Why it matters"),
    optional("type", Field::Type, Form::Text, "What sort of file"),
];

const PATTERN: &[Key] = &[
    optional("id", Field::Id, Form::Text, "Its id"),
    optional("pattern", Field::Pattern, Form::Text, "The pattern"),
    optional("location", Field::Location, Form::Text, "Where it is used"),
    optional("applies_to", Field::AppliesTo, Form::Each(&Form::Text), "When to use it"),
];

const GOTCHA: &[Key] = &[
    optional("id", Field::Id, Form::Text, "Its id"),
    optional("issue", Field::Issue, Form::Text, "The trap"),
    optional("discovered_in", Field::DiscoveredIn, Form::Text, "Where it was found"),
    optional("mitigation", Field::Mitigation, Form::Text, "How to avoid it"),
    optional("severity", Field::Severity, Form::Text, "How bad it is"),
];

const DECISION: &[Key] = &[
    optional("id", Field::Id, Form::Text, "Its id"),
    optional("decision", Field::Decision, Form::Text, "What was decided"),
    optional("rationale", Field::Rationale, Form::Text, "Why"),
];

const QUESTION: &[Key] = &[
    optional("question", Field::Question, Form::Text, "The question"),
    optional("question_context", Field::QuestionContext, Form::Text, "Why it matters"),
    optional("recommendation", Field::Recommendation, Form::Text, "A proposed answer"),
    optional("blocking", Field::Blocking, Form::Text, "Whether work waits for it"),
    optional("priority", Field::Priority, Form::Text, "How urgent it is"),
];

const STEP: &[Key] = &[
    optional("id", Field::Id, Form::Text, "Its id"),
    optional("step", Field::Step, Form::Text, "What to do"),
    optional("status", Field::Status, Form::Text, "How far it is"),
    optional("priority", Field::Priority, Form::Text, "How urgent it is"),
    optional("depends_on", Field::DependsOn, Form::Each(&Form::Text), "What it waits for"),
];

const BLOCKER: &[Key] = &[
    optional("blocker", Field::Blocker, Form::Text, "What stands in the way"),
    optional("type", Field::Type, Form::Text, "What sort of blocker"),
    optional("impact", Field::Impact, Form::Text, "What cannot be done"),
    optional("suggested_resolution", Field::SuggestedResolution, Form::Text, "What would help"),
    optional("blocking_tasks", Field::BlockingTasks, Form::Each(&Form::Text), "The tasks it holds up"),
];

const CHECKPOINT: &[Key] = &[
    optional("name", Field::Name, Form::Text, "The checkpoint"),
    optional("status", Field::Status, Form::Text, "How it ended"),
    optional("message", Field::Message, Form::Text, "Why"),
];

const CRITERION: &[Key] = &[
    optional("id", Field::Id, Form::Text, "Its id"),
    optional("criterion", Field::Criterion, Form::Text, "The criterion"),
    optional("status", Field::Status, Form::Text, "What is claimed of it"),
    optional("verdict", Field::Verdict, Form::Text, "The verdict"),
    optional("evidence", Field::Evidence, Form::Each(&Form::Text), "What shows it"),
];

const COMMAND: &[Key] = &[
    optional("command", Field::Command, Form::Text, "The command line"),
    optional("exit_code", Field::ExitCode, Form::Text, "How it ended"),
    optional("evidence", Field::Evidence, Form::Each(&Form::Text), "Where its output is kept"),
];

const MARKER: &[Key] = &[
    optional("name", Field::Name, Form::Text, "The marker"),
    optional("message", Field::Message, Form::Text, "Its content"),
];

const ON_FAILURE: &[Key] = &[
    optional("retry", Field::Retry, Form::Text, "How often to try again"),
    optional("route_to", Field::RouteTo, Form::Text, "Who gets the failure"),
    optional("notify", Field::Notify, Form::Text, "Who is told"),
    optional("escalate_after", Field::EscalateAfter, Form::Text, "When a human decides"),
    optional("failure_context", Field::FailureContext, Form::Text, "What to know"),
];

const WORKFLOW_STATE: &[Key] = &[
    optional("workflow_name", Field::WorkflowName, Form::Text, "The workflow"),
    optional("current_step", Field::CurrentStep, Form::Text, "The step it is at"),
    optional("completed_steps", Field::CompletedSteps, Form::Each(&Form::Text), "Steps behind"),
    optional("remaining_steps", Field::RemainingSteps, Form::Each(&Form::Text), "Steps ahead"),
];

const GATE: &[Key] = &[
    optional("type", Field::Type, Form::Text, "Whether work waits"),
    optional("name", Field::Name, Form::Text, "The gate"),
    optional("step", Field::Step, Form::Text, "Where it stands"),
];

const VALIDATION_REQUEST: &[Key] = &[
    optional("items", Field::Items, Form::Each(&Form::Text), "What to look at"),
    optional("gate_options", Field::GateOptions, Form::Tree, "What each answer means"),
];

/// Every top-level field of the model under its canonical name.
const KEYS: &[Key] = &{
    let mut keys = [optional("id", Field::Id, Form::Text, ""); TOP_LEVEL];
    let mut at = 0;
    while at < TOP_LEVEL {
        let field = Field::ALL[at];
        keys[at] = optional(field.name(), field, form_of(field), "");
        at += 1;
    }
    keys
};

/// The fields of a handoff come before those of items in [`Field::ALL`].
const TOP_LEVEL: usize = Field::Name as usize;

const fn form_of(field: Field) -> Form {
    match field {
        Field::FilesCreated
        | Field::FilesModified
        | Field::FilesDeleted
        | Field::FilesMentioned
        | Field::Artifacts
        | Field::FilesToRead => Form::Items(FILE),
        Field::Patterns => Form::Items(PATTERN),
        Field::Gotchas => Form::Items(GOTCHA),
        Field::Decisions => Form::Items(DECISION),
        Field::Questions => Form::Items(QUESTION),
        Field::NextSteps | Field::Remaining => Form::Items(STEP),
        Field::Blockers => Form::Items(BLOCKER),
        Field::Checkpoints => Form::Items(CHECKPOINT),
        Field::Criteria => Form::Items(CRITERION),
        Field::Commands => Form::Items(COMMAND),
        Field::Markers => Form::Items(MARKER),
        Field::OnFailure => Form::Map(ON_FAILURE),
        Field::WorkflowState => Form::Map(WORKFLOW_STATE),
        Field::Gate => Form::Map(GATE),
        Field::ValidationRequest => Form::Map(VALIDATION_REQUEST),
        _ => match field.shape() {
            crate::field::Shape::Texts => Form::Each(&Form::Text),
            crate::field::Shape::Tree => Form::Tree,
            _ => Form::Text,
        },
    }
}

pub(crate) static DEFINITION: Definition = Definition {
    dialect: Dialect::Generic,
    name: "generic",
    about: "Any YAML or JSON that says what a handoff says, in the words of the canonical model",
    layout: Layout::Yaml { title: Some("Handoff") },
    variants: &[Variant { name: "generic", about: "The canonical model", wrapper: None, keys: KEYS }],
    recognise,
    reads_prose: true,
};

pub(crate) static FREEFORM: Definition = Definition {
    dialect: Dialect::Freeform,
    name: "freeform",
    about: "Prose with sections",
    layout: Layout::Prose,
    variants: &[Variant { name: "freeform", about: "A note", wrapper: None, keys: KEYS }],
    recognise: |_| None,
    reads_prose: true,
};

/// Returns the table of the canonical model.
pub(crate) fn variant() -> &'static Variant {
    &DEFINITION.variants[0]
}

/// How deep fields are looked for under keys such as `handoff` or `metadata`.
pub(crate) const CONTAINER_DEPTH_MAX: usize = 3;

/// What a handoff has to say: who, how it stands, what was done, what comes next.
#[derive(Debug, Default)]
struct Said {
    who: usize,
    standing: usize,
    done: usize,
    next: usize,
    /// Where in the repository or the workflow it happened.
    place: usize,
    /// Keys whose meaning is known at all.
    known: usize,
    order: Order,
    named_handoff: bool,
}

/// What a queue keeps of a piece of work that it passes on: which one, what to do, and where it was sent.
#[derive(Debug, Default)]
struct Order {
    numbered: bool,
    described: bool,
    routed: bool,
}

impl Order {
    fn listen(&mut self, word: &str, value: &Node<'_>) {
        let is_sentence = || value.text().is_some_and(|text| text.split_whitespace().nth(3).is_some());
        match word {
            "request_id" | "task_id" | "job_id" | "work_item_id" | "ticket_id" => self.numbered = true,
            "description" | "request" | "instruction" | "instructions" | "prompt" | "objective" | "goal" => {
                self.described |= is_sentence();
            }
            _ => {
                let routes = ["routing_", "routed_", "route_to", "assigned_", "dispatched_", "claimed_by"];
                self.routed |= routes.iter().any(|start| word.starts_with(start));
            }
        }
    }

    fn is_complete(&self) -> bool {
        self.numbered && self.described && self.routed
    }
}

fn recognise(offer: Offer<'_, '_>) -> Option<&'static Variant> {
    let mut said = Said { named_handoff: offer.titled_handoff, ..Said::default() };
    listen(offer.node, 0, &mut said);
    let kinds = [said.who, said.standing, said.done, said.next, said.place]
        .iter()
        .filter(|count| **count > 0)
        .count();
    let enough = match said.named_handoff {
        true => kinds >= 1 && said.known >= 2,
        false => {
            kinds >= 3 || kinds == 2 && (said.next > 0 || said.who >= 2 || said.standing > 0 && said.done > 0)
        }
    };
    let queued = said.standing > 0 && said.order.is_complete();
    (enough || queued).then_some(variant())
}

/// Says whether files stand under what happened to them.
fn is_grouped(files: &Node<'_>) -> bool {
    let is_group = |key: &str| alias::field(&format!("files_{}", key::normalise(key))).is_some();
    files.pairs().is_some_and(|pairs| pairs.iter().any(|pair| is_group(&pair.key)))
}

fn listen(node: &Node<'_>, depth: usize, said: &mut Said) {
    let Some(pairs) = node.pairs() else { return };
    for pair in pairs {
        let word = key::normalise(&pair.key);
        said.order.listen(&word, &pair.value);
        said.named_handoff |= word.starts_with("handoff") || word.starts_with("handover");
        let field = alias::field(&word).or_else(|| alias::field_of_files(&word, &pair.value));
        if let Some(field) = field.or_else(|| alias::field_by_words(&word)) {
            said.known += 1;
            match field {
                Field::From | Field::To => said.who += 1,
                Field::Status | Field::Outcome | Field::Verdict | Field::Ready | Field::Checkpoints => {
                    said.standing += 1
                }
                Field::Done
                | Field::Summary
                | Field::FilesCreated
                | Field::FilesModified
                | Field::FilesDeleted
                | Field::Verification
                | Field::Decisions
                | Field::Patterns => said.done += 1,
                Field::NextSteps
                | Field::Remaining
                | Field::Blockers
                | Field::Questions
                | Field::Gotchas
                | Field::Deliverable
                | Field::SuccessCriteria => said.next += 1,
                // `files: {modified: […]}` tells what was done to them.
                Field::FilesMentioned if is_grouped(&pair.value) => said.done += 1,
                Field::Branch | Field::Commit | Field::Session | Field::Task => said.place += 1,
                _ => {}
            }
        }
        let nested = depth < CONTAINER_DEPTH_MAX && alias::is_container(&word);
        match &pair.value.kind {
            Kind::Map(_) if nested => listen(&pair.value, depth + 1, said),
            Kind::Map(_) | Kind::List(_) | Kind::Scalar { .. } => {}
        }
    }
}
