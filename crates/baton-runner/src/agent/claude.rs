//! Claude Code, headless: `claude -p` with its stream of JSON.
//!
//! Only the last `result` counts: work in the background makes several. Its `usage` is what the agent itself has used since the
//! result before; what its helpers have used is in its `modelUsage` alone, which goes on counting when a session is resumed.
//! Single messages tell their input and hardly any of their output, so what they add up to is the least that the result will
//! say: enough to stop a turn that has gone too far, and never what it is charged with when the result comes.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::message::{does, microdollars, number, object, says, text};
use super::{Access, Ask, Close, Conversation, Driver, Fault, Heard, Input, Launch, Sign, Usage};

pub(super) static DRIVER: Driver = Driver {
    name: "claude",
    programs: &["claude"],
    hint: "install Claude Code and log in with `claude`",
    environment: &["ANTHROPIC_*", "CLAUDE_*", "AWS_*", "DISABLE_*", "GOOGLE_APPLICATION_CREDENTIALS"],
    home: &[".claude", ".claude.json"],
    moved: &[("CLAUDE_CONFIG_DIR", "")],
    counts_tokens: true,
    unknown_session: Some("No conversation found with session ID"),
    resumes: true,
    vendor: Some("Anthropic"),
    launch,
};

/// After a result, work in the background may bring another one; a model can be silent for a while before it does.
const BACKGROUND_SILENCE_MAX: Duration = Duration::from_secs(120);

/// Most helpers of one turn whose messages are counted while they work; the result counts them all.
const SPEAKERS_MAX: usize = 4096;

fn launch(ask: &Ask<'_>) -> Option<Launch> {
    let mut arguments: Vec<String> =
        ["-p", "--output-format", "stream-json", "--verbose"].map(str::to_owned).into();
    arguments.extend(
        match ask.access {
            Access::Write => ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"].as_slice(),
            Access::ReadOnly => ["--tools", "Read,Grep,Glob"].as_slice(),
        }
        .iter()
        .map(|argument| (*argument).to_owned()),
    );
    if let Some(model) = &ask.settings.model {
        arguments.extend(["--model".to_owned(), model.clone()]);
    }
    if let Some(session) = ask.session {
        arguments.extend(["--resume".to_owned(), session.to_owned()]);
    }
    arguments.extend(ask.settings.arguments.iter().cloned());
    let conversation = Box::new(Claude {
        prompt: ask.prompt.to_owned(),
        messages: Messages::default(),
        close: Close::default(),
    });
    Some(Launch { arguments, environment: BTreeMap::new(), input: Input::Once, conversation })
}

#[derive(Debug)]
struct Claude {
    prompt: String,
    messages: Messages,
    close: Close,
}

/// What the messages of a turn have told of their cost, those of helpers included.
#[derive(Debug, Default)]
struct Messages {
    tokens: u64,
    /// The last message of everybody who speaks, by the tool that called a helper: they speak at the same time.
    last: BTreeMap<String, Message>,
}

/// One message comes in several lines, each with the same usage.
#[derive(Debug, Default)]
struct Message {
    id: String,
    tokens: u64,
}

impl Messages {
    /// Counts a line of a message; returns what all have cost so far.
    fn count(&mut self, value: &Value) -> Option<u64> {
        let usage = value.pointer("/message/usage").filter(|usage| usage.is_object())?;
        let speaker = text(value, "/parent_tool_use_id").unwrap_or_default();
        if !self.last.contains_key(speaker) && self.last.len() >= SPEAKERS_MAX {
            return None;
        }
        let last = self.last.entry(speaker.to_owned()).or_default();
        let id = text(value, "/message/id").unwrap_or_default();
        if id != last.id {
            *last = Message { id: id.to_owned(), tokens: 0 };
        }
        let more = counted(usage).counted_tokens().saturating_sub(last.tokens);
        last.tokens = last.tokens.saturating_add(more);
        self.tokens = self.tokens.saturating_add(more);
        Some(self.tokens)
    }
}

impl Conversation for Claude {
    fn opening(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.prompt).into_bytes()
    }

    fn hear(&mut self, line: &[u8]) -> Heard {
        let Some(value) = object(line) else { return Heard::default() };
        let mut heard = match text(&value, "/type") {
            Some("assistant") => Heard { spent_tokens: self.messages.count(&value), ..of_assistant(&value) },
            Some("system") => {
                self.close.model = text(&value, "/model").map(str::to_owned).or(self.close.model.take());
                Heard::default()
            }
            Some("result") => {
                self.end(&value);
                Heard::last_word(BACKGROUND_SILENCE_MAX)
            }
            _ => Heard::default(),
        };
        if let (None, Some(session)) = (&self.close.session, text(&value, "/session_id")) {
            self.close.session = Some(session.to_owned());
            heard.signs.insert(0, Sign::Session(session.to_owned()));
        }
        heard
    }

    fn close(self: Box<Self>) -> Close {
        self.close
    }
}

impl Claude {
    fn end(&mut self, value: &Value) {
        let message = text(value, "/result").unwrap_or_default();
        let is_error = value.get("is_error").and_then(Value::as_bool).unwrap_or(false);
        self.close.is_finished = !is_error;
        self.close.usage = value.get("usage").filter(|usage| usage.is_object()).map(counted);
        self.close.session_usage = of_models(value);
        self.close.session_microdollars = value.get("total_cost_usd").and_then(microdollars);
        self.close.fault = is_error.then(|| match number(value, "/api_error_status") {
            0 => Fault::of_words(message),
            status => Fault::of_status(status, message),
        });
        self.close.message = (!is_error && !message.is_empty()).then(|| message.to_owned());
    }
}

fn counted(usage: &Value) -> Usage {
    let fresh = [number(usage, "/input_tokens"), number(usage, "/cache_creation_input_tokens")];
    Usage::apart(fresh, number(usage, "/cache_read_input_tokens"), number(usage, "/output_tokens"))
}

/// Returns what all models have used since the session began, for whomever; nothing where no model is named.
fn of_models(result: &Value) -> Option<Usage> {
    let models = result.get("modelUsage").and_then(Value::as_object)?;
    let counts = models.values().map(|used| {
        let fresh = [number(used, "/inputTokens"), number(used, "/cacheCreationInputTokens")];
        Usage::apart(fresh, number(used, "/cacheReadInputTokens"), number(used, "/outputTokens"))
    });
    counts.reduce(Usage::and)
}

fn of_assistant(value: &Value) -> Heard {
    let mut heard = Heard::default();
    let parts = value.pointer("/message/content").and_then(Value::as_array);
    for part in parts.into_iter().flatten() {
        let more = match text(part, "/type") {
            Some("text") => says(text(part, "/text").unwrap_or_default()),
            Some("tool_use") => {
                does(text(part, "/name").unwrap_or("tool"), part.get("input").unwrap_or(&Value::Null))
            }
            _ => continue,
        };
        heard.signs.extend(more.signs);
    }
    heard
}
