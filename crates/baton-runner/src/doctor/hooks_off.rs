//! Agents whose hooks are set up in a project and are not run: then nothing that they do is judged, and nothing says so.

use std::env;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Finding, State, text};
use crate::agent;

const CODEX_HOOKS: &str = ".codex/hooks.json";
const CODEX_CALL: &str = "baton hook codex";
const CLAUDE_HOOKS: &str = ".claude/settings.json";
const CLAUDE_CALL: &str = "baton hook claude";
/// The files in which Claude Code is told to run no hooks, from the project and from the home of the user.
const CLAUDE_SETTINGS: &[&str] = &[CLAUDE_HOOKS, ".claude/settings.local.json"];
const CLAUDE_DISABLED: &str = "disableAllHooks";
pub(super) const NOT_REVIEWED: &str =
    "Codex runs no hook before you reviewed it; `codex exec` says nothing when it skips one";
pub(super) const REVIEW: &str =
    "start `codex` here and review the hooks when it asks, or type `/hooks`; Baton never writes this for you";

/// Returns what keeps hooks of a project from being run, for each agent that is used on this machine.
pub fn hooks_off(root: &Path) -> Vec<Finding> {
    let codex = names(root, CODEX_HOOKS, CODEX_CALL) && is_used("codex", codex_home(), root);
    let codex = (codex && !codex_trusts(root))
        .then(|| Finding::new("codex", "hooks", State::Person, NOT_REVIEWED).next(REVIEW));
    codex.into_iter().chain(disabled(root, "claude")).collect()
}

/// Says that the settings of an agent turn all of its hooks off.
pub(super) fn disabled(root: &Path, agent: &'static str) -> Option<Finding> {
    if agent != "claude" || !names(root, CLAUDE_HOOKS, CLAUDE_CALL) {
        return None;
    }
    let home = env::var_os("HOME").map(PathBuf::from);
    let files = CLAUDE_SETTINGS.iter().map(|file| root.join(file));
    let mut files = files.chain(home.map(|home| home.join(CLAUDE_HOOKS)));
    let found = files.find(|file| {
        let settings = text(file).and_then(|text| serde_json::from_str::<Value>(&text).ok());
        settings.is_some_and(|settings| settings[CLAUDE_DISABLED] == true)
    })?;
    let words = format!("Claude Code runs no hook: {} says `{CLAUDE_DISABLED}`", found.display());
    Some(Finding::new(agent, "hooks", State::Missing, words).next("take that setting out"))
}

fn names(root: &Path, file: &str, call: &str) -> bool {
    text(&root.join(file)).is_some_and(|text| text.contains(call))
}

/// Others who work on the project may use an agent that this person never had.
fn is_used(agent: &str, home: Option<PathBuf>, root: &Path) -> bool {
    let driver = agent::Driver::named(agent);
    home.is_some_and(|home| home.is_dir())
        || driver.is_some_and(|driver| agent::find(driver, None, root).is_some())
}

fn codex_home() -> Option<PathBuf> {
    let home = env::var_os("CODEX_HOME").map(PathBuf::from);
    home.or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".codex")))
}

/// Says whether Codex has recorded a review of exactly our handler at the end of a turn.
pub(super) fn codex_trusts(root: &Path) -> bool {
    let Some(config) = codex_home().map(|home| home.join("config.toml")) else { return false };
    let (Some(config), Ok(hooks)) = (text(&config), root.join(CODEX_HOOKS).canonicalize()) else {
        return false;
    };
    let handlers: Option<Value> = text(&hooks).and_then(|text| serde_json::from_str(&text).ok());
    let Some(expected) = handlers.as_ref().and_then(reviewed) else {
        return false;
    };
    let Ok(config) = toml::from_str::<toml::Value>(&config) else { return false };
    let states = config.get("hooks").and_then(|hooks| hooks.get("state")).and_then(toml::Value::as_table);
    let of_stop = format!("{}:stop:", hooks.display());
    states.into_iter().flatten().any(|(key, state)| {
        key.starts_with(&of_stop)
            && state.get("trusted_hash").and_then(toml::Value::as_str) == Some(expected.as_str())
    })
}

/// Returns the hash under which Codex remembers our handler.
fn reviewed(hooks: &Value) -> Option<String> {
    let groups = hooks.pointer("/hooks/Stop")?.as_array()?;
    let group = groups.iter().find(|group| group.to_string().contains("baton hook codex"))?;
    let handler = group.pointer("/hooks/0")?;
    let identity = json!({
        "event_name": "stop",
        "hooks": [{
            "async": handler.get("async").and_then(Value::as_bool).unwrap_or(false),
            "command": handler.get("command")?,
            "timeout": handler.get("timeout")?,
            "type": handler.get("type")?,
        }],
    });
    Some(format!("sha256:{}", baton_engine::context::hash(&identity.to_string())))
}
