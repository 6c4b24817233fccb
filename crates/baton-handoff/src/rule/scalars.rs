//! Every scalar that was written as data, wherever it stands in a handoff.

use crate::field::Field;
use crate::handoff::Handoff;
use crate::record::{Confidence, Entry, Record, Text, Value};
use crate::span::Span;
use crate::tree::{Kind, Node, Style};

/// A scalar with the place of its key, where it has one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written<'a> {
    pub(super) value: &'a str,
    pub(super) style: Style,
    pub(super) span: Span,
    pub(super) key_span: Option<Span>,
}

/// Calls `take` with every scalar but the body's and those that were found in prose.
pub(super) fn each<'a>(handoff: &'a Handoff<'_>, take: &mut dyn FnMut(Written<'a>)) {
    match &handoff.tree {
        Some(tree) => each_of_node(tree, None, take),
        None => each_of_record(&handoff.record, take),
    }
}

fn each_of_record<'a>(record: &'a Record<'_>, take: &mut dyn FnMut(Written<'a>)) {
    for Entry { field, key_span, value } in &record.entries {
        match value {
            _ if *field == Field::Body => {}
            Value::Text(text) => each_of_text(text, Some(*key_span), take),
            Value::Texts(texts) => texts.iter().for_each(|text| each_of_text(text, None, take)),
            Value::Records(records) => records.iter().for_each(|record| each_of_record(record, take)),
            Value::Record(record) => each_of_record(record, take),
            Value::Tree(node) => each_of_node(node, Some(*key_span), take),
        }
    }
    for extension in &record.extensions {
        take(key(&extension.key, extension.key_span));
        each_of_node(&extension.value, Some(extension.key_span), take);
    }
}

fn each_of_text<'a>(text: &'a Text<'_>, key_span: Option<Span>, take: &mut dyn FnMut(Written<'a>)) {
    if text.confidence == Confidence::Stated {
        take(Written { value: text.as_str(), style: text.style, span: text.span, key_span });
    }
}

fn each_of_node<'a>(node: &'a Node<'_>, key_span: Option<Span>, take: &mut dyn FnMut(Written<'a>)) {
    match &node.kind {
        Kind::Scalar { text, style } => {
            take(Written { value: text, style: *style, span: node.span, key_span })
        }
        Kind::List(items) => items.iter().for_each(|item| each_of_node(item, None, take)),
        Kind::Map(pairs) => {
            for pair in pairs {
                take(key(&pair.key, pair.key_span));
                each_of_node(&pair.value, Some(pair.key_span), take);
            }
        }
    }
}

/// Returns a key that no dialect knows, which is text like any other.
fn key(key: &str, span: Span) -> Written<'_> {
    Written { value: key, style: Style::Plain, span, key_span: None }
}
