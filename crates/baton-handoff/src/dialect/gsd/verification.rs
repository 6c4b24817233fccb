//! Verification, review and acceptance reports of a phase.

use crate::dialect::{Definition, Dialect, Layout, Offer, Origin, Variant};
use crate::field::Field;
use crate::key::{Form, Key, optional, recommended, required};

const GAP: &[Key] = &[
    optional("truth", Field::Blocker, Form::Text, "What should be true and is not"),
    optional("reason", Field::Impact, Form::Text, "Why it is not"),
];

const KEYS: &[Key] = &[
    recommended("phase", Field::Stage, Form::Text, "The phase"),
    required("status", Field::Verdict, Form::Text, "The verdict on the phase"),
    optional("verified", Field::At, Form::Text, "When it was verified"),
    optional("gaps", Field::Blockers, Form::Items(GAP), "What is missing"),
];

pub(crate) static DEFINITION: Definition = Definition {
    dialect: Dialect::GsdVerification,
    name: "gsd-verification",
    about: "A verification, review or acceptance report of a get-shit-done phase",
    layout: Layout::Frontmatter,
    variants: &[Variant {
        name: "gsd-verification",
        about: "A verification report",
        wrapper: None,
        keys: KEYS,
    }],
    recognise,
    reads_prose: true,
};

fn recognise(offer: Offer<'_, '_>) -> Option<&'static Variant> {
    let own = offer.count(&[
        "verified",
        "score",
        "gaps",
        "human_verification",
        "findings",
        "findings_in_scope",
        "fixed",
        "fixed_at",
        "reviewed",
        "review_path",
        "re_verification",
        "overrides_applied",
        "verdict",
        "source",
    ]);
    (offer.origin == Origin::Frontmatter && offer.count(&["phase", "status"]) == 2 && own >= 1)
        .then_some(&DEFINITION.variants[0])
}
