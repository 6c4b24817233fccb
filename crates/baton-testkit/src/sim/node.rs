//! Two orchestrators with their hosts: each has its own view of the log, its own clock, and can stop at any moment.

use std::collections::BTreeMap;

use baton_engine::command::Act;
use baton_engine::envelope::{Actor, ActorKind};
use baton_engine::fact::{
    Ancestor, CheckResult, ClaimVerdict, Document, Ending, Finding, Guidance, Hindrance, LeaseToken,
    Performer, Receipt, SessionMode,
};
use baton_engine::state::State;
use baton_engine::verdict::{Provenance, Verdict};
use baton_engine::word::{ArtifactId, CheckpointName, SessionId, TaskId, TreeHash, TurnId};
use baton_engine::workflow::Role;
use baton_engine::{Effect, evolve};

use super::mutation::Mutation;
use super::world::word;
use super::{Mail, Sim, Submitted};

/// Most that a turn really spends, in percent of what was set aside.
pub(crate) const OVERRUN_PERCENT: u64 = 120;

#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) views: BTreeMap<String, State>,
    pub(crate) skew_ms: i64,
}

pub(crate) fn orchestrator() -> Actor {
    Actor::new(ActorKind::Orchestrator, "baton")
}

pub(crate) fn host() -> Actor {
    Actor::new(ActorKind::Host, "host")
}

impl Sim {
    /// Reads what is new in a stream; sometimes a node acts on what it read before.
    pub(super) fn refresh_view(&mut self, index: usize, stream: &str) {
        let known = self.nodes[index].views.contains_key(stream);
        if known && self.random.chance(self.rates.stale_view) {
            return;
        }
        let mut view = self.nodes[index].views.remove(stream).unwrap_or_default();
        let entries = self.store.entries(stream);
        let seen = usize::try_from(view.version).unwrap_or(usize::MAX).min(entries.len());
        for entry in &entries[seen..] {
            match self.mutation.skips(&entry.event) {
                true => view.version = entry.version,
                false => view = evolve(view, entry),
            }
        }
        if !known {
            self.mutation.after_replay(&mut view);
        }
        self.nodes[index].views.insert(stream.to_owned(), view);
    }

    pub(super) fn node_works(&mut self) {
        let index = self.random.below(self.nodes.len());
        let ids = self.task_ids();
        if ids.is_empty() {
            return;
        }
        let id = self.random.pick(&ids).clone();
        self.refresh_view(index, id.as_str());
        let Some(view) = self.nodes[index].views.get(id.as_str()) else { return };
        let owed = self.mutation.pending(view, &self.context, self.now + self.nodes[index].skew_ms);
        let doable: Vec<&Effect> =
            owed.iter().filter(|effect| !matches!(effect, Effect::AskPerson { .. })).collect();
        if doable.is_empty() {
            return;
        }
        let effect = (*self.random.pick(&doable)).clone();
        self.perform(index, &id, effect);
    }

