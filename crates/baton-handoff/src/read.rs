//! From the tree to the model, by the key table of a dialect.

mod loose;

use crate::alias;
use crate::diagnostic::{Diagnostic, Edit};
use crate::dialect::Variant;
use crate::field::{Field, Shape};
use crate::key::{self, Form, Key};
use crate::record::{Extension, Record, Text, Value};
use crate::report::Report;
use crate::rule::show::shown;
use crate::rule::{
    bt017_folded_sentence, bt102_wrong_type, bt105_other_word, bt106_unknown_key, bt117_loose_shape,
};
use crate::span::Span;
use crate::tree::{Kind, Node, Pair};

pub(crate) use loose::read_loosely;

/// Reads a mapping by the letter of a dialect; what it has no key for is kept as an extension.
pub(crate) fn read_strictly<'s>(
    node: Node<'s>,
    variant: &'static Variant,
    report: &mut Report,
) -> Record<'s> {
    let (node, outside) = unwrap(node, variant.wrapper);
    let mut reader = Reader { report };
    let mut record = reader.record(node, variant.keys);
    record.extensions.extend(outside);
    record
}

/// Takes the mapping out of its wrapper; what stood beside it comes along.
pub(crate) fn unwrap<'s>(node: Node<'s>, wrapper: Option<&str>) -> (Node<'s>, Vec<Extension<'s>>) {
    let Some(wrapper) = wrapper else { return (node, Vec::new()) };
    let span = node.span;
    match node.kind {
        Kind::Map(pairs) if pairs.iter().any(|pair| pair.key == wrapper && pair.value.pairs().is_some()) => {
            let mut inner = None;
            let mut outside = Vec::new();
            for pair in pairs {
                match inner {
                    None if pair.key == wrapper => inner = Some(pair.value),
                    _ => outside.push(extension(pair)),
                }
            }
            (inner.unwrap_or(Node { span, kind: Kind::Map(Vec::new()) }), outside)
        }
        kind => (Node { span, kind }, Vec::new()),
    }
}

fn extension(pair: Pair<'_>) -> Extension<'_> {
    Extension { key: pair.key, key_span: pair.key_span, value: pair.value }
}

struct Reader<'r> {
    report: &'r mut Report,
}

