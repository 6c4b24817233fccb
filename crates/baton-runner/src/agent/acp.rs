//! Any agent that speaks the Agent Client Protocol, version 1: a conversation in JSON-RPC over its standard streams.
//!
//! Baton offers no files and no terminal: the agent works in its folder by itself, inside of whatever confines it. That
//! an agent asks before it writes is its courtesy, not a boundary; the answer depends on what the role may do.
//!
//! Each counts in its own way: OpenCode, for one, tells the tokens of its last step alone. What an agent says of its usage
//! while it works is how full its memory is, not what the turn has cost; what the session has cost in dollars is told there.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::message::{add, does, microdollars, number, object, says, text};
use super::{
    Access, Ask, Close, Conversation, Driver, Fault, Fence, GOES_WITHIN, Heard, Input, Launch, Sign, Usage,
};

pub(super) static DRIVER: Driver = Driver {
    name: "acp",
    programs: &["claude-agent-acp", "codex-acp"],
    hint: "install an agent that speaks the Agent Client Protocol, or name its program in `baton.toml`",
    environment: &[
        "ANTHROPIC_*",
        "CLAUDE_*",
        "OPENAI_*",
        "CODEX_*",
        "GEMINI_*",
        "GOOGLE_*",
        "OPENCODE_*",
        "XDG_*",
    ],
    home: &[
        ".claude",
        ".claude.json",
        ".codex",
        ".gemini",
        ".local/share/opencode",
        ".local/state/opencode",
        ".config/opencode",
        ".cache/opencode",
    ],
    moved: &[
        ("CLAUDE_CONFIG_DIR", ""),
        ("CODEX_HOME", ""),
        ("GEMINI_CLI_HOME", ".gemini"),
        ("XDG_DATA_HOME", "opencode"),
        ("XDG_STATE_HOME", "opencode"),
        ("XDG_CONFIG_HOME", "opencode"),
        ("XDG_CACHE_HOME", "opencode"),
    ],
    counts_tokens: true,
    unknown_session: None,
    resumes: true,
    vendor: None,
    launch,
};

const PROTOCOL_VERSION: u64 = 1;
/// The code with which an agent says that it must log in first.
const LOGIN_NEEDED: i64 = -32000;
const METHOD_UNKNOWN: i64 = -32601;
/// The way to log in that needs nobody: a key in the environment.
const LOGIN_BY_KEY: &str = "gemini-api-key";
/// Modes in which agents put up no fence of their own, as they call them.
const UNFENCED_MODES: &[&str] = &["agent-full-access"];
/// Modes in which agents change nothing.
const READ_ONLY_MODES: &[&str] = &["read-only", "plan"];
/// Sorts of tools that change nothing.
const HARMLESS: &[&str] = &["read", "search", "think", "fetch"];

fn launch(ask: &Ask<'_>) -> Option<Launch> {
    let conversation = Box::new(Acp {
        prompt: ask.prompt.to_owned(),
        whole_prompt: ask.whole_prompt.to_owned(),
        folder: ask.folder.to_string_lossy().into_owned(),
        resumes: ask.session.map(str::to_owned),
        access: ask.access,
        fence: ask.fence,
        step: Step::Initialize,
        last_id: 0,
        has_logged_in: false,
        message: String::new(),
        close: Close::default(),
    });
    let arguments = ask.settings.arguments.clone();
    Some(Launch { arguments, environment: BTreeMap::new(), input: Input::Open, conversation })
}

/// What was asked of the agent last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Initialize,
    Login,
    NewSession,
    OldSession,
    Mode,
    Prompt,
    Over,
}

#[derive(Debug)]
struct Acp {
    prompt: String,
    whole_prompt: String,
    folder: String,
    resumes: Option<String>,
    access: Access,
    fence: Fence,
    step: Step,
    last_id: u64,
    has_logged_in: bool,
    /// What it has said since it last used a tool.
    message: String,
    close: Close,
}

impl Conversation for Acp {
    fn opening(&mut self) -> Vec<u8> {
        let parameters = json!({
            "protocolVersion": PROTOCOL_VERSION,
            "clientInfo": { "name": "baton", "version": env!("CARGO_PKG_VERSION") },
            "clientCapabilities": { "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false },
        });
        self.ask(Step::Initialize, "initialize", &parameters).reply
    }

    fn hear(&mut self, line: &[u8]) -> Heard {
        let Some(value) = object(line) else { return Heard::default() };
        match (text(&value, "/method"), value.get("id")) {
            (Some(method), Some(id)) => self.answer(method, id, &value),
            (Some("session/update"), None) => self.update(&value),
            (Some(_), None) => Heard::default(),
            (None, Some(id)) if id.as_u64() == Some(self.last_id) => self.result(&value),
            (None, _) => Heard::default(),
        }
    }

    fn close(mut self: Box<Self>) -> Close {
        self.close.message = (!self.message.trim().is_empty()).then_some(self.message);
        self.close
    }
}

impl Acp {
    fn ask(&mut self, step: Step, method: &str, parameters: &Value) -> Heard {
        self.step = step;
        self.last_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": parameters });
        Heard { reply: line(&request), ..Heard::default() }
    }

