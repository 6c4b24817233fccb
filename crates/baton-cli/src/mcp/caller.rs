//! Which agent calls, as far as its client says. It comes from the client and never from a tool's arguments, which an agent
//! writes.

use std::path::Path;

use baton_runner::desk::Session;
use baton_runner::hook::session_id;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// How much of a hash tells two sessions apart, in bytes.
const HASH_BYTES: usize = 8;
/// Longest name of a client within the name of a session.
const NAME_CHARS_MAX: usize = 24;

/// Where the name of a session comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    /// What Claude Code sets for the servers that it starts.
    pub(crate) claude_session: Option<String>,
    /// The folder of the project.
    pub(crate) folder: String,
}

impl Surroundings {
    /// Looks around for a server that its client has started.
    pub(crate) fn of_process(folder: &Path) -> Self {
        let claude_session = std::env::var("CLAUDE_CODE_SESSION_ID").ok().filter(|id| !id.is_empty());
        Self { claude_session, ..Self::of_server(folder) }
    }

    /// A server that is there for several clients knows nothing of them but what they send.
    pub(crate) fn of_server(folder: &Path) -> Self {
        Self { claude_session: None, folder: folder.to_string_lossy().into_owned() }
    }

    /// Returns the session of a call, by the name that hooks know it by. A client that names none has one for the whole folder: then two of them count as one,
    /// which is never too much.
    pub(crate) fn session(&self, client: &str, meta: Option<&Map<String, Value>>) -> Option<Session> {
        let thread = meta.and_then(|meta| meta.get("threadId")).and_then(Value::as_str);
        let name = match (&self.claude_session, thread) {
            (Some(session), _) => session_id("claude", session, ""),
            (None, Some(thread)) => session_id("codex", thread, ""),
            (None, None) => format!("{}-{}", plain(client), hash(&self.folder)),
        };
        Session::new(name).ok()
    }
}

/// Returns as much of a client's name as the name of a session may have.
fn plain(client: &str) -> String {
    let kept = client.chars().filter(|mark| mark.is_ascii_alphanumeric() || matches!(mark, '.' | '_' | '-'));
    let kept: String = kept.skip_while(|mark| !mark.is_ascii_alphanumeric()).take(NAME_CHARS_MAX).collect();
    if kept.is_empty() { "agent".to_owned() } else { kept }
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(HASH_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
