//! What a handoff says in running text: of its result, of what blocks, of files that went away.

use baton_handoff::field::Field;
use baton_handoff::outcome;
use baton_handoff::record::{Record, Text, Value};
use baton_handoff::tree::{Kind, Node};

use super::Source;
use crate::finding::Said;

/// Longest line of prose that is read, and most lines, so that a hostile document costs little.
const LINE_CHARS_MAX: usize = 1_000;
const LINES_MAX: usize = 2_000;
const PARAGRAPH_BYTES_MAX: usize = 8_000;

/// Fields whose text speaks of the result of the work.
const RESULT_TEXTS: &[Field] = &[Field::Summary, Field::DiffSummary, Field::ToReason];
const RESULT_LISTS: &[Field] = &[Field::Done, Field::Verification];
/// Keys of no dialect that speak of something else than the result.
const OTHER_KEYS: &[&str] = &[
    "plan",
    "history",
    "previous",
    "background",
    "example",
    "last_failure",
    "notes_for_next",
    "out_of_scope",
];
/// Headings under which a document speaks of something else than its result.
const OTHER_HEADINGS: &[&str] = &[
    "history",
    "background",
    "context",
    "before",
    "problem",
    "previous",
    "known",
    "next",
    "open",
    "question",
    "requirement",
    "criteria",
    "criterion",
    "plan",
    "risk",
    "gotcha",
    "lesson",
    "decision",
    "feedback",
    "retry",
    "example",
];

/// Returns what the handoff says of its result: in its fields, and in the prose around them.
pub(super) fn of_result(record: &Record<'_>, source: &Source<'_>) -> Vec<Said> {
    let mut all: Vec<Said> = RESULT_TEXTS.iter().filter_map(|field| source.text(record, *field)).collect();
    all.extend(RESULT_LISTS.iter().flat_map(|field| source.texts(record, *field)));
    for extension in &record.extensions {
        if !is_other(&extension.key, OTHER_KEYS) {
            scalars(&extension.value, source, &mut all);
        }
    }
    all.extend(prose(source));
    all.truncate(LINES_MAX);
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|said| seen.insert((said.place.span.start, said.text.clone())));
    all
}

fn is_other(name: &str, others: &[&str]) -> bool {
    let name = name.to_lowercase();
    others.iter().any(|other| name.contains(other))
}

fn scalars(node: &Node<'_>, source: &Source<'_>, all: &mut Vec<Said>) {
    match &node.kind {
        Kind::Scalar { .. } => {
            all.extend(node.text().map(|text| Said::new(text, source.place(node.span))));
        }
        Kind::List(items) => items.iter().for_each(|item| scalars(item, source, all)),
        Kind::Map(pairs) => {
            let own = pairs.iter().filter(|pair| !is_other(&pair.key, OTHER_KEYS));
            own.for_each(|pair| scalars(&pair.value, source, all));
        }
    }
}

/// Returns the paragraphs and list items of prose: outside of fences, frontmatter and headings that speak of something else.
fn prose(source: &Source<'_>) -> Vec<Said> {
    let (mut lines, mut start) = (Vec::new(), 0);
    let (mut fence, mut in_frontmatter, mut is_skipped, mut is_open) = (None, false, false, false);
    for (number, line) in source.text.split_inclusive('\n').enumerate() {
        let span = baton_handoff::span::Span::new(start, start + line.trim_end().len());
        start += line.len();
        let text = line.trim();
        if number == 0 && text == "---" {
            in_frontmatter = true;
            continue;
        }
        if in_frontmatter {
            in_frontmatter = text != "---";
            continue;
        }
        let mark = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if fence.is_some() || mark.is_some() || text.is_empty() {
            is_open = false;
            continue;
        }
        if text.starts_with('#') {
            is_open = false;
            is_skipped = is_other(text, OTHER_HEADINGS);
            continue;
        }
        // A quotation is somebody else's, and a key with a value is read as data.
        let is_data =
            text.starts_with('>') || text.starts_with('|') || text.starts_with('{') || is_pair(text);
        if is_skipped || is_data || lines.len() >= LINES_MAX {
            is_open = false;
            continue;
        }
        let text: String = text.chars().take(LINE_CHARS_MAX).collect();
        match lines.last_mut() {
            Some(Said { text: paragraph, .. })
                if is_open && !begins_item(&text) && paragraph.len() < PARAGRAPH_BYTES_MAX =>
            {
                paragraph.push(' ');
                paragraph.push_str(&text);
            }
            _ => lines.push(Said::new(text, source.place(span))),
        }
        is_open = true;
    }
    lines
}