    fn session(&self) -> &str {
        self.close.session.as_deref().unwrap_or_default()
    }

    /// Goes on with what the agent answered to the last request.
    fn result(&mut self, value: &Value) -> Heard {
        if let Some(error) = value.get("error") {
            return self.failed(error);
        }
        let result = value.get("result").unwrap_or(&Value::Null);
        match self.step {
            Step::Initialize => match self.resumes.clone() {
                Some(session) => self.old_session(&session, result),
                None => self.new_session(),
            },
            Step::Login => self.new_session(),
            Step::NewSession | Step::OldSession => {
                if let Some(session) =
                    text(result, "/sessionId").map(str::to_owned).or_else(|| self.resumes.clone())
                {
                    self.close.session = Some(session);
                }
                let mut heard = self.choose_mode(result);
                heard.signs.push(Sign::Session(self.session().to_owned()));
                heard
            }
            Step::Mode => self.begin(),
            Step::Prompt => self.end(result),
            Step::Over => Heard::default(),
        }
    }

    fn failed(&mut self, error: &Value) -> Heard {
        let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
        match self.step {
            Step::OldSession => self.new_session(),
            Step::NewSession if code == LOGIN_NEEDED && !self.has_logged_in => {
                self.has_logged_in = true;
                self.ask(Step::Login, "authenticate", &json!({ "methodId": LOGIN_BY_KEY }))
            }
            // A mode that is not there is no reason to stop: the box and the tree say whether anything was written.
            Step::Mode => self.begin(),
            Step::Initialize | Step::Login | Step::NewSession | Step::Prompt | Step::Over => {
                let words = error.to_string();
                self.close.fault = Some(match (self.step, code) {
                    (Step::Login, _) | (_, LOGIN_NEEDED) => Fault::Access(words),
                    _ => Fault::of_words(&words),
                });
                self.over()
            }
        }
    }

    fn new_session(&mut self) -> Heard {
        if self.resumes.take().is_some() {
            self.prompt = std::mem::take(&mut self.whole_prompt);
            self.close.is_anew = true;
        }
        let parameters = json!({ "cwd": self.folder, "mcpServers": [] });
        self.ask(Step::NewSession, "session/new", &parameters)
    }

    fn old_session(&mut self, session: &str, capabilities: &Value) -> Heard {
        let can =
            |pointer: &str| capabilities.pointer(pointer).is_some_and(|value| *value != Value::Bool(false));
        let method = match () {
            () if can("/agentCapabilities/sessionCapabilities/resume") => "session/resume",
            () if can("/agentCapabilities/loadSession") => "session/load",
            () => return self.new_session(),
        };
        let parameters = json!({ "sessionId": session, "cwd": self.folder, "mcpServers": [] });
        self.ask(Step::OldSession, method, &parameters)
    }

    fn choose_mode(&mut self, result: &Value) -> Heard {
        let modes = result.pointer("/modes/availableModes").and_then(Value::as_array);
        let offered: Vec<&str> = modes.into_iter().flatten().filter_map(|mode| text(mode, "/id")).collect();
        let first = |wanted: &[&str]| offered.iter().copied().find(|id| wanted.contains(id));
        let unfenced = first(UNFENCED_MODES).filter(|_| self.fence == Fence::Host);
        let of_reader = || first(READ_ONLY_MODES).filter(|_| self.access == Access::ReadOnly);
        // A session that made a plan may still be in the mode of a reader when it is resumed for the work.
        let is_reader = |id: &str| READ_ONLY_MODES.contains(&id);
        let is_left_reading = text(result, "/modes/currentModeId").is_some_and(is_reader);
        let of_writer = || {
            let offered = offered.iter().copied().find(|id| !is_reader(id));
            offered.filter(|_| is_left_reading && self.access == Access::Write)
        };
        let mode = unfenced.or_else(of_reader).or_else(of_writer);
        match mode {
            Some(mode) => {
                let parameters = json!({ "sessionId": self.session(), "modeId": mode });
                self.ask(Step::Mode, "session/set_mode", &parameters)
            }
            None => self.begin(),
        }
    }

    fn begin(&mut self) -> Heard {
        // Loading an old session says everything again that was said in it.
        self.message.clear();
        let prompt = std::mem::take(&mut self.prompt);
        let parameters =
            json!({ "sessionId": self.session(), "prompt": [{ "type": "text", "text": prompt }] });
        self.ask(Step::Prompt, "session/prompt", &parameters)
    }

