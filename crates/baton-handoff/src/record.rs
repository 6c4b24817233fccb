//! The canonical model: a record of fields, each with the place it was read from.

use std::borrow::Cow;

use crate::field::Field;
use crate::span::Span;
use crate::tree::{Node, Style};

/// How sure the reader is that a value means what it is filed under.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Guessed from a word in running text.
    Low,
    /// Concluded from a label or the form of a list.
    Likely,
    /// Written as data under its own key.
    #[default]
    Stated,
}

impl Confidence {
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Likely => "likely",
            Self::Stated => "stated",
        }
    }
}

/// A scalar, exactly as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Text<'s> {
    pub value: Cow<'s, str>,
    pub style: Style,
    pub span: Span,
    pub confidence: Confidence,
}

impl<'s> Text<'s> {
    /// Returns a scalar that was written as data.
    pub fn stated(value: impl Into<Cow<'s, str>>, style: Style, span: Span) -> Self {
        Self { value: value.into(), style, span, confidence: Confidence::Stated }
    }

    /// Returns a scalar that was found in prose.
    pub fn found(value: impl Into<Cow<'s, str>>, span: Span, confidence: Confidence) -> Self {
        Self { value: value.into(), style: Style::Quoted, span, confidence }
    }

    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// Says whether this was written as nothing: empty, `~` or `null` without quotes.
    pub fn is_null(&self) -> bool {
        self.style == Style::Plain && matches!(&*self.value, "" | "~" | "null" | "Null" | "NULL")
    }

    pub fn is_blank(&self) -> bool {
        self.is_null() || self.value.chars().all(char::is_whitespace)
    }

    pub fn into_owned(self) -> Text<'static> {
        Text {
            value: Cow::Owned(self.value.into_owned()),
            style: self.style,
            span: self.span,
            confidence: self.confidence,
        }
    }
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'s> {
    Text(Text<'s>),
    Texts(Vec<Text<'s>>),
    Records(Vec<Record<'s>>),
    Record(Record<'s>),
    Tree(Node<'s>),
}

/// A field with its value and the place of its key.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<'s> {
    pub field: Field,
    pub key_span: Span,
    pub value: Value<'s>,
}

/// A key that the model has no word for, kept as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Extension<'s> {
    pub key: Cow<'s, str>,
    pub key_span: Span,
    pub value: Node<'s>,
}

/// A set of fields in the order written. A repeated key makes a repeated field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record<'s> {
    pub span: Span,
    pub entries: Vec<Entry<'s>>,
    pub extensions: Vec<Extension<'s>>,
}

impl<'s> Record<'s> {
    pub fn entry(&self, field: Field) -> Option<&Entry<'s>> {
        self.entries.iter().find(|entry| entry.field == field)
    }

    pub fn has(&self, field: Field) -> bool {
        self.entry(field).is_some()
    }

    /// Returns the scalar of a field, unless it was written as nothing.
    pub fn text(&self, field: Field) -> Option<&Text<'s>> {
        match &self.entry(field)?.value {
            Value::Text(text) if !text.is_null() => Some(text),
            Value::Text(_) | Value::Texts(_) | Value::Records(_) | Value::Record(_) | Value::Tree(_) => None,
        }
    }

    /// Returns the scalar of a field as a string slice.
    pub fn str(&self, field: Field) -> Option<&str> {
        self.text(field).map(Text::as_str)
    }

    pub fn texts(&self, field: Field) -> &[Text<'s>] {
        match self.entry(field).map(|entry| &entry.value) {
            Some(Value::Texts(texts)) => texts,
            _ => &[],
        }
    }

    pub fn records(&self, field: Field) -> &[Record<'s>] {
        match self.entry(field).map(|entry| &entry.value) {
            Some(Value::Records(records)) => records,
            _ => &[],
        }
    }

    pub fn record(&self, field: Field) -> Option<&Record<'s>> {
        match &self.entry(field)?.value {
            Value::Record(record) => Some(record),
            Value::Text(_) | Value::Texts(_) | Value::Records(_) | Value::Tree(_) => None,
        }
    }

    pub fn tree(&self, field: Field) -> Option<&Node<'s>> {
        match &self.entry(field)?.value {
            Value::Tree(node) => Some(node),
            Value::Text(_) | Value::Texts(_) | Value::Records(_) | Value::Record(_) => None,
        }
    }

    /// Returns the place of a field: its value, or the whole record when the field is missing.
    pub fn place(&self, field: Field) -> Span {
        self.entry(field).map_or(self.span, |entry| match &entry.value {
            Value::Text(text) => text.span,
            Value::Tree(node) => node.span,
            Value::Record(record) => record.span,
            Value::Texts(_) | Value::Records(_) => entry.key_span,
        })
    }

    pub fn push(&mut self, field: Field, key_span: Span, value: Value<'s>) {
        self.entries.push(Entry { field, key_span, value });
    }

    pub fn into_owned(self) -> Record<'static> {
        Record {
            span: self.span,
            entries: self
                .entries
                .into_iter()
                .map(|entry| Entry {
                    field: entry.field,
                    key_span: entry.key_span,
                    value: entry.value.into_owned(),
                })
                .collect(),
            extensions: self
                .extensions
                .into_iter()
                .map(|extension| Extension {
                    key: Cow::Owned(extension.key.into_owned()),
                    key_span: extension.key_span,
                    value: extension.value.into_owned(),
                })
                .collect(),
        }
    }
}

impl Value<'_> {
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Text(text) => Value::Text(text.into_owned()),
            Self::Texts(texts) => Value::Texts(texts.into_iter().map(Text::into_owned).collect()),
            Self::Records(records) => Value::Records(records.into_iter().map(Record::into_owned).collect()),
            Self::Record(record) => Value::Record(record.into_owned()),
            Self::Tree(node) => Value::Tree(node.into_owned()),
        }
    }

    /// Says whether the value holds no word at all.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Text(text) => text.is_blank(),
            Self::Texts(texts) => texts.iter().all(Text::is_blank),
            Self::Records(records) => records.iter().all(Record::is_blank),
            Self::Record(record) => record.is_blank(),
            Self::Tree(node) => node.is_blank(),
        }
    }
}

impl Record<'_> {
    pub fn is_blank(&self) -> bool {
        self.entries.iter().all(|entry| entry.value.is_blank())
            && self.extensions.iter().all(|extension| extension.value.is_blank())
    }
}
