//! What one turn may take: in a stage, and tighter for a role in it.

use serde::{Deserialize, Serialize};

use super::{RETRIES_MAX, TURN_MS_MAX};

const TURN_MS_DEFAULT: i64 = 30 * 60 * 1000;
const TURN_TOKENS_DEFAULT: u64 = 1_000_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    pub retries_max: u32,
    pub turn_ms: i64,
    /// Tokens set aside for one turn before it starts.
    pub turn_tokens: u64,
    /// Millionths of a dollar set aside for one turn, which also count for a turn that does not tell its dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_microdollars: Option<u64>,
    /// What the program may print in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_output_mib: Option<u64>,
    /// Commands and other tools that the agent may use, as it tells them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_commands: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            retries_max: RETRIES_MAX,
            turn_ms: TURN_MS_DEFAULT,
            turn_tokens: TURN_TOKENS_DEFAULT,
            turn_microdollars: None,
            turn_output_mib: None,
            turn_commands: None,
        }
    }
}

/// What the turns of one role may take. What is not said is as in the stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RoleLimits {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_microdollars: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_output_mib: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_commands: Option<u64>,
}

impl Limits {
    /// Returns these limits, made tighter by those of a role.
    pub(super) fn within(&self, role: &RoleLimits) -> Self {
        Self {
            retries_max: self.retries_max,
            turn_ms: role.turn_ms.map_or(self.turn_ms, |ms| ms.min(self.turn_ms)),
            turn_tokens: role.turn_tokens.map_or(self.turn_tokens, |tokens| tokens.min(self.turn_tokens)),
            turn_microdollars: tighter(self.turn_microdollars, role.turn_microdollars),
            turn_output_mib: tighter(self.turn_output_mib, role.turn_output_mib),
            turn_commands: tighter(self.turn_commands, role.turn_commands),
        }
    }

    /// Says whether a role would have more than this allows: whoever writes that means something that does not hold.
    pub(super) fn is_exceeded_by(&self, role: &RoleLimits) -> bool {
        let more = |own: Option<u64>, most: Option<u64>| own.zip(most).is_some_and(|(own, most)| own > most);
        role.turn_ms.is_some_and(|ms| ms > self.turn_ms)
            || role.turn_tokens.is_some_and(|tokens| tokens > self.turn_tokens)
            || more(role.turn_microdollars, self.turn_microdollars)
            || more(role.turn_output_mib, self.turn_output_mib)
            || more(role.turn_commands, self.turn_commands)
    }

    pub(super) fn problems(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        if self.retries_max > RETRIES_MAX {
            wrong.push(format!("at most {RETRIES_MAX} retries are allowed"));
        }
        if self.turn_ms <= 0 || self.turn_ms > TURN_MS_MAX {
            wrong.push(format!("a turn takes between 1 and {TURN_MS_MAX} milliseconds"));
        }
        if self.turn_output_mib == Some(0) {
            wrong.push("a turn prints something: at least 1 MiB has to be allowed".to_owned());
        }
        wrong
    }
}

fn tighter(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}
