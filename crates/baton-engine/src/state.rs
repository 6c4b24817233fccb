//! What is so now, folded from the events of one stream.

mod afford;
mod part;
mod project;
mod status;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::envelope::Actor;
use crate::event::Event;
use crate::fact::{
    Ancestor, Document, End, Ending, NextTurn, Receipt, Report, Shown, Submission, Waivable, Worker,
};
use crate::feedback::Feedback;
use crate::progress::Fingerprint;
use crate::word::{
    AgentName, ArtifactId, AttemptNumber, BlobId, ClarificationId, CriterionId, DelegationId, GateName,
    TaskId, TreeHash, TurnId,
};
use crate::workflow::{
    Allowance, FailurePolicy, GateRule, Integration, Review, Role, STOPS_MAX, Stage, Workflow,
};

pub use afford::is_worth_beginning;
pub use part::{
    Artifact, Attempt, Budget, Clarification, Delegation, Dependency, Escalation, Gate, Merge, Notice,
    Raised, Rollback, Said, Snapshot, TakenPlan, Turn, Waiver,
};
pub use project::{Covenant, Project};
pub use status::{Freshness, Status, StatusKind, Whom};

/// The fold of one stream: the project's, or a task's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Version of the last event folded in.
    pub version: u64,
    pub project: Project,
    pub task: Option<Task>,
    /// Kinds of events that only a newer Baton understands. While there is one, nothing is decided.
    pub unknown: BTreeSet<String>,
    /// The refused acts that the stream has: a repeat is counted, and is no further event.
    #[serde(default)]
    pub refused: BTreeSet<Refused>,
}

/// What somebody was refused.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Refused {
    actor: Actor,
    command: String,
    refusal: String,
}

impl Refused {
    pub(crate) fn new(actor: &Actor, command: &str, refusal: &str) -> Self {
        Self { actor: actor.clone(), command: command.to_owned(), refusal: refusal.to_owned() }
    }
}

impl State {
    /// Returns the event that remembers a refusal; nothing where the stream has it already, so that it is only counted.
    pub fn refusal(&self, actor: &Actor, command: &str, (refusal, details): (&str, &str)) -> Option<Event> {
        let is_new = !self.refused.contains(&Refused::new(actor, command, refusal));
        is_new.then(|| Event::refused(command, refusal, details))
    }
}

/// A map whose keys are no texts, as a list of pairs.
mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub(super) fn deserialize<'d, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        K: Deserialize<'d> + Ord,
        V: Deserialize<'d>,
        D: Deserializer<'d>,
    {
        Ok(Vec::<(K, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}

/// Everything about one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub id: TaskId,
    pub title: String,
    pub workflow: Workflow,
    pub criteria: BTreeSet<CriterionId>,
    pub lineage: Vec<Ancestor>,
    pub added_at: i64,
    /// Index of the stage that is being worked on.
    pub stage_index: usize,
    pub dependencies: BTreeMap<TaskId, Dependency>,
    pub budget: Budget,
    /// Counts turns and is the epoch of their leases: a later turn has a higher one.
    pub turns_count: u64,
    pub turn: Option<Turn>,
    pub run: StageRun,
    /// Every turn that was taken, in order.
    pub history: Vec<Attempt>,
    /// Who has written in the workspace.
    pub writers: BTreeSet<Worker>,
    /// The workspace before the first turn.
    #[serde(default)]
    pub began_with: Option<TreeHash>,
    /// The workspace as the host last saw it.
    pub tree: Option<TreeHash>,
    /// How the checks of the stage were defined when that was last looked at.
    #[serde(default)]
    pub definition: Option<BlobId>,
    pub snapshot_good: Option<Snapshot>,
    pub clarifications: BTreeMap<ClarificationId, Clarification>,
    pub clarification_rounds: u32,
    pub gates: BTreeMap<GateName, Gate>,
    pub delegations: BTreeMap<DelegationId, Delegation>,
    pub raised: Option<Raised>,
    pub escalation: Option<Escalation>,
    /// How often a person sent the task round again.
    pub rounds: u32,
    pub rollback: Rollback,
    pub merge: Merge,
    #[serde(with = "pairs")]
    pub waivers: BTreeMap<Waivable, Waiver>,
    /// Something was accepted that nothing but a waiver let pass.
    pub leaned_on_waiver: bool,
    pub artifacts: BTreeMap<ArtifactId, Artifact>,
    pub notices: Vec<Notice>,
    pub cancel_requested_at: Option<i64>,
    pub end: Option<End>,
    pub changed_at: i64,
    /// A program has worked on it, in a workspace of its own: accepted work is not where others begin until it is merged.
    #[serde(default)]
    pub lies_apart: bool,
}

/// What has come of the current stage so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageRun {
    /// Failed attempts that count.
    pub failures: u32,
    pub last_failure: Option<Fingerprint>,
    /// How often the last failure has come again exactly as it was.
    pub repetitions: u32,
    pub provider_faults: u32,
    /// Turns that a person stopped.
    #[serde(default)]
    pub stops: u32,
    /// Work was sent back because of a check that had failed in the same way before anybody worked: when that comes again, no
    /// agent mends it.
    #[serde(default)]
    pub told_of_before: bool,
    /// Work was sent back because of a check that did not end in time: when that comes again, a person looks.
    #[serde(default)]
    pub told_of_timeout: bool,
    /// Verifications that came to nothing.
    pub verifications_lost: u32,
    pub next: Option<NextTurn>,
    pub feedback: Option<Feedback>,
    /// What the handoffs of this stage have tightened.
    pub tightened: Option<FailurePolicy>,
    /// The handoff that opened this stage.
    pub inbound: Option<Document>,
    /// The inbound handoff was acknowledged by whoever holds this stage.
    pub acknowledged_by: Option<AgentName>,
    /// The last plan that was taken. It holds for every attempt of the stage until a person sends the task round again.
    #[serde(default)]
    pub plan: Option<TakenPlan>,
    /// Somebody was launched who may have written in the workspace.
    pub touched: bool,
    pub lost: Option<Ending>,
    /// What the host wrote in place of the handoff that did not come.
    #[serde(default)]
    pub failure: Option<Document>,
    pub submission: Option<Submission>,
    pub receipt: Option<Receipt>,
    pub report: Option<Report>,
    pub merge_conflict: Option<String>,
    /// What people said when they sent the task round again, the newest last.
    #[serde(default)]
    pub said: Vec<Said>,
}

