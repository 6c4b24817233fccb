//! What one document says, as items: every dialect by the words of the model.

use std::collections::BTreeSet;

use baton_handoff::field::Field;
use baton_handoff::handoff::Handoff;
use baton_handoff::outcome::{is_blocking, is_none_word, is_open};
use baton_handoff::record::{Confidence, Record, Text, Value};
use baton_handoff::{document, secret};

use super::{FileChange, Item, ItemKind, Severity};
use crate::word::TaskId;

/// Most items that are taken from one handoff.
pub const ITEMS_MAX: usize = 10_000;
/// Longest text of an item, in characters; the document itself is kept whole.
pub const TEXT_CHARS_MAX: usize = 2_000;
/// Most tags, and most blocked tasks, of one item.
const NAMES_MAX: usize = 50;
/// Longest path, in bytes.
const PATH_BYTES_MAX: usize = 1_024;
/// Longest tag, in characters.
const TAG_CHARS_MAX: usize = 64;
/// Shortest secret whose value is taken out wherever it stands, in bytes.
const SECRET_BYTES_MIN: usize = 6;

/// Where items of one kind stand, and which of their fields say what. The first that is there counts.
struct Form {
    list: Field,
    kind: ItemKind,
    text: &'static [Field],
    detail: &'static [Field],
    path: &'static [Field],
    change: Option<FileChange>,
}

const fn file(list: Field, change: FileChange) -> Form {
    Form {
        list,
        kind: ItemKind::File,
        text: &[Field::Purpose, Field::Description, Field::Reason],
        detail: &[],
        path: &[Field::Path],
        change: Some(change),
    }
}

const fn step(list: Field) -> Form {
    let text = &[Field::Step, Field::Description, Field::Title];
    Form {
        list,
        kind: ItemKind::NextStep,
        text,
        detail: &[Field::Reason],
        path: &[Field::Path, Field::Location],
        change: None,
    }
}

const FORMS: &[Form] = &[
    file(Field::FilesCreated, FileChange::Created),
    file(Field::FilesModified, FileChange::Modified),
    file(Field::FilesDeleted, FileChange::Deleted),
    file(Field::Artifacts, FileChange::Mentioned),
    file(Field::FilesMentioned, FileChange::Mentioned),
    Form {
        list: Field::FilesToRead,
        kind: ItemKind::FileToRead,
        text: &[Field::Reason, Field::Purpose, Field::Description],
        detail: &[],
        path: &[Field::Path],
        change: None,
    },
    Form {
        list: Field::Patterns,
        kind: ItemKind::Pattern,
        text: &[Field::Pattern, Field::Description, Field::Title, Field::Name],
        detail: &[Field::Reason, Field::Rationale],
        path: &[Field::Location, Field::Path],
        change: None,
    },
    Form {
        list: Field::Gotchas,
        kind: ItemKind::Gotcha,
        text: &[Field::Issue, Field::Description, Field::Title, Field::Name],
        detail: &[Field::Mitigation, Field::SuggestedResolution, Field::Recommendation],
        path: &[Field::Location, Field::Path, Field::DiscoveredIn],
        change: None,
    },
    Form {
        list: Field::Decisions,
        kind: ItemKind::Decision,
        text: &[Field::Decision, Field::Description, Field::Title],
        detail: &[Field::Rationale, Field::Reason],
        path: &[Field::Location, Field::Path],
        change: None,
    },
    Form {
        list: Field::Questions,
        kind: ItemKind::Question,
        text: &[Field::Question, Field::Description, Field::Title],
        detail: &[Field::Recommendation, Field::QuestionContext],
        path: &[Field::Location, Field::Path],
        change: None,
    },
    step(Field::NextSteps),
    step(Field::Remaining),
    Form {
        list: Field::Blockers,
        kind: ItemKind::Blocker,
        text: &[Field::Blocker, Field::Description, Field::Issue, Field::Title, Field::Reason],
        detail: &[Field::SuggestedResolution, Field::Impact, Field::Mitigation],
        path: &[Field::Location, Field::Path],
        change: None,
    },
];

