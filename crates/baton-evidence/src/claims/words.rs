//! What a handoff says in running text: of its result, of what blocks, of files that went away.

use baton_handoff::field::Field;
use baton_handoff::marker::Marker;
use baton_handoff::outcome;
use baton_handoff::record::{Record, Text, Value};

use super::beyond;
use super::sentence::{sentences, words};
use super::{FileClaim, Source};
use crate::finding::Said;

/// Longest line of prose that is read, and most lines, so that a hostile document costs little.
const LINE_CHARS_MAX: usize = 1_000;
const LINES_MAX: usize = 2_000;
const PARAGRAPH_BYTES_MAX: usize = 8_000;

/// Fields whose text speaks of the result of the work.
const RESULT_TEXTS: &[Field] = &[Field::Summary, Field::DiffSummary, Field::ToReason];
const RESULT_LISTS: &[Field] = &[Field::Done, Field::Verification];
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
pub(super) fn of_result(record: &Record<'_>, markers: &[Marker<'_>], source: &Source<'_>) -> Vec<Said> {
    let mut all: Vec<Said> = RESULT_TEXTS.iter().filter_map(|field| source.text(record, *field)).collect();
    all.extend(RESULT_LISTS.iter().flat_map(|field| source.texts(record, *field)));
    for one in beyond::all(record) {
        let texts = one.nodes().iter().filter_map(|node| Some((node.text()?, node.span)));
        all.extend(texts.map(|(text, span)| Said::new(text, source.place(span))));
    }
    all.extend(items(record, source));
    all.extend(prose(source));
    all.extend(defects(record, source));
    let of_markers = markers.iter().filter(|marker| marker.name != "waypoint-complete");
    all.extend(of_markers.map(|marker| Said::new(marker.content, source.place(marker.content_span))));
    all.truncate(LINES_MAX);
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|said| seen.insert((said.place.span.start, said.text.clone())));
    all
}

/// Lists of what was done, whose items may say more than their dialect has keys for.
const ITEM_LISTS: &[Field] =
    &[Field::Commands, Field::FilesCreated, Field::FilesModified, Field::FilesDeleted, Field::Artifacts];

/// What such an item says of itself.
const ITEM_TEXTS: &[Field] = &[Field::Description, Field::Purpose, Field::Message];

/// Returns what the items of lists say in words, also beside their own keys.
fn items(record: &Record<'_>, source: &Source<'_>) -> Vec<Said> {
    let items = ITEM_LISTS.iter().flat_map(|field| record.records(*field));
    let mut all = Vec::new();
    for item in items {
        all.extend(ITEM_TEXTS.iter().filter_map(|field| source.text(item, *field)));
        let own = item.extensions.iter().map(|own| &own.value);
        all.extend(own.filter_map(|node| Some(Said::new(node.text()?, source.place(node.span)))));
    }
    all
}

/// Degrees of a defect that stop work, and words by which a defect is gone.
const STOPPING: &[&str] = &["critical", "blocker", "severe", "showstopper", "p0", "sev1", "high"];
const CLOSED: &[&str] = &["fixed", "closed", "resolved", "done", "mitigated", "no", "none", "0"];

/// Returns the open defects of tables and lists, each as a sentence that says how bad it is.
fn defects(record: &Record<'_>, source: &Source<'_>) -> Vec<Said> {
    let (mut found, mut start, mut is_of_defects) = (Vec::new(), 0, false);
    for line in source.text.split_inclusive('\n') {
        let span = baton_handoff::span::Span::new(start, start + line.trim_end().len());
        start += line.len();
        let text = line.trim().to_lowercase();
        if text.starts_with('#') {
            is_of_defects = self::is_of_defects(&text);
        } else if text.starts_with('|') && is_of_defects {
            let cells: Vec<&str> =
                text.split('|').map(|cell| cell.trim().trim_matches(['*', '`', '_'])).collect();
            found.extend(defect(&cells).map(|text| Said::new(text, source.place(span))));
        }
    }
    let lists = beyond::all(record);
    for node in lists.iter().flat_map(|one| one.nodes()) {
        let is_graded = node.get("severity").is_some();
        let Some(pairs) = node.pairs().filter(|_| is_graded) else { continue };
        let cells: Vec<String> =
            pairs.iter().filter_map(|pair| Some(pair.value.text()?.trim().to_lowercase())).collect();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        found.extend(defect(&cells).map(|text| Said::new(text, source.place(node.span))));
    }
    found
}

