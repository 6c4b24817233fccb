//! A handoff as it was read.

use crate::dialect::{Dialect, Origin, Variant};
use crate::record::Record;
use crate::span::Span;
use crate::tree::Node;

/// One handoff found in a document.
#[derive(Clone, Debug)]
pub struct Handoff<'s> {
    pub dialect: Dialect,
    pub variant: &'static Variant,
    pub origin: Origin,
    /// The block it was read from.
    pub span: Span,
    pub record: Record<'s>,
    /// The data as written, kept where the reader does not know every key of the form.
    pub tree: Option<Node<'s>>,
}

/// Why a document was not taken for a handoff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub reason: String,
    /// Whether it nearly was one: a template, a schema, an example.
    pub near_miss: bool,
}
