//! Why an agent could not do its turn, when it was not the agent's work that failed.

use std::fmt;

/// What the agent says went wrong with its provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The provider gives no more for now: too many requests, too much load.
    Limit(String),
    /// The provider could not be reached, or failed.
    Network(String),
    /// The provider does not know who asks, or has nothing left for them that time would bring.
    Access(String),
    /// What is set for the agent cannot be used: its model does not exist, or a variable is missing.
    Setting(String),
    /// The request itself was refused; the same request fails again.
    Request(String),
}

/// What agents say when nothing is left that was paid for, in small letters; so in the lists below. The first list that fits counts,
/// and these two count before any status, for waiting does not help.
const CREDIT: &[&str] = &["credit balance is too low", "insufficient credit"];
/// What they say when something is set that cannot be used.
const SETTING: &[&str] = &[
    MISSING_VARIABLE,
    "issue with the selected model",
    "model_not_found",
    "model not found",
    "model is not supported",
    "does not exist or you do not have access",
];
const MISSING_VARIABLE: &str = "missing environment variable";
/// How a fault of this sort is told; by these words it is known again in the record.
pub(crate) const SETTING_TOLD: &str = "what is set for this agent cannot be used";
/// What they say when their provider gives no more.
const LIMIT: &[&str] =
    &["rate limit", "usage limit", "quota", "overloaded", "too many requests", "resource_exhausted"];
/// What they say when nobody has logged in, or their key is not taken.
const ACCESS: &[&str] = &[
    "unauthorized",
    "unauthenticated",
    "authentication",
    "auth method",
    "api key",
    "api_key",
    "credentials",
    "not logged in",
    "run /login",
    "log in",
];
/// What they say when there is no way to their provider.
const NETWORK: &[&str] = &[
    "disconnected",
    "connection",
    "unable to connect",
    "failed to connect",
    "fetch failed",
    "error sending request",
    "lookup address",
    "not resolve",
    "timed out",
    "timeout",
    "network",
    "socket hang up",
    "getaddrinfo",
    "eai_again",
    "econnrefused",
    "econnreset",
    "enetunreach",
    "enotfound",
    "etimedout",
    "unavailable",
];
/// Most lines at the end of an output in which a fault is looked for.
const LAST_LINES_MAX: usize = 20;
/// Longest reason that is kept, in characters.
const REASON_CHARS_MAX: usize = 300;

impl Fault {
    /// Reads a fault off the status of an HTTP answer.
    pub(super) fn of_status(status: u64, reason: &str) -> Self {
        if let Some(fault) = Self::for_person(reason) {
            return fault;
        }
        let reason = shortened(reason);
        match status {
            429 | 529 => Self::Limit(reason),
            401..=403 => Self::Access(reason),
            404 => Self::Setting(reason),
            408 | 500..=599 => Self::Network(reason),
            _ => Self::Request(reason),
        }
    }

    /// Reads a fault off the words of an agent that gives no number.
    pub(super) fn of_words(words: &str) -> Self {
        Self::known(words).unwrap_or_else(|| Self::Request(shortened(words)))
    }

    /// Reads a fault off the last lines of a program that gave up before it did anything; nothing where none of them says
    /// that its provider was the reason.
    pub fn of_last_lines(output: &str) -> Option<Self> {
        output.lines().rev().take(LAST_LINES_MAX).find_map(Self::known)
    }

    /// Reads off what no time mends, whatever the status.
    fn for_person(words: &str) -> Option<Self> {
        let lower = words.to_lowercase();
        let has = |list: &[&str]| list.iter().any(|word| lower.contains(word));
        match (has(CREDIT), has(SETTING)) {
            (true, _) => Some(Self::Access(shortened(words))),
            (false, true) => Some(Self::Setting(shortened(words))),
            (false, false) => None,
        }
    }

    fn known(words: &str) -> Option<Self> {
        if let Some(fault) = Self::for_person(words) {
            return Some(fault);
        }
        if let Some(status) = status_in(words) {
            return Some(Self::of_status(status, words));
        }
        let lower = words.to_lowercase();
        let has = |list: &[&str]| list.iter().any(|word| lower.contains(word));
        let kind = if has(LIMIT) {
            Self::Limit
        } else if has(ACCESS) {
            Self::Access
        } else if has(NETWORK) {
            Self::Network
        } else {
            return None;
        };
        Some(kind(shortened(words)))
    }

    pub fn reason(&self) -> &str {
        match self {
            Self::Limit(reason)
            | Self::Network(reason)
            | Self::Access(reason)
            | Self::Setting(reason)
            | Self::Request(reason) => reason,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Limit(_) => "the provider gives no more for now",
            Self::Network(_) => "the provider could not be reached or failed",
            Self::Access(_) => "the provider does not let this account in",
            Self::Setting(_) => SETTING_TOLD,
            Self::Request(_) => "the provider refused the request",
        };
        write!(out, "{kind}: {}", self.reason())?;
        match self {
            Self::Setting(reason) if reason.to_lowercase().contains(MISSING_VARIABLE) => {
                out.write_str("; to let it see the variable, name it under `pass_environment`")
            }
            Self::Setting(_) => out.write_str("; see to `model`"),
            Self::Limit(_) | Self::Network(_) | Self::Access(_) | Self::Request(_) => Ok(()),
        }
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
    let masked = crate::secret::mask(reason.trim());
    masked.chars().take(REASON_CHARS_MAX).collect()
}
