//! Why an agent could not do its turn, when it was not the agent's work that failed.

use std::fmt;

/// What the agent says went wrong with its provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The provider gives no more for now: too many requests, too much load, no credit.
    Limit(String),
    /// The provider could not be reached, or failed.
    Network(String),
    /// The provider does not know who asks.
    Access(String),
    /// The request itself was refused; the same request fails again.
    Request(String),
}

/// Longest reason that is kept, in characters.
const REASON_CHARS_MAX: usize = 300;

impl Fault {
    /// Reads a fault off the status of an HTTP answer.
    pub(super) fn of_status(status: u64, reason: &str) -> Self {
        let reason = shortened(reason);
        match status {
            402 | 429 | 529 => Self::Limit(reason),
            401 | 403 => Self::Access(reason),
            408 | 500..=599 => Self::Network(reason),
            _ => Self::Request(reason),
        }
    }

    /// Reads a fault off the words of an agent that gives no number.
    pub(super) fn of_words(words: &str) -> Self {
        let known = |list: &[&str]| {
            let lower = words.to_lowercase();
            list.iter().any(|word| lower.contains(word))
        };
        if let Some(status) = status_in(words) {
            return Self::of_status(status, words);
        }
        let reason = shortened(words);
        if known(&[
            "rate limit",
            "usage limit",
            "quota",
            "overloaded",
            "too many requests",
            "resource_exhausted",
        ]) {
            Self::Limit(reason)
        } else if known(&["unauthorized", "authentication", "api key", "not logged in", "invalid_api_key"]) {
            Self::Access(reason)
        } else if known(&[
            "disconnected",
            "connection",
            "timed out",
            "timeout",
            "network",
            "econnrefused",
            "enotfound",
            "unavailable",
        ]) {
            Self::Network(reason)
        } else {
            Self::Request(reason)
        }
    }

    pub fn reason(&self) -> &str {
        match self {
            Self::Limit(reason) | Self::Network(reason) | Self::Access(reason) | Self::Request(reason) => {
                reason
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Limit(_) => "the provider gives no more for now",
            Self::Network(_) => "the provider could not be reached or failed",
            Self::Access(_) => "the provider does not let this account in",
            Self::Request(_) => "the provider refused the request",
        };
        write!(out, "{kind}: {}", self.reason())
    }
}

/// Finds the number after the word `status`, as agents write it.
fn status_in(words: &str) -> Option<u64> {
    let after = words.split("status").nth(1)?;
    let digits: String =
        after.trim_start_matches([' ', ':', '"', '=']).chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|status| (400..600).contains(status))
}

fn shortened(reason: &str) -> String {
    let masked = baton_handoff::secret::mask(reason.trim());
    masked.chars().take(REASON_CHARS_MAX).collect()
}
