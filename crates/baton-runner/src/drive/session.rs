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
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Session {
    driver: String,
    /// The id by which the agent itself knows it.
    id: Option<String>,
    input_tokens: u64,
    cached_tokens: u64,
    output_tokens: u64,
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
    pub(super) fn spent(&self, turn: &TurnId) -> Option<u64> {
        self.kept.spent.get(turn.as_str()).copied()
    }

    /// Notes how a turn went in its session, and returns what it cost, if the agent said.
    pub(super) fn note(&mut self, turn: &TurnId, went: &Went<'_>) -> Option<u64> {
        let session = self.kept.sessions.entry(went.session.as_str().to_owned()).or_default();
        let is_resumed = session.id.is_some() && session.driver == went.driver;
        let earlier = if is_resumed { session.counted() } else { Usage::default() };
        let cost = went.usage.map(|usage| match went.counting {
            Counting::Turn => usage.total_tokens(),
            Counting::Session => usage.since(&earlier).total_tokens(),
        });
        let counted = went.usage.unwrap_or(earlier);
        let now = Session {
            driver: went.driver.to_owned(),
            id: went.id.map(str::to_owned),
            input_tokens: counted.input_tokens,
            cached_tokens: counted.cached_tokens,
            output_tokens: counted.output_tokens,
        };
        let is_new = *session != now || cost.is_some();
        *session = now;
        if let Some(cost) = cost {
            self.kept.spent.insert(turn.as_str().to_owned(), cost);
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
        };
        let mut sessions = Sessions::open(folder.path(), &task);
        assert_eq!(sessions.note(&turn(1), &went(100)), Some(110));
        let mut sessions = Sessions::open(folder.path(), &task);
        assert_eq!(sessions.resumable(&session, "codex").as_deref(), Some("thread-9"));
        assert_eq!(sessions.resumable(&session, "claude"), None);
        assert_eq!(sessions.note(&turn(2), &went(250)), Some(150));
        assert_eq!(sessions.spent(&turn(1)), Some(110));
    }
}
