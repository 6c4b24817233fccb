//! The host's own look at work that was handed over: its checks, and the tricks in what changed.

use std::collections::BTreeMap;

use baton_engine::state::Task;
use baton_engine::verdict::Verdict;
use baton_engine::word::{CheckpointName, TaskId, TreeHash};
use serde_json::json;

use super::fewer_tests::{Before, drops_tests};
use super::progress::{Progress, What};
use super::{Drive, Letter, put_back};
use crate::cheat::{self, Change, Scope};
use crate::check_run::CheckRoom;
use crate::config::Check;
use crate::desk::DeskError;
use crate::desk::receipt::{Guarded, Ran, Seen, run_check};
use crate::supervise::Stopper;
use crate::workspace::task::CHANGES_MAX;
use crate::workspace::{FileChange, TaskWorkspace};

/// Most that is told one by one of what was seen in changes.
const VIOLATIONS_MAX: usize = 200;

/// What is to be run, and where.
#[derive(Debug)]
struct CheckOrder {
    pub(super) checks: Vec<Check>,
    pub(super) names: Vec<CheckpointName>,
    pub(super) room: CheckRoom,
    /// What the files look like that are checked.
    pub(super) tree: TreeHash,
    pub(super) seen: Seen,
    pub(super) guarded: Guarded,
    /// Nothing where nobody has changed anything.
    pub(super) untouched: Option<Untouched>,
    /// What was seen without running anything.
    pub(super) evaluated: Vec<Ran>,
}

/// The files as they were before anybody worked on the task: what failed there already is not the work's fault.
#[derive(Debug)]
struct Untouched {
    pub(super) room: CheckRoom,
    /// Whoever works has heard that a check failed there as it does now.
    pub(super) is_told: bool,
    /// How checks went there, as far as that is known.
    pub(super) known: BTreeMap<CheckpointName, Ran>,
    /// How many tests checks of other tasks ran there.
    pub(super) tests_counted: BTreeMap<CheckpointName, u64>,
    /// The work took tests out.
    pub(super) drops_tests: bool,
}

impl Untouched {
    /// Returns how a check went before the work; it is run once.
    fn before(&mut self, check: (&[Check], &CheckpointName), started: &dyn Fn(Stopper)) -> &Ran {
        let run = || run_check(check, &self.room, started).without_output();
        self.known.entry(check.1.clone()).or_insert_with(run)
    }

    fn tests_before(&self, name: &CheckpointName) -> Before {
        let counted = self.tests_counted.get(name).copied();
        let tests = self.known.get(name).and_then(|before| before.tests).or(counted);
        Before { tests, drops_tests: self.drops_tests }
    }
}

/// What was seen.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) ran: Vec<Ran>,
    pub(super) tree: TreeHash,
    pub(super) seen: Seen,
    /// How checks went before the work.
    pub(super) before: BTreeMap<CheckpointName, Ran>,
}

/// Runs the checks, one after the other: they share a folder. After one that was stopped none is begun. What fails is run on the
/// files before the work, too.
fn run(order: CheckOrder, started: &dyn Fn(Stopper)) -> Checked {
    let CheckOrder { checks, names, room, tree, mut seen, guarded, mut untouched, evaluated } = order;
    let mut ran: Vec<Ran> = Vec::new();
    for name in &names {
        if ran.last().is_none_or(|last| !last.was_stopped) {
            let mut own = run_check((&checks, name), &room, started);
            let mut went_before = None;
            if let (Some(untouched), Verdict::Fail) = (&mut untouched, own.result.verdict) {
                let is_told = untouched.is_told;
                let before = untouched.before((&checks, name), started);
                own.compare(before, is_told);
                went_before = Some(before.result.verdict);
            }
            seen.danger = seen.danger.or_else(|| own.danger(&guarded, went_before));
            if let Some(untouched) = untouched.as_mut().filter(|_| put_back::is_doubtful(&own)) {
                let before = untouched.before((&checks, name), started);
                seen.violations.extend(put_back::sightings(&own, before));
            }
            let before = untouched.as_ref().map(|untouched| untouched.tests_before(name));
            seen.violations.extend(before.and_then(|before| before.sighting(&own)));
            ran.push(own);
        }
    }
    ran.extend(evaluated);
    let before = untouched.map(|untouched| untouched.known).unwrap_or_default();
    Checked { ran, tree, seen, before }
}

