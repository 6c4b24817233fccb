//! Standard input and output: one message a line. One thread reads, so that a client is heard while a check runs.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::MESSAGE_BYTES_MAX;
use super::form::Form;
use super::message::{self, BUSY, INVALID_REQUEST, Id, Message, Request, RpcError};
use super::revision::Client;
use super::seal::{ANSWER_MS_MAX, hex};
use super::server::{Asker, Server};
use crate::output;

/// Most requests that wait while another is worked on.
const WAITING_MAX: usize = 64;
/// Most requests that are remembered as called off.
const CALLED_OFF_MAX: usize = 256;
/// How often somebody who waits for a person looks whether the client is still there.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Bytes of the id of a question of ours: nobody can answer what they were not asked.
const QUESTION_BYTES: usize = 16;

/// What both threads know.
#[derive(Default)]
struct Shared {
    called_off: Mutex<BTreeSet<Id>>,
    /// The question to a person that is open, and where the answer goes.
    open: Mutex<Option<(String, Sender<Option<Value>>)>>,
    is_over: Mutex<bool>,
    out: Mutex<()>,
}

/// Serves until the client goes away.
pub(crate) fn serve(server: &Server) -> io::Result<()> {
    let shared = Arc::new(Shared::default());
    let (sender, work) = sync_channel(WAITING_MAX);
    let reader = Arc::clone(&shared);
    thread::Builder::new().name("mcp-reader".to_owned()).spawn(move || {
        read(io::stdin().lock(), &reader, &sender);
        *lock(&reader.is_over) = true;
    })?;
    answer_all(server, &shared, &work);
    Ok(())
}

/// Reads messages until the input ends, and answers what needs no work.
fn read(input: impl Read, shared: &Shared, work: &SyncSender<Request>) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut input).take(MESSAGE_BYTES_MAX as u64 + 1).read_until(b'\n', &mut line);
        match read {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if line.len() > MESSAGE_BYTES_MAX && !line.ends_with(b"\n") {
            let why = format!("a message has at most {MESSAGE_BYTES_MAX} bytes; this one was passed over");
            shared.send(&message::refusal(None, &RpcError::new(INVALID_REQUEST, why)));
            if !skip_line(&mut input) {
                return;
            }
            continue;
        }
        if !line.trim_ascii().is_empty() && !take(&line, shared, work) {
            return;
        }
    }
}

/// Passes over the rest of a line; says whether there is more after it.
fn skip_line(input: &mut impl BufRead) -> bool {
    loop {
        let (used, found) = match input.fill_buf() {
            Ok([]) | Err(_) => return false,
            Ok(bytes) => match bytes.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            },
        };
        input.consume(used);
        if found {
            return true;
        }
    }
}

/// Takes one message; says whether anybody is still there to work on it.
fn take(line: &[u8], shared: &Shared, work: &SyncSender<Request>) -> bool {
    match message::read(line) {
        Err(unreadable) => shared.send(&message::refusal(unreadable.id.as_ref(), &unreadable.error)),
        Ok(Message::Request(request)) if request.method == "ping" => {
            shared.send(&message::answer(&request.id, Ok(json!({}))));
        }
        Ok(Message::Request(request)) => {
            let id = request.id.clone();
            match work.try_send(request) {
                Ok(()) => {}
                Err(TrySendError::Full(_)) => {
                    let why = format!("{WAITING_MAX} requests wait already; send it again later");
                    shared.send(&message::answer(&id, Err(RpcError::new(BUSY, why))));
                }
                Err(TrySendError::Disconnected(_)) => return false,
            }
        }
        Ok(Message::Notification { method, params }) => {
            if let Some(id) =
                params.get("requestId").and_then(Id::read).filter(|_| method == "notifications/cancelled")
            {
                let mut called_off = lock(&shared.called_off);
                if called_off.len() < CALLED_OFF_MAX {
                    called_off.insert(id);
                }
            }
        }
        Ok(Message::Response { id, result }) => shared.deliver(&id, result),
    }
    true
}

fn answer_all(server: &Server, shared: &Shared, work: &Receiver<Request>) {
    let mut client = Client::unknown();
    while let Ok(request) = work.recv() {
        if lock(&shared.called_off).remove(&request.id) {
            continue;
        }
        let answer = match Client::of_request(&request) {
            Err(error) => Err(error),
            Ok(Some(stateless)) => {
                server.answer(&request, &stateless, &mut Waiting { shared, request: &request.id })
            }
            Ok(None) if request.method == "initialize" => {
                let (who, result) = server.hello(&request.params);
                client = who;
                Ok(result)
            }
            Ok(None) => server.answer(&request, &client, &mut Waiting { shared, request: &request.id }),
        };
        if !lock(&shared.called_off).remove(&request.id) {
            shared.send(&message::answer(&request.id, answer));
        }
    }
}

/// Waits for a person, at the other end of the pipe.
struct Waiting<'a> {
    shared: &'a Shared,
    request: &'a Id,
}

impl Asker for Waiting<'_> {
    fn ask(&mut self, form: &Form) -> Option<Value> {
        let mut bytes = [0; QUESTION_BYTES];
        getrandom::fill(&mut bytes).ok()?;
        let (id, (sender, answers)) = (hex(&bytes), channel());
        *lock(&self.shared.open) = Some((id.clone(), sender));
        self.shared.send(&message::request(&id, "elicitation/create", &form.parameters()));
        let rounds = u128::from(ANSWER_MS_MAX.unsigned_abs()) / LOOK_EVERY.as_millis();
        for _ in 0..rounds {
            match answers.recv_timeout(LOOK_EVERY) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if *lock(&self.shared.is_over) || lock(&self.shared.called_off).contains(self.request) {
                break;
            }
        }
        *lock(&self.shared.open) = None;
        None
    }
}

impl Shared {
    /// Writes one line. A client that went away is noticed by the end of its input.
    fn send(&self, message: &Value) {
        let _one_at_a_time = lock(&self.out);
        let mut bytes = Vec::new();
        if output::write_json(&mut bytes, message).is_ok() {
            bytes.push(b'\n');
            let mut out = io::stdout().lock();
            let _ = out.write_all(&bytes).and_then(|()| out.flush());
        }
    }

    /// Gives an answer to whoever asked exactly that; anything else moves nothing.
    fn deliver(&self, id: &Id, answer: Option<Value>) {
        let mut open = lock(&self.open);
        if let Some((asked, sender)) = open.take_if(|(asked, _)| *id == Id::Text(asked.clone())) {
            drop(asked);
            let _ = sender.send(answer);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
