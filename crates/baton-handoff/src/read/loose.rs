//! Reading by meaning: the alias table decides, containers are looked into, every form of list is taken.

use crate::alias;
use crate::dialect::Variant;
use crate::dialect::generic::CONTAINER_DEPTH_MAX;
use crate::field::{Field, Shape};
use crate::key::{self, Key};
use crate::limit;
use crate::outcome;
use crate::record::{Confidence, Extension, Record, Text, Value};
use crate::report::Report;
use crate::span::Span;
use crate::tree::{Kind, Node, Pair, Style};

/// Reads what can be understood of a mapping. The tree stays whole elsewhere, so nothing is lost by not understanding it.
pub(crate) fn read_loosely<'s>(
    node: &Node<'s>,
    variant: &'static Variant,
    report: &mut Report,
) -> Record<'s> {
    let mut reader = Loose { variant, report, confidence: Confidence::Stated };
    let mut record = Record { span: node.span, ..Record::default() };
    reader.fill(&mut record, node, 0);
    promote_remaining(&mut record);
    record
}

/// Where nothing is said of what comes next, it is what is left.
fn promote_remaining(record: &mut Record<'_>) {
    let says_next =
        record.entries.iter().any(|entry| entry.field == Field::NextSteps && !entry.value.is_blank());
    if !says_next {
        record.entries.retain(|entry| entry.field != Field::NextSteps);
        for entry in record.entries.iter_mut().filter(|entry| entry.field == Field::Remaining) {
            entry.field = Field::NextSteps;
        }
    }
}

struct Loose<'r> {
    variant: &'static Variant,
    report: &'r mut Report,
    /// How sure it is that the key at hand means what it is taken for.
    confidence: Confidence,
}

