//! What the host itself ran and saw.

use std::collections::BTreeSet;

use baton_engine::command::{Act, ActKind};
use baton_engine::fact::{CheckResult, ConfinedBy, Receipt, Waivable};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::verdict::{Provenance, Verdict};
use baton_engine::word::{CheckpointName, TaskId, TreeHash};
use baton_engine::workflow::{Checkpoint, SettledBy};
use serde_json::{Value, json};

use super::paper::Paper;
use super::{As, Desk, DeskError};
use crate::check_run::{self, CheckRoom};
use crate::config::Check;
use crate::settled::Settled;
use crate::supervise::{How, Reason, Stopper};
use crate::tool;
use crate::workspace::{Furniture, TaskWorkspace};

/// Longest piece of output that goes into a detail, in characters.
const DETAIL_CHARS_MAX: usize = 600;

/// Most files that a check changed which are named.
const CHANGED_NAMED_MAX: usize = 5;

/// Stands in the ledger for a command that did not end by itself; no program can end with it.
const NO_EXIT_CODE: i32 = -1;

/// A check that was run: what it settles, and how it went.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    pub(crate) result: CheckResult,
    /// The command with its end; nothing where no command was run.
    ledger: Option<Value>,
    /// Nothing where no command was run.
    pub(crate) confined_by: Option<ConfinedBy>,
    /// How Baton itself lost sight of the command: then it says nothing about the work.
    lost: Option<Lost>,
    /// Somebody did not want to wait for its end.
    pub(crate) was_stopped: bool,
}

/// Why Baton did not see how a command ended, and what a person can do.
#[derive(Clone, Debug)]
struct Lost {
    what: String,
    next: String,
}

impl Desk {
    /// Runs the checks of the stage at hand on the workspace, and records what came of them. A checkpoint that no trusted
    /// check settles is inconclusive, which opens no door.
    pub fn check(&mut self, id: &TaskId) -> Result<Vec<CheckResult>, DeskError> {
        self.only_for_people(id.as_str(), ActKind::RecordReceipt)?;
        let task = self.task(id)?;
        let Some(stage) = task.stage() else { return Err(Refusal::NotNow.into()) };
        if task.run.submission.is_none() {
            return Err(Rejection::new(Refusal::NotNow, "no work was handed over").into());
        }
        let own = self.own_workspace(id)?;
        let before = match &own {
            Some(own) => own.keep()?,
            None => self.measure(id)?,
        };
        self.observe(id, before.clone())?;
        let names: Vec<CheckpointName> = stage.host_checkpoints().cloned().collect();
        let room = match &own {
            Some(own) => self.room(own, &before)?,
            None => CheckRoom::of_checkout(&self.work_root(id)?, self.run.demand),
        };
        let ran: Vec<Ran> =
            names.iter().map(|name| run_check((&self.checks, name), &room, &|_| {})).collect();
        were_seen(id, &ran)?;
        let after = self.measure(id)?;
        let checks = ran.iter().map(|ran| ran.result.clone()).collect();
        self.record_receipt(id, ran, (before, after), Vec::new())?;
        Ok(checks)
    }

    /// Returns the room in which the host looks at a snapshot of a task that has a workspace of its own.
    pub(crate) fn room(&self, own: &TaskWorkspace, tree: &TreeHash) -> Result<CheckRoom, DeskError> {
        let room = self.workspaces()?.room(own, tree, &self.run.furniture)?;
        Ok(CheckRoom::of_task(room, self.run.demand))
    }

    /// Returns the checkpoints ahead of a task that nothing can settle: the host has no trusted check, and nobody waived them.
    pub fn unsettled(&self, id: &TaskId) -> Result<BTreeSet<CheckpointName>, DeskError> {
        let task = self.task(id)?;
        let ahead = task.workflow.stages.iter().skip(task.stage_index).flat_map(|stage| &stage.checkpoints);
        let is_settled = |checkpoint: &&Checkpoint| {
            checkpoint.settled_by == SettledBy::Agent
                || self.checks.iter().any(|check| check.checkpoint == checkpoint.name.as_str())
                || task.is_waived(&Waivable::Checkpoint(checkpoint.name.clone()), self.now)
        };
        Ok(ahead
            .filter(|checkpoint| !is_settled(checkpoint))
            .map(|checkpoint| checkpoint.name.clone())
            .collect())
    }

    /// Records what checks settled, and what else was seen in the work.
    pub(crate) fn record_receipt(
        &mut self,
        id: &TaskId,
        ran: Vec<Ran>,
        (tree_before, tree_after): (TreeHash, TreeHash),
        violations: Vec<String>,
    ) -> Result<(), DeskError> {
        let task = self.task(id)?;
        let checkpoints: Vec<_> = ran
            .iter()
            .map(|Ran { result, .. }| json!({ "name": result.checkpoint.as_str(), "status": result.verdict.name(), "message": result.detail }))
            .collect();
        let ledger: Vec<&Value> = ran.iter().filter_map(|ran| ran.ledger.as_ref()).collect();
        // The words go from the strongest to the weakest.
        let confined_by = ran.iter().filter_map(|ran| ran.confined_by).max();
        let (number, serial) = (task.history.len(), task.artifacts.len());
        let paper = Paper::artifact(
            "checklist-receipt",
            &format!("receipt-{number}-{serial}"),
            (id, "host", self.now),
            json!({
                "command_ledger": ledger,
                "checkpoints": checkpoints,
                "confinement": confined_by.map(ConfinedBy::name),
                "tree_before": tree_before.as_str(),
                "tree_after": tree_after.as_str(),
            }),
        )?;
        let receipt = Receipt {
            document: paper.document.clone(),
            checks: ran.into_iter().map(|ran| ran.result).collect(),
            tree_before,
            tree_after,
            danger: None,
            violations,
            confined_by,
        };
        self.act(id.as_str(), &self.actor(As::Host), &Act::RecordReceipt { receipt }, &[&paper.bytes])?;
        self.settle(id)
    }
}

