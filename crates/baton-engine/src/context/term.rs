//! The words by which a fact is held against the task. Case and plural make no difference: `Offers` is `offer`.

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

/// Returns the words of a text, path or tag that say something.
pub(super) fn terms(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| word.chars().nth(CHARS_MIN - 1).is_some())
        .map(str::to_lowercase)
        .filter(|word| EMPTY.binary_search(&word.as_str()).is_err())
        .map(|word| singular(&word))
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
