//! The breaker for work that does not move: the same tree, the same failures and the same error are no new attempt.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::word::TreeHash;

/// What a failed attempt left behind, without what changes from run to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    pub tree: TreeHash,
    pub failing: BTreeSet<String>,
    pub error: String,
}

/// What is tried next. It grows with every repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remedy {
    Feedback,
    FreshSession,
    AnotherAgent,
    Human,
}

impl Remedy {
    /// Returns the answer to the nth repetition of the same failure; 0 is a failure that was not seen before.
    pub fn after(repetitions: u32) -> Self {
        match repetitions {
            0 => Self::Feedback,
            1 => Self::FreshSession,
            2 => Self::AnotherAgent,
            3.. => Self::Human,
        }
    }
}

/// Takes out of an error what differs between two runs of the same failure: numbers, addresses, times, blanks.
pub fn normalise(error: &str) -> String {
    let mut normal = String::with_capacity(error.len());
    for word in error.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        let mut in_number = false;
        for char in word.chars() {
            let is_number = char.is_ascii_digit() || in_number && (char.is_ascii_hexdigit() || char == 'x');
            match (is_number, in_number) {
                (true, false) => normal.push('#'),
                (true, true) => {}
                (false, _) => normal.extend(char.to_lowercase()),
            }
            in_number = is_number;
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_blanks_do_not_matter() {
        let first = normalise("panicked at 0x7f3a01:  took 12ms\n(line 40)");
        assert_eq!(first, normalise("panicked at 0x11aa:  took 9ms (line 7)"));
        assert_ne!(first, normalise("another error"));
    }

    #[test]
    fn the_answer_grows() {
        let answers: Vec<Remedy> = (0..5).map(Remedy::after).collect();
        let expected =
            [Remedy::Feedback, Remedy::FreshSession, Remedy::AnotherAgent, Remedy::Human, Remedy::Human];
        assert_eq!(answers, expected);
    }
}
