//! What the words of a text are worth: whether they say anything, and whether one could check it.

use super::show::shown;

/// Words that say nothing about the work by themselves.
const EMPTY: &[&str] = &[
    "a",
    "above",
    "again",
    "all",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "been",
    "before",
    "below",
    "bug",
    "bugs",
    "by",
    "change",
    "changed",
    "changes",
    "code",
    "complete",
    "completed",
    "discussed",
    "done",
    "everything",
    "expected",
    "file",
    "files",
    "finished",
    "fix",
    "fixed",
    "fixes",
    "for",
    "from",
    "good",
    "has",
    "have",
    "here",
    "i",
    "implemented",
    "improved",
    "improvements",
    "in",
    "into",
    "is",
    "issue",
    "issues",
    "it",
    "it's",
    "its",
    "made",
    "minor",
    "misc",
    "more",
    "my",
    "necessary",
    "needed",
    "now",
    "of",
    "ok",
    "okay",
    "on",
    "or",
    "over",
    "part",
    "previous",
    "previously",
    "ready",
    "requested",
    "required",
    "see",
    "so",
    "some",
    "step",
    "stuff",
    "success",
    "successful",
    "successfully",
    "task",
    "that",
    "the",
    "there",
    "things",
    "this",
    "to",
    "update",
    "updated",
    "updates",
    "various",
    "was",
    "we",
    "were",
    "with",
    "work",
    "worked",
    "working",
    "works",
    "you",
    "your",
];

/// Words that each reader measures differently.
const VAGUE: &[&str] = &[
    "acceptable",
    "adequate",
    "appropriate",
    "appropriately",
    "asap",
    "best",
    "better",
    "clean",
    "correctly",
    "decent",
    "easy",
    "efficient",
    "efficiently",
    "elegant",
    "enough",
    "fast",
    "fine",
    "good",
    "great",
    "intuitive",
    "maintainable",
    "nice",
    "nicely",
    "optimal",
    "performant",
    "possible",
    "proper",
    "properly",
    "quick",
    "quickly",
    "readable",
    "reasonable",
    "reasonably",
    "robust",
    "robustly",
    "scalable",
    "simple",
    "smooth",
    "smoothly",
    "solid",
    "soon",
    "sufficient",
    "user-friendly",
    "well",
];

/// Words that make a sentence one can check.
const CHECKABLE: &[&str] = &[
    "accepts",
    "boots",
    "build",
    "builds",
    "compile",
    "compiles",
    "contain",
    "contains",
    "deployed",
    "empty",
    "equal",
    "equals",
    "exist",
    "exists",
    "exit",
    "exits",
    "fail",
    "fails",
    "green",
    "identical",
    "match",
    "matches",
    "merged",
    "never",
    "no",
    "not",
    "only",
    "pass",
    "passes",
    "passing",
    "prints",
    "refused",
    "rejected",
    "rejects",
    "removed",
    "renders",
    "reproducible",
    "responds",
    "return",
    "returns",
    "signed",
    "succeeds",
    "unchanged",
    "validates",
    "without",
    "zero",
];

/// Yields the words without the marks around them.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|mark: char| !mark.is_alphanumeric()))
        .filter(|word| !word.is_empty())
}

pub(super) fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Says whether at least `min` words say something. Scripts without spaces count two characters as a word.
pub(super) fn tells(text: &str, min: usize) -> bool {
    let telling = words(text).filter(|word| !is_one_of(word, EMPTY)).take(min).count();
    if telling == min || text.is_ascii() {
        return telling == min;
    }
    let is_wide = |character: &char| u32::from(*character) >= 0x2E80 && character.is_alphabetic();
    text.chars().filter(is_wide).count() / 2 + telling >= min
}

/// Says whether a text has letters beyond the ones that the word lists here are written in.
pub(super) fn is_foreign(text: &str) -> bool {
    text.chars().any(|character| !character.is_ascii() && character.is_alphabetic())
}

/// Returns the first word that cannot be measured.
pub(super) fn vague_word(text: &str) -> Option<&str> {
    let mut previous = "";
    words(text).find(|word| {
        let softens = is_one_of(word, &["needed", "necessary", "required"])
            && is_one_of(previous, &["as", "if", "when", "where"]);
        previous = word;
        softens || is_one_of(word, VAGUE)
    })
}

/// Fewest words of a criterion that names nothing to look at.
const CRITERION_WORDS_MIN: usize = 4;

/// Returns why nobody can measure a criterion; nothing where somebody can, and for words that no list here knows.
pub fn unmeasurable(text: &str) -> Option<String> {
    if text.trim().is_empty() || is_checkable(text) || is_foreign(text) {
        return None;
    }
    match vague_word(text) {
        Some(word) => Some(format!("who decides what is {}?", shown(word))),
        None if words(text).count() >= CRITERION_WORDS_MIN => None,
        None => Some("nothing to check".to_owned()),
    }
}

/// Says whether a text names something to look at: a number, a comparison, a file, code, or an event.
pub(super) fn is_checkable(text: &str) -> bool {
    let marks = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'%' | b'<' | b'>' | b'=' | b'`');
    text.bytes().any(marks)
        || text.contains(['≥', '≤'])
        || words(text).any(|word| is_one_of(word, CHECKABLE) || is_path(word))
}

/// Says whether a word is the path of a file: it has an extension, and a folder or a well-known form.
pub(super) fn is_path(word: &str) -> bool {
    let Some((stem, extension)) = word.rsplit_once('.') else { return false };
    let is_extension =
        (1..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_stem = !stem.is_empty() && !stem.contains("://") && !stem.ends_with(['.', '/']);
    let starts_well = extension.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    is_extension
        && starts_well
        && is_stem
        && word.bytes().all(|byte| !byte.is_ascii_whitespace() && byte != b'(')
}
