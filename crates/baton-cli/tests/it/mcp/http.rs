//! The same over HTTP: sessions, streams, the stateless world, and bad requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};

use super::talk::{CLIENT, Harbour, Told};
use crate::support::DEADLINE;

/// A server over HTTP, and its token.
pub(super) struct Served {
    child: Child,
    pub(super) port: u16,
    pub(super) token: String,
}

impl Served {
    pub(super) fn of(harbour: &Harbour) -> Self {
        let mut child = harbour
            .command(&["mcp", "--http"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut url = String::new();
        BufReader::new(child.stdout.take().expect("standard output"))
            .read_line(&mut url)
            .expect("the address");
        let mut talk = String::new();
        BufReader::new(child.stderr.take().expect("standard error"))
            .read_line(&mut talk)
            .expect("the place of the token");
        let port = url.trim().trim_end_matches("/mcp").rsplit(':').next().and_then(|port| port.parse().ok());
        let path = talk.trim().rsplit(" is in ").next().unwrap_or_default();
        let token =
            std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{error}: {talk}")).trim().to_owned();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(path).expect("the file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "only its owner reads the token");
        }
        assert!(!talk.contains(&token) && !url.contains(&token) && token.len() == 64);
        Self { child, port: port.expect("a port"), token }
    }

    /// Sends bytes, and returns everything that comes back.
    pub(super) fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(DEADLINE)).expect("a timeout");
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        Answer::of(&all)
    }

    /// Posts a body with the usual headers and these.
    pub(super) fn post(&self, headers: &[(&str, &str)], body: &str) -> Answer {
        self.raw(self.request(headers, body).as_bytes())
    }

    fn request(&self, headers: &[(&str, &str)], body: &str) -> String {
        let own: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{own}Content-Length: {}\r\n\r\n{body}",
            self.port,
            self.token,
            body.len()
        )
    }

    fn hello(&self, capabilities: &Value) -> String {
        let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": { "name": CLIENT, "version": "1" } } });
        let answer = self.post(&[], &hello.to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.header("mcp-session-id").expect("a session").to_owned()
    }

    fn call(&self, session: &str, tool: &str, arguments: &Value) -> Told {
        let answer = self.post(
            &[("Mcp-Session-Id", session), ("MCP-Protocol-Version", "2025-11-25")],
            &tool_call(tool, arguments),
        );
        assert_eq!(answer.status, 200, "{answer:?}");
        Told::of(&answer.json())
    }
}

fn tool_call(tool: &str, arguments: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } }).to_string()
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }
}

#[test]
fn a_session_begins_works_and_ends() {
    let harbour = Harbour::with_task("single");
    let served = Served::of(&harbour);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    assert_eq!(served.post(&[], &list).status, 400, "there is no session yet");
    assert_eq!(served.post(&[("Mcp-Session-Id", "0123")], &list).status, 404);
    let session = served.hello(&json!({}));
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    assert_eq!(served.post(&[("Mcp-Session-Id", &session)], &initialized).status, 202);
    let listed = served.post(&[("Mcp-Session-Id", &session)], &list);
    assert!(
        listed.json()["result"]["tools"].is_array() && listed.header("access-control-allow-origin").is_none()
    );
    assert_eq!(
        served.post(&[("Mcp-Session-Id", &session), ("MCP-Protocol-Version", "1900-01-01")], &list).status,
        400
    );
    served.call(&session, "receive", &json!({})).says(&["T1 turn-1"]);
    let unknown = json!({ "jsonrpc": "2.0", "id": 1, "method": "nope" }).to_string();
    assert_eq!(served.post(&[("Mcp-Session-Id", &session)], &unknown).json()["error"]["code"], -32601);
    let end = format!(
        "DELETE /mcp HTTP/1.1\r\nHost: localhost:{}\r\nAuthorization: bearer {}\r\nMcp-Session-Id: {session}\r\n\r\n",
        served.port, served.token
    );
    assert_eq!(served.raw(end.as_bytes()).status, 200);
    assert_eq!(served.raw(end.as_bytes()).status, 404);
    assert_eq!(served.post(&[("Mcp-Session-Id", &session)], &list).status, 404);
}

