//! The tasks of a document and what each depends on.

use std::collections::BTreeMap;

use crate::alias;
use crate::field::Field;
use crate::handoff::Handoff;
use crate::key;
use crate::record::{Confidence, Text};
use crate::tree::Node;

/// Returns the names of the task that a handoff is about. Dialects without a key for it keep it as an extension.
pub(super) fn names<'a>(handoff: &'a Handoff<'_>) -> Vec<&'a str> {
    let record = &handoff.record;
    let is_name = |key: &str| {
        matches!(alias::field(&key::normalise(key)), Some(Field::Task | Field::Id)) || key == "id"
    };
    let fields = [Field::Id, Field::Task].into_iter().filter_map(|field| record.str(field));
    let extensions = record.extensions.iter().filter(|extension| is_name(&extension.key));
    let extensions = extensions.filter_map(|extension| Node::text(&extension.value));
    fields.chain(extensions).map(str::trim).filter(|name| !name.is_empty()).collect()
}

/// Returns the dependencies that were written as data.
pub(super) fn dependencies<'a, 's>(handoff: &'a Handoff<'s>) -> impl Iterator<Item = &'a Text<'s>> + Clone {
    let stated = |text: &&Text<'_>| text.confidence == Confidence::Stated && !text.is_blank();
    handoff.record.texts(Field::Dependencies).iter().filter(stated)
}

/// Returns for each handoff those that it depends on, with the words that say so.
pub(super) fn edges<'a, 's>(handoffs: &'a [Handoff<'s>]) -> Vec<Vec<(usize, &'a Text<'s>)>> {
    let mut owners: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, handoff) in handoffs.iter().enumerate() {
        for name in names(handoff) {
            owners.entry(name).or_insert(at);
        }
    }
    let others = |at: usize, text: &'a Text<'s>| {
        owners.get(text.value.trim()).filter(|owner| **owner != at).map(|owner| (*owner, text))
    };
    let edges = |(at, handoff)| dependencies(handoff).filter_map(|text| others(at, text)).collect();
    handoffs.iter().enumerate().map(edges).collect()
}
