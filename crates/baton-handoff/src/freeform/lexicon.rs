//! What a section label means, whatever language or form it is written in.

use std::collections::BTreeMap;

use crate::field::Field;

use super::vocabulary::{ENGLISH, OTHER_LANGUAGES};

/// Longest label in bytes; longer lines are prose.
pub(super) const LABEL_BYTES_MAX: usize = 160;
/// Most words of a label that are compared.
const LABEL_WORDS_MAX: usize = 14;

/// What stands under a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Facts(Field),
    /// Files of which only the item says what happened to them.
    ChangedFiles,
    /// Items that each say themselves how far they are.
    Progress,
    /// Work that was begun and left; what does not work in it blocks.
    Unfinished,
    /// `Key: value` lines about the document itself.
    Header,
    /// A name for the author; who it is depends on the place.
    Agent,
    /// A decision, or the verdict of a review.
    Decision,
    /// History, templates, examples, rules for keeping the file: nothing of this handoff.
    Aside,
    /// Evidence in detail: statuses in here speak of their own part only.
    Detail,
}

/// The labels by their folded text.
#[derive(Debug)]
pub(super) struct Lexicon {
    labels: BTreeMap<&'static str, Meaning>,
    /// Labels of scripts without spaces, longest first: they are found inside longer labels.
    script: Vec<(&'static str, Meaning)>,
}

impl Lexicon {
    pub(super) fn new() -> Self {
        let mut labels = BTreeMap::new();
        let mut script = Vec::new();
        for (meaning, words) in ENGLISH.iter().chain(OTHER_LANGUAGES) {
            for label in words.split('|') {
                let label = label.trim();
                if label.chars().any(is_unspaced) {
                    script.push((label, *meaning));
                }
                labels.insert(label, *meaning);
            }
        }
        script.sort_by_key(|(label, _)| std::cmp::Reverse(label.len()));
        Self { labels, script }
    }

    /// Returns what a label means, by the whole of it, by how it begins, or by how it ends.
    pub(super) fn meaning(&self, label: &str) -> Option<Meaning> {
        if label.len() > LABEL_BYTES_MAX {
            return None;
        }
        let folded = fold(label);
        if let Some(meaning) = self.labels.get(&*folded) {
            return Some(*meaning);
        }
        // What stands before a dash, a colon or a bracket is the label; the rest says which, when or how far.
        let head = label.split([':', '：', '(', '（', '—', '–', '/', ',']).next().unwrap_or(label);
        if let Some(meaning) = self.labels.get(&*fold(head)) {
            return Some(*meaning);
        }
        let found = self.script.iter().find(|(phrase, _)| folded.contains(phrase));
        if let Some((_, meaning)) = found {
            return Some(*meaning);
        }
        let last = folded.rsplit(' ').next().unwrap_or_default();
        let first = folded.split(' ').next().unwrap_or_default();
        let calls = matches!(
            first,
            "next" | "requested" | "required" | "recommended" | "suggested" | "remaining" | "immediate"
        );
        if calls
            && matches!(last, "action" | "actions" | "step" | "steps" | "task" | "tasks" | "goal" | "goals")
        {
            return Some(Meaning::Facts(Field::NextSteps));
        }
        if folded.starts_with("known ") {
            return Some(Meaning::Facts(Field::Gotchas));
        }
        self.by_beginning(&folded).or_else(|| self.by_ending(&folded))
    }

    /// Returns what a `Key` of a `Key: value` line means: the whole of it must be known.
    pub(super) fn key(&self, key: &str) -> Option<Meaning> {
        if key.len() > LABEL_BYTES_MAX {
            return None;
        }
        let folded = fold(key);
        self.labels.get(&*folded).copied().or_else(|| {
            let nearly = |(phrase, _): &&(&str, Meaning)| {
                phrase.len() >= 6 && folded.len() <= phrase.len() + 12 && folded.contains(phrase)
            };
            self.script.iter().find(nearly).map(|(_, meaning)| *meaning)
        })
    }

