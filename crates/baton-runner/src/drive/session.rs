//! What is remembered of the sessions of agents: by which id they are resumed, and what they have counted so far.
//!
//! It lies beside the log and is no part of it: if it is lost, a session begins anew and a cost counts in full.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use baton_engine::word::{SessionId, TaskId, TurnId};
use baton_store::durable_file;
use serde::{Deserialize, Serialize};

use crate::agent::{Counting, Usage};

/// Largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The sessions of one task.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    file: PathBuf,
    kept: Kept,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    sessions: BTreeMap<String, Session>,
    /// What turns have cost that may not be settled yet.
    spent: BTreeMap<String, u64>,
    /// The same in millionths of a dollar, where it is known.
    #[serde(default)]
    spent_microdollars: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Session {
    driver: String,
    /// The id by which the agent itself knows it.
    id: Option<String>,
    input_tokens: u64,
    cached_tokens: u64,
    output_tokens: u64,
    #[serde(default)]
    microdollars: u64,
}

/// What a turn has cost, as far as that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) tokens: Option<u64>,
    pub(super) microdollars: Option<u64>,
}

impl Session {
    fn counted(&self) -> Usage {
        Usage {
            input_tokens: self.input_tokens,
            cached_tokens: self.cached_tokens,
            output_tokens: self.output_tokens,
        }
    }
}

impl Sessions {
    pub(super) fn open(folder: &Path, task: &TaskId) -> Self {
        let file = folder.join("sessions").join(format!("{task}.json"));
        let is_small = fs::metadata(&file).is_ok_and(|found| found.len() <= FILE_BYTES_MAX);
        let kept = fs::read(&file).ok().filter(|_| is_small);
        let kept = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { file, kept }
    }

    /// Returns the id by which a driver can resume a session.
    pub(super) fn resumable(&self, session: &SessionId, driver: &str) -> Option<String> {
        let known = self.kept.sessions.get(session.as_str()).filter(|known| known.driver == driver);
        known.and_then(|known| known.id.clone())
    }

    /// Forgets by which id a session is resumed: its agent does not know it any more.
    pub(super) fn forget(&mut self, session: &SessionId) {
        if self.kept.sessions.remove(session.as_str()).is_some() {
            self.save();
        }
    }

    /// Returns what a turn has cost, if that is known.
    pub(super) fn spent(&self, turn: &TurnId) -> Cost {
        let (tokens, microdollars) = (&self.kept.spent, &self.kept.spent_microdollars);
        Cost {
            tokens: tokens.get(turn.as_str()).copied(),
            microdollars: microdollars.get(turn.as_str()).copied(),
        }
    }

    /// Notes how a turn went in its session, and returns what it cost, if the agent said.
    pub(super) fn note(&mut self, turn: &TurnId, went: &Went<'_>) -> Cost {
        let session = self.kept.sessions.entry(went.session.as_str().to_owned()).or_default();
        let is_resumed = session.id.is_some() && session.driver == went.driver;
        let earlier = if is_resumed { session.counted() } else { Usage::default() };
        let paid = if is_resumed { session.microdollars } else { 0 };
        let tokens = went.usage.map(|usage| match went.counting {
            Counting::Turn | Counting::Nothing => usage.counted_tokens(),
            Counting::Session => usage.since(&earlier).counted_tokens(),
        });
        // A total below the last one is that of a session that began anew.
        let microdollars = went.session_microdollars.map(|total| total.checked_sub(paid).unwrap_or(total));
        let cost = Cost { tokens, microdollars };
        let counted = went.usage.unwrap_or(earlier);
        let now = Session {
            driver: went.driver.to_owned(),
            id: went.id.map(str::to_owned),
            input_tokens: counted.input_tokens,
            cached_tokens: counted.cached_tokens,
            output_tokens: counted.output_tokens,
            microdollars: went.session_microdollars.unwrap_or(paid),
        };
        let is_new = *session != now || cost != Cost::default();
        *session = now;
        if let Some(tokens) = cost.tokens {
            self.kept.spent.insert(turn.as_str().to_owned(), tokens);
        }
        if let Some(microdollars) = cost.microdollars {
            self.kept.spent_microdollars.insert(turn.as_str().to_owned(), microdollars);
        }
        if is_new {
            self.save();
        }
        cost
    }

    /// What cannot be written is only remembered less well.
    fn save(&self) {
        let Some(folder) = self.file.parent() else { return };
        if let Ok(bytes) = serde_json::to_vec(&self.kept)
            && (folder.is_dir() || durable_file::make_folder(folder).is_ok())
        {
            let _ = durable_file::replace(&self.file, &bytes);
        }
    }
}

/// How a turn went in its session.
#[derive(Debug)]
pub(super) struct Went<'a> {
    pub(super) session: &'a SessionId,
    pub(super) driver: &'static str,
    pub(super) counting: Counting,
    /// The id by which it can be resumed; nothing when it is better begun anew.
    pub(super) id: Option<&'a str>,
    pub(super) usage: Option<Usage>,
    /// What the whole session has cost, where the agent says.
    pub(super) session_microdollars: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_of_the_whole_session_is_charged_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let task = TaskId::new("T1").expect("a name");
        let session = SessionId::new("session-1").expect("a name");
        let turn = |number: u32| TurnId::new(format!("turn-{number}")).expect("a name");
        let went = |tokens| Went {
            session: &session,
            driver: "codex",
            counting: Counting::Session,
            id: Some("thread-9"),
            usage: Some(Usage { input_tokens: tokens, cached_tokens: 0, output_tokens: 10 }),
            session_microdollars: Some(tokens * 3),
        };
        let cost = |tokens, microdollars| Cost { tokens: Some(tokens), microdollars: Some(microdollars) };
        let mut sessions = Sessions::open(folder.path(), &task);
        assert_eq!(sessions.note(&turn(1), &went(100)), cost(110, 300));
        let mut sessions = Sessions::open(folder.path(), &task);
        assert_eq!(sessions.resumable(&session, "codex").as_deref(), Some("thread-9"));
        assert_eq!(sessions.resumable(&session, "claude"), None);
        assert_eq!(sessions.note(&turn(2), &went(250)), cost(150, 450));
        assert_eq!(sessions.spent(&turn(1)), cost(110, 300));
    }
}
