//! The note that a paused run leaves for whoever continues: frontmatter, then tagged sections.

use crate::dialect::{Definition, Dialect, Layout, Offer, Origin, Variant};
use crate::field::Field;
use crate::key::{Form, Key, optional, recommended, required};

const KEYS: &[Key] = &[
    recommended("phase", Field::Stage, Form::Text, "The phase"),
    optional("task", Field::Task, Form::Text, "The task in the plan"),
    required("status", Field::Status, Form::Text, "How the session stands"),
    recommended("last_updated", Field::At, Form::Text, "When it was written"),
];

pub(crate) static DEFINITION: Definition = Definition {
    dialect: Dialect::GsdContinue,
    name: "gsd-continue",
    about: "The note of a paused get-shit-done run",
    layout: Layout::Frontmatter,
    variants: &[Variant { name: "gsd-continue", about: "A pause note", wrapper: None, keys: KEYS }],
    recognise,
    reads_prose: true,
};

fn recognise(offer: Offer<'_, '_>) -> Option<&'static Variant> {
    let usual = offer.count(&["phase", "task", "total_tasks", "status", "last_updated"]);
    (offer.origin == Origin::Frontmatter && usual >= 3 && offer.count(&["status", "last_updated"]) >= 1)
        .then_some(&DEFINITION.variants[0])
}
