//! Streamable HTTP, on this machine only. One request a connection: there is nothing to smuggle a second one in. A connection has
//! a thread, a deadline and bounds, and what does not show the token is not read beyond its head.

mod answer;
mod door;
mod head;
mod mirror;
mod session;

use std::io::{self, Read};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::MESSAGE_BYTES_MAX;
use super::form::Form;
use super::message::{
    self, HEADER_MISMATCH, INVALID_REQUEST, Id, METHOD_NOT_FOUND, Message, Request, RpcError,
};
use super::revision::{self, Client};
use super::server::{Asker, Nobody, Server};
use crate::exit;
use crate::output;
use answer::{Answer, Status, Stream};
use door::Door;
use head::{Head, Method};
use session::Sessions;

/// The one place that is served.
const PATH: &str = "/mcp";
/// Most connections at once.
const CONNECTIONS_MAX: usize = 32;
/// How long a client has to send its request, and to take the answer.
const CLIENT_TIME_MAX: Duration = Duration::from_secs(10);
/// What is still read of a request that was refused, in bytes, so that the refusal arrives.
const REST_BYTES_MAX: u64 = 256 * 1024;
const REST_TIME_MAX: Duration = Duration::from_millis(500);
const SESSION_HEADER: &str = "mcp-session-id";
const VERSION_HEADER: &str = "mcp-protocol-version";

/// Everything that a connection needs.
#[derive(Debug)]
struct House {
    server: Server,
    door: Door,
    sessions: Sessions,
    connections: AtomicUsize,
}

/// Serves until it is ended.
pub(crate) fn serve(server: Server, port: u16, (path, token): (&Path, String)) -> io::Result<exit::Code> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = listener.local_addr()?.port();
    let house = Arc::new(House {
        server,
        door: Door::new(port, token),
        sessions: Sessions::default(),
        connections: AtomicUsize::new(0),
    });
    let code = output::print(format!("http://127.0.0.1:{port}{PATH}\n").as_bytes());
    let path = output::printable(&path.display().to_string());
    output::talk(&format!("clients send `Authorization: Bearer TOKEN`; the token is in {path}\n"));
    for stream in listener.incoming() {
        // Whoever hung up before they were heard is no reason to stop.
        let Ok(stream) = stream else { continue };
        welcome(&house, stream);
    }
    Ok(code)
}

