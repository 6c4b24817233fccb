//! What the host itself ran and saw.

mod by_rule;
mod junit_file;
mod once;
mod ran;

use std::collections::{BTreeMap, BTreeSet};
use std::env::consts;
use std::sync::Arc;

use baton_engine::command::{Act, ActKind};
use baton_engine::fact::{CheckResult, ConfinedBy, Danger, Receipt, Waivable};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::state::Task;
use baton_engine::word::{BlobId, CheckpointName, TaskId, TreeHash};
use baton_engine::workflow::{Checkpoint, SettledBy, Stage};
use serde_json::{Value, json};

use super::paper::Paper;
use super::stuck::Stuck;
use super::{As, Desk, DeskError, printed};
use crate::check_run::CheckRoom;
use crate::config::Check;
use crate::search_path;
use crate::supervise::environment::Ground;
use crate::tool;
use crate::workspace::{Furniture, TaskWorkspace, checkout_room};
use ran::{Lost, hash_of};
pub(crate) use ran::{Ran, run_check, run_fact};

/// Most checks of one receipt whose output is kept.
const OUTPUTS_MAX: usize = 32;

/// What the host saw in work beside how its checks went.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// Changes outside what was allowed, and tricks.
    pub(crate) violations: Vec<String>,
    /// What is told, and stands in nobody's way.
    pub(crate) findings: Vec<String>,
    /// A check that guards says that the work is to be taken back.
    pub(crate) danger: Option<Danger>,
    /// Checkpoints that nothing settled.
    pub(crate) asserted: Vec<CheckpointName>,
}

impl Desk {
    /// Runs the checks of the stage at hand on the workspace, and records what came of them. A checkpoint that no trusted
    /// check settles is inconclusive, which opens no door.
    pub fn check(&mut self, id: &TaskId) -> Result<Vec<CheckResult>, DeskError> {
        self.only_for_people(id.as_str(), ActKind::RecordReceipt)?;
        // Whatever is accepted on the strength of this can be brought back.
        let tree = self.keep(id)?;
        self.check_tree(id, tree)
    }

    /// The same for work that looks so, and is saved.
    pub(super) fn check_tree(&mut self, id: &TaskId, tree: TreeHash) -> Result<Vec<CheckResult>, DeskError> {
        let task = self.task(id)?;
        let Some(stage) = task.stage() else { return Err(Refusal::NotNow.into()) };
        if task.run.submission.is_none() {
            return Err(Rejection::new(Refusal::NotNow, "no work was handed over").into());
        }
        let own = self.own_workspace(id)?;
        self.observe(id, tree.clone())?;
        let names: Vec<CheckpointName> = stage.host_checkpoints().cloned().collect();
        let room = match &own {
            Some(own) => self.room(own, &tree)?,
            None => self.room_of_checkout(&tree)?,
        };
        let mut ran: Vec<Ran> =
            names.iter().map(|name| run_check((&self.checks, name), &room, &|_| {})).collect();
        ran.extend(self.by_rule(&task, &tree)?);
        match self.visitor.is_guest() {
            // Nobody is there to try again, so it lies with a person.
            true => ran.iter_mut().for_each(Ran::lies_with_person),
            false => were_seen(id, &ran)?,
        }
        let checks = ran.iter().map(|ran| ran.result.clone()).collect();
        let guarded = self.guarded(&task);
        let danger = ran.iter().find_map(|ran| ran.danger(&guarded, None));
        // The checks saw exactly these files, wherever they wrote.
        self.record_receipt(id, ran, (tree.clone(), tree), Seen { danger, ..Seen::default() })?;
        Ok(checks)
    }

    /// Records that no check of the stage at hand could be run, and why: then it lies with a person. Says no where the stage has
    /// no check, for then a receipt would settle everything.
    pub(super) fn could_not_check(&mut self, id: &TaskId, why: &str) -> Result<bool, DeskError> {
        let task = self.task(id)?;
        let Some(submission) = &task.run.submission else { return Ok(false) };
        let tree = submission.tree.clone();
        let names = task.stage().into_iter().flat_map(Stage::host_checkpoints);
        let ran: Vec<Ran> = names.map(|name| Ran::hindered(name, why)).collect();
        if ran.is_empty() {
            return Ok(false);
        }
        self.observe(id, tree.clone())?;
        self.record_receipt(id, ran, (tree.clone(), tree), Seen::default())?;
        Ok(true)
    }