/// Reads a document and returns what its first handoff says, without its secrets.
pub fn read(bytes: &[u8]) -> Vec<Item> {
    let Ok(source) = document::decode(bytes) else { return Vec::new() };
    let document = document::read(source);
    let Some(handoff) = document.handoffs.first() else { return Vec::new() };
    let mut items = extract(handoff);
    let spans = secret::spans(source);
    let values: Vec<&str> = spans.iter().map(|span| span.text(source)).collect();
    items.iter_mut().for_each(|item| hide(item, &values));
    items
}

/// Returns what a handoff says, list by list.
pub fn extract(handoff: &Handoff<'_>) -> Vec<Item> {
    let record = handoff.everything();
    let mut items = Vec::new();
    for form in FORMS {
        let lists = record.entries.iter().filter(|entry| entry.field == form.list);
        for entry in lists {
            match &entry.value {
                Value::Records(records) => items.extend(records.iter().filter_map(|one| item(one, form))),
                Value::Record(one) => items.extend(item(one, form)),
                Value::Text(text) => items.extend(bare(text, form.kind)),
                Value::Texts(texts) => items.extend(texts.iter().filter_map(|text| bare(text, form.kind))),
                Value::Tree(_) => {}
            }
        }
    }
    items.extend(record.texts(Field::Doubts).iter().filter_map(|doubt| bare(doubt, ItemKind::Question)));
    items.extend(block(&record));
    // A request of its own is a question that blocks.
    if let Some(mut question) = record.text(Field::Question).and_then(|text| bare(text, ItemKind::Question)) {
        question.blocking = true;
        items.push(question);
    }
    items.truncate(ITEMS_MAX);
    items
}

fn empty(kind: ItemKind) -> Item {
    Item {
        kind,
        text: String::new(),
        detail: None,
        path: None,
        lines: None,
        change: None,
        tags: BTreeSet::new(),
        severity: None,
        blocking: kind == ItemKind::Blocker,
        tasks: BTreeSet::new(),
        stated: true,
        has_changed_subject: false,
    }
}

fn item(record: &Record<'_>, form: &Form) -> Option<Item> {
    let first = |fields: &[Field]| fields.iter().find_map(|field| said(record.text(*field)?));
    if form.kind == ItemKind::Blocker && !is_open(record) {
        return None;
    }
    let mut item = empty(form.kind);
    let place = form.path.iter().find_map(|field| record.text(*field));
    if let Some((path, lines)) = place.and_then(|text| place_of(text.as_str())) {
        item.path = Some(path);
        item.lines = lines;
    }
    let text = first(form.text);
    let is_file = matches!(form.kind, ItemKind::File | ItemKind::FileToRead);
    match text {
        Some(text) => item.text = text,
        None if is_file && item.path.is_some() => {}
        None => return None,
    }
    // What is found in a place that is no file is still worth knowing.
    item.detail = first(form.detail).or_else(|| place.filter(|_| item.path.is_none()).and_then(said));
    item.change = form.change.map(|change| match record.str(Field::ChangeType).map(str::trim) {
        Some("add") => FileChange::Created,
        Some("delete") => FileChange::Deleted,
        _ => change,
    });
    item.lines = record.str(Field::Lines).map(cut).or(item.lines);
    item.tags = record.texts(Field::AppliesTo).iter().filter_map(tag).take(NAMES_MAX).collect();
    item.severity = record.str(Field::Severity).or_else(|| record.str(Field::Priority)).and_then(severity);
    item.blocking |= form.kind == ItemKind::Question && is_blocking(record);
    let tasks = record.texts(Field::BlockingTasks).iter();
    item.tasks = tasks.filter_map(|text| TaskId::new(text.as_str().trim()).ok()).take(NAMES_MAX).collect();
    let confident = |text: &Text<'_>| text.confidence == Confidence::Stated;
    item.stated = form.text.iter().chain(form.path).filter_map(|field| record.text(*field)).all(confident);
    Some(item)
}