impl Loose<'_> {
    /// Reads the keys that are known first, so that what is only hinted at comes after what is said.
    fn fill<'s>(&mut self, record: &mut Record<'s>, node: &Node<'s>, depth: usize) {
        let mut hinted = Vec::new();
        for pair in node.pairs().unwrap_or_default() {
            let word = key::normalise(&pair.key);
            match self.field(&word).or_else(|| alias::field_of_files(&word, &pair.value)) {
                Some(field) => self.read_pair(record, pair, Some(field), &word, depth),
                None => hinted.push((pair, word)),
            }
        }
        self.confidence = Confidence::Likely;
        for (pair, word) in hinted {
            self.read_pair(record, pair, alias::field_by_words(&word), &word, depth);
        }
        self.confidence = Confidence::Stated;
    }

    fn read_pair<'s>(
        &mut self,
        record: &mut Record<'s>,
        pair: &Pair<'s>,
        field: Option<Field>,
        word: &str,
        depth: usize,
    ) {
        // A summary that is a list tells what was done, item by item.
        let field = field.map(|field| match field {
            Field::Summary if pair.value.items().is_some() => Field::Done,
            other => other,
        });
        if field == Some(Field::FilesMentioned) && self.read_file_groups(record, &pair.value, depth) {
            return;
        }
        let value = field.and_then(|field| self.value(field, &pair.value).map(|value| (field, value)));
        if let Some((field, value)) = value {
            merge(record, field, pair.key_span, value);
            return;
        }
        let nested = pair.value.pairs().is_some() && depth < CONTAINER_DEPTH_MAX;
        if nested && (alias::is_container(word) || field.is_some() || self.groups(word)) {
            self.fill(record, &pair.value, depth + 1);
        }
        if depth == 0 {
            let (key, key_span, value) = (pair.key.clone(), pair.key_span, pair.value.clone());
            record.extensions.push(Extension { key, key_span, value });
        }
    }

    /// Reads files that are grouped by what happened to them, as in `files: {modified: […], deleted: […]}`.
    fn read_file_groups<'s>(&mut self, record: &mut Record<'s>, files: &Node<'s>, depth: usize) -> bool {
        let pairs = files.pairs().unwrap_or_default();
        let group = |pair: &Pair<'s>| alias::field(&format!("files_{}", key::normalise(&pair.key)));
        let groups: Vec<Field> = pairs.iter().filter_map(group).collect();
        if groups.is_empty() || groups.len() < pairs.len() {
            return false;
        }
        for (pair, field) in pairs.iter().zip(groups) {
            self.read_pair(record, pair, Some(field), "", depth + 1);
        }
        true
    }

    /// Returns the field of a key: by the dialect's own table first, by the alias table second.
    fn field(&self, word: &str) -> Option<Field> {
        let own = |keys: &'static [Key]| {
            keys.iter().find(|key| !key.is_group() && key::normalise(key.name) == word).map(|key| key.field)
        };
        let grouped =
            || self.variant.keys.iter().filter(|key| key.is_group()).find_map(|key| own(key.inner()));
        own(self.variant.keys).or_else(grouped).or_else(|| alias::field(word))
    }

    fn groups(&self, word: &str) -> bool {
        self.variant.keys.iter().any(|key| key.is_group() && key::normalise(key.name) == word)
    }

    fn value<'s>(&mut self, field: Field, node: &Node<'s>) -> Option<Value<'s>> {
        if node.is_null() || holds_fields(node) && matches!(field.shape(), Shape::Texts | Shape::Records(_)) {
            return None;
        }
        match field.shape() {
            Shape::Tree => Some(Value::Tree(node.clone())),
            Shape::Record => None,
            Shape::Text => self.one_text(node).map(Value::Text),
            Shape::Texts => {
                let mut texts = Vec::new();
                let confidence = self.confidence;
                self.collect(node, 0, &mut |text, _| texts.push(Text { confidence, ..text }));
                (!texts.is_empty() || node.is_blank()).then_some(Value::Texts(texts))
            }
            Shape::Records(primary) => {
                if let Some(count) = node.text().filter(|text| text.trim().parse::<u64>().is_ok()) {
                    crate::rule::bt114_count_for_list::push(self.report, node.span, field.name(), count);
                    return None;
                }
                let mut records = Vec::new();
                self.collect(node, 0, &mut |text, item| records.push(item_record(primary, text, item)));
                (!records.is_empty() || node.is_blank() || is_empty_answer(node))
                    .then_some(Value::Records(records))
            }
        }
    }

    /// Returns the text of a scalar, of a list of one, or the main text of a mapping.
    fn one_text<'s>(&self, node: &Node<'s>) -> Option<Text<'s>> {
        match &node.kind {
            Kind::Scalar { text, style } => Some(Text::stated(text.clone(), *style, node.span)),
            Kind::List(items) => match items.as_slice() {
                [] => None,
                [only] => self.one_text(only),
                [.., last] => last.text().map(|_| self.one_text(last))?,
            },
            Kind::Map(_) => main_text(node, Field::Status),
        }
    }

    /// Hands every item to `take`: of a list, of lists grouped in a mapping, of mappings named by their key.
    fn collect<'n, 's>(
        &mut self,
        node: &'n Node<'s>,
        depth: usize,
        take: &mut dyn FnMut(Text<'s>, Option<&'n Node<'s>>),
    ) {
        match &node.kind {
            Kind::Scalar { text, style } => {
                let steps = numbered(text);
                if steps.len() > 1 {
                    steps
                        .into_iter()
                        .for_each(|step| take(Text::stated(step.to_owned(), *style, node.span), None));
                } else if !outcome::is_none_word(text) {
                    take(Text::stated(text.clone(), *style, node.span), None);
                }
            }
            Kind::List(items) => {
                for item in items.iter().filter(|item| !item.is_blank() && !is_resolved(item)) {
                    match &item.kind {
                        Kind::Scalar { .. } => self.collect(item, depth, take),
                        Kind::List(_) if depth < CONTAINER_DEPTH_MAX => self.collect(item, depth + 1, take),
                        Kind::List(_) => {}
                        Kind::Map(_) => self.collect_map(item, take),
                    }
                }
            }
            Kind::Map(pairs) => {
                if main_rank(node, Field::Step).is_some() {
                    self.collect_map(node, take);
                    return;
                }
                for pair in pairs.iter().filter(|pair| depth < CONTAINER_DEPTH_MAX && !pair.value.is_blank())
                {
                    match &pair.value.kind {
                        Kind::Scalar { text, style } => {
                            let value = format!("{}: {text}", pair.key);
                            let span = pair.key_span.cover(pair.value.span);
                            take(Text::stated(value, *style, span), None);
                        }
                        Kind::Map(_) if main_rank(&pair.value, Field::Step).is_some() => {
                            self.collect_map(&pair.value, take)
                        }
                        Kind::List(_) | Kind::Map(_) => self.collect(&pair.value, depth + 1, take),
                    }
                }
            }
        }
    }

    fn collect_map<'n, 's>(
        &mut self,
        item: &'n Node<'s>,
        take: &mut dyn FnMut(Text<'s>, Option<&'n Node<'s>>),
    ) {
        if main_rank(item, Field::Step).is_none()
            && let Some(sentence) = super::folded(item)
        {
            self.report.push(super::folded_diagnostic(item.span, &sentence));
            take(Text::stated(sentence, Style::Quoted, item.span), None);
            return;
        }
        if let Some(text) = main_text(item, Field::Step) {
            take(text, Some(item));
        }
    }
}

/// Says whether a mapping holds fields of the handoff itself, and so is not an item of a list.
fn holds_fields(node: &Node<'_>) -> bool {
    let known = |key: &str| alias::field(&key::normalise(key)).is_some();
    main_rank(node, Field::Step).is_none()
        && node.pairs().is_some_and(|pairs| pairs.iter().any(|pair| known(&pair.key)))
}

/// Splits a text such as `1. build 2. test` into its numbered parts; what has no numbers is one part.
fn numbered(text: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let mut from = 0;
    for number in 1..=limit::LIST_ITEMS_MAX {
        let marks = [format!("{number}. "), format!("{number}) "), format!("({number}) ")];
        let found = marks.iter().filter_map(|mark| {
            let at = from + text[from..].find(mark.as_str())?;
            let free = at == 0 || text[..at].ends_with([' ', '\n', '\t', ';', ':', '(']);
            free.then_some((at, at + mark.len()))
        });
        let Some((at, end)) = found.min() else { break };
        starts.push((at, end));
        from = end;
    }
    if starts.len() < 2 {
        return vec![text];
    }
    let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    let parts = starts
        .iter()
        .zip(ends)
        .map(|((_, start), end)| text[*start..end].trim_matches([' ', '\n', '\t', ';', ',', '.']));
    parts.filter(|part| !part.is_empty()).collect()
}

/// Says whether an item is marked as no longer open.
fn is_resolved(item: &Node<'_>) -> bool {
    let says = |key: &str, words: &[&str]| {
        item.get(key)
            .and_then(Node::text)
            .is_some_and(|text| words.contains(&text.to_ascii_lowercase().as_str()))
    };
    says("resolved", &["true", "yes"]) || says("status", &["resolved", "closed", "fixed"])
}

fn is_empty_answer(node: &Node<'_>) -> bool {
    let none = |node: &Node<'_>| node.text().is_some_and(outcome::is_none_word);
    none(node) || node.items().is_some_and(|items| items.iter().all(none))
}

fn merge<'s>(record: &mut Record<'s>, field: Field, key_span: Span, value: Value<'s>) {
    let existing = record.entries.iter_mut().find(|entry| entry.field == field).map(|entry| &mut entry.value);
    match (existing, value) {
        (Some(Value::Texts(all)), Value::Texts(more)) => all.extend(more),
        (Some(Value::Records(all)), Value::Records(more)) => all.extend(more),
        (Some(Value::Text(first)), Value::Text(second)) => {
            // A status that says nothing, such as that of the report itself, gives way to one that does.
            let says = |text: &Text<'_>| outcome::from_words(&text.value).is_some();
            match field {
                Field::Status | Field::Verdict if !says(first) && says(&second) => *first = second,
                // Two judgements that differ are both kept: the worse one counts.
                Field::Verdict => record.push(field, key_span, Value::Text(second)),
                _ => {}
            }
        }
        (Some(_), _) => {}
        (None, value) => record.push(field, key_span, value),
    }
}