/// Gives a connection a thread of its own, or says that there is no room.
fn welcome(house: &Arc<House>, stream: TcpStream) {
    let prepared = stream.set_write_timeout(Some(CLIENT_TIME_MAX)).and_then(|()| stream.set_nodelay(true));
    if prepared.is_err() {
        return;
    }
    if house.connections.fetch_add(1, Ordering::AcqRel) >= CONNECTIONS_MAX {
        let _ = Answer::told(Status::Unavailable, "too many connections; try again").write(&stream);
        house.connections.fetch_sub(1, Ordering::AcqRel);
        return;
    }
    let own = Arc::clone(house);
    let started = thread::Builder::new().name("mcp-http".to_owned()).spawn(move || {
        let _leaves = Leaves(&own.connections);
        attend(&own, &stream);
    });
    if started.is_err() {
        house.connections.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Counts a connection out, however its thread ends.
struct Leaves<'a>(&'a AtomicUsize);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Reads one request and answers it.
fn attend(house: &House, stream: &TcpStream) {
    let deadline = Instant::now() + CLIENT_TIME_MAX;
    let answer = match head::read(stream, deadline) {
        Ok((head, begun)) => match body(house, stream, &head, (begun, deadline)) {
            Ok(body) => respond(house, stream, &head, &body),
            Err(refused) => Some(refused),
        },
        Err(refused) => Some(refused),
    };
    if let Some(answer) = answer {
        let _ = answer.write(stream);
    }
    finish(stream);
}

/// Lets whoever asks in, and reads what they send.
fn body(
    house: &House,
    stream: &TcpStream,
    head: &Head,
    (begun, deadline): (Vec<u8>, Instant),
) -> Result<Vec<u8>, Answer> {
    house.door.open(head)?;
    if head.path != PATH {
        return Err(Answer::told(Status::NotFound, "there is nothing but /mcp"));
    }
    let length = match head.method {
        Method::Delete => return Ok(Vec::new()),
        Method::Post => head.length()?,
        Method::Other => return Err(Answer::told(Status::MethodNotAllowed, "send messages with POST")),
    };
    if head.one("content-type").is_none_or(|kind| !is_json(kind)) {
        return Err(Answer::told(Status::UnsupportedMediaType, "the body must be application/json"));
    }
    if head.one("expect").is_some_and(|wish| wish.eq_ignore_ascii_case("100-continue")) {
        answer::go_on(stream).map_err(|_| Answer::told(Status::BadRequest, "the connection is gone"))?;
    }
    head::read_body(stream, begun, length, deadline)
}

fn is_json(kind: &str) -> bool {
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// Closes a connection so that what was written arrives, also where not all was read.
fn finish(stream: &TcpStream) {
    let closed = stream.shutdown(Shutdown::Write).and_then(|()| stream.set_read_timeout(Some(REST_TIME_MAX)));
    if closed.is_ok() {
        let _ = io::copy(&mut stream.take(REST_BYTES_MAX), &mut io::sink());
    }
}

/// Answers a message; nothing where the answer went out as a stream.
fn respond(house: &House, stream: &TcpStream, head: &Head, body: &[u8]) -> Option<Answer> {
    let session = head.one(SESSION_HEADER);
    if head.method == Method::Delete {
        let known = session.is_some_and(|session| house.sessions.end(session));
        return Some(if known { Answer::empty(Status::Ok) } else { no_session(session) });
    }
    Some(match message::read(body) {
        Err(unreadable) => Answer::refused(Status::BadRequest, unreadable.id.as_ref(), &unreadable.error),
        Ok(Message::Request(request)) => return to_request(house, stream, head, &request),
        Ok(Message::Notification { method, params }) => {
            if let (Some(session), "notifications/cancelled") = (session, method.as_str()) {
                let id = params.get("requestId").and_then(Id::read);
                id.iter().for_each(|id| house.sessions.call_off(session, id));
            }
            Answer::empty(Status::Accepted)
        }
        Ok(Message::Response { id, result }) => {
            match session.is_some_and(|session| house.sessions.deliver(session, &id, result)) {
                true => Answer::empty(Status::Accepted),
                false => {
                    let error = RpcError::new(INVALID_REQUEST, "nobody asked this");
                    Answer::refused(Status::BadRequest, None, &error)
                }
            }
        }
    })
}

fn to_request(house: &House, stream: &TcpStream, head: &Head, request: &Request) -> Option<Answer> {
    let refused = |error: &RpcError| Some(Answer::refused(Status::BadRequest, Some(&request.id), error));
    match Client::of_request(request) {
        Err(error) => refused(&error),
        Ok(Some(client)) => match mirror::check(head, request) {
            Err(error) => refused(&error),
            Ok(()) => Some(answered(request, house.server.answer(request, &client, &mut Nobody))),
        },
        Ok(None) => match head.one(VERSION_HEADER) {
            Some(revision::STATELESS) => {
                let why = "the header names a revision that `_meta` of the body does not";
                refused(&RpcError::new(HEADER_MISMATCH, why))
            }
            Some(version) if !revision::SESSION.contains(&version) => {
                refused(&revision::unsupported(&Value::from(version)))
            }
            Some(_) | None => in_session(house, stream, head, request),
        },
    }
}

/// Answers a request of the session-based world.
fn in_session(house: &House, stream: &TcpStream, head: &Head, request: &Request) -> Option<Answer> {
    if request.method == "initialize" {
        let (client, result) = house.server.hello(&request.params);
        let answer = Answer::json(Status::Ok, &message::answer(&request.id, Ok(result)));
        return Some(match house.sessions.begin(client) {
            Some(session) => answer.with_session(&session),
            None => Answer::told(Status::Unavailable, "no session can be made now"),
        });
    }
    let session = head.one(SESSION_HEADER);
    let Some((session, client)) = session.and_then(|id| Some((id, house.sessions.client(id)?))) else {
        return Some(no_session(session));
    };
    let mut asker = Through { house, stream: Stream::new(stream), session, request: &request.id };
    let answer = house.server.answer(request, &client, &mut asker);
    match asker.stream.is_open() {
        true => {
            asker.stream.send(&message::answer(&request.id, answer));
            None
        }
        false => Some(answered(request, answer)),
    }
}

fn no_session(session: Option<&str>) -> Answer {
    match session {
        Some(_) => Answer::told(Status::NotFound, "this session is over; begin again with `initialize`"),
        None => Answer::told(
            Status::BadRequest,
            "there is no session; begin with `initialize`, and send Mcp-Session-Id",
        ),
    }
}

fn answered(request: &Request, answer: Result<Value, RpcError>) -> Answer {
    let is_unknown = answer.as_ref().is_err_and(|error| error.code == METHOD_NOT_FOUND);
    let is_stateless = request.meta().is_some() && matches!(Client::of_request(request), Ok(Some(_)));
    let status = if is_unknown && is_stateless { Status::NotFound } else { Status::Ok };
    Answer::json(status, &message::answer(&request.id, answer))
}

/// Asks a person through the stream that answers their client's request.
struct Through<'a> {
    house: &'a House,
    stream: Stream<'a>,
    session: &'a str,
    request: &'a Id,
}

impl Asker for Through<'_> {
    fn ask(&mut self, form: &Form) -> Option<Value> {
        let question = self.house.sessions.ask(self.session, self.request)?;
        self.stream.send(&message::request(&question.id, "elicitation/create", &form.parameters()));
        let stream = &mut self.stream;
        self.house.sessions.wait(&question, &mut || stream.is_heard())
    }
}