#[test]
fn a_person_is_asked_through_a_stream_and_answers_in_another_request() {
    let harbour = Harbour::with_task("single");
    let served = Served::of(&harbour);
    let session = served.hello(&json!({ "elicitation": {} }));
    served.call(&session, "receive", &json!({ "task": "T1" })).says(&["T1"]);
    let mut stream = TcpStream::connect(("127.0.0.1", served.port)).expect("it listens");
    stream.set_read_timeout(Some(DEADLINE)).expect("a timeout");
    let body = tool_call("ask", &json!({ "task": "T1", "question": "Which pier?" }));
    stream.write_all(served.request(&[("Mcp-Session-Id", &session)], &body).as_bytes()).expect("it is read");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut head = lines.by_ref().take_while(|line| !line.is_empty());
    assert!(head.any(|line| line == "Content-Type: text/event-stream"));
    head.for_each(drop);
    let mut next = || {
        lines
            .by_ref()
            .find_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok())
            .expect("an event")
    };
    let question = next();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let word = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept", "content": { "answer": "north" } } }).to_string();
    let other = served.hello(&json!({ "elicitation": {} }));
    assert_eq!(
        served.post(&[("Mcp-Session-Id", &other)], &word).status,
        400,
        "another session was not asked"
    );
    assert_eq!(served.post(&[], &word).status, 400);
    assert_eq!(served.post(&[("Mcp-Session-Id", &session)], &word).status, 202);
    let told = next();
    assert_eq!(told["id"], 1);
    assert!(told.to_string().contains("a person answers: north"), "{told}");
    assert_eq!(served.post(&[("Mcp-Session-Id", &session)], &word).status, 400, "it is answered");
    assert!(harbour.log().contains(&format!("person ida via {CLIENT}")));
}

/// Headers, a body, and the status and code that they get.
type Case<'a> = (&'a [(&'a str, &'a str)], &'a str, u16, i64);

#[test]
fn the_stateless_world_holds_headers_against_the_body() {
    let harbour = Harbour::with_task("single");
    let served = Served::of(&harbour);
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} });
    let body = |method: &str, extra: Value| {
        let mut params = json!({ "_meta": meta });
        extra.as_object().into_iter().flatten().for_each(|(key, value)| params[key] = value.clone());
        json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
    };
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let status = body("tools/call", json!({ "name": "status", "arguments": {} }));
    let list = body("tools/list", json!({}));
    let cases: &[Case<'_>] = &[
        (&[version, ("Mcp-Method", "tools/list")], &list, 200, 0),
        (&[version, ("mcp-method", "tools/call"), ("MCP-NAME", "status")], &status, 200, 0),
        (&[version, ("Mcp-Method", "tools/call"), ("Mcp-Name", "=?base64?c3RhdHVz?=")], &status, 200, 0),
        (&[version, ("Mcp-Method", "tools/call"), ("Mcp-Name", "=?base64?c3RhdHV?=")], &status, 400, -32020),
        (&[version, ("Mcp-Method", "tools/call"), ("Mcp-Name", "submit")], &status, 400, -32020),
        (&[version, ("Mcp-Method", "tools/call")], &status, 400, -32020),
        (&[version, ("Mcp-Method", "tools/list")], &status, 400, -32020),
        (&[version, ("Mcp-Method", "tools/list"), ("Mcp-Method", "tools/call")], &list, 400, -32020),
        (&[version], &list, 400, -32020),
        (&[("Mcp-Method", "tools/list")], &list, 400, -32020),
        (&[("MCP-Protocol-Version", "2025-11-25"), ("Mcp-Method", "tools/list")], &list, 400, -32020),
        (
            &[version, ("Mcp-Method", "tools/list")],
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            400,
            -32020,
        ),
        (
            &[("MCP-Protocol-Version", "1900-01-01")],
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            400,
            -32022,
        ),
    ];
    for (headers, body, status, code) in cases {
        let answer = served.post(headers, body);
        assert_eq!(
            (answer.status, answer.json()["error"]["code"].as_i64().unwrap_or(0)),
            (*status, *code),
            "{headers:?}"
        );
    }
    let unknown = served.post(&[version, ("Mcp-Method", "nope")], &body("nope", json!({})));
    assert_eq!((unknown.status, &unknown.json()["error"]["code"]), (404, &json!(-32601)));
    let found =
        served.post(&[version, ("Mcp-Method", "server/discover")], &body("server/discover", json!({})));
    assert!(
        found.json()["result"]["supportedVersions"].is_array() && found.header("mcp-session-id").is_none()
    );
}

