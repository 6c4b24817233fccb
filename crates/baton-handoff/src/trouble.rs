//! What the parsers of YAML and JSON stumble over, before it becomes a diagnostic.

use crate::span::Span;
use crate::tree::Node;

/// A bound that a block broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Excess {
    /// What there is too much of, as in "more than 32 levels of nesting".
    pub(crate) what: &'static str,
    pub(crate) max: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The text does not follow the grammar from here on.
    Syntax {
        span: Span,
        message: String,
    },
    Limit {
        span: Span,
        excess: Excess,
    },
    Anchor {
        span: Span,
    },
    Alias {
        span: Span,
    },
    MergeKey {
        span: Span,
    },
    Tag {
        span: Span,
    },
    DuplicateKey {
        key: String,
        first: Span,
        second: Span,
    },
    /// A mapping or list in the place of a key.
    KeyNotText {
        span: Span,
    },
    /// More than one JSON value one after the other.
    Concatenated {
        span: Span,
    },
}

impl Trouble {
    /// Says whether the block could not be read at all.
    pub(crate) fn is_fatal(&self) -> bool {
        match self {
            Self::Syntax { .. } | Self::Limit { .. } => true,
            Self::Anchor { .. }
            | Self::Alias { .. }
            | Self::MergeKey { .. }
            | Self::Tag { .. }
            | Self::DuplicateKey { .. }
            | Self::KeyNotText { .. }
            | Self::Concatenated { .. } => false,
        }
    }

    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Syntax { span, .. }
            | Self::Limit { span, .. }
            | Self::Anchor { span }
            | Self::Alias { span }
            | Self::MergeKey { span }
            | Self::Tag { span }
            | Self::KeyNotText { span }
            | Self::Concatenated { span } => *span,
            Self::DuplicateKey { second, .. } => *second,
        }
    }

    pub(crate) fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        match self {
            Self::Syntax { span, .. }
            | Self::Limit { span, .. }
            | Self::Anchor { span }
            | Self::Alias { span }
            | Self::MergeKey { span }
            | Self::Tag { span }
            | Self::KeyNotText { span }
            | Self::Concatenated { span } => *span = map(*span),
            Self::DuplicateKey { first, second, .. } => {
                *first = map(*first);
                *second = map(*second);
            }
        }
    }
}

/// What a parser made of a block: nothing in `documents` where a trouble is fatal.
#[derive(Debug, Default)]
pub(crate) struct Parsed<'s> {
    pub(crate) documents: Vec<Node<'s>>,
    pub(crate) troubles: Vec<Trouble>,
}

impl<'s> Parsed<'s> {
    pub(crate) fn fatal(&self) -> Option<&Trouble> {
        self.troubles.iter().find(|trouble| trouble.is_fatal())
    }

    pub(crate) fn into_owned(self) -> Parsed<'static> {
        Parsed {
            documents: self.documents.into_iter().map(Node::into_owned).collect(),
            troubles: self.troubles,
        }
    }

    pub(crate) fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        self.documents.iter_mut().for_each(|node| node.map_spans(map));
        self.troubles.iter_mut().for_each(|trouble| trouble.map_spans(map));
    }
}