/// Says whether a line begins an item of a list, or is a status line with a mark of its own.
fn begins_item(text: &str) -> bool {
    let is_letter = |first: char| first.is_alphanumeric() || matches!(first, '`' | '"' | '(' | '\'' | '_');
    let number = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
    !text.starts_with(is_letter) || number.len() < text.len() && number.starts_with(['.', ')'])
}

/// Says whether a line is a key of YAML with its value.
fn is_pair(text: &str) -> bool {
    let text = text.strip_prefix("- ").unwrap_or(text);
    text.split_once(':').is_some_and(|(key, _)| {
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-'))
    })
}

/// Returns the open questions and blockers that hold the work up.
pub(super) fn of_blockers(record: &Record<'_>, source: &Source<'_>) -> Vec<Said> {
    let is_yes = |text: &str| matches!(text.trim().to_ascii_lowercase().as_str(), "true" | "yes");
    let questions = record.records(Field::Questions).iter();
    let questions = questions
        .filter(|question| question.str(Field::Blocking).is_some_and(is_yes))
        .filter_map(|question| source.text(question, Field::Question));
    let blockers = record.records(Field::Blockers).iter();
    let blockers = blockers.filter_map(|blocker| source.text(blocker, Field::Blocker));
    let plain = match record.entry(Field::Blockers).map(|entry| &entry.value) {
        Some(Value::Texts(texts)) => texts.as_slice(),
        _ => &[],
    };
    let plain = plain.iter().filter(|text: &&Text<'_>| !text.is_blank()).map(|text| source.said(text));
    questions.chain(blockers).chain(plain).filter(|said| !outcome::is_none_word(&said.text)).collect()
}

/// What the words beside a listed file say of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfFile {
    /// It was removed, or moved away.
    pub(super) removed: bool,
    /// It came from elsewhere, or replaces something.
    pub(super) moved: bool,
    /// It was put back as it was.
    pub(super) restored: bool,
}

pub(super) fn of_file(item: &Record<'_>) -> OfFile {
    let fields = [Field::ChangeType, Field::Description, Field::Purpose, Field::Type, Field::Reason];
    let texts: Vec<String> =
        fields.iter().filter_map(|field| item.str(*field)).map(str::to_lowercase).collect();
    let own = item.extensions.iter().filter_map(|own| own.value.text()).map(str::to_lowercase);
    let texts: Vec<String> = texts.into_iter().chain(own).collect();
    let says = |words: &[&str]| {
        texts
            .iter()
            .any(|text| text.split(|mark: char| !mark.is_alphanumeric()).any(|word| words.contains(&word)))
    };
    OfFile {
        removed: says(&[
            "delete", "deleted", "removed", "remove", "gone", "dropped", "renamed", "rename", "moved", "move",
        ]),
        moved: says(&["renamed", "rename", "moved", "move", "replaces", "recreated", "rewritten"]),
        restored: says(&["restored", "reverted", "undone", "unchanged", "back"]),
    }
}

/// Returns the words when they say that nothing else changed.
pub(super) fn nothing_else(said: &Said) -> Option<Said> {
    let text = said.text.to_lowercase();
    let speaks_of_change =
        ["chang", "touch", "modif", "edit", "alter"].iter().any(|stem| text.contains(stem));
    let is_all = [
        "no other file",
        "nothing else",
        "no further file",
        "no additional file",
        "only file",
        "no file besides",
    ]
    .iter()
    .any(|phrase| text.contains(phrase));
    (speaks_of_change && is_all).then(|| said.clone())
}