impl Drive<'_> {
    /// Starts the checks of the stage at hand, on the files as they are now.
    pub(super) fn start_checks(&mut self, task: &Task) -> Result<bool, DeskError> {
        if !self.has_room(&task.id) {
            return Ok(false);
        }
        let Some(stage) = task.stage() else { return Ok(false) };
        let own = self.desk.workspaces()?.prepare(&task.id)?;
        let tree = self.keep(&task.id)?;
        self.desk.observe(&task.id, tree.clone())?;
        let names: Vec<CheckpointName> = stage.host_checkpoints().cloned().collect();
        let named = self
            .desk
            .checks()
            .iter()
            .filter(|check| names.iter().any(|name| name.as_str() == check.checkpoint));
        let scope = Scope {
            targets: self.desk.targets(task)?,
            planned: self.desk.planned(task)?,
            commands: named.map(|check| check.run.clone()).collect(),
            submodules: own.submodules().to_vec(),
            root: Some(own.root().to_owned()),
        };
        let changes = self.changes(task, &own, &tree)?;
        let violations = tricks(&changes, &scope);
        let findings = Vec::new();
        let words = names.iter().map(CheckpointName::as_str).collect::<Vec<_>>().join(", ");
        let data = json!({
            "checkpoints": names.iter().map(CheckpointName::as_str).collect::<Vec<_>>(),
            "task_spent_tokens": task.budget.spent_tokens,
        });
        let began_with = self.began_with(task)?.filter(|first| *first != tree);
        let since =
            began_with.as_ref().map(|first| own.changes(first, &tree)).transpose()?.unwrap_or_default();
        let evaluated = self.desk.by_rule(task, &tree)?;
        let untouched = began_with.map(|first| self.untouched(task, (&own, &first), &since)).transpose()?;
        let order = CheckOrder {
            checks: self.desk.checks().to_vec(),
            names,
            room: self.desk.room(&own, &tree)?,
            tree,
            seen: Seen { violations, findings, danger: None, ..Seen::default() },
            guarded: self.desk.guarded(task),
            untouched,
            evaluated,
        };
        self.say(Progress::new(&task.id, What::Checking, words).with(data));
        self.begin(&task.id, (None, None), move |id, post| {
            let started = |stopper| {
                let _ = post.send(Letter::Started(id.clone(), stopper));
            };
            Letter::Checked(id.clone(), run(order, &started))
        });
        Ok(true)
    }

    /// Returns what the files of a task were before its first turn, or where its work was brought to since.
    pub(super) fn began_with(&self, task: &Task) -> Result<Option<TreeHash>, DeskError> {
        if let Some(renewed) = self.renewed(&task.id)? {
            return Ok(Some(renewed));
        }
        task.history.first().map_or(Ok(None), |first| self.tree_before(&task.id, &first.turn))
    }

    /// Returns what the files were without the work, where that was brought to a newer commit: what others did until then is not
    /// the task's.
    pub(super) fn renewed(&self, id: &TaskId) -> Result<Option<TreeHash>, DeskError> {
        Ok(self.desk.own_workspace(id)?.and_then(|own| own.renewed().cloned()))
    }

    /// Returns where checks are run on the files before the work.
    fn untouched(
        &self,
        task: &Task,
        (own, first): (&TaskWorkspace, &TreeHash),
        since: &[FileChange],
    ) -> Result<Untouched, DeskError> {
        let there = self.tests_counted.iter().filter(|((tree, _), _)| tree == first);
        Ok(Untouched {
            room: self.desk.room(own, first)?.with_habits(),
            is_told: task.run.told_of_before,
            known: self.before.get(&task.id).cloned().unwrap_or_default(),
            tests_counted: there.map(|((_, name), count)| (name.clone(), *count)).collect(),
            drops_tests: drops_tests(since),
        })
    }
}

/// Returns the tricks that are seen in changes, in words.
fn tricks(changes: &[FileChange], scope: &Scope) -> Vec<String> {
    let seen: Vec<Change<'_>> = changes
        .iter()
        .map(|change| Change {
            path: &change.path,
            before: change.before.as_deref(),
            after: change.after.as_deref(),
            is_whole: change.is_whole,
            loses_program: change.loses_program,
        })
        .collect();
    let mut told: Vec<String> = cheat::look(&seen, scope).iter().map(cheat::Sighting::words).collect();
    let more = told.len().saturating_sub(VIOLATIONS_MAX);
    told.truncate(VIOLATIONS_MAX);
    if more > 0 {
        told.push(format!("and {more} more"));
    }
    if changes.len() > CHANGES_MAX {
        told.push(format!(
            "not_compared: {} files have changed, and only the first {CHANGES_MAX} were looked at",
            changes.len()
        ));
    }
    told
}
