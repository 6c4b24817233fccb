//! From the model to a document of any dialect, with a list of what that dialect has no place for.

mod json;
mod prose;
pub(crate) mod yaml;

use std::borrow::Cow;

use crate::dialect::{Definition, Layout, Origin, Variant};
use crate::field::Field;
use crate::handoff::Handoff;
use crate::key::{Form, Key, key_of};
use crate::record::{Extension, Record, Text, Value};
use crate::span::Span;
use crate::tree::{Kind, Node, Pair};

/// Something the target dialect has no place for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Where it stood in the model, as in `gotchas[2].mitigation`.
    pub path: String,
    pub span: Span,
    /// The field under which its meaning lives on in part.
    pub kept_as: Option<Field>,
}

impl Loss {
    pub(crate) fn new(path: impl Into<String>, span: Span) -> Self {
        Self { path: path.into(), span, kept_as: None }
    }
}

/// A document written, and what it could not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub text: String,
    pub losses: Vec<Loss>,
}

/// Writes a handoff in the form of a dialect.
pub fn write(handoff: &Handoff<'_>, definition: &'static Definition, variant: &'static Variant) -> Written {
    let body = handoff.record.str(Field::Body);
    if let Some(tree) = handoff.tree.as_ref().filter(|_| handoff.dialect == definition.dialect) {
        // Data of unknown form goes back to where it stood: frontmatter keeps the prose below it.
        let layout =
            if handoff.origin == Origin::Frontmatter { Layout::Frontmatter } else { definition.layout };
        return Written { text: lay_out(tree, layout, body), losses: Vec::new() };
    }
    if definition.layout == Layout::Prose {
        return prose::write(&handoff.record, variant);
    }
    let mut losses = Vec::new();
    let node = tree_of(&handoff.record, variant.keys, "", &mut losses);
    let node = match variant.wrapper {
        Some(wrapper) => map_of(vec![pair(wrapper, node)]),
        None => node,
    };
    if let (Some(_), Layout::Yaml { .. } | Layout::Json) = (body, definition.layout) {
        losses.push(Loss::new(Field::Body.name(), handoff.record.place(Field::Body)));
    }
    Written { text: lay_out(&node, definition.layout, body), losses }
}

fn lay_out(node: &Node<'_>, layout: Layout, body: Option<&str>) -> String {
    let body = body.unwrap_or_default();
    match layout {
        Layout::Yaml { title: None } => yaml::block(node),
        Layout::Yaml { title: Some(title) } => format!("# {title}\n{}", yaml::block(node)),
        Layout::Json => json::pretty(node),
        Layout::Frontmatter => format!("---\n{}---\n{body}", yaml::block(node)),
        Layout::Fence { heading } => {
            let gap = if body.is_empty() { "" } else { "\n" };
            format!("{body}{gap}## {heading}\n\n```yaml\n{}```\n", yaml::block(node))
        }
        Layout::Prose => body.to_owned(),
    }
}

/// Builds the tree of a record by a key table, in the table's order, with the extensions last.
pub(crate) fn tree_of<'s>(
    record: &Record<'s>,
    keys: &'static [Key],
    path: &str,
    losses: &mut Vec<Loss>,
) -> Node<'s> {
    let mut pairs = pairs_of(record, keys, path, losses);
    pairs.extend(record.extensions.iter().map(|extension| Pair {
        key: extension.key.clone(),
        key_span: Span::default(),
        value: extension.value.clone(),
    }));
    for entry in &record.entries {
        if entry.field != Field::Body && key_of(keys, entry.field).is_none() && !entry.value.is_blank() {
            losses.push(Loss::new(join(path, entry.field.name()), record.place(entry.field)));
        }
    }
    map_of(pairs)
}

fn pairs_of<'s>(
    record: &Record<'s>,
    keys: &'static [Key],
    path: &str,
    losses: &mut Vec<Loss>,
) -> Vec<Pair<'s>> {
    let mut pairs = Vec::new();
    for key in keys {
        if let Form::Group(inner) = key.form {
            let grouped = pairs_of(record, inner, path, losses);
            if !grouped.is_empty() {
                pairs.push(pair(key.name, map_of(grouped)));
            }
            continue;
        }
        for entry in record.entries.iter().filter(|entry| entry.field == key.field) {
            let path = join(path, entry.field.name());
            pairs.push(pair(key.name, value_node(&entry.value, key, &path, losses)));
        }
    }
    pairs
}

fn value_node<'s>(value: &Value<'s>, key: &'static Key, path: &str, losses: &mut Vec<Loss>) -> Node<'s> {
    let list = |items: Vec<Node<'s>>| Node { span: Span::default(), kind: Kind::List(items) };
    match value {
        Value::Text(text) => text_node(text),
        Value::Texts(texts) => list(texts.iter().map(text_node).collect()),
        Value::Tree(node) => node.clone(),
        Value::Record(record) => tree_of(record, key.inner(), path, losses),
        Value::Records(records) => {
            let mut items = Vec::with_capacity(records.len());
            for (at, record) in records.iter().enumerate() {
                items.push(item_node(record, key, &format!("{path}[{at}]"), losses));
            }
            list(items)
        }
    }
}

/// Builds an item: a bare text where the dialect knows only one key for it.
fn item_node<'s>(record: &Record<'s>, key: &'static Key, path: &str, losses: &mut Vec<Loss>) -> Node<'s> {
    if let [only] = key.inner() {
        let bare = record.entries.iter().find(|entry| entry.field == only.field).map(|entry| &entry.value);
        if let (Some(Value::Text(text)), true) = (bare, record.extensions.is_empty()) {
            tree_of(record, key.inner(), path, losses);
            return text_node(text);
        }
    }
    tree_of(record, key.inner(), path, losses)
}

fn text_node<'s>(text: &Text<'s>) -> Node<'s> {
    Node::scalar(text.value.clone(), text.style, Span::default())
}

fn map_of(pairs: Vec<Pair<'_>>) -> Node<'_> {
    Node { span: Span::default(), kind: Kind::Map(pairs) }
}

fn pair<'s>(key: &'static str, value: Node<'s>) -> Pair<'s> {
    Pair { key: Cow::Borrowed(key), key_span: Span::default(), value }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Returns the canonical model as a tree, for machine output: every field under its canonical name.
pub fn canonical<'s>(record: &Record<'s>) -> Node<'s> {
    let mut pairs: Vec<Pair<'s>> = Vec::new();
    for entry in &record.entries {
        pairs.push(pair(entry.field.name(), canonical_value(&entry.value)));
    }
    if !record.extensions.is_empty() {
        let extensions = record.extensions.iter().map(|Extension { key, value, .. }| Pair {
            key: key.clone(),
            key_span: Span::default(),
            value: value.clone(),
        });
        pairs.push(pair("extensions", map_of(extensions.collect())));
    }
    map_of(pairs)
}

fn canonical_value<'s>(value: &Value<'s>) -> Node<'s> {
    let list = |items: Vec<Node<'s>>| Node { span: Span::default(), kind: Kind::List(items) };
    match value {
        Value::Text(text) => text_node(text),
        Value::Texts(texts) => list(texts.iter().map(text_node).collect()),
        Value::Tree(node) => node.clone(),
        Value::Record(record) => canonical(record),
        Value::Records(records) => list(records.iter().map(canonical).collect()),
    }
}

/// Writes a tree as JSON text.
pub fn to_json(node: &Node<'_>) -> String {
    json::pretty(node)
}
