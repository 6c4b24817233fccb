//! The model as a note with sections.

use std::fmt::Write;

use super::{Loss, Written, join};
use crate::dialect::Variant;
use crate::field::{Field, Shape};
use crate::key::key_of;
use crate::record::{Record, Text, Value};

pub(super) fn write(record: &Record<'_>, variant: &'static Variant) -> Written {
    let is_note = variant.name == "freeform";
    let mut text = String::new();
    let mut losses = Vec::new();
    if let Some(body) = record.str(Field::Body).filter(|_| is_note) {
        return Written { text: body.to_owned(), losses };
    }
    text.push_str("# Handoff\n");
    for entry in record.entries.iter().filter(|entry| entry.field != Field::Body) {
        let Some(key) = key_of(variant.keys, entry.field) else {
            losses.push(Loss::new(entry.field.name().to_owned(), record.place(entry.field)));
            continue;
        };
        let heading = if is_note { heading_of(entry.field) } else { key.name.to_owned() };
        section(&mut text, &heading, &entry.value, entry.field, &mut losses);
    }
    losses.extend(
        record.extensions.iter().map(|extension| Loss::new(extension.key.to_string(), extension.key_span)),
    );
    Written { text, losses }
}

fn heading_of(field: Field) -> String {
    let words = field.name().replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn section(out: &mut String, heading: &str, value: &Value<'_>, field: Field, losses: &mut Vec<Loss>) {
    let _ = write!(out, "\n## {heading}\n\n");
    match value {
        Value::Text(text) => {
            let _ = writeln!(out, "{}", one_line(text));
        }
        Value::Texts(texts) => texts.iter().for_each(|text| {
            let _ = writeln!(out, "- {}", one_line(text));
        }),
        Value::Records(records) => {
            let Shape::Records(primary) = field.shape() else { return };
            for (at, record) in records.iter().enumerate() {
                let _ = writeln!(out, "- {}", record.text(primary).map(one_line).unwrap_or_default());
                for entry in record.entries.iter().filter(|entry| entry.field != primary) {
                    let path = join(&format!("{}[{at}]", field.name()), entry.field.name());
                    losses.push(Loss::new(path, record.place(entry.field)));
                }
            }
        }
        Value::Record(record) => losses.push(Loss::new(field.name().to_owned(), record.span)),
        Value::Tree(node) => losses.push(Loss::new(field.name().to_owned(), node.span)),
    }
}

fn one_line(text: &Text<'_>) -> String {
    text.value.split_whitespace().collect::<Vec<_>>().join(" ")
}