    fn by_beginning(&self, folded: &str) -> Option<Meaning> {
        let mut end = folded.len();
        for _ in 0..LABEL_WORDS_MAX {
            end = folded[..end].rfind(' ')?;
            let Some(meaning) = self.labels.get(&folded[..end]).copied() else { continue };
            let next = folded[end + 1..].split(' ').next().unwrap_or_default();
            // "Gotchas for M1" are gotchas; "Next.js upgrade", "Risk engine" and "Status codes" are something else.
            let loose = folded[..end].contains(' ')
                && !matches!(meaning, Meaning::Facts(Field::Status | Field::Verdict | Field::Summary));
            if !needs_whole_label(meaning) && (loose || is_connector(next)) {
                return Some(meaning);
            }
        }
        None
    }

    fn by_ending(&self, folded: &str) -> Option<Meaning> {
        let mut start = 0;
        for _ in 0..LABEL_WORDS_MAX {
            let word = &folded[start..start + folded[start..].find(' ')?];
            // "not completed" and "tests to modify" end in a word that they take back.
            if matches!(
                word,
                "no" | "not"
                    | "non"
                    | "to"
                    | "without"
                    | "never"
                    | "un"
                    | "if"
                    | "when"
                    | "how"
                    | "why"
                    | "forbidden"
                    | "unapproved"
            ) {
                return None;
            }
            start += word.len() + 1;
            let meaning = self.labels.get(&folded[start..]).copied();
            if meaning.is_some_and(may_end_a_label) {
                return meaning;
            }
        }
        None
    }
}

/// Says whether a word only leads on to which, when or whose.
#[rustfmt::skip]
fn is_connector(word: &str) -> bool {
    word.starts_with(|char: char| char.is_ascii_digit())
        || matches!(
            word,
            "for" | "in" | "of" | "from" | "this" | "that" | "on" | "at" | "as" | "after" | "before"
                | "during" | "and" | "with" | "by" | "we" | "i" | "you" | "today" | "so" | "para" | "pour"
                | "für" | "der" | "de" | "del" | "da" | "do" | "для" | "yang" | "för" | "dla"
        )
}

fn needs_whole_label(meaning: Meaning) -> bool {
    match meaning {
        Meaning::Agent | Meaning::Detail => true,
        Meaning::Facts(field) => matches!(
            field,
            Field::From
                | Field::To
                | Field::At
                | Field::StartedAt
                | Field::CompletedAt
                | Field::Task
                | Field::Stage
                | Field::Title
                | Field::Branch
                | Field::Commit
                | Field::Session
                | Field::Id
                | Field::Priority
        ),
        Meaning::ChangedFiles
        | Meaning::Progress
        | Meaning::Unfinished
        | Meaning::Header
        | Meaning::Decision
        | Meaning::Aside => false,
    }
}

/// Says whether a longer label may end with this: "remaining blockers" are blockers, but a "build status" is not the status.
fn may_end_a_label(meaning: Meaning) -> bool {
    match meaning {
        Meaning::ChangedFiles | Meaning::Unfinished | Meaning::Aside => true,
        Meaning::Facts(field) => matches!(
            field,
            Field::NextSteps
                | Field::Blockers
                | Field::Gotchas
                | Field::Questions
                | Field::Decisions
                | Field::Patterns
                | Field::FilesCreated
                | Field::FilesModified
                | Field::FilesDeleted
                | Field::FilesToRead
                | Field::FilesMentioned
                | Field::SuccessCriteria
                | Field::Verdict
        ),
        Meaning::Progress | Meaning::Header | Meaning::Agent | Meaning::Decision | Meaning::Detail => false,
    }
}

/// Folds a label for comparison: lower case, single spaces, no marks, no numbering.
pub(super) fn fold(label: &str) -> String {
    let mut folded = String::with_capacity(label.len());
    for char in label.chars() {
        match char {
            '\'' | '’' => {}
            _ if char.is_alphanumeric() || is_combining(char) => folded.extend(char.to_lowercase()),
            _ if folded.ends_with(' ') || folded.is_empty() => {}
            _ => folded.push(' '),
        }
    }
    let trimmed = folded.trim();
    let unnumbered = trimmed.trim_start_matches(|char: char| char.is_ascii_digit() || char == ' ');
    if unnumbered.is_empty() { trimmed.to_string() } else { unnumbered.to_string() }
}

/// Vowel signs and tone marks belong to their letter.
fn is_combining(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}')
}

/// Says whether the script of this letter writes words without spaces between them.
pub(super) fn is_unspaced(char: char) -> bool {
    matches!(char, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}