    fn perform(&mut self, index: usize, id: &TaskId, effect: Effect) {
        let stream = id.as_str();
        let (actor, act) = match effect {
            Effect::GiveTurn { role, agent, session } => {
                let session = self.session(id, agent.as_str(), session);
                let guidance = match self.guidance() {
                    Some(guidance) => guidance,
                    None => return,
                };
                let request = (role == Role::Verifier).then(|| self.document());
                let performer = Performer::Program;
                (
                    orchestrator(),
                    Act::StartTurn { role, agent, session, performer, guidance, request, apart: false },
                )
            }
            Effect::TakeSnapshot { turn } => {
                let Some(tree) = self.world.workspaces.get(id).cloned() else { return };
                (host(), Act::RecordSnapshot { reference: format!("refs/{id}/{turn}"), turn, tree })
            }
            Effect::StartAgent { turn, epoch, .. } => return self.start_agent(index, id, (turn, epoch)),
            Effect::StopAgent { turn } => return self.stop_agent(index, id, &turn),
            Effect::Expire { .. } if self.mutation == Mutation::LeaseNeverExpires => return,
            Effect::Expire { .. } => (orchestrator(), Act::Expire {}),
            Effect::RunChecks { tree, checkpoints } => {
                return self.run_checks(index, id, (&tree, &checkpoints));
            }
            Effect::SettleCost { turn } => {
                let launch = self.world.launches.get(&(id.clone(), turn.clone()));
                let tokens = launch.map_or(0, |launch| launch.spent);
                (host(), Act::Spend { turn, tokens, account: None })
            }
            Effect::Decide(ruling) => {
                if self.tree_moved(index, id) {
                    return;
                }
                let document = self.document();
                let (disposition, reason, refs) = (ruling.disposition, ruling.reason, ruling.refs.clone());
                (orchestrator(), Act::Decide { document, disposition, reason, refs })
            }
            Effect::AskGate { gate, shown } => {
                let (weight, items) = (baton_engine::workflow::GateWeight::Blocking, Vec::new());
                let document = self.document();
                (orchestrator(), Act::AskGate { gate, weight, items, shown, document, lease: None })
            }
            Effect::AskPerson { .. } => return,
            Effect::AddChild { delegation, child } => {
                let document = self.document();
                let Some(task) = self.task(id) else { return };
                let Some(open) = task.delegations.get(&delegation) else { return };
                let mut lineage = task.lineage.clone();
                lineage.push(Ancestor { task: id.clone(), agent: open.from.clone(), delegation });
                let add = Act::AddTask {
                    task: child.clone(),
                    title: open.deliverable.clone(),
                    document,
                    workflow: open.workflow.name.clone(),
                    criteria: task.criteria.clone(),
                    depends_on: std::collections::BTreeSet::new(),
                    lineage,
                    assignee: Some(open.to.clone()),
                    budget_tokens: Some(open.budget_tokens),
                };
                self.new_workspace(&child);
                let _kept = self.submit(index, child.as_str(), (orchestrator(), None, add));
                return;
            }
            Effect::ReturnChild { delegation } => {
                let document = self.document();
                (orchestrator(), Act::Return { delegation, document })
            }
            Effect::Release { on } => (orchestrator(), Act::ReleaseDependency { on }),
            Effect::RollBack => return self.roll_back(index, id),
            Effect::Merge { tree } => return self.merge(index, id, &tree),
            Effect::Notify { notice, .. } => (host(), Act::RecordNotice { notice }),
            Effect::RecordDependency { on } => (orchestrator(), Act::Depend { on }),
        };
        let _kept = self.submit(index, stream, (actor, None, act));
    }

    /// Looks at the workspace before deciding about it.
    fn tree_moved(&mut self, index: usize, id: &TaskId) -> bool {
        let seen = self.nodes[index]
            .views
            .get(id.as_str())
            .and_then(|view| view.task.as_ref())
            .map(|task| task.tree.clone());
        let real = self.world.workspaces.get(id).cloned();
        let has_work = self.task(id).is_some_and(|task| task.run.submission.is_some());
        let (Some(seen), Some(tree)) = (seen, real) else { return false };
        if seen.as_ref() == Some(&tree) || !has_work {
            return false;
        }
        let _kept =
            self.submit(index, id.as_str(), (host(), None, Act::ObserveTree { tree, definition: None }));
        true
    }

    fn start_agent(&mut self, index: usize, id: &TaskId, (turn, epoch): (TurnId, u64)) {
        if self.mutation == Mutation::EffectBeforeRecord {
            self.launch(id, &turn);
        }
        let lease = LeaseToken { turn: turn.clone(), epoch };
        let kept = self.submit(index, id.as_str(), (host(), None, Act::Launch { lease, program: None }));
        if kept != Submitted::Kept || self.mutation == Mutation::EffectBeforeRecord {
            return;
        }
        if self.random.chance(self.rates.crash / 8) {
            self.fault_at(id.as_str(), "crash_before_effect");
            self.crash(index);
            return;
        }
        self.launch(id, &turn);
        let (lease, document) = (LeaseToken { turn: turn.clone(), epoch }, self.document());
        let _kept = self.submit(index, id.as_str(), (host(), None, Act::RecordPrompt { lease, document }));
        if self.mutation == Mutation::LaunchNotClaimed {
            self.launch(id, &turn);
        }
    }

    fn stop_agent(&mut self, index: usize, id: &TaskId, turn: &TurnId) {
        self.processes.retain(|process| process.task != *id || process.lease.turn != *turn);
        let Some(view) = self.nodes[index].views.get(id.as_str()).and_then(|view| view.task.as_ref()) else {
            return;
        };
        let Some(live) = &view.turn else { return };
        let lease = LeaseToken { turn: live.id.clone(), epoch: live.epoch };
        let spent = self.world.launches.get(&(id.clone(), turn.clone())).map(|launch| launch.spent);
        let act = Act::EndTurn {
            lease,
            ending: Ending::Stopped,
            spent_tokens: spent,
            document: None,
            how: None,
            account: None,
            why: None,
        };
        let _kept = self.submit(index, id.as_str(), (host(), None, act));
    }

