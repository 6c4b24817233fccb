//! Running text in sentences and words, and whether a sentence speaks of the present result.

/// Words that move a sentence to another time, or to somebody else's work.
const ELSEWHERE: &[&str] = &[
    "before",
    "previously",
    "earlier",
    "initially",
    "originally",
    "formerly",
    "was",
    "were",
    "had",
    "used",
    "prior",
    "until",
    "first",
    "baseline",
    "main",
    "master",
    "upstream",
    "already",
    "pre-existing",
    "preexisting",
    "existing",
    "fixed",
    "fixes",
    "fix",
    "resolved",
    "repaired",
    "corrected",
    "flaky",
    "unrelated",
    "expected",
    "xfail",
    "without",
    "reverted",
    "ci",
    "their",
    "theirs",
    "third-party",
    "dependency",
    "other",
    "others",
    "would",
    "should",
    "could",
    "if",
    "when",
    "unless",
    "ensures",
    "asserts",
    "verifies",
    "checks",
    "raises",
    "rejects",
    "returns",
    "handles",
    "example",
    "last",
    "yesterday",
    "once",
    "attempt",
];
/// Words that take a repair back.
const UNREPAIRED: &[&str] =
    &["not fixed", "couldn't fix", "could not fix", "unable to fix", "unfixed", "can't fix"];
/// Words of plans, which say nothing of what was done.
const PLANNED: &[&str] = &[
    "will", "should", "could", "would", "might", "may", "next", "later", "todo", "plan", "planned",
    "propose", "consider", "want", "need", "needs", "must", "please", "suggest", "if", "unless", "example",
];
/// Words that say that something is not there.
const NEGATIONS: &[&str] =
    &["no", "not", "none", "zero", "0", "without", "never", "any", "neither", "nothing", "instead"];
/// How many words before a noun may negate it.
const NEGATION_REACH: usize = 4;

/// Cuts a text into sentences, and a sentence that turns with "but" or "now" into its sides.
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = |text: &str, at: usize| {
        let rest = &text[at..];
        rest.starts_with(['\n', ';', '!', '?']) || rest.starts_with(". ") || rest == "."
    };
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.char_indices().map(|(at, _)| at).find(|at| ends(rest, *at)).unwrap_or(rest.len());
        let (sentence, left) = rest.split_at(end);
        let skip = left.chars().next().map_or(0, char::len_utf8);
        rest = &left[skip..];
        Some(sentence)
    })
    .flat_map(|sentence| sentence.split(" but "))
    .flat_map(|sentence| sentence.split(", now "))
}

/// Returns the words of a sentence in lower case, without the marks around them.
pub fn words(sentence: &str) -> Vec<String> {
    let trimmed = |word: &str| {
        word.trim_matches(|mark: char| !mark.is_alphanumeric() && mark != '/')
            .to_lowercase()
            .replace('’', "'")
    };
    sentence.split_whitespace().map(trimmed).filter(|word| !word.is_empty()).collect()
}

/// Says whether a sentence speaks of another time or of somebody else's work.
pub fn is_elsewhere(sentence: &str, words: &[String]) -> bool {
    let lower = sentence.to_lowercase();
    words.iter().any(|word| ELSEWHERE.contains(&word.as_str()))
        && !UNREPAIRED.iter().any(|one| lower.contains(one))
}

/// Says whether a sentence speaks of what is to be done, or of what was not done.
pub fn is_planned_or_denied(words: &[String]) -> bool {
    let is_one = |word: &String| {
        PLANNED.contains(&word.as_str()) || NEGATIONS.contains(&word.as_str()) || word.ends_with("n't")
    };
    words.iter().any(is_one)
}

/// Says whether a word is negated by one shortly before it.
pub fn is_negated(words: &[String], at: usize) -> bool {
    let from = at.saturating_sub(NEGATION_REACH);
    words[from..at].iter().any(|word| NEGATIONS.contains(&word.as_str()) || word.ends_with("n't"))
}
