//! OpenCode, headless: `opencode run --format json`, the prompt on its standard input, for an argument with blanks would
//! be quoted. A permission that nobody answers is a refusal, and it then ends with 0 and no last word.

use std::collections::BTreeMap;

use serde_json::Value;

use super::message::{add, does, number, object, says, text};
use super::{
    Access, Ask, Close, Conversation, Driver, Fault, GOES_WITHIN, Heard, Input, Launch, Sign, Usage,
};

pub(super) static DRIVER: Driver = Driver {
    name: "opencode",
    programs: &["opencode"],
    hint: "install OpenCode and log in with `opencode auth login`",
    environment: &["OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "OPENROUTER_*", "XDG_*"],
    home: &[".local/share/opencode", ".local/state/opencode", ".config/opencode", ".cache/opencode"],
    moved: &[
        ("XDG_DATA_HOME", "opencode"),
        ("XDG_STATE_HOME", "opencode"),
        ("XDG_CONFIG_HOME", "opencode"),
        ("XDG_CACHE_HOME", "opencode"),
    ],
    counts_tokens: true,
    unknown_session: Some("Session not found"),
    resumes: true,
    vendor: None,
    launch,
};

/// The agent of OpenCode that changes nothing.
const READ_ONLY_AGENT: &str = "plan";

fn launch(ask: &Ask<'_>) -> Option<Launch> {
    let mut arguments: Vec<String> = ["run", "--format", "json"].map(str::to_owned).into();
    if ask.access == Access::ReadOnly {
        arguments.extend(["--agent".to_owned(), READ_ONLY_AGENT.to_owned()]);
    }
    if let Some(model) = &ask.settings.model {
        arguments.extend(["--model".to_owned(), model.clone()]);
    }
    if let Some(session) = ask.session {
        arguments.extend(["--session".to_owned(), session.to_owned()]);
    }
    arguments.extend(ask.settings.arguments.iter().cloned());
    let conversation = Box::new(OpenCode {
        prompt: ask.prompt.to_owned(),
        message: String::new(),
        message_id: String::new(),
        close: Close::default(),
    });
    Some(Launch { arguments, environment: BTreeMap::new(), input: Input::Once, conversation })
}

#[derive(Debug)]
struct OpenCode {
    prompt: String,
    /// The texts of the message at hand, and its id.
    message: String,
    message_id: String,
    close: Close,
}

impl Conversation for OpenCode {
    fn opening(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.prompt).into_bytes()
    }

    fn hear(&mut self, line: &[u8]) -> Heard {
        let Some(value) = object(line) else { return Heard::default() };
        let mut heard = match text(&value, "/type") {
            Some("text") => self.said(&value),
            Some("tool_use") => does(
                text(&value, "/part/tool").unwrap_or("tool"),
                value.pointer("/part/state/input").unwrap_or(&Value::Null),
            ),
            Some("step_finish") => {
                self.step(&value);
                let spent_tokens = self.close.usage.map(|usage| usage.counted_tokens());
                let last_word = self.close.is_finished.then_some(GOES_WITHIN);
                Heard { spent_tokens, last_word, ..Heard::default() }
            }
            Some("error") => {
                let reason = text(&value, "/error/data/message")
                    .or_else(|| text(&value, "/error/name"))
                    .unwrap_or_default();
                self.close.fault = Some(match number(&value, "/error/data/statusCode") {
                    0 => Fault::of_words(reason),
                    status => Fault::of_status(status, reason),
                });
                Heard::default()
            }
            _ => Heard::default(),
        };
        if let (None, Some(session)) = (&self.close.session, text(&value, "/sessionID")) {
            self.close.session = Some(session.to_owned());
            heard.signs.insert(0, Sign::Session(session.to_owned()));
        }
        heard
    }

    fn close(mut self: Box<Self>) -> Close {
        self.close.message = (!self.message.trim().is_empty()).then_some(self.message);
        self.close
    }
}

impl OpenCode {
    fn said(&mut self, value: &Value) -> Heard {
        let id = text(value, "/part/messageID").unwrap_or_default();
        if id != self.message_id {
            self.message.clear();
            id.clone_into(&mut self.message_id);
        }
        let words = text(value, "/part/text").unwrap_or_default();
        add(&mut self.message, words);
        says(words)
    }

    fn step(&mut self, value: &Value) {
        let tokens = |name: &str| number(value, &format!("/part/tokens/{name}"));
        let output = tokens("output").saturating_add(tokens("reasoning"));
        let step = Usage::apart([tokens("input"), tokens("cache/write")], tokens("cache/read"), output);
        self.close.usage = Some(self.close.usage.unwrap_or_default().and(step));
        self.close.is_finished = text(value, "/part/reason") == Some("stop");
        if self.close.is_finished {
            self.close.fault = None;
        }
    }
}
