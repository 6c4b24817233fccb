//! Reading of payloads that may be of any version: what is missing is missing, what has another type is not there.

use std::fs;
use std::path::{Path, PathBuf};

use baton_store::durable_file;
use serde_json::Value;

use super::call::{Call, Moment, Trouble};
use super::{Surroundings, project_of};
use crate::agent::MESSAGE_BYTES_MAX;

/// Longest id of a session that is taken.
const ID_CHARS_MAX: usize = 200;
/// Most unreadable payloads that are kept.
const UNREAD_MAX: usize = 32;

pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// Returns an id: something short that can be compared.
pub(super) fn id<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    text(value, key).map(str::trim).filter(|id| !id.is_empty() && id.chars().count() <= ID_CHARS_MAX)
}

/// Reads what the payloads of all programs have that are shaped like those of Claude Code.
pub(super) fn claude_shaped(value: &Value, moment: fn(&str) -> Moment) -> Result<Call, Trouble> {
    let Some(event) = text(value, "hook_event_name") else {
        return Err(Trouble::new("the payload has no `hook_event_name`"));
    };
    let moment = moment(event);
    if moment == Moment::Other {
        return Ok(Call::new(moment, event, ""));
    }
    let Some(session) = id(value, "session_id") else {
        return Err(Trouble::new("the payload has no `session_id`"));
    };
    let mut call = Call::new(moment, event, session);
    call.cwd = text(value, "cwd").map(PathBuf::from);
    call.message = text(value, "last_assistant_message").map(last_bytes);
    call.prompt = text(value, "prompt").map(str::to_owned);
    if moment == Moment::SubagentStop {
        let Some(agent) = id(value, "agent_id") else {
            return Err(Trouble::new("the payload has no `agent_id`"));
        };
        call.subagent = Some((agent.to_owned(), text(value, "agent_type").unwrap_or_default().to_owned()));
    }
    Ok(call)
}

/// Returns the end of a message: the handoff is there.
pub(super) fn last_bytes(message: &str) -> String {
    let mut start = message.len().saturating_sub(MESSAGE_BYTES_MAX);
    while !message.is_char_boundary(start) {
        start += 1;
    }
    message[start..].to_owned()
}

/// Keeps a payload that could not be read beside the log, where there is one.
pub(super) fn keep_unread(folder: &Path, around: &Surroundings, payload: &[u8]) -> Option<PathBuf> {
    let root = project_of(folder).ok()?;
    let beside = crate::desk::place::folder(&root, around.store.as_deref()).ok()?;
    if payload.is_empty() || !beside.join(crate::desk::LOG_FILE).is_file() {
        return None;
    }
    let unread = beside.join("unread");
    fs::create_dir_all(&unread).ok()?;
    let name = format!("{}.json", baton_store::BlobId::of(payload));
    let path = unread.join(name);
    let is_full = fs::read_dir(&unread).ok()?.count() >= UNREAD_MAX;
    if !path.exists() && (is_full || durable_file::replace(&path, payload).is_err()) {
        return None;
    }
    Some(path)
}
