//! The names that travel between commands, events and state: short words that are safe in a path, a ref and a table.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Longest name in bytes.
pub const NAME_BYTES_MAX: usize = 64;
/// Hashes of git trees have 40 digits, those of blobs 64.
const HASH_DIGITS: [usize; 2] = [40, 64];

/// Why a text is no name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadWord {
    pub text: String,
    pub expected: &'static str,
}

impl fmt::Display for BadWord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` is not {}", self.text.escape_debug(), self.expected)
    }
}

impl std::error::Error for BadWord {}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident: $check:ident, $expected:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub fn new(text: impl Into<String>) -> Result<Self, BadWord> {
                let text = text.into();
                match $check(&text) {
                    true => Ok(Self(text)),
                    false => Err(BadWord { text, expected: $expected }),
                }
            }

            /// For words that are written in this crate; the tests of their users hold them against the rule.
            #[allow(dead_code, reason = "not every sort of word is written in this crate")]
            pub(crate) fn fixed(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadWord;

            fn try_from(text: String) -> Result<Self, BadWord> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(word: $name) -> Self {
                word.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }
    )*};
}

words! {
    /// A task, such as `F017`. Also the name of its stream.
    TaskId: is_name, "a task id: a letter or digit, then up to 63 letters, digits, `.`, `_`, `-`";
    WorkflowName: is_name, "the name of a workflow";
    StageName: is_name, "the name of a stage";
    CheckpointName: is_name, "the name of a checkpoint";
    CriterionId: is_name, "the id of a criterion";
    GateName: is_name, "the name of a gate";
    /// One agent's go at a stage; made by the engine.
    TurnId: is_name, "the id of a turn";
    /// A participant, without the `@` that people write before it.
    AgentName: is_name, "the name of an agent (without `@`)";
    /// The session an agent worked in: two turns of one session share a memory.
    SessionId: is_name, "the id of a session";
    /// A document that was handed over, by the id its writer gave it.
    ArtifactId: is_name, "the id of an artifact";
    ClarificationId: is_name, "the id of a clarification";
    DelegationId: is_name, "the id of a delegation";
    /// Something that was learned, such as `gotcha-` and the hash of its words.
    LessonId: is_name, "the id of a lesson";
    /// The content of a workspace, as the host measured it.
    TreeHash: is_hash, "a hash of 40 or 64 lowercase hexadecimal digits";
    /// Bytes that the store keeps, by their hash.
    BlobId: is_hash, "a hash of 40 or 64 lowercase hexadecimal digits";
}

/// The nth try at a stage, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AttemptNumber(pub u32);

impl AttemptNumber {
    pub const FIRST: Self = Self(1);

    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for AttemptNumber {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() <= NAME_BYTES_MAX
        && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

fn is_hash(text: &str) -> bool {
    HASH_DIGITS.contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_safe() {
        for good in ["F001", "task-15.3", "WP-7", "a", &"x".repeat(64)] {
            assert!(TaskId::new(good).is_ok(), "{good}");
        }
        for bad in ["", "-x", ".x", "a b", "a/b", "ä", "--upload-pack=x", "@project", &"x".repeat(65), "a\n"]
        {
            assert!(TaskId::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_bad_name_does_not_come_in_by_json() {
        assert!(serde_json::from_str::<TaskId>("\"../x\"").is_err());
        assert_eq!(serde_json::from_str::<TaskId>("\"F1\"").unwrap().as_str(), "F1");
    }

    #[test]
    fn hashes_are_lowercase_and_whole() {
        assert!(TreeHash::new("a".repeat(40)).is_ok());
        assert!(TreeHash::new("A".repeat(40)).is_err());
        assert!(BlobId::new("a".repeat(39)).is_err());
    }
}
