//! Reads a whole document: finds its data, recognises the dialects, and says why it is not a handoff if it is none.

mod parse;

use std::borrow::Cow;

use crate::block::{self, Block, Blocks, Format};
use crate::diagnostic::Diagnostic;
use crate::dialect::{self, Definition, Dialect, Layout, Offer, Origin, Variant, five_section, generic};
use crate::field::Field;
use crate::freeform::{self, Standing};
use crate::handoff::{Handoff, Refusal};
use crate::limit;
use crate::markdown::{self, LineKind, Markdown};
use crate::marker;
use crate::placeholder::{self, is_placeholder};
use crate::read;
use crate::record::{Record, Text, Value};
use crate::report::Report;
use crate::rule::{bt003_too_large, bt004_not_text, bt005_limit};
use crate::span::Span;
use crate::tree::{Kind, Node, Pair, Style};

/// A document as it was read.
#[derive(Debug)]
pub struct Document<'s> {
    pub source: &'s str,
    pub handoffs: Vec<Handoff<'s>>,
    /// Why there is none, where there is none.
    pub refusal: Option<Refusal>,
    pub(crate) report: Report,
}

/// Returns the bytes as text, or what is wrong with them.
pub fn decode(bytes: &[u8]) -> Result<&str, Box<Diagnostic>> {
    if bytes.len() > limit::DOCUMENT_BYTES_MAX {
        return Err(Box::new(bt003_too_large::diagnostic(bytes.len())));
    }
    std::str::from_utf8(bytes).map_err(|error| Box::new(bt004_not_text::diagnostic(bytes, &error)))
}

/// Reads a document. This never fails: what is wrong becomes diagnostics.
pub fn read(source: &str) -> Document<'_> {
    let mut document = Document { source, handoffs: Vec::new(), refusal: None, report: Report::default() };
    if source.len() > limit::DOCUMENT_BYTES_MAX {
        document.report.push(bt003_too_large::diagnostic(source.len()));
        document.refusal = Some(Refusal { reason: "the document is too large".to_owned(), near_miss: false });
        return document;
    }
    let blocks = block::find(source);
    let mut finder = Finder { document, unreadable: false, near_miss: None, has_placeholders: false };
    finder.data(&blocks);
    let nearly_yaml =
        blocks.markdown.is_none() && blocks.blocks.iter().all(|block| block.format == Format::Yaml);
    if nearly_yaml && finder.document.handoffs.is_empty() && finder.near_miss.is_none() {
        finder.prose_instead_of_data();
    } else {
        finder.prose(&blocks);
    }
    // Output with nothing but markers has them already.
    let handoffs = &mut finder.document.handoffs;
    let of_work = handoffs.iter().position(|handoff| handoff.record.has(Field::CompletionClaim)).unwrap_or(0);
    if let Some(handoff) = handoffs.get_mut(of_work).filter(|handoff| !handoff.record.has(Field::Markers)) {
        marker::enrich(handoff, source);
    }
    finder.document
}

/// Returns the data in the blocks of a text, without saying what is wrong with it.
pub(crate) fn blocks_in(text: &str) -> Vec<Node<'_>> {
    let blocks = block::find(text).blocks;
    let shown = blocks.iter().filter(|block| matches!(block.origin, Origin::Fence | Origin::Section));
    shown.flat_map(|block| parse::nodes(text, block, &mut Report::default(), &mut false)).collect()
}

struct Finder<'s> {
    document: Document<'s>,
    /// Whether a block that was meant as a handoff could not be read.
    unreadable: bool,
    near_miss: Option<String>,
    /// Whether a value of the data stands in for something that nobody filled in.
    has_placeholders: bool,
}

impl<'s> Finder<'s> {
    fn data(&mut self, blocks: &Blocks) {
        for block in &blocks.blocks {
            let nodes =
                parse::nodes(self.document.source, block, &mut self.document.report, &mut self.unreadable);
            for node in nodes {
                self.offer(node, block);
            }
            if self.near_miss.is_some() {
                return;
            }
        }
        if let Some(markdown) = &blocks.markdown {
            self.drop_examples(markdown);
        }
    }

