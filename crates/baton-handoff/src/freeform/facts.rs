//! Gathering facts into a record, each in the shape of its field, up to a bound.

use std::collections::BTreeSet;

use crate::field::{Field, Shape};
use crate::limit;
use crate::record::{Confidence, Entry, Record, Text, Value};
use crate::span::Span;
use crate::tree::Style;

use super::placeholder::is_placeholder;
use super::text;
use crate::outcome::is_none_word;

#[derive(Debug)]
pub(super) struct Facts<'s> {
    source: &'s str,
    entries: Vec<Entry<'s>>,
    paths: BTreeSet<&'s str>,
    count: usize,
    /// The fields that a label led to.
    pub labelled: BTreeSet<Field>,
    /// Items dropped because somebody still has to fill them in.
    pub placeholders: usize,
}

impl<'s> Facts<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self {
            source,
            entries: Vec::new(),
            paths: BTreeSet::new(),
            count: 0,
            labelled: BTreeSet::new(),
            placeholders: 0,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.count >= limit::FACTS_MAX
    }

    pub(super) fn has(&self, field: Field) -> bool {
        self.entries.iter().any(|entry| entry.field == field)
    }

    pub(super) fn str(&self, field: Field) -> Option<&str> {
        let entry = self.entries.iter().find(|entry| entry.field == field)?;
        match &entry.value {
            Value::Text(text) => Some(text.as_str()),
            Value::Texts(_) | Value::Records(_) | Value::Record(_) | Value::Tree(_) => None,
        }
    }

    /// Adds the text under `span`, unless it is an empty answer or a placeholder. The first scalar wins.
    pub(super) fn add(&mut self, field: Field, label: Span, span: Span, confidence: Confidence) -> bool {
        let text = text::found(self.source, span, confidence);
        if is_placeholder(&text.value) {
            self.placeholders += 1;
            return false;
        }
        if text.value.is_empty() || is_none_word(&text.value) || self.is_full() {
            return false;
        }
        if confidence > Confidence::Low {
            self.labelled.insert(field);
        }
        self.push(field, label, text)
    }

    /// Adds a file, unless another item already said what happened to it.
    pub(super) fn add_file(
        &mut self,
        field: Field,
        path: &'s str,
        label: Span,
        remark: Option<Span>,
        confidence: Confidence,
    ) {
        if self.is_full() || is_placeholder(path) || !self.paths.insert(path) {
            return;
        }
        if confidence > Confidence::Low {
            self.labelled.insert(field);
        }
        let span = super::label::place(self.source, path);
        let value = Text { value: path.into(), style: Style::Quoted, span, confidence };
        let mut file = Record { span, ..Record::default() };
        file.push(Field::Path, span, Value::Text(value));
        if let Some(remark) = remark {
            file.span = span.cover(remark);
            file.push(Field::Description, remark, Value::Text(text::found(self.source, remark, confidence)));
        }
        self.count += 1;
        match self.slot(field) {
            Some(Value::Records(files)) => files.push(file),
            Some(_) => {}
            None => self.entries.push(Entry { field, key_span: label, value: Value::Records(vec![file]) }),
        }
    }

    fn push(&mut self, field: Field, label: Span, text: Text<'s>) -> bool {
        let shape = field.shape();
        let fresh = match (self.slot(field), shape) {
            (Some(Value::Text(known)), Shape::Text) => {
                let better = text.confidence > known.confidence;
                if better {
                    *known = text;
                }
                return better;
            }
            (Some(Value::Texts(texts)), Shape::Texts) => {
                texts.push(text);
                None
            }
            (Some(Value::Records(records)), Shape::Records(primary)) => {
                records.push(one(primary, text));
                None
            }
            (None, Shape::Text) => Some(Value::Text(text)),
            (None, Shape::Texts) => Some(Value::Texts(vec![text])),
            (None, Shape::Records(primary)) => Some(Value::Records(vec![one(primary, text)])),
            (_, _) => return false,
        };
        self.count += 1;
        if let Some(value) = fresh {
            self.entries.push(Entry { field, key_span: label, value });
        }
        true
    }

    fn slot(&mut self, field: Field) -> Option<&mut Value<'s>> {
        self.entries.iter_mut().find(|entry| entry.field == field).map(|entry| &mut entry.value)
    }

    pub(super) fn into_record(self) -> Record<'s> {
        Record { span: Span::new(0, self.source.len()), entries: self.entries, extensions: Vec::new() }
    }
}

fn one(primary: Field, text: Text<'_>) -> Record<'_> {
    let span = text.span;
    let mut record = Record { span, ..Record::default() };
    record.push(primary, span, Value::Text(text));
    record
}