    fn run_checks(&mut self, index: usize, id: &TaskId, (tree, checkpoints): (&TreeHash, &[CheckpointName])) {
        if self.tree_moved(index, id) {
            return;
        }
        let Some(truth) = self.world.truth(tree).cloned() else { return };
        let mut checks: Vec<CheckResult> = checkpoints
            .iter()
            .map(|checkpoint| CheckResult {
                checkpoint: checkpoint.clone(),
                verdict: if truth.passes { Verdict::Pass } else { Verdict::Fail },
                provenance: Provenance::Observed,
                detail: format!("error {} in kind {}", truth.error * 7, ["a", "b", "c"][truth.error % 3]),
                output: None,
                hindrance: None,
            })
            .collect();
        let mut tree_after = tree.clone();
        if self.random.chance(self.rates.bad_host) {
            match self.random.below(5) {
                0 => {
                    self.fault_at(id.as_str(), "check_times_out");
                    hinder(&mut checks, Hindrance::TimedOut);
                }
                1 => checks.clear(),
                2 => hinder(&mut checks, Hindrance::NotStarted),
                3 if !truth.passes => hinder(&mut checks, Hindrance::FailedBefore),
                _ => {
                    self.fault_at(id.as_str(), "check_writes");
                    tree_after = self.world.tree(truth.clone());
                }
            }
        }
        let findings = self.random.chance(self.rates.bad_work / 4).then(contradicted);
        let receipt = Receipt {
            document: self.document(),
            checks,
            tree_before: tree.clone(),
            tree_after,
            danger: truth.danger,
            violations: truth.violation.then(|| "outside the targets".to_owned()).into_iter().collect(),
            findings: findings.into_iter().collect(),
            confined_by: None,
            definition: None,
            asserted: Vec::new(),
        };
        self.world.checked.insert(receipt.document.id.clone(), tree.clone());
        // A host can be slow: what it saw may be about a workspace that has moved on.
        if self.random.chance(self.rates.mail) {
            self.fault_at(id.as_str(), "mail_late");
            let due = self.step + self.random.between(1, 60);
            let act = Act::RecordReceipt { receipt };
            let mail =
                Mail { due, stream: id.as_str().to_owned(), actor: host(), key: None, act, deliveries: 0 };
            self.mail.push(mail);
            return;
        }
        let _kept = self.submit(index, id.as_str(), (host(), None, Act::RecordReceipt { receipt }));
    }

    fn roll_back(&mut self, index: usize, id: &TaskId) {
        let good = self.task(id).and_then(|task| task.snapshot_good.clone());
        let fails =
            good.is_none() || self.random.chance(self.rates.bad_host.max(if self.healing { 0 } else { 20 }));
        let act = match (fails, good) {
            (false, Some(good)) => {
                self.world.workspaces.insert(id.clone(), good.tree);
                let rescue = Some(format!("refs/rescue/{id}"));
                Act::RecordRollback { applied: true, rescue, remediation: Vec::new() }
            }
            _ => {
                self.fault_at(id.as_str(), "rollback_fails");
                let remediation = vec!["check out the last good commit by hand".to_owned()];
                Act::RecordRollback { applied: false, rescue: None, remediation }
            }
        };
        let _kept = self.submit(index, id.as_str(), (host(), None, act));
    }

    /// A merge is done once at its target, however often it is tried.
    fn merge(&mut self, index: usize, id: &TaskId, tree: &TreeHash) {
        let again = self.world.merges.get(id).is_some_and(|done| done.contains(tree));
        // Whether a tree fits its target is a fact about both, not about who tries.
        if !again && !self.world.conflicts.contains(tree) && self.random.chance(self.rates.bad_host / 2) {
            self.world.conflicts.insert(tree.clone());
        }
        if self.world.conflicts.contains(tree) {
            self.fault_at(id.as_str(), "merge_conflict");
            let details = "both sides changed".to_owned();
            let receipt = self.together(tree, Verdict::Fail);
            let act = Act::RecordMerge { tree: tree.clone(), merged: false, details, receipt };
            let _kept = self.submit(index, id.as_str(), (host(), None, act));
            return;
        }
        if !again || self.mutation == Mutation::MergeNotIdempotent {
            self.world.merges.entry(id.clone()).or_default().push(tree.clone());
            self.check_merge(id, tree);
        }
        if self.random.chance(self.rates.crash / 4) {
            self.fault_at(id.as_str(), "crash_before_effect");
            self.crash(index);
            return;
        }
        let receipt = self.together(tree, Verdict::Pass);
        let act = Act::RecordMerge { tree: tree.clone(), merged: true, details: String::new(), receipt };
        let _kept = self.submit(index, id.as_str(), (host(), None, act));
    }

