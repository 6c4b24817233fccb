//! A desk for tests: carries one task from hand to hand, given what happened, when somebody asks, then what follows.

use std::collections::BTreeSet;

use crate::command::{Act, Command, Context};
use crate::decide::expected_worker;
use crate::envelope::{Actor, ActorKind};
use crate::fact::{
    CheckResult, CriterionVerdict, Document, Guidance, LeaseToken, Outcome, Performer, Receipt, Report,
    Submission, Understanding,
};
use crate::policy::{Ruling, consider};
use crate::verdict::{Provenance, Verdict};
use crate::word::{ArtifactId, BlobId, SessionId, TaskId, TreeHash, WorkflowName};
use crate::workflow::{Role, Workflow};
use crate::{Entry, Event, Rejection, State, Task, decide, evolve};

pub(crate) struct Desk {
    pub(crate) state: State,
    pub(crate) context: Context,
    pub(crate) log: Vec<Entry>,
    pub(crate) now: i64,
    number: u64,
}

impl Desk {
    /// A project with a covenant, and one task in this workflow.
    pub(crate) fn with(workflow: &str) -> Self {
        Self::of(Workflow::built_in(workflow).unwrap())
    }

    pub(crate) fn of(workflow: Workflow) -> Self {
        let mut desk = Self {
            state: State::default(),
            context: Context::default(),
            log: Vec::new(),
            now: 1_000,
            number: 0,
        };
        let policy_hash = desk.blob();
        desk.context.project.covenant = Some(crate::state::Covenant { version: 1, policy_hash });
        desk.context.project.workflows.insert(workflow.name.clone(), workflow.clone());
        let add = desk.adding(workflow.name);
        desk.go(person(), add);
        desk
    }

    pub(crate) fn adding(&mut self, workflow: WorkflowName) -> Act {
        Act::AddTask {
            task: TaskId::new("T1").unwrap(),
            title: "a task".to_owned(),
            document: self.document(),
            workflow,
            criteria: ["c1", "c2"].map(|id| crate::word::CriterionId::new(id).unwrap()).into(),
            depends_on: BTreeSet::new(),
            lineage: Vec::new(),
            assignee: None,
            budget_tokens: None,
        }
    }

    pub(crate) fn task(&self) -> &Task {
        self.state.task.as_ref().unwrap()
    }

    pub(crate) fn try_to(&mut self, actor: Actor, act: Act) -> Result<Vec<String>, Rejection> {
        self.now += 1;
        let command = Command { at: self.now, actor, key: None, act };
        let events = decide(&self.state, &command, &self.context)?;
        let kinds = events.iter().map(|event| event.kind().to_owned()).collect();
        for event in events {
            self.record(command.actor.clone(), event);
        }
        Ok(kinds)
    }

    /// Writes an event as if it had been decided.
    pub(crate) fn record(&mut self, actor: Actor, event: Event) {
        let version = self.state.version + 1;
        let entry = Entry { version, at: self.now, actor, event };
        self.state = evolve(std::mem::take(&mut self.state), &entry);
        self.log.push(entry);
    }

    #[track_caller]
    pub(crate) fn go(&mut self, actor: Actor, act: Act) -> Vec<String> {
        self.try_to(actor, act).unwrap()
    }