#[test]
fn requests_out_of_bounds_are_refused_and_others_are_served() {
    let harbour = Harbour::with_task("single");
    let served = Served::of(&harbour);
    let head = format!(
        "Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n",
        served.port, served.token
    );
    let many = "X-Header: y\r\n".repeat(100);
    let long = format!("X-Header: {}\r\n", "y".repeat(20_000));
    let cases: &[(String, u16)] = &[
        (format!("POST /mcp HTTP/1.1\r\n{head}\r\n{{}}"), 411),
        (format!("POST /mcp HTTP/1.1\r\n{head}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{{}}"), 400),
        (
            format!(
                "POST /mcp HTTP/1.1\r\n{head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{{}}"
            ),
            411,
        ),
        (format!("POST /mcp HTTP/1.1\r\n{head}Content-Length: +2\r\n\r\n{{}}"), 400),
        (format!("POST /mcp HTTP/1.1\r\n{head}Content-Length: -1\r\n\r\n"), 400),
        (format!("POST /mcp HTTP/1.1\r\n{head}Content-Length: 99999999999\r\n\r\n"), 413),
        (format!("POST /mcp HTTP/1.1\r\n{head}Content-Length: 99999999999999999999999\r\n\r\n"), 400),
        (format!("POST /mcp HTTP/1.1\r\n{head}{many}\r\n"), 431),
        (format!("POST /mcp HTTP/1.1\r\n{head}{long}\r\n"), 431),
        (format!("POST /other HTTP/1.1\r\n{head}Content-Length: 2\r\n\r\n{{}}"), 404),
        (format!("POST /mcp/../x HTTP/1.1\r\n{head}Content-Length: 2\r\n\r\n{{}}"), 404),
        (format!("POST /mcp?token=x HTTP/1.1\r\n{head}Content-Length: 2\r\n\r\n{{}}"), 404),
        (format!("GET /mcp HTTP/1.1\r\n{head}\r\n"), 405),
        (format!("OPTIONS /mcp HTTP/1.1\r\n{head}\r\n"), 405),
        (
            format!(
                "POST /mcp HTTP/1.1\r\n{}Content-Length: 2\r\n\r\n{{}}",
                head.replace("application/json", "text/plain")
            ),
            415,
        ),
        (format!("POST /mcp HTTP/1.1\r\n{head}Content-Length: 2\r\n\r\n[]"), 400),
        (format!("POST /mcp HTTP/1.1\r\n{head}X: \u{fffd}\r\nContent-Length: 2\r\n\r\n{{}}"), 400),
        ("hello\r\n\r\n".to_owned(), 400),
        ("\r\n\r\n".to_owned(), 400),
        ("\u{0}\u{1}\r\n\r\n".to_owned(), 400),
    ];
    for (request, status) in cases {
        let answer = served.raw(request.as_bytes());
        assert_eq!(answer.status, *status, "{}", &request[..request.len().min(400)]);
        assert!(answer.header("access-control-allow-origin").is_none());
    }
    // More clients than there is room for, all of them silent; whoever comes when they are gone is served.
    let silent: Vec<TcpStream> =
        (0..40).filter_map(|_| TcpStream::connect(("127.0.0.1", served.port)).ok()).collect();
    silent.iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
    drop(silent);
    let served = Arc::new(served);
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {} }).to_string();
    let asked: Vec<_> = (0..8)
        .map(|_| {
            let (served, hello) = (Arc::clone(&served), hello.clone());
            thread::spawn(move || (0..50).any(|_| served.post(&[], &hello).status == 200))
        })
        .collect();
    assert!(
        asked.into_iter().all(|asked| asked.join().expect("a client")),
        "every client is served in the end"
    );
}