    /// Drops the data of a document that explains handoffs: they are examples, not handoffs.
    fn drop_examples(&mut self, markdown: &Markdown) {
        let shown = |handoff: &Handoff<'_>| matches!(handoff.origin, Origin::Fence | Origin::Section);
        let count = self.document.handoffs.iter().filter(|handoff| shown(handoff)).count();
        // One block without a placeholder is what a report has; reading all prose for it would cost more than the rest.
        if count == 0 || count == 1 && !self.has_placeholders {
            return;
        }
        // Output that completes a waypoint reports; its plan and its artifact are no examples.
        if !self.has_placeholders && marker::completes(self.document.source) {
            return;
        }
        match freeform::read(self.document.source, markdown).standing {
            Standing::Refused(refusal) if explains_handoffs(refusal) => {
                self.document.handoffs.retain(|handoff| !shown(handoff));
            }
            Standing::Refused(_) | Standing::Handoff => {}
        }
    }

    /// Offers a block to the dialects; lists of records are offered one by one.
    fn offer(&mut self, node: Node<'s>, block: &Block) {
        let items = match &node.kind {
            Kind::List(items) => items.iter().any(|item| item.pairs().is_some()).then(|| items.clone()),
            Kind::Map(pairs) => match pairs.as_slice() {
                [pair] if is_series(&pair.key) => pair.value.items().map(<[Node<'s>]>::to_vec),
                // A package that is acknowledged and one that hands on are two documents.
                pairs if pairs.len() > 1 && pairs.iter().all(is_wrapped) => {
                    let alone = |pair: &Pair<'s>| Node {
                        kind: Kind::Map(vec![pair.clone()]),
                        span: pair.key_span.cover(pair.value.span),
                    };
                    Some(pairs.iter().map(alone).collect())
                }
                _ => None,
            },
            Kind::Scalar { .. } => None,
        };
        if let Some(items) = items {
            let before = self.document.handoffs.len();
            for item in items {
                self.offer_map(item, block);
            }
            if self.document.handoffs.len() > before {
                return;
            }
        }
        self.offer_map(node, block);
    }

    fn offer_map(&mut self, node: Node<'s>, block: &Block) {
        if node.pairs().is_none() {
            return;
        }
        let values = Values::of(&node);
        self.has_placeholders |= values.placeholders > 0;
        let reason = not_a_record(&node, &values)
            .filter(|reason| *reason != TRACKER_ITEM || !has_handoff_heading(self.document.source));
        if let Some(reason) = reason {
            // A fence may be an example in a real note; the head of a document speaks for all of it.
            if matches!(block.origin, Origin::Whole | Origin::Frontmatter) {
                self.near_miss.get_or_insert(reason.to_owned());
            }
            return;
        }
        let titled_handoff = is_titled_handoff(block.span.text(self.document.source));
        let offer = Offer { origin: block.origin, node: &node, titled_handoff };
        let found =
            dialect::ALL.iter().find_map(|definition| Some((*definition, (definition.recognise)(offer)?)));
        if let Some((definition, variant)) = found {
            self.take(node, block, definition, variant);
        }
    }

    fn take(
        &mut self,
        node: Node<'s>,
        block: &Block,
        definition: &'static Definition,
        variant: &'static Variant,
    ) {
        let report = &mut self.document.report;
        parse::note_delimiters(self.document.source, block, report);
        let (mut record, tree) = match definition.dialect.is_strict() {
            true => (read::read_strictly(node, variant, report), None),
            false => (read::read_loosely(&node, variant, report), Some(node)),
        };
        if let Some(body) = body(self.document.source, block, definition) {
            record.push(Field::Body, body.span, Value::Text(body));
        }
        self.document.handoffs.push(Handoff {
            dialect: definition.dialect,
            variant,
            origin: block.origin,
            span: block.outer,
            record,
            tree,
        });
    }

    fn prose(&mut self, blocks: &Blocks) {
        let wants_prose = |handoff: &Handoff<'_>| handoff.dialect.definition().reads_prose;
        let Some(markdown) = &blocks.markdown else {
            if self.document.handoffs.is_empty() {
                self.refuse(None);
            }
            return;
        };
        let needed = self.document.handoffs.is_empty() || self.document.handoffs.iter().any(wants_prose);
        if !needed {
            return;
        }
        let source = self.document.source;
        if self.document.handoffs.is_empty()
            && let Some(handoff) = marker::handoff(source)
        {
            self.document.handoffs.push(handoff);
            return;
        }
        let reading = freeform::read(source, markdown);
        if let Some(handoff) = self.document.handoffs.iter_mut().find(|handoff| wants_prose(handoff)) {
            enrich(&mut handoff.record, reading.record);
            return;
        }
        if self.near_miss.is_some() {
            self.refuse(None);
            return;
        }
        match reading.standing {
            Standing::Refused(refusal) => {
                let reason = refusal.reason().to_owned();
                self.refuse(Some(Refusal { reason, near_miss: is_near_miss(refusal) }));
            }
            Standing::Handoff => {
                let headings = markdown.lines.iter().filter_map(|line| match line.kind {
                    LineKind::Heading { text, .. } => Some(text.text(source)),
                    _ => None,
                });
                let definition = match five_section::has_headings(headings) {
                    true => &five_section::DEFINITION,
                    false => &generic::FREEFORM,
                };
                let mut record = reading.record;
                record.span = Span::new(0, source.len());
                record.push(
                    Field::Body,
                    record.span,
                    Value::Text(Text::stated(source, Style::Block, record.span)),
                );
                self.document.handoffs.push(Handoff {
                    dialect: definition.dialect,
                    variant: &definition.variants[0],
                    origin: Origin::Whole,
                    span: record.span,
                    record,
                    tree: None,
                });
            }
        }
    }

    /// Reads a note of `Label:` lines that looked like YAML and is none. What was wrong with it as YAML is then no matter.
    fn prose_instead_of_data(&mut self) {
        // What breaks a bound was not read to its end: no other reading of it may be taken for the whole.
        if self.document.report.diagnostics.iter().any(|found| found.code == bt005_limit::CODE) {
            self.refuse(None);
            return;
        }
        let report = std::mem::take(&mut self.document.report);
        let markdown = Some(markdown::scan(self.document.source, None));
        self.prose(&Blocks { blocks: Vec::new(), markdown });
        if self.document.handoffs.is_empty() {
            self.document.report = report;
        }
    }

    fn refuse(&mut self, prose: Option<Refusal>) {
        let refusal = match self.near_miss.take() {
            Some(reason) => Refusal { reason, near_miss: true },
            None if self.unreadable => {
                Refusal { reason: "its data cannot be read".to_owned(), near_miss: false }
            }
            None => prose.unwrap_or_else(|| Refusal {
                reason: "its keys are not those of a handoff".to_owned(),
                near_miss: false,
            }),
        };
        self.document.refusal = Some(refusal);
    }
}

/// Says whether a document speaks of handoffs without being one.
fn is_near_miss(refusal: freeform::Refusal) -> bool {
    explains_handoffs(refusal)
        || matches!(refusal, freeform::Refusal::OtherMeaning | freeform::Refusal::Empty)
}

/// Says whether a document tells how handoffs are to be written, so that the data in it are examples.
fn explains_handoffs(refusal: freeform::Refusal) -> bool {
    match refusal {
        freeform::Refusal::Template | freeform::Refusal::Specification | freeform::Refusal::Instructions => {
            true
        }
        freeform::Refusal::Nothing | freeform::Refusal::OtherMeaning | freeform::Refusal::Empty => false,
    }
}

/// Says whether a key is the wrapper of a document of its own.
fn is_wrapped(pair: &Pair<'_>) -> bool {
    let key = crate::key::normalise(&pair.key);
    let wrappers = dialect::ALL.iter().flat_map(|definition| definition.variants);
    pair.value.pairs().is_some()
        && wrappers.filter_map(|variant| variant.wrapper).any(|wrapper| wrapper == key)
}

/// Says whether a key names a series of records.
fn is_series(key: &str) -> bool {
    matches!(crate::key::normalise(key).as_str(), "handoffs" | "entries" | "sessions" | "handovers")
}

fn has_handoff_heading(source: &str) -> bool {
    source.lines().any(|line| line.starts_with("##") && line.to_ascii_lowercase().contains("handoff"))
}

/// Says whether the comments before the first key call the data a handoff.
fn is_titled_handoff(text: &str) -> bool {
    let comments = text.lines().take_while(|line| line.trim().is_empty() || line.starts_with('#'));
    comments
        .map(str::to_ascii_lowercase)
        .any(|line| ["handoff", "hand-off", "handover"].iter().any(|word| line.contains(word)))
}

/// Why an item of a tracker is no handoff, unless it has a part that is called one.
const TRACKER_ITEM: &str = "it is an item of a task tracker";
/// What task trackers call their items.
const TRACKER_TYPES: &[&str] = &["task", "feature", "bug", "epic", "chore", "milestone", "story", "draft"];

/// Returns why a mapping is about handoffs without being one.
fn not_a_record(node: &Node<'_>, values: &Values) -> Option<&'static str> {
    let has = |key: &str| node.get(key).is_some();
    if has("$schema") && (has("properties") || has("$defs") || has("definitions"))
        || has("properties") && has("type")
    {
        return Some("it is a schema that describes handoffs");
    }
    if has("name") && has("description") && (has("tools") || has("handoffs") || has("allowed-tools")) {
        return Some("it is the definition of an agent or a command");
    }
    let kind =
        ["type", "issue_type"].iter().find_map(|key| node.get(key)).and_then(Node::text).unwrap_or_default();
    let tracked = TRACKER_TYPES.contains(&kind) || has("priority") && (has("labels") || has("assignee"));
    if tracked && has("title") && has("status") {
        return Some(TRACKER_ITEM);
    }
    let filled = values.all - values.blank;
    if values.placeholders >= 2 && values.placeholders * 100 >= filled * placeholder::TEMPLATE_PERCENT {
        return Some("it is a template that nobody filled in");
    }
    (filled == 0).then_some("all its values are empty")
}

/// How many values a mapping has, and of what sort.
#[derive(Default)]
struct Values {
    all: usize,
    blank: usize,
    placeholders: usize,
}

impl Values {
    fn of(node: &Node<'_>) -> Self {
        let mut values = Self::default();
        values.count(node);
        values
    }

    fn count(&mut self, node: &Node<'_>) {
        match &node.kind {
            Kind::Scalar { text, .. } => {
                self.all += 1;
                self.blank += usize::from(node.is_blank());
                self.placeholders += usize::from(is_placeholder(text));
            }
            Kind::List(items) => items.iter().for_each(|item| self.count(item)),
            Kind::Map(pairs) => pairs.iter().for_each(|pair| self.count(&pair.value)),
        }
    }
}

/// Returns the prose that belongs to a block: what follows the frontmatter, or what stands around a fence.
fn body<'s>(source: &'s str, block: &Block, definition: &Definition) -> Option<Text<'s>> {
    let after = &source[block.outer.end as usize..];
    let (text, span) = match (block.origin, definition.layout) {
        (Origin::Frontmatter, _) => (Cow::Borrowed(after), Span::new(block.outer.end as usize, source.len())),
        (Origin::Fence, Layout::Fence { heading }) => {
            let before = &source[..block.outer.start as usize];
            let before = before.strip_suffix("\n\n").and_then(|rest| rest.strip_suffix(heading)).map_or(
                before,
                |rest| {
                    let rest = rest.strip_suffix("## ").unwrap_or(rest);
                    rest.strip_suffix('\n').unwrap_or(rest)
                },
            );
            let text = match after.is_empty() {
                true => Cow::Borrowed(before),
                false => Cow::Owned(format!("{before}{after}")),
            };
            (text, Span::at(0))
        }
        (Origin::Fence | Origin::Section | Origin::Whole, _) => return None,
    };
    (!text.is_empty()).then(|| Text::stated(text, Style::Block, span))
}

/// Adds what the prose says and the data does not.
fn enrich<'s>(record: &mut Record<'s>, prose: Record<'s>) {
    for entry in prose.entries {
        let known = record.entries.iter().any(|known| known.field == entry.field && !known.value.is_blank());
        if !known {
            record.entries.push(entry);
        }
    }
}

impl Document<'_> {
    /// Returns the dialects of the handoffs found.
    pub fn dialects(&self) -> impl Iterator<Item = Dialect> {
        self.handoffs.iter().map(|handoff| handoff.dialect)
    }
}
