//! The host's own look at work that was handed over: its checks, and the tricks in what changed.

use std::collections::BTreeMap;

use baton_engine::verdict::Verdict;
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
    pub(super) findings: Vec<String>,
    /// Nothing where nobody has changed anything.
    pub(super) untouched: Option<Untouched>,
    /// What was seen without running anything.
    pub(super) evaluated: Vec<Ran>,
}

/// The files as they were before anybody worked on the task: what failed there already is not the work's fault.
#[derive(Debug)]
pub(super) struct Untouched {
    pub(super) room: CheckRoom,
    /// Whoever works has heard that a check failed there as it does now.
    pub(super) is_told: bool,
    /// How checks went there, as far as that is known.
    pub(super) known: BTreeMap<CheckpointName, Ran>,
}

impl Untouched {
    /// Returns how a check went before the work; it is run once.
    fn before(&mut self, check: (&[Check], &CheckpointName), started: &dyn Fn(Stopper)) -> &Ran {
        let run = || run_check(check, &self.room, started).without_output();
        self.known.entry(check.1.clone()).or_insert_with(run)
    }
}

/// What was seen.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) ran: Vec<Ran>,
    pub(super) tree: TreeHash,
    pub(super) violations: Vec<String>,
    /// What is told, and stands in nobody's way.
    pub(super) findings: Vec<String>,
    /// How checks went before the work.
    pub(super) before: BTreeMap<CheckpointName, Ran>,
}

/// Runs the checks, one after the other: they share a folder. After one that was stopped none is begun. What fails is run on the
/// files before the work, too.
pub(super) fn run(order: CheckOrder, started: &dyn Fn(Stopper)) -> Checked {
    let CheckOrder { checks, names, room, tree, violations, findings, mut untouched, evaluated } = order;
    let mut ran: Vec<Ran> = Vec::new();
    for name in &names {
        if ran.last().is_none_or(|last| !last.was_stopped) {
            let mut own = run_check((&checks, name), &room, started);
            if let (Some(untouched), Verdict::Fail) = (&mut untouched, own.result.verdict) {
                let is_told = untouched.is_told;
                own.compare(untouched.before((&checks, name), started), is_told);
            }
            ran.push(own);
        }
    }
    ran.extend(evaluated);
    let before = untouched.map(|untouched| untouched.known).unwrap_or_default();
    Checked { ran, tree, violations, findings, before }
}

/// Tells the changed files that a handoff leaves out.
pub(super) fn left_out_words(paths: &[String]) -> Vec<String> {
    paths
        .iter()
        .map(|path| format!("left_out: {path}: it was changed, and the handoff does not name it"))
        .collect()
}

/// Returns the tricks that are seen in changes, in words.
pub(super) fn tricks(changes: &[FileChange], scope: &Scope) -> Vec<String> {
    let seen: Vec<Change<'_>> = changes
        .iter()
        .map(|change| Change {
            path: &change.path,
            before: change.before.as_deref(),
            after: change.after.as_deref(),
            is_whole: change.is_whole,
        })
        .collect();
    cheat::look(&seen, scope).iter().map(cheat::Sighting::words).collect()
}