/// An item that is nothing but a text.
fn bare(text: &Text<'_>, kind: ItemKind) -> Option<Item> {
    let mut item = empty(kind);
    item.stated = text.confidence == Confidence::Stated;
    if matches!(kind, ItemKind::File | ItemKind::FileToRead) {
        let (path, lines) = place_of(text.as_str())?;
        (item.path, item.lines) = (Some(path), lines);
        return Some(item);
    }
    item.text = said(text)?;
    Some(item)
}

/// The block of a stage document: a reason from a list, and details in words.
fn block(record: &Record<'_>) -> Option<Item> {
    let reason = record.text(Field::BlockReason).and_then(said)?;
    let details = record.text(Field::BlockDetails).and_then(said);
    let mut item = empty(ItemKind::Blocker);
    item.detail = details.is_some().then(|| reason.clone());
    item.text = details.unwrap_or(reason);
    Some(item)
}

/// Returns a text that says something.
fn said(text: &Text<'_>) -> Option<String> {
    (!text.is_blank() && !is_none_word(text.as_str())).then(|| cut(text.as_str()))
}

fn cut(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn tag(text: &Text<'_>) -> Option<String> {
    let words: Vec<String> = text.as_str().split_whitespace().map(str::to_lowercase).collect();
    let tag = words.join("-");
    (!tag.is_empty() && tag.chars().count() <= TAG_CHARS_MAX).then_some(tag)
}

/// Reads the words of any project for how bad or urgent something is.
fn severity(text: &str) -> Option<Severity> {
    match text.trim().to_lowercase().as_str() {
        "high" | "critical" | "severe" | "blocker" | "urgent" | "p0" | "p1" => Some(Severity::High),
        "medium" | "moderate" | "normal" | "p2" => Some(Severity::Medium),
        "low" | "minor" | "trivial" | "info" | "p3" | "p4" => Some(Severity::Low),
        _ => None,
    }
}

/// Returns the path inside the project that a text names, with its lines: `src/a.rs:10-20`. Anything else is no place.
pub(crate) fn place_of(text: &str) -> Option<(String, Option<String>)> {
    let text = text.trim().trim_matches(['`', '"', '\'', '*']).replace('\\', "/");
    let is_lines = |part: &str| {
        let digits = |char: char| char.is_ascii_digit() || matches!(char, '-' | ':' | ',' | 'L');
        part.starts_with(|char: char| char.is_ascii_digit() || char == 'L') && part.chars().all(digits)
    };
    let (path, lines) = match text.split_once(':') {
        Some((path, lines)) if is_lines(lines) => (path, Some(lines.to_owned())),
        Some(_) => return None,
        None => (text.as_str(), None),
    };
    let path = path.trim_start_matches("./");
    let parts_are_plain = path.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    let is_path = path.contains('/') || path.rsplit_once('.').is_some_and(|(stem, end)| is_name(stem, end));
    let plain = !path.contains(|char: char| char.is_whitespace() || char.is_control());
    let fits = !path.is_empty() && path.len() <= PATH_BYTES_MAX;
    let is_project = fits && plain && is_path && parts_are_plain && !path.starts_with('~');
    is_project.then(|| (path.to_owned(), lines))
}

fn is_name(stem: &str, end: &str) -> bool {
    !end.is_empty() && end.chars().all(|char| char.is_ascii_alphanumeric()) && !stem.ends_with('.')
}

fn hide(item: &mut Item, values: &[&str]) {
    let texts = [Some(&mut item.text), item.detail.as_mut(), item.path.as_mut(), item.lines.as_mut()];
    for text in texts.into_iter().flatten() {
        for value in values.iter().filter(|value| value.len() >= SECRET_BYTES_MIN) {
            if text.contains(value) {
                *text = text.replace(value, "****");
            }
        }
        if let std::borrow::Cow::Owned(masked) = secret::mask(text) {
            *text = masked;
        }
    }
    let is_secret = |tag: &String| values.iter().any(|value| tag.contains(&value.to_lowercase()));
    item.tags.retain(|tag| !is_secret(tag));
}