    fn end(&mut self, result: &Value) -> Heard {
        let stop = text(result, "/stopReason").unwrap_or_default();
        self.close.is_finished = stop == "end_turn";
        if !self.close.is_finished {
            self.close.fault = Some(Fault::Request(format!("the turn stopped because of `{stop}`")));
        }
        self.close.usage = usage(result);
        self.over()
    }

    fn over(&mut self) -> Heard {
        self.step = Step::Over;
        Heard { is_over: true, ..Heard::last_word(GOES_WITHIN) }
    }

    fn update(&mut self, value: &Value) -> Heard {
        if self.step != Step::Prompt {
            return Heard::default();
        }
        let update = value.pointer("/params/update").unwrap_or(&Value::Null);
        match text(update, "/sessionUpdate") {
            Some("agent_message_chunk") => {
                let words = text(update, "/content/text").unwrap_or_default();
                add(&mut self.message, words);
                says(words)
            }
            Some("tool_call") => {
                self.message.clear();
                does(text(update, "/title").unwrap_or("tool"), update.get("rawInput").unwrap_or(&Value::Null))
            }
            Some("usage_update") => {
                let cost = update.get("cost").filter(|cost| text(cost, "/currency") == Some("USD"));
                let told = cost.and_then(|cost| microdollars(cost.get("amount")?));
                self.close.session_microdollars = told.or(self.close.session_microdollars);
                Heard::default()
            }
            _ => Heard::default(),
        }
    }

    /// Answers what the agent asks of us.
    fn answer(&self, method: &str, id: &Value, value: &Value) -> Heard {
        let refused = |words: String| Heard::sign(Sign::Refused(super::doing(&words)));
        if method != "session/request_permission" {
            let error =
                json!({ "code": METHOD_UNKNOWN, "message": format!("`{method}` is not offered here") });
            let reply = line(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            return Heard { reply, ..refused(format!("was refused {method}")) };
        }
        let kind = text(value, "/params/toolCall/kind").unwrap_or("other");
        let allowed = self.access == Access::Write || HARMLESS.contains(&kind);
        let wanted: &[&str] =
            if allowed { &["allow_once", "allow_always"] } else { &["reject_once", "reject_always"] };
        let options: Vec<&Value> =
            value.pointer("/params/options").and_then(Value::as_array).into_iter().flatten().collect();
        let option = wanted.iter().find_map(|kind| {
            let option = options.iter().find(|option| text(option, "/kind") == Some(kind))?;
            text(option, "/optionId")
        });
        let outcome = match option {
            Some(option) => json!({ "outcome": "selected", "optionId": option }),
            None => json!({ "outcome": "cancelled" }),
        };
        let reply = line(&json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": outcome } }));
        match allowed {
            true => Heard { reply, ..Heard::default() },
            false => Heard {
                reply,
                ..refused(format!("was refused {}", text(value, "/params/toolCall/title").unwrap_or(kind)))
            },
        }
    }
}

/// Returns what a turn has cost. Some say it in a place of their own, and there alone what their helpers have cost: the count
/// that has most has all.
fn usage(result: &Value) -> Option<Usage> {
    let own = result.pointer("/_meta/quota");
    let models = own.and_then(|own| own.get("model_usage")).and_then(Value::as_array);
    let of_models = models.filter(|models| !models.is_empty()).map(|models| {
        let counts = models.iter().filter_map(|model| model.get("token_count")).map(counted);
        counts.fold(Usage::default(), Usage::and)
    });
    let told = [result.get("usage"), own.and_then(|own| own.get("token_count"))];
    let told = told.into_iter().flatten().filter(|count| count.is_object()).map(counted);
    told.chain(of_models).reduce(Usage::or_more)
}

/// Reads one count. By the protocol, input is what came from no cache; where a total says otherwise, the total is right: it
/// also has what was thought, which some leave out of their output.
fn counted(count: &Value) -> Usage {
    let told = |names: [&str; 2]| names.into_iter().map(|name| number(count, name)).max().unwrap_or(0);
    let cached_tokens = told(["/cachedReadTokens", "/cachedInputTokens"]);
    let written = told(["/cachedWriteTokens", "/cacheWriteInputTokens"]);
    let input = told(["/inputTokens", "/input_tokens"]);
    let output = told(["/outputTokens", "/output_tokens"]);
    let apart = Usage::apart([input, written], cached_tokens, output);
    let total = number(count, "/totalTokens");
    let output_tokens = output.max(total.saturating_sub(apart.input_tokens));
    match total.checked_sub(output_tokens).filter(|input_tokens| *input_tokens >= input) {
        Some(input_tokens) => Usage { input_tokens, cached_tokens, output_tokens },
        None => apart,
    }
}

fn line(value: &Value) -> Vec<u8> {
    let mut bytes = value.to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}
