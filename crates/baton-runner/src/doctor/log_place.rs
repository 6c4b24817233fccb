//! Whether what an agent starts writes to the log that the shell of a person reads: it may be given other variables.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;

use super::{Finding, State, text};
use crate::desk::place;
use crate::state_home::{STATE_HOME, state_home, state_home_by};

/// What the entry of an MCP server says about its variables.
#[derive(Debug, Default, PartialEq, Eq)]
struct Entry {
    /// With these values.
    set: BTreeMap<String, String>,
    /// The agent passes on only these of its own; all of them where nothing stands here.
    passed: Option<Vec<String>>,
}

impl Entry {
    /// Returns a variable as the server sees it.
    fn variable(&self, name: &str, own: impl Fn(&str) -> Option<OsString>) -> Option<OsString> {
        let is_passed = self.passed.as_ref().is_none_or(|passed| passed.iter().any(|one| one == name));
        self.set.get(name).map(OsString::from).or_else(|| own(name).filter(|_| is_passed))
    }
}

/// Says that hooks and servers use another log than the one that was named.
pub(super) fn of_store(root: &Path, store: Option<&Path>) -> Option<Finding> {
    let usual = place::folder(root, None).ok()?;
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    store.filter(|store| real(store) != real(&usual)).map(|_| {
        let words =
            format!("hooks and MCP servers are called without `--store`: they use {}", usual.display());
        Finding::new("project", "log", State::Person, words)
            .next(format!("use that one, or set {STATE_HOME} instead of `--store`"))
    })
}

/// Says that the MCP server of an agent would use another log than this shell does.
pub(super) fn of_server(root: &Path, agent: &'static str) -> Option<Finding> {
    let entry = entry(root, agent)?;
    let own = state_home()?;
    let seen = state_home_by(|name| entry.variable(name, |name| env::var_os(name)));
    if seen.as_ref() == Some(&own) {
        return None;
    }
    let there = seen.map_or("nowhere".to_owned(), |seen| format!("below {}", seen.display()));
    let words = format!("its MCP server writes the log {there}, and this shell below {}", own.display());
    let next = match (agent, entry.set.is_empty()) {
        ("codex", true) => format!("add `env_vars = [\"{STATE_HOME}\"]` to `[mcp_servers.baton]`"),
        (_, true) | (_, false) => format!("give both the same {STATE_HOME}"),
    };
    Some(Finding::new(agent, "log", State::Missing, words).next(next))
}

fn entry(root: &Path, agent: &str) -> Option<Entry> {
    let json = |file: &str, place: &str, variables: &str| {
        let whole: Value = serde_json::from_str(&text(&root.join(file))?).ok()?;
        Some(Entry { set: named(whole.pointer(place)?.get(variables)), passed: None })
    };
    match agent {
        "claude" => json(".mcp.json", "/mcpServers/baton", "env"),
        "gemini" => json(".gemini/settings.json", "/mcpServers/baton", "env"),
        "opencode" => json("opencode.json", "/mcp/baton", "environment"),
        "codex" => codex(&text(&root.join(".codex/config.toml"))?),
        _ => None,
    }
}

fn named(variables: Option<&Value>) -> BTreeMap<String, String> {
    let all = variables.and_then(Value::as_object).into_iter().flatten();
    all.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// Codex starts a server without most of the variables that it has itself.
fn codex(text: &str) -> Option<Entry> {
    let whole: Value = toml::from_str(text).ok()?;
    let entry = whole.pointer("/mcp_servers/baton")?;
    let more = entry.get("env_vars").and_then(Value::as_array).into_iter().flatten();
    let more = more.filter_map(|name| name.as_str().or_else(|| name.get("name")?.as_str()));
    let passed = std::iter::once("HOME").chain(more).map(str::to_owned).collect();
    Some(Entry { set: named(entry.get("env")), passed: Some(passed) })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn seen(config: &str) -> Option<PathBuf> {
        let own = |name: &str| match name {
            "HOME" => Some("/home/ida".into()),
            STATE_HOME => Some("/far/state".into()),
            _ => None,
        };
        let entry = codex(config).unwrap();
        state_home_by(|name| entry.variable(name, own))
    }

    #[test]
    fn codex_passes_on_what_it_is_told_to() {
        let entry = "[mcp_servers.baton]\ncommand = \"baton\"\n";
        assert_eq!(seen(entry), Some("/home/ida/.local/state/baton".into()));
        let passed = format!("{entry}env_vars = [\"XDG_STATE_HOME\"]\n");
        assert_eq!(seen(&passed), Some("/far/state/baton".into()));
        let set = format!("{entry}env = {{ XDG_STATE_HOME = \"/own\" }}\n");
        assert_eq!(seen(&set), Some("/own/baton".into()));
        assert!(codex("[mcp_servers.other]\ncommand = \"x\"\n").is_none());
    }
}
