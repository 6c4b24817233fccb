//! Files that a handoff's own commits change and that it does not list.

use std::collections::BTreeSet;

use baton_handoff::rule::audit;

use super::{Case, Rows};
use crate::audit::dossier::{Dossier, FileClaim};
use crate::audit::row::{Against, Row, Said};
use crate::audit::world::Whereabouts;
use crate::ecosystem;
use crate::git::CommitIndex;

/// A commit with more changes than this is an import or a move, not one agent's turn.
const CHANGES_MAX: usize = 200;
/// Most names that are told.
const NAMES_MAX: usize = 5;

pub(super) fn inspect(case: &Case<'_>, rows: &mut Rows) {
    // Where a history is cut off, its first commit seems to bring everything.
    let Some(history) = case.world.history().filter(|history| history.is_complete()) else { return };
    for (at, dossier) in case.members() {
        let Some(first) = dossier
            .files
            .iter()
            .filter(|file| file.claim != FileClaim::Exists)
            .max_by_key(|file| matches!(file.claim, FileClaim::Modified | FileClaim::Touched))
        else {
            continue;
        };
        let listed = listed(case, dossier);
        for commit in commits(case, at) {
            let is_merge = history.commit(commit).is_merge;
            let changed: Vec<String> = history
                .changes_in(commit)
                .take(CHANGES_MAX + 1)
                .map(|(path, _)| String::from_utf8_lossy(path).into_owned())
                .collect();
            if is_merge || changed.len() > CHANGES_MAX || !changed.iter().any(|path| listed.contains(path)) {
                continue;
            }
            let by_others = listed_by_others(case, at, commit);
            let unlisted: Vec<&String> = changed
                .iter()
                .filter(|path| !listed.contains(*path) && !by_others.contains(*path))
                .filter(|path| !case.world.is_paperwork(path) && !is_generated(path))
                .collect();
            let place = Said::new(first.path.text.as_str(), first.list);
            if unlisted.is_empty() {
                rows.push(at, Row::holds("files", &place, "its commit changes nothing that is not listed"));
                continue;
            }
            let names: Vec<&str> = unlisted.iter().take(NAMES_MAX).map(|path| path.as_str()).collect();
            let more = unlisted.len().saturating_sub(NAMES_MAX);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let reason = format!("its commit changes {}{more}, which is not listed", names.join(", "));
            let commit = history.commit(commit);
            rows.push(
                at,
                Row::finding(&audit::UNLISTED_CHANGE, "files", &place, reason)
                    .against(Against::commit(commit.id.short(), case.world.told(commit))),
            );
        }
    }
}

/// Returns the commits that are the handoff's own beyond doubt: those it names, or else the one that brought it.
fn commits(case: &Case<'_>, at: usize) -> Vec<CommitIndex> {
    let window = case.world.window(at);
    if window.named.is_empty() { window.brought.into_iter().collect() } else { window.named.clone() }
}

fn listed(case: &Case<'_>, dossier: &Dossier) -> BTreeSet<String> {
    dossier
        .files
        .iter()
        .filter_map(|file| match case.world.whereabouts(dossier, &file.path.text) {
            Whereabouts::Now { path, .. } | Whereabouts::Before { path, .. } => Some(path),
            Whereabouts::Nowhere | Whereabouts::Unknown(_) => None,
        })
        .collect()
}

/// Returns what all other handoffs of the same commit list.
fn listed_by_others(case: &Case<'_>, at: usize, commit: CommitIndex) -> BTreeSet<String> {
    let others = case.world.sharing(commit).iter().filter(|other| **other != at);
    others.flat_map(|&other| listed(case, case.world.dossier(other))).collect()
}

fn is_generated(path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    ecosystem::GENERATED.contains(&name)
}
