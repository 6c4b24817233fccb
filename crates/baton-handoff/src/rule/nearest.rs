//! Which of some words a mistyped one was meant to be.

/// Longest word that is compared, in bytes: what is longer was never one of ours.
const WORD_BYTES_MAX: usize = 64;
/// Most letters that a typing error changes.
const TYPO_LETTERS_MAX: usize = 2;

/// The nearest of some words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Near<'w> {
    pub(super) word: &'w str,
    distance: usize,
    same_start: bool,
}

impl Near<'_> {
    /// Says whether the other word is this one with a typing error: at most one letter in three is wrong.
    ///
    /// The first letter is right: `incomplete` is not a misspelt `complete`.
    pub(super) fn is_typo(self) -> bool {
        self.same_start && self.distance <= TYPO_LETTERS_MAX && self.distance * 3 <= self.word.len()
    }
}

pub(super) fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<Near<'w>> {
    if word.len() > WORD_BYTES_MAX {
        return None;
    }
    let word = word.trim().to_lowercase();
    let near = words.into_iter().map(|other| {
        let lower = other.to_lowercase();
        let same_start = lower.chars().next() == word.chars().next();
        Near { word: other, distance: distance(&word, &lower), same_start }
    });
    near.min_by_key(|near| near.distance)
}

/// Says whether two names of several words look like one that drifted: a typing error, or half of the words are shared.
pub(super) fn is_drift(name: &str, wanted: &str) -> bool {
    if nearest(name, [wanted]).is_some_and(Near::is_typo) {
        return true;
    }
    let words =
        |text: &str| text.to_lowercase().split(['_', '-', ' ']).map(str::to_owned).collect::<Vec<_>>();
    let (ours, theirs) = (words(name), words(wanted));
    let shared = ours.iter().filter(|word| theirs.contains(word)).count();
    shared * 2 >= ours.len().max(theirs.len())
}

/// Counts the letters to change, add, remove or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &left) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &right) in b.iter().enumerate() {
            let change = last[j] + usize::from(left != right);
            let mut best = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && left == b[j - 1] && a[i - 1] == right {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, is_drift, nearest};

    #[test]
    fn letters_are_counted() {
        for (a, b, count) in
            [("pass", "pass", 0), ("pas", "pass", 1), ("blokced", "blocked", 1), ("", "fail", 4)]
        {
            assert_eq!(distance(a, b), count, "{a} {b}");
        }
    }

    #[test]
    fn another_word_is_no_typing_error() {
        let is_typo = |word: &str| nearest(word, ["pass", "fail", "skip"]).is_some_and(super::Near::is_typo);
        assert!(is_typo("pas") && is_typo("fial"));
        assert!(nearest("incomplete", ["complete"]).is_some_and(|near| !near.is_typo()));
        assert!(!is_typo("slip by") && !is_typo("maybe") && !is_typo("ok"));
    }

    #[test]
    fn names_drift() {
        assert!(
            is_drift("test_passing", "tests_passing") && is_drift("criteria_checked", "criteria_verified")
        );
        assert!(!is_drift("deployed", "docs_updated"));
    }
}
