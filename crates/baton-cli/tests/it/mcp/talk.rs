//! A project with a server, and a client that says what a test wants it to say.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use crate::support::{DEADLINE, Place, Run};

/// The client whose forms a person fills in.
pub(super) const CLIENT: &str = "rig-client";
/// Checks that pass once the tides are there, a gate, and a client that a person answers through.
const CONFIG: &str = "[checks.validation]\nrun = [\"test\", \"-f\", \"tides.txt\"]\n[mcp]\nanswers_from = [\"rig-client\"]\n\
    [workflows.gated]\n[[workflows.gated.stages]]\nname = \"build\"\nagent = \"@builder\"\ncheckpoints = [\"validation\"]\n\
    gates = [{ name = \"release\", items = [\"The times are right\"] }]\n\
    [workflows.judged]\n[[workflows.judged.stages]]\nname = \"build\"\nagent = \"@builder\"\ncheckpoints = [\"validation\"]\n\
    criteria = [\"low-first\"]\nreview = \"@verifier\"\n";
/// A handoff that says that all is done.
pub(super) const HANDOFF: &str = "```yaml\noutcome: completed\nsummary: the tides are printed in tides.txt\ngotchas:\n  - {issue: the clock of the pier is late, severity: high}\n```\n";

/// A project, its home, and whoever works in it.
pub(super) struct Harbour {
    pub(super) place: Place,
    pub(super) home: Place,
}

impl Harbour {
    pub(super) fn new() -> Self {
        let harbour = Self { place: Place::new(), home: Place::new() };
        harbour.place.write("AGENTS.md", "# Be honest\n");
        harbour.place.write("baton.toml", CONFIG);
        harbour.baton(&["trust", "--yes"]).ends_with(0);
        harbour
    }

    pub(super) fn with_task(workflow: &str) -> Self {
        let harbour = Self::new();
        harbour.baton(&["task", "add", "T1", "Print the tides", "--workflow", workflow]).ends_with(0);
        harbour
    }

    pub(super) fn baton(&self, args: &[&str]) -> Run {
        let mut command = Command::new("env");
        let home = format!("HOME={}", self.home.path().display());
        command.args([home.as_str(), "USER=ida"]).arg(env!("CARGO_BIN_EXE_baton")).args(args);
        self.place.run(&mut command, b"")
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command.args(args).current_dir(self.place.path()).env_clear();
        command.env("HOME", self.home.path()).env("USER", "ida");
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command
    }

    pub(super) fn log(&self) -> String {
        self.baton(&["log"]).ends_with(0).out()
    }

    pub(super) fn status(&self) -> String {
        let status = self.baton(&["status", "--json"]).ends_with(0).json();
        status["tasks"][0]["status"].as_str().unwrap_or_default().to_owned()
    }

    /// Connects a client that has said nothing yet.
    pub(super) fn connect(&self, session: Option<&str>) -> Talk {
        let mut command = self.command(&["mcp"]);
        command.envs(session.map(|session| ("CLAUDE_CODE_SESSION_ID", session)));
        Talk::with(&mut command)
    }

    /// Connects a client that has said hello.
    pub(super) fn greet(&self, session: Option<&str>, capabilities: &Value) -> Talk {
        let mut talk = self.connect(session);
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": { "name": CLIENT, "version": "1" },
        });
        let answer = talk.ask("initialize", &hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "baton", "{answer}");
        talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        talk
    }
}

/// A conversation over a pipe.
pub(crate) struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: i64,
}

impl Talk {
    pub(crate) fn with(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let output = child.stdout.take().expect("standard output");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { input: child.stdin.take(), child, lines, next: 0 }
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the pipe is open");
        // Whoever does not read all is free to do so.
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    #[track_caller]
    pub(super) fn read(&mut self) -> Value {
        let line = self.lines.recv_timeout(DEADLINE).expect("the server answers in time");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line}"))
    }

    /// Asks without waiting, and returns the id.
    pub(super) fn begin(&mut self, method: &str, params: &Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        let answer = self.read();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool, and returns what it says.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Told {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        Told::of(&answer)
    }

    /// Ends the conversation, and says how the server ended.
    pub(super) fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().expect("our own child can be waited for").code()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a tool said.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl Told {
    #[track_caller]
    pub(super) fn of(answer: &Value) -> Self {
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"));
        Self { text: text.to_owned(), is_error: result["isError"] == true }
    }

    /// Stops the test unless the tool did it and said all of this.
    #[track_caller]
    pub(super) fn says(self, words: &[&str]) -> Self {
        assert!(!self.is_error, "{}", self.text);
        words.iter().for_each(|word| assert!(self.text.contains(word), "no `{word}` in {}", self.text));
        self
    }

    /// Stops the test unless the tool refused and said all of this.
    #[track_caller]
    pub(super) fn refuses(self, words: &[&str]) -> Self {
        assert!(self.is_error, "{}", self.text);
        words.iter().for_each(|word| assert!(self.text.contains(word), "no `{word}` in {}", self.text));
        self
    }
}
