//! What a client carries for us between two requests. It is read back only if nobody changed it, in time, and from the same
//! session for the same call.

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::form::Subject;

/// How long a person has to answer, in milliseconds.
pub(crate) const ANSWER_MS_MAX: i64 = 10 * 60 * 1000;
/// Longest state that is looked at, in bytes.
const STATE_BYTES_MAX: usize = 16 * 1024;
const KEY_BYTES: usize = 32;

/// A key that lives as long as this process: after that, people are asked again.
#[derive(Clone)]
pub(crate) struct Seal([u8; KEY_BYTES]);

impl std::fmt::Debug for Seal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Seal")
    }
}

/// What was asked, of whom, in which call, until when.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    pub(crate) subject: Subject,
    pub(crate) session: String,
    /// The hash of the tool and its arguments.
    pub(crate) call: String,
    pub(crate) expires: i64,
}

impl Seal {
    pub(crate) fn new() -> Result<Self, String> {
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(|error| error.to_string())?;
        Ok(Self(key))
    }

    fn mac(&self, text: &str) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(b"baton mcp request state\n");
        mac.update(text.as_bytes());
        Some(mac)
    }

    pub(crate) fn close(&self, state: &State) -> Option<String> {
        let body = hex(&serde_json::to_vec(state).ok()?);
        let mac = self.mac(&body)?.finalize().into_bytes();
        Some(format!("{body}.{}", hex(&mac)))
    }

    /// Returns the state if it is ours and its time is not up.
    pub(crate) fn open(&self, text: &str, now: i64) -> Option<State> {
        let (body, mac) = text.split_once('.').filter(|_| text.len() <= STATE_BYTES_MAX)?;
        self.mac(body)?.verify_slice(&unhex(mac)?).ok()?;
        let state: State = serde_json::from_slice(&unhex(body)?).ok()?;
        (now < state.expires).then_some(state)
    }
}

/// Returns the hash by which a call is known again.
pub(crate) fn call(tool: &str, arguments: &Value) -> String {
    hex(&Sha256::digest(format!("{tool} {arguments}")))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| {
            u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?, 16).ok()
        })
        .collect()
}

#[cfg(test)]
mod tests;
