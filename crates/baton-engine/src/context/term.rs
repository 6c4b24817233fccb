//! The words by which a fact is held against the task. Case and plural make no difference: `Offers` is `offer`.

use std::collections::BTreeSet;

/// Shorter words stand in too many texts to say anything.
const CHARS_MIN: usize = 3;

/// Words that say nothing of what a text is about, and folders that hold everything.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "about", "after", "all", "also", "and", "any", "are", "before", "but", "can", "each", "every", "for", "from", "has", "have",
    "how", "into", "its", "must", "never", "new", "not", "off", "one", "only", "other", "our", "out", "over", "src", "than", "that",
    "the", "their", "them", "then", "there", "they", "this", "through", "two", "under", "until", "use", "was", "what", "when",
    "where", "which", "who", "will", "with", "without", "yet", "you",
];

/// The first characters of a word, which it shares with its plural.
pub(super) type Beginning = [Option<char>; 2];

/// Returns how a word begins, whatever its case.
pub(super) fn beginning(word: &str) -> Beginning {
    if let [first, second, ..] = word.as_bytes()
        && first.is_ascii()
        && second.is_ascii()
    {
        return [first, second].map(|byte| Some(char::from(byte.to_ascii_lowercase())));
    }
    let mut characters = word.chars().flat_map(char::to_lowercase);
    [characters.next(), characters.next()]
}

/// Returns the words of a text, path or tag that say something.
pub(super) fn terms(text: &str) -> impl Iterator<Item = String> {
    words(text).filter_map(term)
}

/// Returns those that begin in one of these ways. Most words of thousands of texts do not, and cost no more than that.
pub(super) fn terms_beginning(text: &str, wanted: &BTreeSet<Beginning>) -> impl Iterator<Item = String> {
    words(text).filter(|word| wanted.contains(&beginning(word))).filter_map(term)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|character: char| !character.is_alphanumeric());
    words.filter(|word| word.chars().nth(CHARS_MIN - 1).is_some())
}

fn term(word: &str) -> Option<String> {
    let word = word.to_lowercase();
    EMPTY.binary_search(&word.as_str()).is_err().then(|| singular(&word))
}

/// `switches` and `switch`, `caches` and `cache`, `cities` and `city` become the same; what they become is never shown.
fn singular(word: &str) -> String {
    let stem = match word.strip_suffix('s') {
        Some(stem) if stem.chars().count() >= CHARS_MIN && !stem.ends_with('s') => stem,
        Some(_) | None => word,
    };
    let stem = match stem.strip_suffix('e') {
        Some(stem) if stem.chars().count() >= CHARS_MIN => stem,
        Some(_) | None => stem,
    };
    match stem.strip_suffix('y') {
        Some(root) => format!("{root}i"),
        None => stem.to_owned(),
    }
}

#[cfg(test)]
mod tests;
