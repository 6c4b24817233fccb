//! Handoff packages between agents and to people, their gates, and the receiver's acknowledgment.

use super::{Definition, Dialect, Layout, Offer, Variant};
use crate::field::Field;
use crate::key::{Form, Key, Vocabulary, optional, recommended, required};

const FROM: &[Key] = &[
    required("agent", Field::From, Form::Text, "Who hands over"),
    optional("step", Field::FromStep, Form::Text, "The step of the workflow; null outside of it"),
];

const TO: &[Key] = &[
    required("agent", Field::To, Form::Text, "Who receives; `human` for a person"),
    required("reason", Field::ToReason, Form::Text, "Why this one"),
];

const DECISION: &[Key] = &[
    required("id", Field::Id, Form::Id, "The decision's id"),
    required("decision", Field::Decision, Form::Text, "What was decided"),
    required("rationale", Field::Rationale, Form::Text, "Why"),
];

const ARTIFACT: &[Key] = &[
    required("path", Field::Path, Form::Path, "The file, from the project's root"),
    optional("type", Field::Type, Form::Choice(&["spec", "code", "doc", "config"]), "What sort of file"),
    optional("description", Field::Description, Form::Text, "What it is"),
];

const QUESTION: &[Key] = &[
    required("question", Field::Question, Form::Text, "The question that is open"),
    required("priority", Field::Priority, Form::Word(Vocabulary::Severities), "How urgent it is"),
    optional("context", Field::QuestionContext, Form::Text, "What one should know to answer it"),
];

const CONTEXT: &[Key] = &[
    required("summary", Field::Summary, Form::Text, "What was done, in two or three sentences"),
    optional("decisions", Field::Decisions, Form::Items(DECISION), "What was decided"),
    optional("artifacts", Field::Artifacts, Form::Items(ARTIFACT), "Every file that was made"),
    optional("open_questions", Field::Questions, Form::Items(QUESTION), "What is not resolved"),
];

const EXPECTATIONS: &[Key] = &[
    recommended("deliverable", Field::Deliverable, Form::Text, "What the receiver is to deliver"),
    optional("constraints", Field::Constraints, Form::Each(&Form::Text), "What it must keep to"),
    recommended(
        "success_criteria",
        Field::SuccessCriteria,
        Form::Each(&Form::Text),
        "How success is measured",
    ),
];

const WORKFLOW_STATE: &[Key] = &[
    required("name", Field::WorkflowName, Form::Text, "The workflow"),
    required("current_step", Field::CurrentStep, Form::Text, "The step it is at"),
    optional("completed_steps", Field::CompletedSteps, Form::Each(&Form::Text), "Steps behind"),
    optional("remaining_steps", Field::RemainingSteps, Form::Each(&Form::Text), "Steps ahead"),
];

const GATE: &[Key] = &[
    required(
        "type",
        Field::Type,
        Form::Choice(&["blocking", "informing"]),
        "Whether work waits for the answer",
    ),
    required("name", Field::Name, Form::Text, "The gate's name"),
    optional("step", Field::Step, Form::Text, "The step it stands at"),
];

const VALIDATION_REQUEST: &[Key] = &[
    required("items", Field::Items, Form::Each(&Form::Text), "What the person is to look at"),
    required("options", Field::GateOptions, Form::Tree, "What each answer means: approve, reject, question"),
];

const PACKAGE: &[Key] = &[
    required("id", Field::Id, Form::Id, "The handoff's id"),
    required("timestamp", Field::At, Form::Time, "When it was written"),
    required("from", Field::From, Form::Group(FROM), "Who hands over"),
    required("to", Field::To, Form::Group(TO), "Who receives"),
    required("context", Field::Summary, Form::Group(CONTEXT), "What is handed over"),
    recommended(
        "expectations",
        Field::Deliverable,
        Form::Group(EXPECTATIONS),
        "What is expected of the receiver",
    ),
    optional("workflow_state", Field::WorkflowState, Form::Map(WORKFLOW_STATE), "Where the workflow stands"),
    optional("gate", Field::Gate, Form::Map(GATE), "The gate that a person answers"),
    optional(
        "validation_request",
        Field::ValidationRequest,
        Form::Map(VALIDATION_REQUEST),
        "What the person is asked",
    ),
];

const ACKNOWLEDGMENT: &[Key] = &[
    required("received", Field::Received, Form::Flag, "Whether the package arrived"),
    recommended("from", Field::From, Form::Text, "Who sent it"),
    required(
        "understood",
        Field::Understood,
        Form::Tree,
        "The task and constraints as understood, or `partial`",
    ),
    optional("questions", Field::Questions, Form::Items(QUESTION), "What needs to be clarified"),
    optional("starting", Field::Starting, Form::Flag, "Whether work begins"),
    optional("blockers", Field::Blockers, Form::Items(BLOCKER), "What stands in the way"),
    optional(
        "action",
        Field::Action,
        Form::Choice(&["request_clarification"]),
        "What is asked of the sender",
    ),
];

const BLOCKER: &[Key] = &[required("blocker", Field::Blocker, Form::Text, "What stands in the way")];

pub(crate) static DEFINITION: Definition = Definition {
    dialect: Dialect::Package,
    name: "package",
    about: "Handoff packages, gates and acknowledgments",
    layout: Layout::Yaml { title: None },
    variants: &[
        Variant { name: "package", about: "A handoff package", wrapper: Some("handoff"), keys: PACKAGE },
        Variant {
            name: "acknowledgment",
            about: "The receiver's answer to a package",
            wrapper: Some("acknowledgment"),
            keys: ACKNOWLEDGMENT,
        },
    ],
    recognise,
    reads_prose: false,
};

fn recognise(offer: Offer<'_, '_>) -> Option<&'static Variant> {
    if let Some(inner) = offer.node.get("acknowledgment") {
        let inner = Offer { node: inner, ..offer };
        return (inner.count(&["received", "understood", "starting", "action"]) >= 1)
            .then_some(&DEFINITION.variants[1]);
    }
    let node = offer.node.get("handoff").unwrap_or(offer.node);
    let inner = Offer { node, ..offer };
    let names_agent = |key: &str| node.get(key).is_some_and(|value| value.get("agent").is_some());
    let parts = inner.count(&["context", "expectations", "workflow_state", "gate", "validation_request"]);
    (names_agent("from") || names_agent("to") || parts >= 2 && inner.count(&["from", "to"]) >= 1)
        .then_some(&DEFINITION.variants[0])
}
