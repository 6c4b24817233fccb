//! Running text in sentences and words, and whether a sentence speaks of the present result.

use std::borrow::Cow;

use super::verb::{self, Act, Form};

/// Words that move what is said before them, or after them in the same clause, to another time or to somebody else.
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
    "existing",
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
/// Those of them that say nothing of another time beside "still".
const STILL_NOW: &[&str] = &["before", "until", "already", "existing", "first", "last", "once"];
/// Words that take back what the whole sentence says of a failure.
const TAKEN_BACK: &[&str] = &[
    "pre-existing",
    "preexisting",
    "unrelated",
    "expected",
    "xfail",
    "flaky",
    "reverted",
    "example",
    "elsewhere",
    "another",
    "outside",
];
/// Pairs of words by which a failure is somebody else's.
const NOT_OURS: &[[&str; 2]] =
    &[["not", "part"], ["not", "ours"], ["aren't", "ours"], ["isn't", "ours"], ["not", "mine"]];
/// Words of repair, which take a failure back unless the repair is still to come.
const REPAIRED: &[&str] = &[
    "fixed",
    "fixes",
    "fix",
    "fixing",
    "resolved",
    "resolves",
    "repaired",
    "repairs",
    "corrected",
    "corrects",
    "solved",
    "solves",
    "closes",
    "closed",
    "prevents",
    "avoids",
];
/// Words before a repair that didn't happen.
const UNREPAIRED: &[&str] = &[
    "be", "not", "never", "couldn't", "can't", "cannot", "didn't", "unable", "could", "must", "should",
    "needs", "need", "still",
];
/// How many words before a repair may deny it.
const REPAIR_REACH: usize = 3;
/// What a failure is the consequence of, when the words "without" and this stand beside each other.
const WITHOUT: &[&str] = &["it", "this", "them", "change", "changes", "fix", "patch", "commit"];
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

/// A sentence in words, with the clause that each belongs to.
#[derive(Debug)]
pub struct Sentence {
    pub words: Vec<String>,
    /// It begins with a label: a word in capital letters, or before a colon.
    pub is_labeled: bool,
    clauses: Vec<usize>,
}

impl Sentence {
    pub fn read(text: &str) -> Self {
        let (mut words, mut clauses, mut clause) = (Vec::new(), Vec::new(), 0);
        for token in without_quotes(text).split_whitespace() {
            clause += usize::from(token.starts_with('('));
            let word = trimmed(token);
            if !word.is_empty() {
                words.push(word);
                clauses.push(clause);
            }
            let inner = token.trim_end_matches(['*', '_', '`', '"']);
            clause += usize::from(inner.ends_with([',', ':', ';', ')', ']', '—', '–']) || inner == "-");
        }
        let first = text.split_whitespace().find(|token| !trimmed(token).is_empty()).unwrap_or_default();
        let is_capital = !first.chars().any(char::is_lowercase);
        let is_labeled = is_capital || first.trim_end_matches(['*', '_', '`']).ends_with(':');
        Self { words, is_labeled, clauses }
    }

    /// Says whether a word is the last of its clause.
    pub fn ends_clause(&self, at: usize) -> bool {
        self.clauses.get(at) != self.clauses.get(at + 1)
    }

    /// Says whether what a word says is of another time or of somebody else's work.
    pub fn is_elsewhere(&self, at: usize) -> bool {
        self.is_elsewhere_but(at, &[])
    }

    /// The same, where some words say nothing of that.
    pub fn is_elsewhere_but(&self, at: usize, neutral: &[&str]) -> bool {
        let reach = self.clauses.iter().rposition(|clause| *clause == self.clauses[at]).unwrap_or(at);
        // "I was unable to" speaks of now.
        let is_unable = |at: usize| self.words.get(at + 1).is_some_and(|next| next == "unable");
        // "When I run them" and "I could not find out" do too.
        let is_own = |at: usize| {
            let next = self.words.get(at + 1).map_or("", String::as_str);
            matches!((self.words[at].as_str(), next), ("when", "i" | "we") | ("could", "not"))
        };
        // "Twelve tests were added" tells of this work, and "I had to …, it breaks" of now.
        let is_of_work = |at_word: usize| {
            matches!(self.words[at_word].as_str(), "was" | "were" | "had")
                && (self.clauses[at_word] != self.clauses[at]
                    || self.words.iter().skip(at_word + 1).take(2).any(|next| {
                        matches!(verb::read(next), Some((Act::Change(_) | Act::Move, Form::Past)))
                    }))
        };
        // "It still fails before the import" speaks of now.
        let is_still = self.words.iter().any(|word| word == "still");
        let is_one = |at: usize| {
            let word = self.words[at].as_str();
            if is_still && STILL_NOW.contains(&word) || is_of_work(at) {
                return false;
            }
            ELSEWHERE.contains(&word) && !neutral.contains(&word) && !is_unable(at) && !is_own(at)
        };
        (0..=reach).any(is_one) || self.is_without_change() || self.is_taken_back()
    }

    /// Says whether the sentence itself takes a failure back: it was repaired, or isn't of this work.
    pub fn is_taken_back(&self) -> bool {
        let is_repaired = |at: usize| {
            let before = &self.words[at.saturating_sub(REPAIR_REACH)..at];
            REPAIRED.contains(&self.words[at].as_str())
                && !before.iter().any(|word| UNREPAIRED.contains(&word.as_str()))
        };
        let is_pair = |two: &[String]| NOT_OURS.iter().any(|pair| two[0] == pair[0] && two[1] == pair[1]);
        self.words.windows(2).any(is_pair)
            || self.words.iter().any(|word| TAKEN_BACK.contains(&word.as_str()))
            || (0..self.words.len()).any(is_repaired)
    }

    fn is_without_change(&self) -> bool {
        let without = self.words.iter().position(|word| word == "without");
        without.is_some_and(|at| {
            self.words.iter().skip(at + 1).take(2).any(|word| WITHOUT.contains(&word.as_str()))
        })
    }
}

/// Leaves out what is said in quotes: three words or more are somebody else's.
fn without_quotes(text: &str) -> Cow<'_, str> {
    if !text.contains(['"', '“']) {
        return Cow::Borrowed(text);
    }
    let mut own = String::new();
    for (at, part) in text.split(['"', '“', '”']).enumerate() {
        let is_quoted = at % 2 == 1 && part.split_whitespace().nth(2).is_some();
        own.push_str(if is_quoted { "…" } else { part });
    }
    Cow::Owned(own)
}

/// Returns the words of a sentence in lower case, without the marks around them.
pub fn words(sentence: &str) -> Vec<String> {
    sentence.split_whitespace().map(trimmed).filter(|word| !word.is_empty()).collect()
}

fn trimmed(word: &str) -> String {
    word.trim_matches(|mark: char| !mark.is_alphanumeric() && mark != '/').to_lowercase().replace('’', "'")
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
