//! The host's own look at work that was handed over: its checks, and the tricks in what changed.

use baton_engine::word::{CheckpointName, TreeHash};

use crate::cheat::{self, Change, Scope};
use crate::check_run::CheckRoom;
use crate::config::Check;
use crate::desk::receipt::{Ran, run_check};
use crate::supervise::Stopper;
use crate::workspace::FileChange;

/// What is to be run, and where.
#[derive(Debug)]
pub(super) struct CheckOrder {
    pub(super) checks: Vec<Check>,
    pub(super) names: Vec<CheckpointName>,
    pub(super) room: CheckRoom,
    /// What the files look like that are checked.
    pub(super) tree: TreeHash,
    pub(super) violations: Vec<String>,
}

/// What was seen.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) ran: Vec<Ran>,
    pub(super) tree: TreeHash,
    pub(super) violations: Vec<String>,
}

/// Runs the checks, one after the other: they share a folder. After one that was stopped none is begun.
pub(super) fn run(order: CheckOrder, started: &dyn Fn(Stopper)) -> Checked {
    let CheckOrder { checks, names, room, tree, violations } = order;
    let mut ran: Vec<Ran> = Vec::new();
    for name in &names {
        if ran.last().is_none_or(|last| !last.was_stopped) {
            ran.push(run_check((&checks, name), &room, started));
        }
    }
    Checked { ran, tree, violations }
}

/// Returns the tricks that are seen in changes, in words. A file that a check names is part of the check.
pub(super) fn tricks(changes: &[FileChange], checks: &[Check]) -> Vec<String> {
    let is_named = |path: &str| {
        let words = checks.iter().flat_map(|check| &check.run);
        words.into_iter().any(|word| word.strip_prefix("./").unwrap_or(word) == path)
    };
    // What is new cannot have been what was trusted; what was there and is changed was.
    let edited = changes.iter().filter(|change| change.before.is_some() && is_named(&change.path));
    let mut tricks: Vec<String> =
        edited.map(|change| format!("check_edited: {}: a check runs this file", change.path)).collect();
    let seen: Vec<Change<'_>> = changes
        .iter()
        .map(|change| Change {
            path: &change.path,
            before: change.before.as_deref(),
            after: change.after.as_deref(),
        })
        .collect();
    tricks.extend(cheat::look(&seen, &Scope::default()).iter().map(cheat::Sighting::words));
    tricks
}
