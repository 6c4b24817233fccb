//! What each agent needs so that it calls Baton: one function each, of one shape.

use std::path::Path;

use serde_json::{Value, json};

use super::guidance;
use super::json_text::Wanted;
use crate::hook::PLUGIN;

/// How long a hook may take: checks run in it. In seconds; Gemini CLI wants thousandths.
const HOOK_SECONDS: u64 = 600;

/// One thing that a file is to hold.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// A place in JSON.
    Json { path: Vec<&'static str>, wanted: Wanted },
    /// A table at the end of a TOML file, unless one with this heading is there.
    Toml { heading: &'static str, body: &'static str },
    /// The whole file, which must not be there yet.
    Whole(String),
    /// A block between two marks, at the end of a text.
    Block(String),
}

/// A file and what it is to hold.
#[derive(Clone, Debug)]
pub(super) struct Want {
    pub(super) path: &'static str,
    pub(super) pieces: Vec<Piece>,
    /// What it is there for, in words.
    pub(super) what: &'static str,
}

/// An agent that can be set up.
#[derive(Debug)]
pub struct Setup {
    /// The name of its driver and of its dialect.
    pub agent: &'static str,
    /// What a repository has in which it was used.
    traces: &'static [&'static str],
    pub(super) wants: fn(&Path) -> Vec<Want>,
}

/// All agents that can be set up.
pub const ALL: &[Setup] = &[
    Setup { agent: "claude", traces: &[".claude", "CLAUDE.md"], wants: claude },
    Setup { agent: "codex", traces: &[".codex"], wants: codex },
    Setup { agent: "gemini", traces: &[".gemini", "GEMINI.md"], wants: gemini },
    Setup { agent: "opencode", traces: &[".opencode", "opencode.json", "opencode.jsonc"], wants: opencode },
];

impl Setup {
    pub fn named(agent: &str) -> Option<&'static Self> {
        ALL.iter().find(|setup| setup.agent == agent)
    }

    /// Returns what in the project says that the agent is used there.
    pub fn trace(&self, root: &Path) -> Option<&'static str> {
        self.traces.iter().copied().find(|trace| root.join(trace).exists())
    }
}

/// The moments at which a handler is called, in JSON as Claude Code and Codex have it.
fn hooks(events: &[&'static str], handler: &Value, mark: &'static str) -> Vec<Piece> {
    let element = |event: &&'static str| Piece::Json {
        path: vec!["hooks", *event],
        wanted: Wanted::Element { value: handler.clone(), mark },
    };
    events.iter().map(element).collect()
}

fn command(line: &str) -> Value {
    json!({ "hooks": [{ "type": "command", "command": line, "timeout": HOOK_SECONDS }] })
}

fn server() -> Value {
    json!({ "command": "baton", "args": ["mcp"] })
}

fn claude(_root: &Path) -> Vec<Want> {
    let events = ["SessionStart", "UserPromptSubmit", "Stop", "SubagentStop", "TaskCompleted"];
    let mcp = Piece::Json { path: vec!["mcpServers", "baton"], wanted: Wanted::Member(server()) };
    vec![
        Want {
            path: ".claude/settings.json",
            pieces: hooks(&events, &command("baton hook claude"), "baton hook claude"),
            what: "hooks of Claude Code",
        },
        Want { path: ".mcp.json", pieces: vec![mcp], what: "MCP server for Claude Code" },
        // The folder that other agents share is not looked into.
        guidance::skill_at(".claude/skills/baton-handoff/SKILL.md"),
    ]
}

fn codex(_root: &Path) -> Vec<Want> {
    let events = ["SessionStart", "UserPromptSubmit", "Stop", "SubagentStop"];
    let mcp = Piece::Toml {
        heading: "[mcp_servers.baton]",
        // Without these the server does not see where a person keeps the log, and Codex gives up while checks run.
        body: "[mcp_servers.baton]\ncommand = \"baton\"\nargs = [\"mcp\"]\nenv_vars = [\"XDG_STATE_HOME\"]\ntool_timeout_sec = 900\n",
    };
    vec![
        Want {
            path: ".codex/hooks.json",
            pieces: hooks(&events, &command("baton hook codex"), "baton hook codex"),
            what: "hooks of Codex",
        },
        Want { path: ".codex/config.toml", pieces: vec![mcp], what: "MCP server for Codex" },
    ]
}

fn gemini(root: &Path) -> Vec<Want> {
    let handler = json!({
        "matcher": "*",
        "hooks": [{ "name": "baton", "type": "command", "command": "baton hook gemini", "timeout": HOOK_SECONDS * 1000 }],
    });
    let mut pieces = hooks(&["SessionStart", "BeforeAgent", "AfterAgent"], &handler, "baton hook gemini");
    pieces.push(Piece::Json { path: vec!["mcpServers", "baton"], wanted: Wanted::Member(server()) });
    let mut wants =
        vec![Want { path: ".gemini/settings.json", pieces, what: "hooks and MCP server of Gemini CLI" }];
    // It reads `AGENTS.md` only where its settings name that.
    let settings = std::fs::read_to_string(root.join(".gemini/settings.json")).unwrap_or_default();
    if !settings.contains("AGENTS.md") {
        wants.push(guidance::block_at("GEMINI.md"));
    }
    wants
}

fn opencode(root: &Path) -> Vec<Want> {
    let value = json!({ "type": "local", "command": ["baton", "mcp"], "enabled": true });
    let mcp = Piece::Json { path: vec!["mcp", "baton"], wanted: Wanted::Member(value) };
    let has_comments = root.join("opencode.jsonc").exists();
    let path = if has_comments { "opencode.jsonc" } else { "opencode.json" };
    vec![
        Want {
            path: ".opencode/plugin/baton.js",
            pieces: vec![Piece::Whole(PLUGIN.to_owned())],
            what: "plugin of OpenCode",
        },
        Want { path, pieces: vec![mcp], what: "MCP server for OpenCode" },
    ]
}
