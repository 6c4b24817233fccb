//! What a handoff says under keys that its dialect doesn't have, however deep.

use baton_handoff::field::Field;
use baton_handoff::record::Record;
use baton_handoff::span::Span;
use baton_handoff::tree::{Kind, Node};

use super::Source;
use crate::finding::Said;

/// Deeper than this nothing is read.
const DEPTH_MAX: usize = 8;
/// Keys under which a document speaks of something else than its result.
const OTHER_KEYS: &[&str] = &[
    "plan",
    "history",
    "previous",
    "background",
    "example",
    "last_failure",
    "notes_for_next",
    "out_of_scope",
    "expectations",
    "next",
];

/// A value under a key, with the keys above it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beyond<'r, 's> {
    pub(super) key: &'r str,
    pub(super) key_span: Span,
    /// The key above, where there is one.
    pub(super) parent: &'r str,
    pub(super) value: &'r Node<'s>,
}

impl<'r, 's> Beyond<'r, 's> {
    /// Returns the key as it is compared: in lower case, with `_` between its words.
    pub(super) fn name(&self) -> String {
        plain(self.key)
    }

    /// Returns the items of a list, or the one value.
    pub(super) fn nodes(&self) -> &'r [Node<'s>] {
        self.value.items().unwrap_or(std::slice::from_ref(self.value))
    }
}

pub(super) fn plain(key: &str) -> String {
    key.trim().to_lowercase().replace(['-', ' '], "_")
}

/// Says whether a key is about something else than the result of the work.
pub(super) fn is_other(key: &str) -> bool {
    let key = plain(key);
    OTHER_KEYS.iter().any(|other| key.contains(other))
}

/// Returns every value under the keys that are not the dialect's own, also under `context` and its like, in order.
pub(super) fn all<'r, 's>(record: &'r Record<'s>) -> Vec<Beyond<'r, 's>> {
    let mut found = Vec::new();
    for own in record.extensions.iter().filter(|own| !is_other(&own.key)) {
        let one = Beyond { key: &own.key, key_span: own.key_span, parent: "", value: &own.value };
        found.push(one);
        below(one, 0, &mut found);
    }
    for field in [Field::Context, Field::Metrics, Field::CompletionClaim] {
        if let Some(tree) = record.tree(field) {
            let top = Beyond { key: "", key_span: tree.span, parent: "", value: tree };
            below(top, 0, &mut found);
        }
    }
    found
}

fn below<'r, 's>(above: Beyond<'r, 's>, depth: usize, found: &mut Vec<Beyond<'r, 's>>) {
    if depth >= DEPTH_MAX {
        return;
    }
    match &above.value.kind {
        Kind::Scalar { .. } => {}
        Kind::List(items) => {
            items.iter().for_each(|item| below(Beyond { value: item, ..above }, depth + 1, found));
        }
        Kind::Map(pairs) => {
            for pair in pairs.iter().filter(|pair| !is_other(&pair.key)) {
                let one =
                    Beyond { key: &pair.key, key_span: pair.key_span, parent: above.key, value: &pair.value };
                found.push(one);
                below(one, depth + 1, found);
            }
        }
    }
}

/// Returns the values of the keys that `wanted` accepts, the items of lists one by one.
pub(super) fn under<'r, 's>(record: &'r Record<'s>, wanted: fn(&str) -> bool) -> Vec<(Span, &'r Node<'s>)> {
    let chosen = all(record).into_iter().filter(|one| wanted(&one.name()));
    chosen.flat_map(|one| one.nodes().iter().map(move |node| (one.key_span, node))).collect()
}

pub(super) fn texts(record: &Record<'_>, wanted: fn(&str) -> bool, source: &Source<'_>) -> Vec<Said> {
    under(record, wanted)
        .into_iter()
        .filter_map(|(_, node)| Some(Said::new(node.text()?, source.place(node.span))))
        .collect()
}

/// Returns the text under the first of several keys of a mapping.
pub(super) fn said_under(node: &Node<'_>, keys: &[&str], source: &Source<'_>) -> Option<Said> {
    let value = keys.iter().find_map(|key| node.get(key))?;
    Some(Said::new(value.text()?, source.place(value.span)))
}
