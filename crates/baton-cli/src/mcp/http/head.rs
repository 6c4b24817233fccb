//! The head of a request, and its body, within bounds.

use std::io::Read;
use std::net::TcpStream;
use std::time::Instant;

use super::MESSAGE_BYTES_MAX;
use super::answer::{Answer, Status};

/// Longest head, in bytes.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Most headers.
const HEADERS_MAX: usize = 64;
/// How much is read at once, in bytes.
const STEP_BYTES: usize = 8 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Post,
    Delete,
    Other,
}

/// The first lines of a request.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) method: Method,
    pub(super) path: String,
    /// Names in small letters; values that are no text are left out by refusing the request.
    headers: Vec<(String, String)>,
}

impl Head {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Answer> {
        let bad = |why: &str| Answer::told(Status::BadRequest, why);
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut request = httparse::Request::new(&mut headers);
        match request.parse(bytes) {
            Ok(httparse::Status::Complete(_)) => {}
            Ok(httparse::Status::Partial) => return Err(bad("the head of the request ends too early")),
            Err(httparse::Error::TooManyHeaders) => {
                return Err(Answer::told(Status::HeadersTooLarge, "there are too many headers"));
            }
            Err(error) => return Err(bad(&format!("this is no request: {error}"))),
        }
        let method = match request.method {
            Some("POST") => Method::Post,
            Some("DELETE") => Method::Delete,
            Some(_) | None => Method::Other,
        };
        let path = request.path.unwrap_or_default().to_owned();
        let text = |header: &httparse::Header<'_>| {
            let value = std::str::from_utf8(header.value).ok()?;
            Some((header.name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers: Option<Vec<_>> = request.headers.iter().map(text).collect();
        Ok(Self { method, path, headers: headers.ok_or_else(|| bad("a header is no text"))? })
    }

    /// Returns every value of a header.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of a header that is there once.
    pub(super) fn one<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        let mut all = self.all(name);
        all.next().filter(|_| all.next().is_none())
    }

    /// Returns how long the body is; it must say so, once, and in no other way.
    pub(super) fn length(&self) -> Result<usize, Answer> {
        if self.all("transfer-encoding").next().is_some() {
            return Err(Answer::told(Status::LengthRequired, "send the body with Content-Length"));
        }
        let mut lengths = self.all("content-length");
        let (first, second) = (lengths.next(), lengths.next());
        let digits = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match (first, second) {
            (Some(length), None) => {
                let length = Some(length).filter(digits).and_then(|length| length.parse::<u64>().ok());
                let Some(length) = length else {
                    return Err(Answer::told(Status::BadRequest, "Content-Length is no number"));
                };
                usize::try_from(length).ok().filter(|length| *length <= MESSAGE_BYTES_MAX).ok_or_else(|| {
                    Answer::told(
                        Status::TooLarge,
                        &format!("a message has at most {MESSAGE_BYTES_MAX} bytes"),
                    )
                })
            }
            (None, _) => Err(Answer::told(Status::LengthRequired, "Content-Length is missing")),
            (Some(_), Some(_)) => Err(Answer::told(Status::BadRequest, "Content-Length is there twice")),
        }
    }
}

/// Reads the head of a request, and what came along of its body.
pub(super) fn read(stream: &TcpStream, deadline: Instant) -> Result<(Head, Vec<u8>), Answer> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = find_end(&bytes) {
            let body = bytes.split_off(end);
            return Ok((Head::parse(&bytes)?, body));
        }
        if bytes.len() >= HEAD_BYTES_MAX {
            return Err(Answer::told(Status::HeadersTooLarge, "the head of the request is too long"));
        }
        let room = STEP_BYTES.min(HEAD_BYTES_MAX.saturating_sub(bytes.len()));
        read_some(stream, &mut bytes, room, deadline)?;
    }
}

/// Reads the rest of a body.
pub(super) fn read_body(
    stream: &TcpStream,
    begun: Vec<u8>,
    length: usize,
    deadline: Instant,
) -> Result<Vec<u8>, Answer> {
    let mut body = begun;
    // One request a connection: whatever comes after it is nobody's.
    body.truncate(length);
    while body.len() < length {
        let room = STEP_BYTES.min(length.saturating_sub(body.len()));
        read_some(stream, &mut body, room, deadline)?;
    }
    Ok(body)
}

fn find_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

fn read_some(
    mut stream: &TcpStream,
    bytes: &mut Vec<u8>,
    room: usize,
    deadline: Instant,
) -> Result<(), Answer> {
    let slow = || Answer::told(Status::Timeout, "the request did not arrive in time");
    let left =
        deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()).ok_or_else(slow)?;
    stream.set_read_timeout(Some(left)).map_err(|_| slow())?;
    let mut step = vec![0; room];
    match stream.read(&mut step) {
        Ok(0) => Err(Answer::told(Status::BadRequest, "the request ends too early")),
        Ok(read) => {
            bytes.extend_from_slice(&step[..read]);
            Ok(())
        }
        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Ok(()),
        Err(_) => Err(slow()),
    }
}
