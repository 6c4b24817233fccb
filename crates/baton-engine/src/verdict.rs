//! The three answers that a check can give, and where a fact comes from.

use serde::{Deserialize, Serialize};

/// Only `Pass` opens a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Pass,
    Inconclusive,
    Fail,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Inconclusive => "inconclusive",
            Self::Fail => "fail",
        }
    }

    /// Reads the word of a document, as the handoff room understands it; doubt is inconclusive.
    pub fn from_words(text: &str) -> Self {
        use baton_handoff::outcome::{Outcome, from_verdict};
        match from_verdict(text) {
            Some(Outcome::Completed) => Self::Pass,
            Some(Outcome::Failed) => Self::Fail,
            Some(
                Outcome::Partial
                | Outcome::Blocked
                | Outcome::InProgress
                | Outcome::NotStarted
                | Outcome::Unknown,
            )
            | None => Self::Inconclusive,
        }
    }
}

/// How a fact came to be known, from the strongest to the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    Observed,
    Derived,
    Asserted,
    Inherited,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubt_is_inconclusive() {
        assert_eq!(Verdict::from_words("pass"), Verdict::Pass);
        assert_eq!(Verdict::from_words("fail"), Verdict::Fail);
        for doubt in ["", "perhaps", "skip", "inconclusive"] {
            assert_eq!(Verdict::from_words(doubt), Verdict::Inconclusive, "{doubt}");
        }
    }
}
