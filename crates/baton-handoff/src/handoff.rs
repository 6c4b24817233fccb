//! A handoff as it was read.

use crate::dialect::{Dialect, Origin, Variant, generic};
use crate::field::Field;
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
    /// keys, or under `context`, is read by its meaning. The dialect's own fields come first.
    pub fn everything(&self) -> Record<'s> {
        let mut record = self.record.clone();
        let extensions = record.extensions.iter().map(|extension| Pair {
            key: extension.key.clone(),
            key_span: extension.key_span,
            value: extension.value.clone(),
        });
        let mut pairs: Vec<Pair<'s>> = extensions.collect();
        pairs.extend(record.tree(Field::Context).and_then(Node::pairs).unwrap_or_default().iter().cloned());
        if pairs.is_empty() {
            return record;
        }
        let node = Node { span: record.span, kind: Kind::Map(pairs) };
        let beyond = read::read_loosely(&node, generic::variant(), &mut Report::default());
        let is_new = |entry: &Entry<'s>| !self.record.has(entry.field);
        record.entries.extend(beyond.entries.into_iter().filter(is_new));
        record
    }
}

/// Why a document was not taken for a handoff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub reason: String,
    /// Whether it nearly was one: a template, a schema, an example.
    pub near_miss: bool,
}
