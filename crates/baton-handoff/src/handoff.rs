//! A handoff as it was read.

use std::borrow::Cow;

use crate::alias;
use crate::dialect::{Dialect, Origin, Variant, generic};
use crate::document;
use crate::field::Field;
use crate::key;
use crate::read;
use crate::record::{Entry, Record};
use crate::report::Report;
use crate::span::Span;
use crate::tree::{Kind, Node, Pair};

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

impl<'s> Handoff<'s> {
    /// Returns everything that the handoff says, whether or not its dialect has a key for it: what stands under other
    /// keys, or under `context`, is read by its meaning, and so are questions and blockers in a data block of the text around
    /// it. The dialect's own fields come first.
    pub fn everything(&self) -> Record<'s> {
        let mut record = self.record.clone();
        let extensions = record.extensions.iter().map(|extension| Pair {
            key: extension.key.clone(),
            key_span: extension.key_span,
            value: extension.value.clone(),
        });
        let mut pairs: Vec<Pair<'s>> = extensions.collect();
        pairs.extend(record.tree(Field::Context).and_then(Node::pairs).unwrap_or_default().iter().cloned());
        pairs.extend(self.open_in_body());
        if pairs.is_empty() {
            return record;
        }
        let node = Node { span: record.span, kind: Kind::Map(pairs) };
        let beyond = read::read_loosely(&node, generic::variant(), &mut Report::default());
        let is_new = |entry: &Entry<'s>| !self.record.has(entry.field);
        record.entries.extend(beyond.entries.into_iter().filter(is_new));
        record
    }

    /// Returns the open questions and blockers in data blocks of the text around the data.
    fn open_in_body(&self) -> Vec<Pair<'s>> {
        let Some(body) = self.record.text(Field::Body) else { return Vec::new() };
        let mut nodes = match &body.value {
            Cow::Borrowed(text) => document::blocks_in(text),
            Cow::Owned(text) => document::blocks_in(text).into_iter().map(Node::into_owned).collect(),
        };
        // A text that was put together has no place of its own.
        let start = body.span.start as usize;
        let is_whole = matches!(body.value, Cow::Borrowed(_));
        let shift = |span: Span| match is_whole {
            true => Span::new(start + span.start as usize, start + span.end as usize),
            false => Span::at(start),
        };
        nodes.iter_mut().for_each(|node| node.map_spans(&shift));
        let is_open = |pair: &Pair<'_>| {
            matches!(alias::field(&key::normalise(&pair.key)), Some(Field::Questions | Field::Blockers))
        };
        let pairs = nodes.into_iter().filter_map(|node| match node.kind {
            Kind::Map(pairs) => Some(pairs),
            Kind::Scalar { .. } | Kind::List(_) => None,
        });
        pairs.flatten().filter(is_open).collect()
    }
}

/// Why a document was not taken for a handoff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub reason: String,
    /// Whether it nearly was one: a template, a schema, an example.
    pub near_miss: bool,
}
