//! Codex, headless: `codex exec --json`.
//!
//! Its count of tokens is that of the whole thread, resumed runs included. The copy that a verifier reads is no repository.
//! It puts a fence around every command, which fails inside of another one: where the host puts one up, it goes without.

use std::collections::BTreeMap;

use serde_json::Value;

use super::message::{does, number, object, says, text};
use super::{
    Access, Ask, Close, Conversation, Driver, Fault, Fence, GOES_WITHIN, Heard, Input, Launch, Sign, Usage,
};

pub(super) static DRIVER: Driver = Driver {
    name: "codex",
    programs: &["codex"],
    hint: "install Codex and log in with `codex login`",
    environment: &["OPENAI_*", "CODEX_*"],
    home: &[".codex"],
    moved: &[("CODEX_HOME", "")],
    counts_tokens: true,
    unknown_session: Some("no rollout found for thread id"),
    resumes: true,
    vendor: Some("OpenAI"),
    launch,
};

fn launch(ask: &Ask<'_>) -> Option<Launch> {
    let sandbox = match (ask.fence, ask.access) {
        (Fence::Host, _) => "danger-full-access",
        (Fence::Agent, Access::Write) => "workspace-write",
        (Fence::Agent, Access::ReadOnly) => "read-only",
    };
    let mut arguments: Vec<String> =
        ["exec", "-s", sandbox, "-c", "approval_policy=\"never\"", "--skip-git-repo-check"]
            .map(str::to_owned)
            .into();
    if let Some(model) = &ask.settings.model {
        arguments.extend(["-m".to_owned(), model.clone()]);
    }
    arguments.extend(ask.settings.arguments.iter().cloned());
    if ask.session.is_some() {
        arguments.push("resume".to_owned());
    }
    arguments.push("--json".to_owned());
    arguments.extend(ask.session.map(str::to_owned));
    arguments.push("-".to_owned());
    let conversation = Box::new(Codex { prompt: ask.prompt.to_owned(), close: Close::default() });
    Some(Launch { arguments, environment: BTreeMap::new(), input: Input::Once, conversation })
}

#[derive(Debug)]
struct Codex {
    prompt: String,
    close: Close,
}

impl Conversation for Codex {
    fn opening(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.prompt).into_bytes()
    }

    fn hear(&mut self, line: &[u8]) -> Heard {
        let Some(value) = object(line) else { return Heard::default() };
        match text(&value, "/type") {
            Some("thread.started") => {
                self.close.session = text(&value, "/thread_id").map(str::to_owned);
                self.close
                    .session
                    .clone()
                    .map(|session| Heard::sign(Sign::Session(session)))
                    .unwrap_or_default()
            }
            Some("item.started") => {
                self.close.fault = None;
                of_item(&value)
            }
            Some("item.completed") if text(&value, "/item/type") == Some("agent_message") => {
                let message = text(&value, "/item/text").unwrap_or_default();
                self.close.message = Some(message.to_owned());
                self.close.fault = None;
                says(message)
            }
            Some("turn.completed") => {
                self.close.is_finished = true;
                self.close.fault = None;
                self.close.session_usage =
                    value.get("usage").filter(|usage| usage.is_object()).map(|_| Usage {
                        input_tokens: number(&value, "/usage/input_tokens"),
                        cached_tokens: number(&value, "/usage/cached_input_tokens"),
                        output_tokens: number(&value, "/usage/output_tokens"),
                    });
                Heard::last_word(GOES_WITHIN)
            }
            // It tries again by itself; what it says of that counts only if nothing comes after it.
            Some("error") => {
                self.close.fault = Some(Fault::of_words(text(&value, "/message").unwrap_or_default()));
                Heard::default()
            }
            Some("turn.failed") => {
                self.close.is_finished = false;
                self.close.fault = Some(Fault::of_words(text(&value, "/error/message").unwrap_or_default()));
                Heard::default()
            }
            _ => Heard::default(),
        }
    }

    fn close(self: Box<Self>) -> Close {
        self.close
    }
}

fn of_item(value: &Value) -> Heard {
    let item = value.get("item").unwrap_or(&Value::Null);
    match text(item, "/type") {
        Some("file_change") => does("edit", item.pointer("/changes/0").unwrap_or(&Value::Null)),
        Some("command_execution") => does("run", item),
        Some("mcp_tool_call") => does(text(item, "/tool").unwrap_or("tool"), item),
        _ => Heard::default(),
    }
}
