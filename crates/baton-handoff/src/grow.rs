//! Grows a tree from parser events within the bounds, without recursion.

use std::borrow::Cow;

use crate::limit;
use crate::span::Span;
use crate::tree::{Kind, Node, Pair, Style};
use crate::trouble::{Excess, Trouble};

/// Below this many keys, comparing each pair is cheaper than sorting.
const PAIRWISE_KEYS_MAX: usize = 24;

/// A collection that is still open.
#[derive(Debug)]
struct Open<'s> {
    start: u32,
    kind: OpenKind<'s>,
}

#[derive(Debug)]
enum OpenKind<'s> {
    List(Vec<Node<'s>>),
    Map { pairs: Vec<Pair<'s>>, key: Option<(Cow<'s, str>, Span)> },
}

/// The growing tree.
#[derive(Debug, Default)]
pub(crate) struct Grower<'s> {
    open: Vec<Open<'s>>,
    nodes: usize,
    pub(crate) root: Option<Node<'s>>,
    pub(crate) troubles: Vec<Trouble>,
}

impl<'s> Grower<'s> {
    pub(crate) fn open_list(&mut self, start: usize) -> Result<(), Trouble> {
        self.open(start, OpenKind::List(Vec::new()))
    }

    pub(crate) fn open_map(&mut self, start: usize) -> Result<(), Trouble> {
        self.open(start, OpenKind::Map { pairs: Vec::new(), key: None })
    }

    fn open(&mut self, start: usize, kind: OpenKind<'s>) -> Result<(), Trouble> {
        self.count(Span::at(start))?;
        if self.open.len() >= limit::DEPTH_MAX {
            return Err(excess(Span::at(start), "levels of nesting", limit::DEPTH_MAX));
        }
        self.open.push(Open { start: Span::at(start).start, kind });
        Ok(())
    }

    /// Closes the innermost collection; `end` is given where a bracket closes it.
    pub(crate) fn close(&mut self, end: Option<usize>) -> Result<(), Trouble> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let (kind, children) = match open.kind {
            OpenKind::List(items) => {
                let ends = items.first().zip(items.last()).map(|(first, last)| first.span.cover(last.span));
                (Kind::List(items), ends)
            }
            OpenKind::Map { pairs, .. } => {
                self.note_duplicates(&pairs);
                let ends = pairs
                    .first()
                    .zip(pairs.last())
                    .map(|(first, last)| first.key_span.cover(last.key_span).cover(last.value.span));
                (Kind::Map(pairs), ends)
            }
        };
        let span = match (end, children) {
            (Some(end), _) => Span { start: open.start, end: Span::at(end).start.max(open.start) },
            // What is written by indentation has no marks of its own: it is where its children are.
            (None, Some(children)) => children,
            (None, None) => Span { start: open.start, end: open.start },
        };
        self.place(Node { span, kind })
    }

    pub(crate) fn scalar(&mut self, text: Cow<'s, str>, style: Style, span: Span) -> Result<(), Trouble> {
        self.count(span)?;
        if text.len() > limit::STRING_BYTES_MAX {
            return Err(excess(span, "bytes in one value", limit::STRING_BYTES_MAX));
        }
        if let Some(Open { kind: OpenKind::Map { key: key @ None, .. }, .. }) = self.open.last_mut() {
            if style == Style::Plain && text == "<<" {
                self.troubles.push(Trouble::MergeKey { span });
            }
            *key = Some((text, span));
            return Ok(());
        }
        self.place(Node { span, kind: Kind::Scalar { text, style } })
    }

    fn place(&mut self, node: Node<'s>) -> Result<(), Trouble> {
        let span = node.span;
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.root = Some(node),
            Some(OpenKind::List(items)) => {
                if items.len() >= limit::LIST_ITEMS_MAX {
                    return Err(excess(span, "items in one list", limit::LIST_ITEMS_MAX));
                }
                items.push(node);
            }
            Some(OpenKind::Map { pairs, key }) => match key.take() {
                Some((text, key_span)) => pairs.push(Pair { key: text, key_span, value: node }),
                None => {
                    self.troubles.push(Trouble::KeyNotText { span });
                    *key = Some((Cow::Borrowed(""), span));
                }
            },
        }
        Ok(())
    }

    fn count(&mut self, span: Span) -> Result<(), Trouble> {
        self.nodes += 1;
        if self.nodes > limit::NODES_MAX {
            return Err(excess(span, "values in one block", limit::NODES_MAX));
        }
        Ok(())
    }

    fn note_duplicates(&mut self, pairs: &[Pair<'s>]) {
        let mut repeated = Vec::new();
        if pairs.len() <= PAIRWISE_KEYS_MAX {
            for (index, second) in pairs.iter().enumerate().skip(1) {
                if let Some(first) = pairs[..index].iter().find(|first| first.key == second.key) {
                    repeated.push((first, second));
                }
            }
        } else {
            let mut order: Vec<&Pair<'s>> = pairs.iter().collect();
            order.sort_by_key(|pair| (&pair.key, pair.key_span));
            for both in order.windows(2) {
                if both[0].key == both[1].key {
                    repeated.push((both[0], both[1]));
                }
            }
        }
        self.troubles.extend(repeated.into_iter().map(|(first, second)| Trouble::DuplicateKey {
            key: second.key.to_string(),
            first: first.key_span,
            second: second.key_span,
        }));
    }
}

pub(crate) fn excess(span: Span, what: &'static str, max: usize) -> Trouble {
    Trouble::Limit { span, excess: Excess { what, max } }
}
