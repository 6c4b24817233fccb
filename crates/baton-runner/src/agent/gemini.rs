//! Gemini CLI, headless: `gemini -o stream-json`, the prompt on its standard input.
//!
//! Its exit code is the HTTP status modulo 256, and its errors go to the other stream; the count of tokens includes the
//! call with which it chooses a model.

use std::collections::BTreeMap;

use serde_json::Value;

use super::message::{add, does, number, object, says, text};
use super::{
    Access, Ask, Close, Conversation, Driver, Fault, GOES_WITHIN, Heard, Input, Launch, Sign, Usage,
};

pub(super) static DRIVER: Driver = Driver {
    name: "gemini",
    programs: &["gemini"],
    hint: "install Gemini CLI and log in with `gemini`",
    environment: &["GEMINI_*", "GOOGLE_*"],
    home: &[".gemini"],
    moved: &[("GEMINI_CLI_HOME", ".gemini")],
    counts_tokens: true,
    unknown_session: Some("Error resuming session"),
    resumes: true,
    vendor: Some("Google"),
    launch,
};

fn launch(ask: &Ask<'_>) -> Option<Launch> {
    let mode = match ask.access {
        Access::Write => "yolo",
        Access::ReadOnly => "plan",
    };
    let mut arguments: Vec<String> = ["-o", "stream-json", "--approval-mode", mode].map(str::to_owned).into();
    if let Some(model) = &ask.settings.model {
        arguments.extend(["-m".to_owned(), model.clone()]);
    }
    if let Some(session) = ask.session {
        arguments.extend(["--resume".to_owned(), session.to_owned()]);
    }
    arguments.extend(ask.settings.arguments.iter().cloned());
    // The folder is Baton's own, made for this turn: without this the agent refuses to work in it.
    let environment = BTreeMap::from([("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned())]);
    let conversation =
        Box::new(Gemini { prompt: ask.prompt.to_owned(), message: String::new(), close: Close::default() });
    Some(Launch { arguments, environment, input: Input::Once, conversation })
}

#[derive(Debug)]
struct Gemini {
    prompt: String,
    /// What it has said since it last used a tool.
    message: String,
    close: Close,
}

impl Conversation for Gemini {
    fn opening(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.prompt).into_bytes()
    }

    fn hear(&mut self, line: &[u8]) -> Heard {
        let Some(value) = object(line) else {
            self.trouble(line);
            return Heard::default();
        };
        match text(&value, "/type") {
            Some("init") => {
                self.close.session = text(&value, "/session_id").map(str::to_owned);
                self.close.model = text(&value, "/model").map(str::to_owned);
                self.close
                    .session
                    .clone()
                    .map(|session| Heard::sign(Sign::Session(session)))
                    .unwrap_or_default()
            }
            Some("message") if text(&value, "/role") == Some("assistant") => {
                let content = text(&value, "/content").unwrap_or_default();
                add(&mut self.message, content);
                says(content)
            }
            Some("tool_use") => {
                self.message.clear();
                does(
                    text(&value, "/tool_name").unwrap_or("tool"),
                    value.get("parameters").unwrap_or(&Value::Null),
                )
            }
            Some("result") => {
                self.end(&value);
                Heard::last_word(GOES_WITHIN)
            }
            _ => Heard::default(),
        }
    }

    fn close(mut self: Box<Self>) -> Close {
        self.close.message = (!self.message.trim().is_empty()).then_some(self.message);
        self.close
    }
}

impl Gemini {
    fn end(&mut self, value: &Value) {
        self.close.is_finished = text(value, "/status") == Some("success");
        self.close.usage = value.get("stats").filter(|stats| stats.is_object()).map(counted);
        self.close.fault = match self.close.is_finished {
            true => None,
            false => Some(Fault::of_words(text(value, "/error/message").unwrap_or_default())),
        };
    }

    /// The last failure that it prints is why it gave up.
    fn trouble(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        if self.close.is_finished || !line.contains("failed with status") && !line.contains("ApiError") {
            return;
        }
        self.close.fault = Some(match line.split("\"code\":").nth(1).map(leading_number) {
            Some(Some(status)) => Fault::of_status(status, &line),
            Some(None) | None => Fault::of_words(&line),
        });
    }
}

/// What a model thinks is paid for as output, and stands in the total alone.
fn counted(stats: &Value) -> Usage {
    let input_tokens = number(stats, "/input_tokens");
    let output_tokens = number(stats, "/total_tokens").saturating_sub(input_tokens);
    Usage {
        input_tokens,
        cached_tokens: number(stats, "/cached"),
        output_tokens: output_tokens.max(number(stats, "/output_tokens")),
    }
}

fn leading_number(text: &str) -> Option<u64> {
    text.trim_start().chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
}