impl StageRun {
    /// Clears what belongs to one attempt and keeps what is counted.
    pub(crate) fn clear_attempt(&mut self) {
        self.lost = None;
        self.failure = None;
        self.submission = None;
        self.receipt = None;
        self.report = None;
        self.merge_conflict = None;
    }
}

/// Returns the gates of a stage and of a handoff in it.
pub(crate) fn gate_rules(stage: Option<&Stage>, submission: Option<&Submission>) -> Vec<GateRule> {
    let mut rules = stage.map(|stage| stage.gates.clone()).unwrap_or_default();
    let asked = submission.and_then(|submission| submission.gate.as_deref().cloned());
    match asked.as_ref().and_then(|asked| rules.iter_mut().find(|rule| rule.name == asked.name)) {
        Some(known) => known.items.extend(asked.into_iter().flat_map(|asked| asked.items)),
        None => rules.extend(asked),
    }
    rules
}

impl Task {
    /// Returns the stage at hand. The index always points into the workflow, which has a stage.
    pub fn stage(&self) -> Option<&Stage> {
        self.workflow.stage(self.stage_index)
    }

    pub fn is_last_stage(&self) -> bool {
        self.stage_index + 1 >= self.workflow.stages.len()
    }

    /// Says whether the work is done only when it was merged.
    pub fn merges(&self) -> bool {
        self.workflow.integration == Integration::Merge || self.lies_apart
    }

    /// Says whether it was accepted with its files as they were before anybody worked on it.
    pub fn is_unchanged(&self) -> bool {
        self.end.is_some_and(End::releases) && self.began_with.is_some() && self.began_with == self.tree
    }

    pub fn attempt(&self) -> AttemptNumber {
        AttemptNumber(self.run.failures.saturating_add(1))
    }

    /// Returns what the stage and its handoffs allow together.
    pub fn allowance(&self) -> Option<Allowance> {
        self.stage().map(|stage| Allowance::of(stage, self.run.tightened.as_ref()))
    }

    /// Returns all criteria that the stage at hand is judged by.
    pub fn criteria_in_force(&self) -> BTreeSet<CriterionId> {
        let own = self.stage().into_iter().flat_map(|stage| stage.criteria.iter().cloned());
        self.criteria.iter().cloned().chain(own).collect()
    }

    pub fn verifier(&self) -> Option<&AgentName> {
        match self.stage().map(|stage| &stage.review) {
            Some(Review::Independent(verifier)) => Some(verifier),
            Some(Review::None) | None => None,
        }
    }

    /// Says whether a turn that ended like this is lost through nobody's work, so that it counts as little as if it had not been.
    pub fn is_stopped_for_free(&self, ending: Ending) -> bool {
        ending == Ending::Stopped && self.run.stops <= STOPS_MAX
    }

