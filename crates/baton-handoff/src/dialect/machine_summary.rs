//! Reports of agent flows that end in a short block for the router: status, action, blockers.

use super::{Definition, Dialect, Layout, Offer, Variant};
use crate::field::Field;
use crate::key::{Form, Key, optional, required};

const BLOCKER: &[Key] = &[required("blocker", Field::Blocker, Form::Text, "What stands in the way")];
const CONCERN: &[Key] = &[required("concern", Field::Issue, Form::Text, "What one should know")];

const KEYS: &[Key] = &[
    required("status", Field::Status, Form::Text, "How the report itself stands"),
    optional(
        "recommended_action",
        Field::Verdict,
        Form::Text,
        "What the router should do: PROCEED, RERUN, BOUNCE, FIX_ENV",
    ),
    optional("route_to_agent", Field::To, Form::Text, "Who gets it next"),
    optional("route_to_flow", Field::ToReason, Form::Text, "Which flow it goes to"),
    optional("blockers", Field::Blockers, Form::Items(BLOCKER), "What stands in the way"),
    optional(
        "missing_required",
        Field::Dependencies,
        Form::Each(&Form::Text),
        "What was needed and not there",
    ),
    optional("concerns", Field::Gotchas, Form::Items(CONCERN), "What one should know"),
];

pub(crate) static DEFINITION: Definition = Definition {
    dialect: Dialect::MachineSummary,
    name: "machine-summary",
    about: "A report with a machine-readable summary for routing",
    layout: Layout::Fence { heading: "Machine Summary" },
    variants: &[Variant { name: "machine-summary", about: "A machine summary", wrapper: None, keys: KEYS }],
    recognise,
    reads_prose: true,
};

fn recognise(offer: Offer<'_, '_>) -> Option<&'static Variant> {
    let own = offer.count(&["recommended_action", "route_to_agent", "route_to_flow", "missing_required"]);
    (offer.has("status") && (own >= 2 || own == 1 && offer.has("blockers")))
        .then_some(&DEFINITION.variants[0])
}
