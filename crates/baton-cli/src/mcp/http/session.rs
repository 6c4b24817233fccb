//! Clients that said hello, and questions to people that wait for an answer.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::super::message::Id;
use super::super::revision::Client;
use super::super::seal::{ANSWER_MS_MAX, hex};

/// Most sessions that are remembered; the one that was silent for longest is forgotten first.
const SESSIONS_MAX: usize = 256;
/// Most questions that are open at once.
const QUESTIONS_MAX: usize = 32;
/// Bytes of an id that nobody can guess.
const ID_BYTES: usize = 16;
/// How often a stream is tried while a person thinks.
const LOOK_EVERY: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    clock: u64,
    sessions: BTreeMap<String, (Client, u64)>,
    questions: BTreeMap<String, Open>,
}

#[derive(Debug)]
struct Open {
    session: String,
    request: Id,
    answers: Sender<Option<Value>>,
}

/// A question of ours.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) id: String,
    answers: Receiver<Option<Value>>,
}

impl Sessions {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a client, and returns the id of its session.
    pub(super) fn begin(&self, client: Client) -> Option<String> {
        let id = secret()?;
        let mut known = self.known();
        if known.sessions.len() >= SESSIONS_MAX {
            let oldest = known.sessions.iter().min_by_key(|(_, (_, used))| *used).map(|(id, _)| id.clone());
            oldest.iter().for_each(|id| known.forget(id));
        }
        let used = known.tick();
        known.sessions.insert(id.clone(), (client, used));
        Some(id)
    }

    pub(super) fn client(&self, id: &str) -> Option<Client> {
        let mut known = self.known();
        let now = known.tick();
        known.sessions.get_mut(id).map(|(client, used)| {
            *used = now;
            client.clone()
        })
    }

    /// Forgets a session; says whether there was one.
    pub(super) fn end(&self, id: &str) -> bool {
        let mut known = self.known();
        let was_known = known.sessions.contains_key(id);
        known.forget(id);
        was_known
    }

    pub(super) fn ask(&self, session: &str, request: &Id) -> Option<Question> {
        let (id, (sender, answers)) = (secret()?, channel());
        let mut known = self.known();
        if known.questions.len() >= QUESTIONS_MAX {
            return None;
        }
        let open = Open { session: session.to_owned(), request: request.clone(), answers: sender };
        known.questions.insert(id.clone(), open);
        Some(Question { id, answers })
    }

    /// Waits for the answer, as long as somebody is there.
    pub(super) fn wait(&self, question: &Question, is_heard: &mut dyn FnMut() -> bool) -> Option<Value> {
        let rounds = u128::from(ANSWER_MS_MAX.unsigned_abs()) / LOOK_EVERY.as_millis();
        for _ in 0..rounds {
            match question.answers.recv_timeout(LOOK_EVERY) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if !is_heard() => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        self.known().questions.remove(&question.id);
        None
    }

    /// Gives an answer to whoever asked exactly that of this session; anything else moves nothing.
    pub(super) fn deliver(&self, session: &str, id: &Id, answer: Option<Value>) -> bool {
        let Id::Text(id) = id else { return false };
        let mut known = self.known();
        if known.questions.get(id).is_none_or(|open| open.session != session) {
            return false;
        }
        known.questions.remove(id).is_some_and(|open| open.answers.send(answer).is_ok())
    }

    /// Stops waiting for the answer that a request needs.
    pub(super) fn call_off(&self, session: &str, request: &Id) {
        self.known().questions.retain(|_, open| open.session != session || open.request != *request);
    }
}

impl Known {
    fn tick(&mut self) -> u64 {
        self.clock = self.clock.saturating_add(1);
        self.clock
    }

    fn forget(&mut self, session: &str) {
        self.sessions.remove(session);
        self.questions.retain(|_, open| open.session != session);
    }
}

fn secret() -> Option<String> {
    let mut bytes = [0; ID_BYTES];
    getrandom::fill(&mut bytes).ok()?;
    Some(hex(&bytes))
}
