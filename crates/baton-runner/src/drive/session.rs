//! What is remembered of the sessions of agents: by which id they are resumed, and what they have counted so far.
//!
//! It lies beside the log and is no part of it: if it is lost, a session begins anew and a cost counts in full.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use baton_engine::fact::SessionMode;
use baton_engine::state::Task;
use baton_engine::word::{AgentName, SessionId, TaskId, TurnId};
use baton_engine::workflow::Role;
use baton_store::durable_file;
use serde::{Deserialize, Serialize};

use crate::agent::Usage;
use crate::desk::DeskError;
use crate::file::read_plain;

/// How the names of sessions begin; their number is that of their first turn.
const SESSION_PREFIX: &str = "session-";
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
    /// Of these, what the plans of turns have cost whose work has begun. What that costs is not known yet.
    #[serde(default)]
    of_plans: BTreeMap<String, (Option<u64>, Option<u64>)>,
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
    /// The same, apart, where the agent has just told it.
    pub(super) usage: Option<Usage>,
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
        let kept = read_plain(&file, FILE_BYTES_MAX).ok();
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
            usage: None,
            microdollars: microdollars.get(turn.as_str()).copied(),
        }
    }

    /// Returns what the plan of a turn has cost whose work has begun.
    pub(super) fn of_plan(&self, turn: &TurnId) -> Cost {
        let (tokens, microdollars) = self.kept.of_plans.get(turn.as_str()).copied().unwrap_or_default();
        Cost { tokens, usage: None, microdollars }
    }

    /// Sets aside what a turn has cost so far, because its work begins after its plan.
    pub(super) fn begin_work(&mut self, turn: &TurnId) {
        let turn = turn.as_str();
        let spent = (self.kept.spent.remove(turn), self.kept.spent_microdollars.remove(turn));
        let before = self.kept.of_plans.remove(turn).unwrap_or_default();
        let and =
            |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).reduce(u64::saturating_add);
        self.kept.of_plans.insert(turn.to_owned(), (and(before.0, spent.0), and(before.1, spent.1)));
        self.save();
    }

    /// Notes how a turn went in its session, and returns what it cost, if the agent said. A turn that was begun anew has cost
    /// what both of its programs did.
    pub(super) fn note(&mut self, turn: &TurnId, went: &Went<'_>) -> Cost {
        // What a plan cost comes in with the first program of the work.
        let before = match self.spent(turn) {
            cost if cost == Cost::default() => self.of_plan(turn),
            cost => cost,
        };
        let session = self.kept.sessions.entry(went.session.as_str().to_owned()).or_default();
        let is_resumed = session.id.is_some() && session.driver == went.driver;
        let earlier = if is_resumed { session.counted() } else { Usage::default() };
        let paid = if is_resumed { session.microdollars } else { 0 };
        // A turn that failed at its provider may say nothing at all of what came before it.
        let session_usage = went.session_usage.filter(|total| *total != Usage::default());
        let since = session_usage.map(|total| total.since(&earlier));
        let usage = went.usage.into_iter().chain(since).reduce(Usage::or_more);
        // A total below the last one is that of a session that began anew.
        let microdollars = went.session_microdollars.map(|total| total.checked_sub(paid).unwrap_or(total));
        let and = |cost: u64, before: Option<u64>| cost.saturating_add(before.unwrap_or(0));
        let cost = Cost {
            tokens: usage.map(|usage| and(usage.counted_tokens(), before.tokens)),
            usage,
            microdollars: microdollars.map(|cost| and(cost, before.microdollars)),
        };
        let counted = session_usage.unwrap_or(earlier);
        let now = Session {
            driver: went.driver.to_owned(),
            id: went.id.map(str::to_owned),
            input_tokens: counted.input_tokens,
            cached_tokens: counted.cached_tokens,
            output_tokens: counted.output_tokens,
            microdollars: went.session_microdollars.filter(|total| *total > 0).unwrap_or(paid),
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
    /// The id by which it can be resumed; nothing when it is better begun anew.
    pub(super) id: Option<&'a str>,
    /// What the turn has used, where the agent counts that.
    pub(super) usage: Option<Usage>,
    /// What the whole session has used, where the agent counts that.
    pub(super) session_usage: Option<Usage>,
    /// What the whole session has cost, where the agent says.
    pub(super) session_microdollars: Option<u64>,
}

/// Returns the session of the next turn: the last one of this agent, or a new one.
pub(super) fn session_of(
    task: &Task,
    agent: &AgentName,
    (role, mode): (Role, SessionMode),
) -> Result<SessionId, DeskError> {
    let number = |session: &SessionId| session.as_str().strip_prefix(SESSION_PREFIX)?.parse::<u64>().ok();
    let mine = task.writers.iter().filter(|writer| writer.agent == *agent).map(|writer| &writer.session);
    let last = mine.filter(|session| number(session).is_some()).max_by_key(|session| number(session));
    match (role, mode, last) {
        (Role::Builder | Role::Repair | Role::Specialist, SessionMode::Same, Some(last)) => Ok(last.clone()),
        (Role::Builder | Role::Repair | Role::Specialist | Role::Verifier, _, _) => {
            Ok(SessionId::new(format!("{SESSION_PREFIX}{}", task.turns_count + 1))?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(number: u32) -> TurnId {
        TurnId::new(format!("turn-{number}")).expect("a name")
    }

    fn used(input_tokens: u64) -> Usage {
        Usage { input_tokens, cached_tokens: 0, output_tokens: 10 }
    }

    /// The costs of turns in one session, each by what the agent says of the turn and of the session.
    fn noted(turns: &[(u32, Option<Usage>, Option<Usage>, u64)]) -> Vec<(Option<u64>, Option<u64>)> {
        let folder = tempfile::tempdir().expect("a folder");
        let task = TaskId::new("T1").expect("a name");
        let session = SessionId::new("session-1").expect("a name");
        let cost = |&(number, usage, session_usage, microdollars): &(_, _, _, u64)| {
            let went = Went {
                session: &session,
                driver: "codex",
                id: Some("thread-9"),
                usage,
                session_usage,
                session_microdollars: Some(microdollars),
            };
            let mut sessions = Sessions::open(folder.path(), &task);
            let cost = sessions.note(&turn(number), &went);
            assert_eq!(sessions.resumable(&session, "codex").as_deref(), Some("thread-9"));
            assert_eq!(sessions.resumable(&session, "claude"), None);
            let kept = Sessions::open(folder.path(), &task).spent(&turn(number));
            assert_eq!((kept.tokens, kept.microdollars), (cost.tokens, cost.microdollars));
            (cost.tokens, cost.microdollars)
        };
        turns.iter().map(cost).collect()
    }

    #[test]
    fn a_count_of_the_whole_session_is_charged_once() {
        let costs = noted(&[(1, None, Some(used(100)), 300), (2, None, Some(used(250)), 750)]);
        assert_eq!(costs, [(Some(110), Some(300)), (Some(150), Some(450))]);
    }

    #[test]
    fn what_helpers_used_counts_and_a_resumed_session_is_not_charged_for_its_past() {
        let costs =
            noted(&[(1, Some(used(80)), Some(used(100)), 1), (2, Some(used(70)), Some(used(190)), 2)]);
        assert_eq!(costs, [(Some(110), Some(1)), (Some(90), Some(1))], "80 of 90 are the agent's own");
    }

    #[test]
    fn a_session_that_counts_from_nothing_again_is_charged_with_all_that_it_says() {
        let costs = noted(&[(1, None, Some(used(500)), 9), (2, Some(used(40)), Some(used(60)), 3)]);
        assert_eq!(costs[1], (Some(70), Some(3)));
    }

    #[test]
    fn a_turn_that_failed_before_it_counted_forgets_nothing_of_its_session() {
        let zero = Some(Usage::default());
        let costs = noted(&[
            (1, None, Some(used(500)), 9),
            (2, zero, zero, 0),
            (3, Some(used(40)), Some(Usage { output_tokens: 20, ..used(540) }), 12),
        ]);
        assert_eq!(costs[1..], [(Some(0), Some(0)), (Some(50), Some(3))]);
    }

    #[test]
    fn what_a_plan_cost_is_set_aside_when_the_work_begins_and_counts_with_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let task = TaskId::new("T1").expect("a name");
        let session = SessionId::new("session-1").expect("a name");
        let mut sessions = Sessions::open(folder.path(), &task);
        let went = |usage, session_microdollars| Went {
            session: &session,
            driver: "claude",
            id: Some("s-1"),
            usage,
            session_usage: None,
            session_microdollars: Some(session_microdollars),
        };
        sessions.note(&turn(1), &went(Some(used(100)), 300));
        assert_eq!(sessions.spent(&turn(1)).tokens, Some(110));
        sessions.begin_work(&turn(1));
        let mut sessions = Sessions::open(folder.path(), &task);
        assert_eq!(sessions.spent(&turn(1)), Cost::default(), "what the work costs is not known yet");
        let plan = sessions.of_plan(&turn(1));
        assert_eq!((plan.tokens, plan.microdollars), (Some(110), Some(300)));
        let cost = sessions.note(&turn(1), &went(Some(used(40)), 750));
        assert_eq!((cost.tokens, cost.microdollars), (Some(160), Some(750)));
        // A program that is begun anew after that counts the plan once.
        let cost = sessions.note(&turn(1), &went(Some(used(10)), 800));
        assert_eq!((cost.tokens, cost.microdollars), (Some(180), Some(800)));
    }

    #[test]
    fn a_turn_that_was_begun_anew_has_cost_both() {
        let costs = noted(&[(1, Some(used(100)), None, 0), (1, Some(used(40)), None, 5)]);
        assert_eq!(costs[1], (Some(160), Some(5)));
    }
}
