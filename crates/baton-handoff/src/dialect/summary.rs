//! Completion summaries: a `handoff:` block of YAML in an agent's report.

use super::{Definition, Dialect, Layout, Offer, Variant};
use crate::field::Field;
use crate::key::{Form, Key, Vocabulary, optional, required};

/// The phases that are built in.
pub(crate) const PHASES: &[&str] =
    &["Research", "Planning", "Infrastructure", "Implementation", "Testing", "Integration", "QA", "Complete"];

const ON_FAILURE: &[Key] = &[
    optional("retry", Field::Retry, Form::Integer, "How often to try again"),
    optional("route_to", Field::RouteTo, Form::Agent, "Who gets the failure"),
    optional("notify", Field::Notify, Form::Agent, "Who is told"),
    optional(
        "escalate_after",
        Field::EscalateAfter,
        Form::Integer,
        "After how many failures a human decides",
    ),
    optional("context", Field::FailureContext, Form::Text, "What whoever handles the failure should know"),
];

const KEYS: &[Key] = &[
    required("phase", Field::Stage, Form::Word(Vocabulary::Phases), "The phase that ends"),
    required("from", Field::From, Form::Agent, "Who hands over"),
    required("to", Field::To, Form::AgentOrNone, "Who goes on, or None at the end"),
    required(
        "status",
        Field::Status,
        Form::Choice(&["pending", "in_progress", "complete", "failed", "blocked", "retry"]),
        "How the phase stands",
    ),
    optional("retry_count", Field::RetryCount, Form::Count { max: i64::MAX }, "How often it was tried again"),
    optional("metrics", Field::Metrics, Form::Tree, "Figures of this agent"),
    optional("dependencies", Field::Dependencies, Form::Each(&Form::Id), "Tasks this one depends on"),
    optional("on_failure", Field::OnFailure, Form::Map(ON_FAILURE), "What happens when it fails"),
    optional("timestamp", Field::At, Form::Time, "When this was written"),
    optional("context", Field::Context, Form::Tree, "Whatever else the next agent needs"),
];

pub(crate) static DEFINITION: Definition = Definition {
    dialect: Dialect::Summary,
    name: "summary",
    about: "A `handoff:` block of YAML in a completion summary",
    layout: Layout::Fence { heading: "Handoff" },
    variants: &[Variant {
        name: "summary",
        about: "A completion summary",
        wrapper: Some("handoff"),
        keys: KEYS,
    }],
    recognise,
    reads_prose: false,
};

fn recognise(offer: Offer<'_, '_>) -> Option<&'static Variant> {
    let Some(inner) = offer.node.get("handoff") else {
        // Without the wrapper only a whole block of the right words will do: `from` and `to` mean files elsewhere.
        let words = offer.count(&["phase", "from", "to", "status"]);
        let more = offer.count(&["retry_count", "metrics", "on_failure", "dependencies"]);
        return (words == 4 || words == 3 && more >= 1).then_some(&DEFINITION.variants[0]);
    };
    let inner = Offer { node: inner, ..offer };
    let scalar = |key: &str| inner.node.get(key).is_none_or(|value| value.text().is_some());
    let words = inner.count(&["phase", "from", "to", "status"]);
    let named = inner.count(&["from", "to"]);
    (words >= 2 && (named >= 1 || words >= 3) && scalar("from") && scalar("to"))
        .then_some(&DEFINITION.variants[0])
}