/// Says whether a heading is that of a list of defects.
pub(super) fn is_of_defects(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    ["bug", "defect", "issue", "finding", "problem"].iter().any(|noun| heading.contains(noun))
}

/// Reads the cells of a defect: how bad it is, what it is, and whether it is gone.
fn defect(cells: &[&str]) -> Option<String> {
    let degree = cells.iter().find(|cell| STOPPING.contains(*cell))?;
    let is_closed = cells.iter().any(|cell| cell.split(' ').any(|word| CLOSED.contains(&word)));
    let what = cells.iter().max_by_key(|cell| cell.len())?;
    let degree = if *degree == "high" { "severe" } else { degree };
    (!is_closed).then(|| format!("{degree} bug: {what}"))
}

/// Returns the paragraphs and list items of prose: outside of fences, frontmatter and headings that speak of something else.
fn prose(source: &Source<'_>) -> Vec<Said> {
    let (mut lines, mut start) = (Vec::new(), 0);
    if source.text.trim_start().starts_with(['{', '[']) {
        return Vec::new();
    }
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
            is_skipped = is_other_heading(text);
            continue;
        }
        // A quotation is somebody else's, and a key with a value is read as data.
        let is_data = text.starts_with(['>', '|', '{', '<']) || is_pair(text);
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

/// Says whether what stands under a heading is about something else than the result of the work.
pub(super) fn is_other_heading(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    OTHER_HEADINGS.iter().any(|other| heading.contains(other))
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
    let mut all: Vec<Said> = questions.chain(blockers).chain(plain).collect();
    for said in blocking_in_text(source).into_iter().chain(blocking_in_prose(source)) {
        if !all.iter().any(|known| known.text.trim() == said.text.trim()) {
            all.push(said);
        }
    }
    all.retain(|said| !outcome::is_none_word(&said.text));
    all
}

/// Returns the items under headings of questions and blockers that say of themselves that they block.
fn blocking_in_prose(source: &Source<'_>) -> Vec<Said> {
    let (mut found, mut is_of_questions, mut start) = (Vec::new(), false, 0);
    for line in source.text.split_inclusive('\n') {
        let span = baton_handoff::span::Span::new(start, start + line.trim_end().len());
        start += line.len();
        let text = line.trim();
        if text.starts_with('#') {
            let heading = text.to_lowercase();
            is_of_questions = heading.contains("question") || heading.contains("blocker");
            continue;
        }
        let says = words(text);
        let blocks = says
            .iter()
            .position(|word| matches!(word.as_str(), "blocking" | "blocks" | "blocker" | "blocked"));
        let is_answered =
            |word: &String| matches!(word.as_str(), "resolved" | "answered" | "settled" | "closed");
        let is_denied = |at: usize| {
            let is_no = says.get(at + 1).is_some_and(|next| matches!(next.as_str(), "no" | "none" | "false"));
            is_no || super::sentence::is_negated(&says, at) || says.iter().any(is_answered)
        };
        if is_of_questions && begins_item(text) && blocks.is_some_and(|at| !is_denied(at)) {
            found.push(Said::new(text, source.place(span)));
        }
    }
    found
}

