//! A document as sections, and each section as items, rows and paragraphs.

use crate::span::Span;

use super::lexicon::Meaning;

/// What a section is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum UnitKind {
    Item {
        checked: Option<bool>,
        indent: usize,
    },
    /// The first row of a table.
    Head,
    Row,
    Paragraph {
        indent: usize,
    },
    /// A heading below the label that has no meaning of its own.
    Heading,
    /// A line inside a fence.
    Code,
    /// `Key: value`, with the key's meaning.
    Key {
        meaning: Meaning,
        name: Span,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    pub kind: UnitKind,
    /// Without markers.
    pub text: Span,
    /// Whether it explains the heading or label above it instead of standing for itself.
    pub detail: bool,
}

#[derive(Debug)]
pub(super) struct Section {
    pub meaning: Option<Meaning>,
    pub label: Span,
    /// Whether its `Key: value` lines speak of the whole document.
    pub about_document: bool,
    pub units: Vec<Unit>,
}

#[derive(Debug, Default)]
pub(super) struct Outline {
    pub title: Option<Span>,
    pub headings: Vec<Span>,
    /// Headings that are neither the title nor a label of the lexicon.
    pub unknown_headings: usize,
    pub has_title: bool,
    /// Sections that a tag opens.
    pub tags: usize,
    pub sections: Vec<Section>,
    /// Whether older entries of an append-only file were left out.
    pub has_older_entries: bool,
}