fn main_rank(node: &Node<'_>, primary: Field) -> Option<(usize, usize)> {
    let pairs = node.pairs()?;
    let ranks = pairs
        .iter()
        .enumerate()
        .filter(|(_, pair)| pair.value.text().is_some_and(|text| !text.trim().is_empty()));
    ranks
        .filter_map(|(at, pair)| Some((alias::item_text_rank(primary, &key::normalise(&pair.key))?, at)))
        .min()
}

fn main_text<'s>(node: &Node<'s>, primary: Field) -> Option<Text<'s>> {
    let (_, at) = main_rank(node, primary)?;
    let value = &node.pairs()?[at].value;
    match &value.kind {
        Kind::Scalar { text, style } => Some(Text::stated(text.clone(), *style, value.span)),
        Kind::List(_) | Kind::Map(_) => None,
    }
}

fn item_record<'s>(primary: Field, text: Text<'s>, item: Option<&Node<'s>>) -> Record<'s> {
    let span = item.map_or(text.span, |item| item.span);
    // The main text was chosen without knowing the list; now the list's own word goes first.
    let text = item.and_then(|item| main_text(item, primary)).unwrap_or(text);
    let (mut record, main) = (Record { span, ..Record::default() }, text.span);
    record.push(primary, text.span, Value::Text(text));
    for pair in item.and_then(Node::pairs).unwrap_or_default() {
        let field =
            alias::item_field(&key::normalise(&pair.key)).filter(|field| field.shape() == Shape::Text);
        match (field, &pair.value.kind) {
            (Some(field), Kind::Scalar { text, style }) if !record.has(field) => {
                let text = Text::stated(text.clone(), *style, pair.value.span);
                record.push(field, pair.key_span, Value::Text(text));
            }
            _ if pair.value.span != main => {
                let (key, key_span, value) = (pair.key.clone(), pair.key_span, pair.value.clone());
                record.extensions.push(Extension { key, key_span, value });
            }
            _ => {}
        }
    }
    record
}
