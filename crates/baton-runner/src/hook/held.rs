//! Holds the files that a handoff lists against those that changed while its agent had its turn. The claims are read as an
//! audit reads them, and the findings have its codes.

use std::collections::BTreeSet;
use std::path::Path;

use baton_handoff::document;
use baton_handoff::rule::{Rule, audit};

use baton_evidence::claims::FileClaim;

use crate::audit::dossier;
use crate::audit::world::relative;
use crate::desk::failure::{Change, Changes};
use crate::ecosystem::GENERATED;
use crate::git::{Seen, WorkTree};

/// Most changed files that are named in one finding.
const NAMES_MAX: usize = 5;

/// Returns what the handoff says of files and is not so. What cannot be told is not held against it.
pub(super) fn problems(bytes: &[u8], changes: &Changes, root: &Path) -> Vec<String> {
    let Ok(text) = document::decode(bytes) else { return Vec::new() };
    let read = document::read(text);
    let dossiers = dossier::of_document(Path::new("handoff"), &read, &[]);
    let Some(dossier) = dossiers.first() else { return Vec::new() };
    let tree = WorkTree::new(root);
    let mut problems = Vec::new();
    let mut listed: BTreeSet<String> = BTreeSet::new();
    for file in &dossier.files {
        let Some(path) = relative(&file.path.text, root) else { continue };
        let seen = tree.look(&path);
        listed.insert(path.clone());
        problems.extend(claim(file.claim, &path, &seen, changes.get(&path)));
    }
    problems.extend(unlisted(&listed, changes));
    problems
}

fn claim(claim: FileClaim, path: &str, seen: &Seen, change: Option<&Change>) -> Option<String> {
    let is_gone = *seen == Seen::Missing;
    match (claim, change) {
        (FileClaim::Created | FileClaim::Modified | FileClaim::Exists, None) if is_gone => {
            Some(finding(&audit::FILE_MISSING, &format!("`{path}` is listed and is not there")))
        }
        (FileClaim::Created | FileClaim::Modified, Some(Change::Removed)) => {
            Some(finding(&audit::FILE_MISSING, &format!("`{path}` is listed and was removed")))
        }
        (FileClaim::Created, Some(Change::Changed)) => Some(finding(
            &audit::NOT_CREATED,
            &format!("`{path}` is listed as created, and was there when your turn began"),
        )),
        (FileClaim::Created, None) => Some(finding(
            &audit::NOT_CREATED,
            &format!("`{path}` is listed as created, and nothing happened to it since your turn began"),
        )),
        (FileClaim::Modified, None) => Some(finding(
            &audit::NOT_MODIFIED,
            &format!("`{path}` is listed as modified, and nothing happened to it since your turn began"),
        )),
        (FileClaim::Deleted, None | Some(Change::Added | Change::Changed)) if !is_gone => {
            Some(finding(&audit::NOT_DELETED, &format!("`{path}` is listed as deleted, and is there")))
        }
        (FileClaim::Touched, None) if is_gone => {
            Some(finding(&audit::FILE_MISSING, &format!("`{path}` is listed and is not there")))
        }
        (
            FileClaim::Created
            | FileClaim::Modified
            | FileClaim::Deleted
            | FileClaim::Touched
            | FileClaim::Exists,
            _,
        ) => None,
    }
}

/// Somebody else may have changed a file beside the agent; but a handoff that names none of all that changed is no account.
fn unlisted(listed: &BTreeSet<String>, changes: &Changes) -> Option<String> {
    let is_generated = |path: &str| {
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        GENERATED.contains(&name)
    };
    let is_below = |path: &str| listed.iter().any(|folder| path.starts_with(&format!("{folder}/")));
    let changed: Vec<&str> = changes.keys().map(String::as_str).filter(|path| !is_generated(path)).collect();
    let is_listed = |path: &&str| listed.contains(*path) || is_below(path);
    if changed.is_empty() || changed.iter().any(is_listed) {
        return None;
    }
    let names = changed.iter().take(NAMES_MAX).map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
    let more = changed.len().saturating_sub(NAMES_MAX);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    Some(finding(
        &audit::UNLISTED_CHANGE,
        &format!("the handoff lists nothing of what changed: {names}{more}"),
    ))
}

fn finding(rule: &'static Rule, words: &str) -> String {
    format!("{}: {words}", rule.code)
}