/// Runs the check of a checkpoint in a folder, and once more where Baton itself lost sight of it. One that has no trusted check
/// is inconclusive.
pub(crate) fn run_check(
    (checks, checkpoint): (&[Check], &CheckpointName),
    room: &CheckRoom,
    started: &dyn Fn(Stopper),
) -> Ran {
    let result = |verdict, detail: String| CheckResult {
        checkpoint: checkpoint.clone(),
        verdict,
        provenance: Provenance::Observed,
        detail,
    };
    let Some(check) = checks.iter().find(|check| check.checkpoint == checkpoint.as_str()) else {
        let detail = format!("`baton.toml` names no trusted check for {checkpoint}");
        let result = result(Verdict::Inconclusive, detail);
        return Ran { result, ledger: None, confined_by: None, lost: None, was_stopped: false };
    };
    let command = check.run.join(" ");
    if let Err(error) = room.prepare() {
        let result = result(Verdict::Inconclusive, format!("`{command}` was not run"));
        let what = format!("the room for `{command}` could not be prepared: {error}");
        let lost = Some(Lost { what, next: error.next().to_owned() });
        return Ran { result, ledger: None, confined_by: None, lost, was_stopped: false };
    }
    let mut run = check_run::run(check, room, started);
    if is_lost(&run.how) {
        run = check_run::run(check, room, started);
    }
    let mut settled = match Settled::by(&run) {
        Settled::Pass => result(Verdict::Pass, format!("`{command}` ended with 0")),
        Settled::Inconclusive(reason) => {
            result(Verdict::Inconclusive, format!("`{command}` settles nothing: {reason}"))
        }
        Settled::Fail => {
            let output = String::from_utf8_lossy(&run.output.bytes);
            let detail = format!("`{command}` {}\n{}", run.how.told(), tail(&output));
            result(Verdict::Fail, detail.trim_end().to_owned())
        }
    };
    // Whether a pass holds for the work as it was handed over is not known when the work was another one at the end.
    let changed = room.changed().unwrap_or_else(|error| vec![error.to_string()]);
    if settled.verdict == Verdict::Pass && !changed.is_empty() {
        let named = changed.iter().take(CHANGED_NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
        let detail = format!(
            "`{command}` ended with 0, but changed the work that it looked at: {named}. Run it, and hand over what it changes"
        );
        settled = result(Verdict::Inconclusive, detail);
    }
    let Furniture { kept, borrowed } = room.furniture();
    let exit_code = if let How::Code(code) = run.how { code } else { NO_EXIT_CODE };
    let ledger = json!({
        "command": command,
        "argv": check.run,
        "exit_code": exit_code,
        "evidence_ref": [format!("checkpoints/{checkpoint}")],
        "how": run.how.told(),
        "duration_ms": u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX),
        "confinement": run.confinement.word(),
        "gaps": run.confinement.gaps(),
        "program": tool::described(&check.run, &room.folder),
        "kept": kept,
        "borrowed": borrowed,
    });
    let lost = is_lost(&run.how).then(|| Lost {
        what: format!("`{command}` {}, twice", run.how.told()),
        next: "find out what ends Baton's own processes".to_owned(),
    });
    let confined_by = match run.how {
        How::NotStarted(_) => None,
        _ => Some(run.confinement.confined_by()),
    };
    let was_stopped = run.how == How::Stopped;
    Ran { result: settled, ledger: Some(ledger), confined_by, lost, was_stopped }
}

/// Says whether Baton itself lost sight of a command, or could not look.
fn is_lost(how: &How) -> bool {
    match how {
        How::NotStarted(why) => why.reason == Reason::Keeper,
        How::KeeperLost => true,
        How::Code(_) | How::Signal(_) | How::TimedOut | How::Stopped | How::OverBound(_) => false,
    }
}

/// Refuses to record checks that Baton lost sight of: that is no fault of the work, which must not be sent back for it.
pub(crate) fn were_seen(id: &TaskId, ran: &[Ran]) -> Result<(), DeskError> {
    match ran.iter().find_map(|ran| ran.lost.clone()) {
        None => Ok(()),
        Some(Lost { what, next }) => Err(DeskError::Document {
            what,
            next: format!(
                "nothing was recorded, and the work is kept: {next}; then `baton run`, or `baton task check {id}`"
            ),
        }),
    }
}

/// Returns the end of an output: tools say there how it went.
fn tail(output: &str) -> String {
    let masked = baton_handoff::secret::mask(output.trim_end());
    let skip = masked.chars().count().saturating_sub(DETAIL_CHARS_MAX);
    masked.chars().skip(skip).collect()
}