    #[track_caller]
    pub(crate) fn refused(&mut self, actor: Actor, act: Act) -> &'static str {
        self.try_to(actor, act).unwrap_err().refusal.name()
    }

    pub(crate) fn blob(&mut self) -> BlobId {
        self.number += 1;
        BlobId::new(format!("{:064x}", self.number)).unwrap()
    }

    pub(crate) fn document(&mut self) -> Document {
        let blob = self.blob();
        Document { id: ArtifactId::new(format!("a{}", self.number)).unwrap(), blob }
    }

    pub(crate) fn lease(&self) -> LeaseToken {
        let turn = self.task().turn.as_ref().unwrap();
        LeaseToken { turn: turn.id.clone(), epoch: turn.epoch }
    }

    /// The agent whose turn it is, with its token.
    pub(crate) fn agent(&self) -> Actor {
        let turn = self.task().turn.as_ref().unwrap();
        Actor::new(ActorKind::Agent, turn.agent.as_str()).with_turn(turn.id.as_str())
    }

    pub(crate) fn starting(&mut self, role: Role, agent: &str, session: &str) -> Act {
        let covenant = self.context.project.covenant.clone().unwrap();
        let document = self.document();
        let guidance = Guidance {
            document,
            covenant_version: covenant.version,
            policy_hash: covenant.policy_hash,
            context: None,
        };
        let request = (role == Role::Verifier).then(|| self.document());
        Act::StartTurn {
            role,
            agent: crate::word::AgentName::new(agent).unwrap(),
            session: SessionId::new(session).unwrap(),
            performer: Performer::Program,
            guidance,
            request,
            apart: false,
        }
    }

    /// Starts and launches the turn that is due, acknowledges what was handed over, and hands in the plan that is owed.
    pub(crate) fn launch(&mut self) {
        self.launch_unplanned();
        if self.task().owes_plan() {
            let document = self.document();
            self.go(self.agent(), Act::HandInPlan { lease: self.lease(), document });
        }
    }

    /// The same without a plan.
    pub(crate) fn launch_unplanned(&mut self) {
        let (role, agent) = match consider(self.task(), self.now) {
            Err(crate::policy::NotYet::Verification) => (Role::Verifier, self.task().verifier().cloned()),
            _ => expected_worker(self.task()),
        };
        let agent = agent.unwrap();
        let session = format!("{agent}-{}", self.task().turns_count);
        let start = self.starting(role, agent.as_str(), &session);
        self.go(orchestrator(), start);
        let turn = self.lease().turn;
        let at = self.task().tree.clone().unwrap_or_else(|| tree(0));
        self.go(host(), Act::RecordSnapshot { turn, reference: "ref".to_owned(), tree: at });
        self.go(host(), Act::Launch { lease: self.lease(), program: None });
        if self.task().owes_acknowledgment() {
            let act = self.acknowledging(Understanding::Understood);
            self.go(self.agent(), act);
        }
    }

    pub(crate) fn acknowledging(&mut self, understanding: Understanding) -> Act {
        let blockers = match understanding {
            Understanding::Understood => Vec::new(),
            _ => vec!["the plan is missing".to_owned()],
        };
        let document = self.document();
        let handoff = self.task().run.inbound.clone().unwrap();
        let lease = self.lease();
        Act::Acknowledge { lease, document, handoff, understanding, blockers, missing: Vec::new() }
    }

    pub(crate) fn submission(&mut self, at: TreeHash) -> Submission {
        let names = self.task().stage().unwrap().checkpoints.iter().map(|checkpoint| checkpoint.name.clone());
        let claims = names.map(|name| (name, Verdict::Pass)).collect();
        Submission {
            document: self.document(),
            outcome: Outcome::Completed,
            problems: Vec::new(),
            claims,
            block: None,
            question: None,
            gate: None,
            on_failure: None,
            files: None,
            findings: Vec::new(),
            tree: at,
        }
    }

    /// Hands over a tree and settles what the turn has cost.
    pub(crate) fn submit(&mut self, at: TreeHash) {
        let submission = self.submission(at);
        self.go(self.agent(), Act::Submit { lease: self.lease(), submission });
        self.settle();
    }

    pub(crate) fn settle(&mut self) {
        let turn = self.task().history.last().unwrap().turn.clone();
        self.go(host(), Act::Spend { turn, tokens: 10, account: None });
    }

    pub(crate) fn receipt(&mut self, verdict: Verdict) -> Receipt {
        let names: Vec<_> = self.task().stage().unwrap().host_checkpoints().cloned().collect();
        let check = |checkpoint| CheckResult {
            checkpoint,
            verdict,
            provenance: Provenance::Observed,
            detail: "seen".to_owned(),
            output: None,
            hindrance: None,
        };
        let at = self.task().tree.clone().unwrap();
        Receipt {
            document: self.document(),
            checks: names.into_iter().map(check).collect(),
            tree_before: at.clone(),
            tree_after: at,
            danger: None,
            violations: Vec::new(),
            findings: Vec::new(),
            asserted: Vec::new(),
            confined_by: None,
            definition: None,
        }
    }

    pub(crate) fn check(&mut self, verdict: Verdict) {
        let receipt = self.receipt(verdict);
        self.go(host(), Act::RecordReceipt { receipt });
    }

    pub(crate) fn report(&mut self, verdict: Verdict) -> Report {
        let evidence = vec![self.task().run.receipt.as_ref().unwrap().document.id.clone()];
        let criteria = self.task().criteria_in_force().into_iter();
        let criteria = criteria
            .map(|criterion| CriterionVerdict {
                criterion,
                verdict,
                evidence: evidence.clone(),
                reason: None,
            })
            .collect();
        let at = self.task().tree.clone().unwrap();
        let document = self.document();
        let (doubts, confined_by) = (Vec::new(), None);
        Report {
            document,
            criteria,
            doubts,
            tree_before: at.clone(),
            tree_after: at,
            put_back: false,
            confined_by,
        }
    }

    pub(crate) fn verify(&mut self, verdict: Verdict) {
        self.launch();
        let report = self.report(verdict);
        self.go(self.agent(), Act::RecordVerdict { lease: self.lease(), report });
        self.settle();
    }

    pub(crate) fn deciding(&mut self, ruling: &Ruling) -> Act {
        Act::Decide {
            document: self.document(),
            disposition: ruling.disposition,
            reason: ruling.reason,
            refs: ruling.refs.clone(),
        }
    }

    /// Takes the decision that is due, and returns its names.
    #[track_caller]
    pub(crate) fn settle_by_policy(&mut self) -> (&'static str, &'static str) {
        let ruling = consider(self.task(), self.now + 1).unwrap();
        let act = self.deciding(&ruling);
        self.go(orchestrator(), act);
        (ruling.disposition.name(), ruling.reason.name())
    }

    /// One attempt that the host finds wanting.
    pub(crate) fn fail(&mut self, number: usize) -> (&'static str, &'static str) {
        self.launch();
        self.submit(tree(number));
        self.check(Verdict::Fail);
        self.settle_by_policy()
    }

    /// Work that passes every check of the host.
    pub(crate) fn build(&mut self, number: usize) {
        self.launch();
        self.submit(tree(number));
        self.check(Verdict::Pass);
    }
}

pub(crate) fn tree(number: usize) -> TreeHash {
    TreeHash::new(format!("{number:040x}")).unwrap()
}

pub(crate) fn person() -> Actor {
    Actor::new(ActorKind::Person, "ada")
}

pub(crate) fn orchestrator() -> Actor {
    Actor::new(ActorKind::Orchestrator, "baton")
}

pub(crate) fn host() -> Actor {
    Actor::new(ActorKind::Host, "host")
}