    /// Returns what the checks of the stage at hand guard, but for those that a person lets fail.
    pub(crate) fn guarded(&self, task: &Task) -> Guarded {
        let names = task.stage().into_iter().flat_map(Stage::host_checkpoints);
        let names = names.filter(|name| !task.is_waived(&Waivable::Checkpoint((*name).clone()), self.now));
        let guards = |name: &CheckpointName| {
            self.checks.iter().find(|check| check.checkpoint == name.as_str())?.guards
        };
        names.filter_map(|name| Some((name.clone(), guards(name)?))).collect()
    }

    /// Returns the room in which the host looks at a snapshot of a task that has a workspace of its own.
    pub(crate) fn room(&self, own: &TaskWorkspace, tree: &TreeHash) -> Result<CheckRoom, DeskError> {
        let room = self.workspaces()?.room(own, tree, &self.run.furniture)?;
        Ok(CheckRoom::of_room(room, self.run.demand).with_memory(self.run.memory_bytes_max))
    }

    /// Returns the room in which the host looks at a snapshot of the checkout.
    fn room_of_checkout(&self, tree: &TreeHash) -> Result<CheckRoom, DeskError> {
        let snapshots = Arc::new(self.snapshots()?);
        let room = checkout_room(&self.workspace, (self.folder(), snapshots), tree, &self.run.furniture)?;
        Ok(CheckRoom::of_room(room, self.run.demand).with_memory(self.run.memory_bytes_max))
    }

    /// Returns the checkpoints ahead of a task that nothing can settle: the host has no trusted check, and nobody waived them.
    pub fn unsettled(&self, id: &TaskId) -> Result<BTreeSet<CheckpointName>, DeskError> {
        let task = self.task(id)?;
        Ok(self.unsettled_in(&task, task.workflow.stages.iter().skip(task.stage_index)))
    }

    /// Says that nothing can settle what the stage at hand has to show, so that a turn on it would be taken for nothing.
    pub(crate) fn not_named(&self, task: &Task) -> Option<Stuck> {
        let names = self.unsettled_in(task, task.stage());
        let first = names.first()?;
        let (id, all) =
            (&task.id, names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
        Some(Stuck::new(
            format!("`baton.toml` names no trusted check for {all}, so no work on it can pass"),
            format!(
                "name a command under `[checks.{first}]`, then `baton trust` and `baton run`; or `baton waive {id} \
                 checkpoint:{first} REASON --until DATE`"
            ),
        ))
    }

    fn unsettled_in<'s>(
        &self,
        task: &Task,
        stages: impl IntoIterator<Item = &'s Stage>,
    ) -> BTreeSet<CheckpointName> {
        let ahead = stages.into_iter().flat_map(|stage| &stage.checkpoints);
        let is_settled = |checkpoint: &&Checkpoint| {
            checkpoint.settled_by == SettledBy::Agent
                || self.checks.iter().any(|check| check.checkpoint == checkpoint.name.as_str())
                || task.is_waived(&Waivable::Checkpoint(checkpoint.name.clone()), self.now)
        };
        ahead.filter(|checkpoint| !is_settled(checkpoint)).map(|checkpoint| checkpoint.name.clone()).collect()
    }

    /// Returns the checkpoints of the stage at hand that none of these results settles.
    pub(crate) fn asserted(&self, id: &TaskId, ran: &[Ran]) -> Result<Vec<String>, DeskError> {
        Ok(asserted(&self.task(id)?, ran).iter().map(ToString::to_string).collect())
    }

    /// Records what checks settled, and what else was seen in the work.
    pub(crate) fn record_receipt(
        &mut self,
        id: &TaskId,
        ran: Vec<Ran>,
        trees: (TreeHash, TreeHash),
        seen: Seen,
    ) -> Result<(), DeskError> {
        let task = self.task(id)?;
        let seen = Seen { asserted: asserted(&task, &ran), ..seen };
        let claims = self.judge_work(&task, &ran)?;
        let (mut receipt, papers) = self.receipt(&task, ran, trees, seen, self.definition(&task))?;
        receipt.findings = claims;
        let papers: Vec<&[u8]> = papers.iter().map(Vec::as_slice).collect();
        self.act(id.as_str(), &self.actor(As::Host), &Act::RecordReceipt { receipt }, &papers)?;
        self.settle(id)
    }