impl Reader<'_> {
    fn record<'s>(&mut self, node: Node<'s>, keys: &'static [Key]) -> Record<'s> {
        let mut record = Record { span: node.span, ..Record::default() };
        if let Kind::Map(pairs) = node.kind {
            self.fill(&mut record, pairs, keys);
        }
        record
    }

    fn fill<'s>(&mut self, record: &mut Record<'s>, pairs: Vec<Pair<'s>>, keys: &'static [Key]) {
        record.entries.reserve(pairs.len());
        for pair in pairs {
            let Some(key) = self.key(&pair, keys) else {
                let message = format!(
                    "{} is not a key of this dialect: it is kept, and means nothing",
                    shown(&pair.key)
                );
                self.report.push(Diagnostic::new(bt106_unknown_key::CODE, pair.key_span, message));
                record.extensions.push(extension(pair));
                continue;
            };
            if let Form::Group(inner) = key.form {
                match pair.value.kind {
                    Kind::Map(pairs) => self.fill(record, pairs, inner),
                    Kind::Scalar { .. } | Kind::List(_) => self.group_of_scalar(record, pair, inner[0]),
                }
                continue;
            }
            let Pair { key: word, key_span, value } = pair;
            match self.value(value, key) {
                Ok(value) => record.push(key.field, key_span, value),
                Err(node) => record.extensions.push(Extension { key: word, key_span, value: node }),
            }
        }
    }

    /// Reads `from: builder` where `from: {agent: builder}` is the form.
    fn group_of_scalar<'s>(&mut self, record: &mut Record<'s>, pair: Pair<'s>, first: Key) {
        if pair.value.is_null() {
            return;
        }
        self.report.push(
            Diagnostic::new(
                bt117_loose_shape::CODE,
                pair.value.span,
                format!("{} is {} where a mapping is expected", shown(&pair.key), pair.value.description()),
            )
            .help(format!("write a mapping with the key `{}`", first.name)),
        );
        match pair.value.kind {
            Kind::Scalar { text, style } => {
                record.push(
                    first.field,
                    pair.key_span,
                    Value::Text(Text::stated(text, style, pair.value.span)),
                );
            }
            Kind::List(_) | Kind::Map(_) => record.extensions.push(extension(pair)),
        }
    }

    /// Finds the key of the dialect that a written key means.
    fn key(&mut self, pair: &Pair<'_>, keys: &'static [Key]) -> Option<&'static Key> {
        if let Some(exact) = keys.iter().find(|key| key.name == pair.key) {
            return Some(exact);
        }
        let word = key::normalise(&pair.key);
        let same_word = keys.iter().find(|key| key.name == word);
        let meant = same_word.or_else(|| {
            let field = alias::field(&word).or_else(|| alias::item_field(&word))?;
            keys.iter().find(|key| key.field == field && !key.is_group())
        })?;
        // A key in quotes is longer than what it says; in JSON it has to keep them.
        let is_quoted = pair.key_span.range().len() > pair.key.len();
        let replacement = if is_quoted { format!("\"{}\"", meant.name) } else { meant.name.to_owned() };
        self.report.push(
            Diagnostic::new(
                bt105_other_word::CODE,
                pair.key_span,
                format!("{} is written for `{}`", shown(&pair.key), meant.name),
            )
            .replace(format!("write `{}`", meant.name), replacement),
        );
        Some(meant)
    }

    /// Reads a value into the shape of its field; gives the node back where that cannot be done.
    fn value<'s>(&mut self, node: Node<'s>, key: &'static Key) -> Result<Value<'s>, Node<'s>> {
        match key.field.shape() {
            Shape::Tree => Ok(Value::Tree(node)),
            Shape::Text => self.text(node, key),
            Shape::Texts => self.texts(node, key),
            Shape::Records(primary) => self.records(node, key, primary),
            Shape::Record => match node.kind {
                Kind::Map(_) => Ok(Value::Record(self.record(node, key.inner()))),
                Kind::Scalar { .. } | Kind::List(_) => self.wrong(node, key, "a mapping"),
            },
        }
    }

    fn wrong<'s>(&mut self, node: Node<'s>, key: &Key, expected: &str) -> Result<Value<'s>, Node<'s>> {
        if !node.is_null() {
            let message = format!("`{}` is {}, {expected} is expected", key.name, node.description());
            self.report.push(
                Diagnostic::new(bt102_wrong_type::CODE, node.span, message).label(format!("not {expected}")),
            );
        }
        Err(node)
    }

    fn text<'s>(&mut self, node: Node<'s>, key: &Key) -> Result<Value<'s>, Node<'s>> {
        let span = node.span;
        match node.kind {
            Kind::Scalar { text, style } => Ok(Value::Text(Text::stated(text, style, span))),
            kind @ (Kind::List(_) | Kind::Map(_)) => self.wrong(Node { span, kind }, key, "one value"),
        }
    }

    fn texts<'s>(&mut self, node: Node<'s>, key: &Key) -> Result<Value<'s>, Node<'s>> {
        let span = node.span;
        match node.kind {
            Kind::List(items) => {
                let all_text = items.iter().all(|item| item.text().is_some() || folded(item).is_some());
                if !all_text {
                    return self.wrong(Node { span, kind: Kind::List(items) }, key, "a list of texts");
                }
                Ok(Value::Texts(items.into_iter().filter_map(|item| self.item_text(item)).collect()))
            }
            Kind::Scalar { text, style } => {
                let text = Text::stated(text, style, span);
                if text.is_null() {
                    return Ok(Value::Texts(Vec::new()));
                }
                self.loose(span, key, "a list");
                Ok(Value::Texts(vec![text]))
            }
            kind @ Kind::Map(_) => self.wrong(Node { span, kind }, key, "a list of texts"),
        }
    }

    fn records<'s>(
        &mut self,
        node: Node<'s>,
        key: &'static Key,
        primary: Field,
    ) -> Result<Value<'s>, Node<'s>> {
        let span = node.span;
        let inner = key.inner();
        match node.kind {
            Kind::List(items) => {
                if let Some(odd) = items.iter().find(|item| item.items().is_some()) {
                    let odd_span = odd.span;
                    let message = format!("an item of `{}` is a list, a mapping is expected", key.name);
                    self.report.push(Diagnostic::new(bt102_wrong_type::CODE, odd_span, message));
                    return Err(Node { span, kind: Kind::List(items) });
                }
                let records = items.into_iter().filter_map(|item| self.item(item, key, primary)).collect();
                Ok(Value::Records(records))
            }
            Kind::Map(_) => {
                self.loose(span, key, "a list");
                Ok(Value::Records(vec![self.record(node, inner)]))
            }
            Kind::Scalar { .. } if node.is_null() => Ok(Value::Records(Vec::new())),
            Kind::Scalar { ref text, .. } if text.trim().parse::<u64>().is_ok() => {
                crate::rule::bt114_count_for_list::push(self.report, span, key.name, text);
                Err(node)
            }
            Kind::Scalar { .. } => {
                self.loose(span, key, "a list");
                Ok(Value::Records(self.item(node, key, primary).into_iter().collect()))
            }
        }
    }

    fn item<'s>(&mut self, item: Node<'s>, key: &'static Key, primary: Field) -> Option<Record<'s>> {
        let span = item.span;
        let inner = key.inner();
        let is_mapping_form = inner.len() > 1;
        let sentence = folded(&item).is_some() && {
            let word = item.pairs().map(|pairs| key::normalise(&pairs[0].key)).unwrap_or_default();
            !inner.iter().any(|key| key.name == word)
        };
        if item.pairs().is_some() && !sentence {
            return Some(self.record(item, inner));
        }
        if is_mapping_form && item.text().is_some() {
            self.loose(span, key, "a mapping");
        }
        let text = self.item_text(item)?;
        let mut record = Record { span, ..Record::default() };
        record.push(primary, span, Value::Text(text));
        Some(record)
    }

    /// Reads an item of a list of texts; a sentence that YAML took for a mapping is folded back.
    fn item_text<'s>(&mut self, item: Node<'s>) -> Option<Text<'s>> {
        let span = item.span;
        if let Some(sentence) = folded(&item) {
            self.report.push(folded_diagnostic(span, &sentence));
            return Some(Text::stated(sentence, crate::tree::Style::Quoted, span));
        }
        match item.kind {
            Kind::Scalar { text, style } => {
                Some(Text::stated(text, style, span)).filter(|text| !text.is_null())
            }
            Kind::List(_) | Kind::Map(_) => None,
        }
    }

    fn loose(&mut self, span: Span, key: &Key, expected: &str) {
        let message = format!("`{}` is read although it is not {expected}", key.name);
        self.report.push(
            Diagnostic::new(bt117_loose_shape::CODE, span, message)
                .label(format!("{expected} is expected here")),
        );
    }
}

/// Returns the sentence behind a mapping of one key and a scalar, as in `- Note: the rest of it`.
pub(crate) fn folded(node: &Node<'_>) -> Option<String> {
    let [pair] = node.pairs()? else { return None };
    let value = pair.value.text()?;
    let sentence = pair.key.contains(' ') || value.contains(' ');
    sentence.then(|| format!("{}: {value}", pair.key))
}

pub(crate) fn folded_diagnostic(span: Span, sentence: &str) -> Diagnostic {
    let quoted = crate::write::yaml::quote(sentence);
    Diagnostic::new(
        bt017_folded_sentence::CODE,
        span,
        "YAML takes this sentence for a mapping, because of its `: `",
    )
    .fix("put the sentence in quotes", vec![Edit { span, replacement: quoted }])
}
