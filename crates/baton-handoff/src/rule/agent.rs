//! Names of agents, with or without their `@`.

/// Returns the name that two ways of writing an agent share.
pub(super) fn bare(name: &str) -> String {
    stripped(name).to_ascii_lowercase()
}

pub(super) fn is_same(one: &str, other: &str) -> bool {
    stripped(one).eq_ignore_ascii_case(stripped(other))
}

fn stripped(name: &str) -> &str {
    let name = name.trim();
    name.strip_prefix('@').unwrap_or(name)
}
