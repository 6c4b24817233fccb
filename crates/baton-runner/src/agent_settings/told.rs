//! What a file of settings would start or set, in words for the person who is asked.

use serde_json::Value;

/// Keys whose text is a command that an agent runs by itself.
const COMMAND_KEYS: &[&str] = &[
    "command",
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "otelHeadersHelper",
    "gcpAuthRefresh",
    "discoveryCommand",
    "callCommand",
    "toolDiscoveryCommand",
    "toolCallCommand",
];
/// Keys with code, or an address of code, that an agent loads.
const LOADED_KEYS: &[&str] =
    &["plugin", "plugins", "enabledPlugins", "extraKnownMarketplaces", "url", "httpUrl", "notify"];
/// Most lines for one file; the rest is counted.
const LINES_MAX: usize = 40;
/// Longest text that is shown of a value, in characters.
const VALUE_CHARS_MAX: usize = 400;

/// Says what a file would start or set, a line each.
pub(super) fn told(path: &str, bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let value: Option<Value> = match path.rsplit('.').next() {
        Some("json" | "jsonc") => serde_json::from_str(&text).ok(),
        Some("toml") => toml::from_str(&text).ok(),
        Some("md") => return vec!["starts something by its head".to_owned()],
        _ => return vec!["is run or loaded by what names it".to_owned()],
    };
    let Some(value) = value else { return vec!["cannot be read here; its agent may read it".to_owned()] };
    let mut lines = Vec::new();
    walk(&value, "", &mut lines);
    if lines.is_empty() {
        let keys: Vec<&str> = value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        lines.push(format!("sets {}", keys.join(", ")));
    }
    let more = lines.len().saturating_sub(LINES_MAX);
    lines.truncate(LINES_MAX);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    lines
}

fn walk(value: &Value, at: &str, lines: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let place = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                if COMMAND_KEYS.contains(&key.as_str()) {
                    let arguments =
                        object.get("args").map(|args| format!(" {}", shown(args))).unwrap_or_default();
                    lines.push(format!("{place} starts {}{arguments}", shown(value)));
                } else if LOADED_KEYS.contains(&key.as_str()) {
                    lines.push(format!("{place} loads {}", shown(value)));
                } else if key == "env" {
                    lines.push(format!("{place} sets {}", shown(value)));
                } else {
                    walk(value, &place, lines);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, at, lines)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(VALUE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_with_their_place() {
        let text = r#"{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch x"}]}]},"apiKeyHelper":"./key.sh"}"#;
        assert_eq!(
            told(".claude/settings.json", text.as_bytes()),
            ["apiKeyHelper starts \"./key.sh\"", "hooks.SessionStart.hooks.command starts \"touch x\""]
        );
        let servers = b"[mcp_servers.x]\ncommand = \"run\"\nargs = [\"-a\"]\n";
        assert_eq!(told(".codex/config.toml", servers), ["mcp_servers.x.command starts \"run\" [\"-a\"]"]);
        assert_eq!(told(".gemini/settings.json", b"{\"theme\":\"dark\"}"), ["sets theme"]);
        assert_eq!(told(".claude/hooks/a.sh", b"touch x"), ["is run or loaded by what names it"]);
    }
}
