//! What goes back: one answer, or a stream of messages that ends with it. No answer lets another site read it.

use std::io::{self, Write};
use std::net::TcpStream;

use serde_json::Value;

use super::super::message::{self, INVALID_REQUEST, Id, RpcError};
use crate::output;

macro_rules! statuses {
    ($($name:ident $code:literal $word:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Status {
            $($name,)*
        }

        impl Status {
            fn line(self) -> &'static str {
                match self {
                    $(Self::$name => concat!("HTTP/1.1 ", $code, " ", $word),)*
                }
            }
        }
    };
}

statuses! {
    Ok "200" "OK",
    Accepted "202" "Accepted",
    BadRequest "400" "Bad Request",
    Unauthorized "401" "Unauthorized",
    Forbidden "403" "Forbidden",
    NotFound "404" "Not Found",
    MethodNotAllowed "405" "Method Not Allowed",
    Timeout "408" "Request Timeout",
    LengthRequired "411" "Length Required",
    TooLarge "413" "Content Too Large",
    UnsupportedMediaType "415" "Unsupported Media Type",
    HeadersTooLarge "431" "Request Header Fields Too Large",
    Unavailable "503" "Service Unavailable",
}

/// What every answer says.
const ALWAYS: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n";

#[derive(Debug)]
pub(super) struct Answer {
    status: Status,
    session: Option<String>,
    body: Vec<u8>,
}

impl Answer {
    pub(super) fn empty(status: Status) -> Self {
        Self { status, session: None, body: Vec::new() }
    }

    pub(super) fn json(status: Status, value: &Value) -> Self {
        Self { body: written(value), ..Self::empty(status) }
    }

    /// An error about a message.
    pub(super) fn refused(status: Status, id: Option<&Id>, error: &RpcError) -> Self {
        Self::json(status, &message::refusal(id, error))
    }

    /// An error before there is a message.
    pub(super) fn told(status: Status, why: &str) -> Self {
        Self::refused(status, None, &RpcError::new(INVALID_REQUEST, why))
    }

    #[must_use]
    pub(super) fn with_session(self, session: &str) -> Self {
        Self { session: Some(session.to_owned()), ..self }
    }

    pub(super) fn write(&self, mut out: &TcpStream) -> io::Result<()> {
        let mut head = format!("{}\r\n{ALWAYS}Content-Length: {}\r\n", self.status.line(), self.body.len());
        if !self.body.is_empty() {
            head.push_str("Content-Type: application/json\r\n");
        }
        if let Some(session) = &self.session {
            head.push_str(&format!("Mcp-Session-Id: {session}\r\n"));
        }
        match self.status {
            Status::Unauthorized => head.push_str("WWW-Authenticate: Bearer\r\n"),
            Status::MethodNotAllowed => head.push_str("Allow: POST, DELETE\r\n"),
            _ => {}
        }
        head.push_str("\r\n");
        out.write_all(&[head.as_bytes(), &self.body].concat())
    }
}

fn written(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing into memory does not fail.
    let _ = output::write_json(&mut bytes, value);
    bytes
}

/// Tells a careful client that it may send the body.
pub(super) fn go_on(mut out: &TcpStream) -> io::Result<()> {
    out.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
}

/// Messages one after the other, as server-sent events. It begins with the first.
#[derive(Debug)]
pub(super) struct Stream<'a> {
    out: &'a TcpStream,
    is_open: bool,
    is_broken: bool,
}

impl<'a> Stream<'a> {
    pub(super) fn new(out: &'a TcpStream) -> Self {
        Self { out, is_open: false, is_broken: false }
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    pub(super) fn send(&mut self, value: &Value) {
        if !self.is_open {
            self.is_open = true;
            let head = format!(
                "{}\r\n{ALWAYS}Content-Type: text/event-stream\r\nX-Accel-Buffering: no\r\n\r\n",
                Status::Ok.line()
            );
            self.put(head.as_bytes());
        }
        self.put(&[b"event: message\ndata: ".as_slice(), &written(value), b"\n\n"].concat());
    }

    /// Says a word that means nothing, and whether anybody is there to hear it.
    pub(super) fn is_heard(&mut self) -> bool {
        self.put(b":\n\n");
        !self.is_broken
    }

    fn put(&mut self, bytes: &[u8]) {
        let mut out = self.out;
        self.is_broken |= out.write_all(bytes).is_err();
    }
}
