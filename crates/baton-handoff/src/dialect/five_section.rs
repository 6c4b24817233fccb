//! Notes of five sections: Observation, Logic Chain, Caveats, Conclusion, Verification Method.

use super::{Definition, Dialect, Layout, Offer, Variant};
use crate::field::Field;
use crate::key::{Form, Key, optional, required};

const CAVEAT: &[Key] = &[required("caveat", Field::Issue, Form::Text, "What one should know")];

const KEYS: &[Key] = &[
    required("Observation", Field::Done, Form::Each(&Form::Text), "What was seen and done"),
    optional("Logic Chain", Field::Decisions, Form::Items(STEP), "How one thing follows from the other"),
    optional("Caveats", Field::Gotchas, Form::Items(CAVEAT), "What one should know"),
    required("Conclusion", Field::Summary, Form::Text, "What follows from it"),
    optional("Verification Method", Field::Verification, Form::Each(&Form::Text), "How to check it"),
];

const STEP: &[Key] = &[required("step", Field::Decision, Form::Text, "One step of the chain")];

pub(crate) static DEFINITION: Definition = Definition {
    dialect: Dialect::FiveSection,
    name: "five-section",
    about: "Notes with Observation, Logic Chain, Caveats, Conclusion and Verification Method",
    layout: Layout::Prose,
    variants: &[Variant { name: "five-section", about: "A five-section note", wrapper: None, keys: KEYS }],
    recognise,
    reads_prose: true,
};

/// Sections are prose: `document` recognises them by their headings.
fn recognise(_: Offer<'_, '_>) -> Option<&'static Variant> {
    None
}

/// Says whether these headings are those of a five-section note.
pub(crate) fn has_headings<'a>(headings: impl Iterator<Item = &'a str>) -> bool {
    let mut seen = [false; KEYS.len()];
    for heading in headings {
        let words =
            heading.trim_start_matches(|mark: char| mark.is_ascii_digit() || matches!(mark, '.' | ' ' | ')'));
        if let Some(at) = KEYS.iter().position(|key| words.eq_ignore_ascii_case(key.name)) {
            seen[at] = true;
        }
    }
    seen.iter().filter(|seen| **seen).count() >= 3
}
