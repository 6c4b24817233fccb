//! Words that rules look for in what entries say.

use baton_handoff::outcome;

/// Words that say that something is settled.
const SETTLED: &[&str] = &[
    "resolved",
    "fixed",
    "closed",
    "answered",
    "decided",
    "solved",
    "done",
    "verified",
    "mitigated",
    "removed",
    "deferred to",
    "decision:",
    "answer:",
    "resolution:",
    "✅",
    "☑",
    "no longer",
];
/// Words before them that take them back.
const UNSETTLED: &[&str] =
    &["not ", "n't ", "never ", "to be ", "isn't yet ", "needs to be ", "must be ", "yet to be "];

/// Says whether a text says that what it speaks of is settled.
pub(super) fn is_settled(text: &str) -> bool {
    let text = text.to_lowercase();
    SETTLED.iter().any(|word| {
        text.match_indices(word).any(|(at, _)| {
            let before = &text[..at];
            let begins = before.chars().next_back().is_none_or(|letter| !letter.is_alphanumeric());
            begins && !UNSETTLED.iter().any(|not| before.ends_with(not))
        })
    })
}

/// Says whether an entry says that there is nothing of its kind.
pub(super) fn is_nothing(text: &str) -> bool {
    let text = text.trim().trim_matches(['|', ' ', '*', '_', '.']);
    let cells: Vec<&str> = text.split('|').map(str::trim).collect();
    let is_empty = |cell: &&str| outcome::is_none_word(cell) || matches!(*cell, "0" | "-" | "—");
    match cells.as_slice() {
        [one] => is_empty(one),
        all => all.first().is_some_and(is_empty),
    }
}

/// Returns the words of a text in small letters, without the marks around them.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '-' || letter == '\''))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

pub(super) fn has_any(text: &str, wanted: &[&str]) -> bool {
    words(text).any(|word| wanted.contains(&word.as_str()))
}

/// Yields what looks like the path of a file, or the name of one.
pub(super) fn paths(text: &str) -> impl Iterator<Item = &str> {
    let splits = |letter: char| letter.is_whitespace() || "`\"'(),;|[]<>*".contains(letter);
    text.split(splits).filter_map(|word| {
        let word = word.trim_start_matches("./").trim_end_matches(['.', ':']);
        let word = word.split_once("::").map_or(word, |(path, _)| path);
        let path = word.split(['#', ':']).next().unwrap_or(word);
        let (stem, ending) = path.rsplit_once('.')?;
        let is_name = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic());
        let has_letter = ending.bytes().any(|byte| byte.is_ascii_alphabetic()) && ending.len() <= 5;
        let is_code = path.contains("..") || path.contains("://") || stem.contains('=') || stem.contains('{');
        (is_name(stem) && is_name(ending) && has_letter && !is_code).then_some(path)
    })
}
