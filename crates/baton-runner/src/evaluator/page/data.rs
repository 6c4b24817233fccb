//! The data of a handoff in entries.

use baton_handoff::field::Field;
use baton_handoff::record::{Record, Value};
use baton_handoff::tree::{Kind, Node};

use super::super::id::Id;
use super::super::topic::{Topic, topics};
use super::{Form, Item, item, plain};

/// How deep data is read.
const DEPTH_MAX: usize = 8;

pub(super) fn read(record: &Record<'_>, items: &mut Vec<Item>) {
    within(record, &[], 0, items);
}

fn within(record: &Record<'_>, above: &[Topic], depth: usize, items: &mut Vec<Item>) {
    if depth > DEPTH_MAX {
        return;
    }
    // The body is Markdown, and read as such.
    for entry in record.entries.iter().filter(|entry| entry.field != Field::Body) {
        let about = under(entry.field.name(), above);
        match &entry.value {
            Value::Text(text) if !text.is_blank() => items.push(item(Form::Prose, text.as_str(), about)),
            Value::Text(_) => {}
            Value::Texts(texts) => {
                let told = texts.iter().filter(|text| !text.is_blank());
                items.extend(told.map(|text| item(Form::Entry, text.as_str(), about.clone())));
            }
            Value::Records(records) => {
                for one in records {
                    items.push(of_cells(cells(one), &about));
                    nested(one, &about, depth, items);
                }
            }
            Value::Record(one) => within(one, &about, depth + 1, items),
            Value::Tree(node) => tree(node, &about, depth + 1, items),
        }
    }
    for own in &record.extensions {
        tree(&own.value, &under(&own.key, above), depth + 1, items);
    }
}

/// Reads the lists inside of an item, which are things of their own.
fn nested(record: &Record<'_>, above: &[Topic], depth: usize, items: &mut Vec<Item>) {
    for entry in &record.entries {
        let about = under(entry.field.name(), above);
        match &entry.value {
            Value::Texts(texts) => {
                items.extend(texts.iter().map(|text| item(Form::Entry, text.as_str(), about.clone())));
            }
            Value::Tree(node) => tree(node, &about, depth + 1, items),
            Value::Text(_) | Value::Records(_) | Value::Record(_) => {}
        }
    }
    for own in record.extensions.iter().filter(|own| own.value.text().is_none()) {
        tree(&own.value, &under(&own.key, above), depth + 1, items);
    }
}

fn tree(node: &Node<'_>, about: &[Topic], depth: usize, items: &mut Vec<Item>) {
    if depth > DEPTH_MAX {
        return;
    }
    match &node.kind {
        Kind::Scalar { text, .. } if text.trim().is_empty() || matches!(text.as_ref(), "null" | "~") => {}
        Kind::Scalar { text, .. } => items.push(item(Form::Prose, text, about.to_vec())),
        Kind::List(all) => {
            for one in all {
                match one.pairs() {
                    Some(pairs) => {
                        let told =
                            pairs.iter().map(|pair| (pair.key.to_string(), words(&pair.value))).collect();
                        items.push(of_cells(told, about));
                        for pair in pairs.iter().filter(|pair| pair.value.text().is_none()) {
                            tree(&pair.value, &under(&pair.key, about), depth + 1, items);
                        }
                    }
                    None => items.push(item(Form::Entry, &words(one), about.to_vec())),
                }
            }
        }
        Kind::Map(pairs) => {
            for pair in pairs {
                match Id::read(&pair.key) {
                    // `AC-1: it prints three lines`
                    Some(id) => {
                        let own = item(Form::Entry, &words(&pair.value), about.to_vec());
                        items.push(Item { id: Some(id), ..own });
                    }
                    None => tree(&pair.value, &under(&pair.key, about), depth + 1, items),
                }
            }
        }
    }
}

fn under(key: &str, above: &[Topic]) -> Vec<Topic> {
    let own = topics(key);
    if own.is_empty() { above.to_vec() } else { own }
}

/// Returns an item of data that has keys of its own.
fn of_cells(cells: Vec<(String, String)>, about: &[Topic]) -> Item {
    let cells: Vec<(String, String)> =
        cells.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect();
    let texts: Vec<&str> =
        cells.iter().filter(|(key, _)| key != "id").map(|(_, text)| text.as_str()).collect();
    let mut own = item(Form::Entry, &texts.join(" | "), about.to_vec());
    own.id = cells.iter().find(|(key, _)| key == "id").and_then(|(_, id)| Id::read(id)).or(own.id);
    for topic in cells.iter().flat_map(|(key, _)| topics(key)) {
        if matches!(topic, Topic::Task | Topic::Test) && !own.topics.contains(&topic) {
            own.topics.push(topic);
        }
    }
    own.cells = cells;
    own
}

fn cells(record: &Record<'_>) -> Vec<(String, String)> {
    let fields = record.entries.iter().map(|entry| {
        let text = match &entry.value {
            Value::Text(text) if text.is_null() => String::new(),
            Value::Text(text) => text.as_str().to_owned(),
            Value::Texts(texts) => texts.iter().map(|text| text.as_str()).collect::<Vec<_>>().join(", "),
            Value::Records(records) => {
                let told = records.iter().flat_map(cells).map(|(_, text)| text);
                told.collect::<Vec<_>>().join(", ")
            }
            Value::Record(one) => cells(one).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(", "),
            Value::Tree(node) => words(node),
        };
        (entry.field.name().to_owned(), text)
    });
    let own = record.extensions.iter().map(|own| (own.key.to_string(), words(&own.value)));
    fields.chain(own).collect()
}

/// Returns all words of a node.
fn words(node: &Node<'_>) -> String {
    match &node.kind {
        Kind::Scalar { text, .. } => plain(text),
        Kind::List(all) => all.iter().map(words).collect::<Vec<_>>().join(", "),
        Kind::Map(pairs) => {
            let told = pairs.iter().map(|pair| format!("{}: {}", pair.key, words(&pair.value)));
            told.collect::<Vec<_>>().join(", ")
        }
    }
}