/// Returns the questions of lists that stand anywhere in the document as data and say of themselves that they block.
fn blocking_in_text(source: &Source<'_>) -> Vec<Said> {
    let (mut found, mut open, mut start) = (Vec::new(), None::<(Said, usize)>, 0);
    for line in source.text.split_inclusive('\n') {
        let span = baton_handoff::span::Span::new(start, start + line.trim_end().len());
        start += line.len();
        let is_item = line.trim_start().starts_with("- ");
        let text = line.trim().trim_start_matches("- ");
        let depth = line.len() - line.trim_start().trim_start_matches("- ").len();
        let Some((key, value)) = text.split_once(':') else { continue };
        let value = value.trim().trim_matches(['"', '\'']);
        match key.trim().trim_matches('"') {
            "question" => open = Some((Said::new(value, source.place(span)), depth)),
            "blocking" if matches!(value.trim_end_matches([',', '}']), "true" | "yes") => {
                found.extend(open.take().filter(|(_, of)| *of == depth).map(|(said, _)| said));
            }
            _ if is_item && open.as_ref().is_some_and(|(_, of)| *of >= depth) => open = None,
            _ => {}
        }
    }
    found
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

/// Words that speak of changes to files.
const CHANGING: &[&str] = &["chang", "touch", "modif", "edit", "alter", "diff"];
/// Words that leave nothing beside what is named.
const ONLY: &[&str] =
    &["only", "just", "solely", "exclusively", "limited", "confined", "restricted", "alone", "single"];
/// Words for all that isn't named.
const REST: &[&str] = &[
    "other",
    "else",
    "further",
    "additional",
    "rest",
    "remaining",
    "besides",
    "everything",
    "beyond",
    "except",
    "apart",
];
/// Words by which the rest is as it was.
const AS_IT_WAS: &[&str] = &[
    "no",
    "not",
    "nothing",
    "none",
    "unchanged",
    "untouched",
    "unmodified",
    "as",
    "alone",
    "same",
    "didn't",
    "never",
];

/// Returns the words when they say that nothing else changed.
pub(super) fn nothing_else(said: &Said) -> Option<Said> {
    let says = |sentence: &str| {
        let words = words(sentence);
        let has = |some: &[&str]| words.iter().any(|word| some.contains(&word.as_str()));
        let changes = words.iter().any(|word| CHANGING.iter().any(|stem| word.contains(stem)));
        let is_of_files = words
            .iter()
            .any(|word| matches!(word.as_str(), "file" | "files" | "nothing" | "rest" | "everything"));
        let names =
            sentence.split_whitespace().any(|token| super::prose::is_path(super::prose::trimmed(token)));
        let of_rest = has(REST)
            && has(AS_IT_WAS)
            && (changes || has(&["alone", "before"]))
            && (is_of_files || names || has(&["else"]));
        let of_only = has(ONLY) && changes && (names || words.iter().any(|word| word == "file"));
        let of_list = has(&["list"]) && has(&["complete", "full", "entire", "exhaustive"]) && changes;
        of_rest || of_only || of_list
    };
    sentences(&said.text).any(says).then(|| said.clone())
}

/// Words that deny that anything blocks.
const NOTHING_OPEN: &[&str] = &[
    "no open questions",
    "no open question",
    "no blocking questions",
    "no blockers",
    "no open blockers",
    "no blocker",
    "nothing blocks",
    "nothing is blocking",
    "nothing is open",
    "nothing open",
    "no questions remain",
    "no questions are open",
    "all questions are answered",
    "all questions answered",
    "all questions are resolved",
    "all questions resolved",
    "no remaining questions",
    "no unresolved questions",
    "no outstanding questions",
    "without open questions",
    "without blockers",
];

/// Says whether words deny that a question is open or that something blocks.
pub(super) fn denies_blockers(said: &Said) -> bool {
    sentences(&said.text).any(|sentence| {
        let text = words(sentence).join(" ");
        NOTHING_OPEN.iter().any(|phrase| text.contains(phrase))
    })
}

/// Counts of files in sentences: "created 3 files", "4 files changed".
pub(super) fn file_counts(own_words: &[Said]) -> Vec<(FileClaim, u64, Said)> {
    let mut found = Vec::new();
    for said in own_words {
        for sentence in sentences(&said.text) {
            let words = words(sentence);
            if super::sentence::is_planned_or_denied(&words) {
                continue;
            }
            for (at, word) in words.iter().enumerate() {
                let Some(number) = number(word) else { continue };
                let next = |offset: usize| words.get(at + offset).map_or("", String::as_str);
                let is_new = next(1) == "new";
                let noun = if is_new { 2 } else { 1 };
                if !matches!(next(noun), "file" | "files") {
                    continue;
                }
                let before = at.checked_sub(1).map_or("", |at| words[at].as_str());
                let verbs = [before, next(noun + 1), next(noun + 2)];
                let of_verb = verbs.iter().find_map(|verb| super::verb::of_list(verb));
                let claim = if is_new { Some(FileClaim::Created) } else { of_verb };
                found.extend(claim.map(|claim| (claim, number, said.clone())));
            }
        }
    }
    found
}

/// Reads a number below a hundred, in digits or in words.
pub fn number(word: &str) -> Option<u64> {
    const SMALL: &[&str] = &[
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: &[&str] = &["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let word = word.to_lowercase();
    let at = |all: &[&str], word: &str| all.iter().position(|known| *known == word).map(|at| at as u64);
    let tens = |word: &str| at(TENS, word).map(|at| (at + 2) * 10);
    let of_two = || {
        let (front, back) = word.split_once('-')?;
        Some(tens(front)? + at(SMALL, back)?)
    };
    word.parse().ok().or_else(|| at(SMALL, &word)).or_else(|| tens(&word)).or_else(of_two)
}