    /// Writes a receipt, and all that it refers to.
    pub(super) fn receipt(
        &self,
        task: &Task,
        mut ran: Vec<Ran>,
        (tree_before, tree_after): (TreeHash, TreeHash),
        Seen { violations, findings, danger, asserted }: Seen,
        definition: Option<BlobId>,
    ) -> Result<(Receipt, Vec<Vec<u8>>), DeskError> {
        let checkpoints: Vec<_> = ran
            .iter()
            .map(|Ran { result, .. }| {
                json!({
                    "name": result.checkpoint.as_str(),
                    "status": result.verdict.name(),
                    "message": result.detail,
                    "settled_by": result.settled_by(),
                })
            })
            .collect();
        // The words go from the strongest to the weakest.
        let confined_by = ran.iter().filter_map(|ran| ran.confined_by).max();
        let (number, serial) = (task.history.len(), task.artifacts.len());
        let mut papers = Vec::new();
        for (index, ran) in ran.iter_mut().enumerate().take(OUTPUTS_MAX) {
            if let Some(output) = printed::paper(&format!("output-{number}-{serial}-{index}"), &ran.output)? {
                ran.kept_as(&output.document);
                papers.push(output.bytes);
            }
        }
        let ledger: Vec<&Value> = ran.iter().filter_map(|ran| ran.ledger.as_ref()).collect();
        let paper = Paper::artifact(
            "checklist-receipt",
            &format!("receipt-{number}-{serial}"),
            (&task.id, "host", self.now),
            json!({
                "command_ledger": ledger,
                "checkpoints": checkpoints,
                "asserted": asserted.iter().map(CheckpointName::as_str).collect::<Vec<_>>(),
                "confinement": confined_by.map(ConfinedBy::name),
                "definition": definition.as_ref().map(BlobId::as_str),
                "host": { "os": consts::OS, "arch": consts::ARCH },
                "tree_before": tree_before.as_str(),
                "tree_after": tree_after.as_str(),
                "violations": violations,
                "findings": findings,
                "danger": danger.map(Danger::name),
            }),
        )?;
        papers.push(paper.bytes);
        let checks = ran.into_iter().map(|ran| ran.result).collect();
        let receipt = Receipt {
            document: paper.document,
            checks,
            tree_before,
            tree_after,
            danger,
            violations,
            findings: Vec::new(),
            asserted,
            confined_by,
            definition,
        };
        Ok((receipt, papers))
    }

    /// Returns the hash of how the checks of the stage at hand are defined, with the tools and the environment they would find
    /// now. A program that Baton runs brings no checks, and so has nothing to say about that.
    pub(super) fn definition(&self, task: &Task) -> Option<BlobId> {
        let stage = task.stage().filter(|_| !self.visitor.is_program())?;
        let untrusted = search_path::folders_of(self.root());
        let ground = Ground { folder: self.root(), untrusted: &untrusted };
        let environment = hash_of(&ground.of_command());
        let named =
            |name: &CheckpointName| self.checks.iter().find(|check| check.checkpoint == name.as_str());
        let with_tool =
            |check: &Check| json!([defined(check), tool::identity(&check.run, ground), environment]);
        let all: Vec<Value> =
            stage.host_checkpoints().map(|name| json!([name, named(name).map(with_tool)])).collect();
        let Furniture { kept, borrowed } = &self.run.furniture;
        let bytes = json!([all, kept, borrowed]).to_string().into_bytes();
        BlobId::new(baton_store::BlobId::of(&bytes).to_string()).ok()
    }
}

/// Which danger it is when a check fails.
pub(crate) type Guarded = BTreeMap<CheckpointName, Danger>;

/// Returns the checkpoints of the stage at hand that none of these results settles.
fn asserted(task: &Task, ran: &[Ran]) -> Vec<CheckpointName> {
    let all = task.stage().into_iter().flat_map(|stage| &stage.checkpoints);
    let own = all.filter(|checkpoint| checkpoint.settled_by == SettledBy::Agent).map(|own| &own.name);
    own.filter(|name| ran.iter().all(|ran| ran.result.checkpoint != **name)).cloned().collect()
}

/// Everything that a check is.
fn defined(check: &Check) -> Value {
    let Check { checkpoint, run, timeout, writable, is_confined, junit, guards } = check;
    let guards = guards.map(Danger::name);
    json!([checkpoint, run, timeout.as_millis().to_string(), writable, is_confined, junit, guards])
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