    /// Returns the last turn of a verifier on the work at hand, where it came to nothing.
    pub fn lost_verification(&self) -> Option<&Attempt> {
        self.run.submission.as_ref()?;
        let live = self.turn.as_ref().map(|turn| &turn.id);
        let last = self.history.iter().rev().find(|attempt| Some(&attempt.turn) != live)?;
        let is_own = |ending| !matches!(ending, Ending::Asked | Ending::Stopped);
        let is_lost = last.ending.map_or(last.why.is_some(), is_own);
        (last.role == Role::Verifier && is_lost).then_some(last)
    }

    pub fn open_clarifications(&self) -> impl Iterator<Item = (&ClarificationId, &Clarification)> {
        self.clarifications.iter().filter(|(_, clarification)| clarification.answer.is_none())
    }

    /// Returns an open question that the agent left at the end of its turn, in place of a handoff or with one. The task resumes
    /// when it is answered.
    pub fn awaits_answer(&self) -> Option<(&ClarificationId, &Clarification)> {
        let is_left = |(id, asked): &(&ClarificationId, &Clarification)| {
            let by = self.history.iter().rev().find(|attempt| attempt.turn == asked.turn);
            self.question_of_work() == Some(id) || by.is_some_and(|by| by.ending == Some(Ending::Asked))
        };
        self.open_clarifications().find(is_left)
    }

    /// Returns the question that the handoff at hand leaves open.
    pub fn question_of_work(&self) -> Option<&ClarificationId> {
        let question = self.run.submission.as_ref()?.question.as_ref()?;
        Some(&question.id)
    }

    /// Returns the gates that the work must pass: those of the stage, and the one that the handoff asks for. A gate of the
    /// stage keeps its weight whatever a handoff says of it.
    pub fn gate_rules(&self) -> Vec<GateRule> {
        gate_rules(self.stage(), self.run.submission.as_ref())
    }

    /// Returns what a person is asked, in the words of whoever asked.
    pub fn asks(&self) -> Option<&str> {
        let question = || self.open_clarifications().next().map(|(_, asked)| asked.question.as_str());
        let details = self.escalation.as_ref().map(|escalation| escalation.details.as_str());
        details.filter(|details| !details.is_empty()).or_else(question)
    }

    pub fn open_delegation(&self) -> Option<(&DelegationId, &Delegation)> {
        self.delegations.iter().find(|(_, delegation)| delegation.end.is_none())
    }

    /// Returns a gate that holds the task up. One that was asked for another version is asked again instead.
    pub fn open_gate(&self) -> Option<(&GateName, &Gate)> {
        self.gates.iter().find(|(_, gate)| gate.is_open_and_blocking() && self.is_current(gate))
    }

    /// Says whether what a gate shows is what there is.
    pub fn is_current(&self, gate: &Gate) -> bool {
        gate.turn.is_some() || self.shown().as_ref() == Some(&gate.shown)
    }

    pub fn waits_for_dependencies(&self) -> BTreeSet<TaskId> {
        let waiting = |(_, dependency): &(&TaskId, &Dependency)| **dependency == Dependency::Waiting;
        self.dependencies.iter().filter(waiting).map(|(on, _)| on.clone()).collect()
    }

    /// Returns what a person would be shown at a gate now.
    pub fn shown(&self) -> Option<Shown> {
        let submission = self.run.submission.as_ref()?;
        let tree = self.tree.clone()?;
        Some(Shown { tree, handoff: submission.document.blob.clone() })
    }

    /// Returns what counts for a turn whose cost nobody knows: all that was set aside for it, unless its program never counts.
    pub fn unknown_cost(&self, turn: &TurnId) -> u64 {
        let known = self.history.iter().rev().find(|attempt| attempt.turn == *turn);
        let program = known.and_then(|attempt| attempt.program.as_ref());
        match program.is_some_and(|program| !program.counts_tokens) {
            true => 0,
            false => self.budget.reserved_for(turn.as_str()),
        }
    }

    pub fn receipt_freshness(&self) -> Freshness {
        match (&self.run.receipt, &self.tree) {
            (Some(receipt), Some(tree))
                if receipt.tree_before == *tree && receipt.definition == self.definition =>
            {
                Freshness::Fresh
            }
            (Some(_), _) => Freshness::Stale,
            (None, _) => Freshness::Missing,
        }
    }

    pub fn report_freshness(&self) -> Freshness {
        match (&self.run.report, &self.tree) {
            (Some(report), Some(tree)) if report.tree_before == *tree => Freshness::Fresh,
            (Some(_), _) => Freshness::Stale,
            (None, _) => Freshness::Missing,
        }
    }

    pub fn is_waived(&self, what: &Waivable, now: i64) -> bool {
        self.waivers.get(what).is_some_and(|waiver| now < waiver.until)
    }

    pub fn next_turn_id(&self) -> TurnId {
        TurnId::fixed(format!("turn-{}", self.turns_count.saturating_add(1)))
    }
}
