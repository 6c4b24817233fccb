//! What guards the work was changed by the work: the pipeline, hooks, the guidance, Baton's own configuration.

use super::line::Lines;
use super::{Change, Scene, Sight, Trick};

pub(super) static TRICK: Trick = Trick { name: "guard_edited", look };

/// Files, and folders that end with `/`, from the root of the project.
const GUARDS: &[&str] = &[
    "baton.toml",
    ".baton/",
    ".git/",
    ".github/workflows/",
    ".github/CODEOWNERS",
    ".gitlab-ci.yml",
    ".circleci/",
    ".buildkite/",
    "Jenkinsfile",
    "azure-pipelines.yml",
    ".pre-commit-config.yaml",
    ".husky/",
    "lefthook.yml",
    ".claude/",
    ".codex/",
    ".gemini/",
    ".opencode/",
    ".mcp.json",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".gitattributes",
];

fn look(change: &Change<'_>, _: Option<&Lines>, _: &Scene<'_>) -> Vec<Sight> {
    let is_guard = GUARDS.iter().any(|guard| match guard.strip_suffix('/') {
        Some(folder) => {
            change.path.split('/').next() == folder.split('/').next() && change.path.starts_with(guard)
        }
        None => change.path == *guard || change.path.ends_with(&format!("/{guard}")),
    });
    let what = match (change.before, change.after) {
        (None, _) => "added",
        (_, None) => "deleted",
        (Some(_), Some(_)) => "changed",
    };
    is_guard
        .then(|| Sight { line: None, text: format!("{what}, and it guards this project") })
        .into_iter()
        .collect()
}
