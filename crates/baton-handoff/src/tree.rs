//! A document's data as written: scalars stay raw text, everything has its place in the source.

use std::borrow::Cow;

use crate::span::Span;

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    /// In single or double quotes.
    Quoted,
    /// A literal or folded block.
    Block,
}

/// A node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<'s> {
    /// Includes quotes.
    pub span: Span,
    pub kind: Kind<'s>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind<'s> {
    Scalar { text: Cow<'s, str>, style: Style },
    List(Vec<Node<'s>>),
    Map(Vec<Pair<'s>>),
}

/// A key and its value; keys may repeat, and stay in the order written.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair<'s> {
    pub key: Cow<'s, str>,
    pub key_span: Span,
    pub value: Node<'s>,
}

impl<'s> Node<'s> {
    pub fn scalar(text: impl Into<Cow<'s, str>>, style: Style, span: Span) -> Self {
        Self { span, kind: Kind::Scalar { text: text.into(), style } }
    }

    pub fn pairs(&self) -> Option<&[Pair<'s>]> {
        match &self.kind {
            Kind::Map(pairs) => Some(pairs),
            Kind::Scalar { .. } | Kind::List(_) => None,
        }
    }

    pub fn items(&self) -> Option<&[Node<'s>]> {
        match &self.kind {
            Kind::List(items) => Some(items),
            Kind::Scalar { .. } | Kind::Map(_) => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            Kind::List(_) | Kind::Map(_) => None,
        }
    }

    /// Returns the first value under `key`.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.pairs()?.iter().find(|pair| pair.key == key).map(|pair| &pair.value)
    }

    /// Says whether this is nothing: an empty, `~` or `null` plain scalar.
    pub fn is_null(&self) -> bool {
        match &self.kind {
            Kind::Scalar { text, style: Style::Plain } => {
                matches!(&**text, "" | "~" | "null" | "Null" | "NULL")
            }
            Kind::Scalar { .. } | Kind::List(_) | Kind::Map(_) => false,
        }
    }

    /// Says whether this holds no word at all: null, an empty string, or collections of such.
    pub fn is_blank(&self) -> bool {
        match &self.kind {
            Kind::Scalar { text, .. } => {
                // Nearly every scalar begins with a letter or a digit, and needs no more than that look.
                !text.starts_with(|first: char| first.is_ascii_alphanumeric() && first != 'n' && first != 'N')
                    && (self.is_null() || text.chars().all(char::is_whitespace))
            }
            Kind::List(items) => items.iter().all(Self::is_blank),
            Kind::Map(pairs) => pairs.iter().all(|pair| pair.value.is_blank()),
        }
    }

    /// Returns what this is in the words of an error message.
    pub fn description(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar { .. } if self.is_null() => "nothing",
            Kind::Scalar { .. } => "text",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a mapping",
        }
    }

    /// Moves every span by `map`.
    pub fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        self.span = map(self.span);
        match &mut self.kind {
            Kind::Scalar { .. } => {}
            Kind::List(items) => items.iter_mut().for_each(|item| item.map_spans(map)),
            Kind::Map(pairs) => pairs.iter_mut().for_each(|pair| {
                pair.key_span = map(pair.key_span);
                pair.value.map_spans(map);
            }),
        }
    }

    /// Returns the same tree with nothing borrowed from the source.
    pub fn into_owned(self) -> Node<'static> {
        let kind = match self.kind {
            Kind::Scalar { text, style } => Kind::Scalar { text: Cow::Owned(text.into_owned()), style },
            Kind::List(items) => Kind::List(items.into_iter().map(Self::into_owned).collect()),
            Kind::Map(pairs) => Kind::Map(
                pairs
                    .into_iter()
                    .map(|pair| Pair {
                        key: Cow::Owned(pair.key.into_owned()),
                        key_span: pair.key_span,
                        value: pair.value.into_owned(),
                    })
                    .collect(),
            ),
        };
        Node { span: self.span, kind }
    }

    /// Says whether two trees hold the same data, whatever their places and quoting.
    pub fn same_data(&self, other: &Node<'_>) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Scalar { text: a, .. }, Kind::Scalar { text: b, .. }) => {
                self.is_null() == other.is_null() && (a == b || self.is_null())
            }
            (Kind::List(a), Kind::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_data(b))
            }
            (Kind::Map(a), Kind::Map(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b).all(|(a, b)| a.key == b.key && a.value.same_data(&b.value))
            }
            (Kind::Scalar { .. } | Kind::List(_) | Kind::Map(_), _) => false,
        }
    }
}