    /// Where others came to the target first, what checks showed of both together.
    fn together(&mut self, tree: &TreeHash, verdict: Verdict) -> Option<Receipt> {
        self.random.chance(self.rates.bad_host / 2).then(|| Receipt {
            document: self.document(),
            checks: vec![CheckResult {
                checkpoint: word(CheckpointName::new("validation")),
                verdict,
                provenance: Provenance::Observed,
                detail: String::new(),
                output: None,
                hindrance: None,
            }],
            tree_before: tree.clone(),
            tree_after: tree.clone(),
            danger: None,
            violations: Vec::new(),
            findings: Vec::new(),
            asserted: Vec::new(),
            confined_by: None,
            definition: None,
        })
    }

    fn guidance(&mut self) -> Option<Guidance> {
        let covenant = self.context.project.covenant.clone()?;
        let document = self.document();
        Some(Guidance {
            document,
            covenant_version: covenant.version,
            policy_hash: covenant.policy_hash,
            context: None,
        })
    }

    pub(super) fn document(&mut self) -> Document {
        let number = self.world.fresh();
        Document { id: word(ArtifactId::new(format!("a{number}"))), blob: self.blob() }
    }

    fn session(&mut self, id: &TaskId, agent: &str, mode: SessionMode) -> SessionId {
        match mode {
            SessionMode::Same => word(SessionId::new(format!("{id}-{agent}"))),
            SessionMode::Fresh => {
                let number = self.world.fresh();
                word(SessionId::new(format!("{id}-{agent}-{number}")))
            }
        }
    }

    /// Brings a command to the log at once, through whichever node takes it.
    pub(super) fn send_now(&mut self, stream: &str, actor: Actor, act: Act) {
        let index = self.random.below(self.nodes.len());
        let _kept = self.submit(index, stream, (actor, None, act));
    }

    /// Puts a command on its way. The way may be long, and it may arrive twice.
    pub(super) fn post(&mut self, stream: &str, actor: Actor, act: Act) {
        let number = self.world.fresh();
        let mut due = self.step + self.random.between(0, 4);
        if self.random.chance(self.rates.mail) {
            self.fault_at(stream, "mail_late");
            due += self.random.between(20, 200);
        }
        let key = Some(format!("k{number}"));
        let mail = Mail { due, stream: stream.to_owned(), actor, key, act, deliveries: 0 };
        if self.random.chance(self.rates.mail) {
            self.fault_at(stream, "mail_duplicated");
            // The copy comes without the key: a sender that lost its memory.
            let later = due + self.random.between(0, 120);
            self.mail.push(Mail { due: later, key: None, ..mail.clone() });
        }
        self.mail.push(mail);
    }

    pub(super) fn deliver(&mut self) {
        let due: Vec<usize> = self
            .mail
            .iter()
            .enumerate()
            .filter(|(_, mail)| mail.due <= self.step)
            .map(|(place, _)| place)
            .collect();
        if due.is_empty() {
            return;
        }
        let place = *self.random.pick(&due);
        let mut mail = self.mail.swap_remove(place);
        let index = self.random.below(self.nodes.len());
        let sent = (mail.actor.clone(), mail.key.clone(), mail.act.clone());
        if self.submit(index, &mail.stream, sent) == Submitted::Raced
            && mail.deliveries < super::DELIVERIES_MAX
        {
            mail.deliveries += 1;
            self.mail.push(mail);
        }
    }

    /// Returns what a turn really costs; now and then more than was set aside.
    pub(super) fn cost(&mut self, id: &TaskId, reserved: u64) -> u64 {
        if self.random.chance(self.rates.bad_agent / 4) {
            self.fault_at(id.as_str(), "usage_overrun");
            return reserved * OVERRUN_PERCENT / 100;
        }
        reserved * self.random.between(30, 100) as u64 / 100
    }
}

/// Lets checks say nothing, for a reason that is no fault of the work.
/// A claim of the handoff that the files contradict.
fn contradicted() -> Finding {
    Finding {
        code: "BT1001".to_owned(),
        claim_kind: "file-created".to_owned(),
        verdict: ClaimVerdict::Contradicted,
        claim: "tides.txt".to_owned(),
        line: 3,
        reason: "the file doesn't exist".to_owned(),
        evidence: None,
        fix: None,
    }
}

fn hinder(checks: &mut [CheckResult], hindrance: Hindrance) {
    for check in checks {
        check.verdict = Verdict::Inconclusive;
        check.hindrance = Some(hindrance);
    }
}
