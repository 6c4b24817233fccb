//! Who asks for what: seven seats, each with a turn of its own where it can have one, and one command of each kind.
//!
//! An entry point is tried by leading its log through [`opening`] and then asking for [`one_of_each`] from every seat.

use std::collections::BTreeSet;

use baton_engine::command::Act;
use baton_engine::envelope::{Actor, ActorKind, PROJECT_STREAM};
use baton_engine::fact::{
    AnswerSource, BlockReason, CheckResult, Disposition, Document, Ending, GateChoice, Guidance, LeaseToken,
    Outcome, Performer, Reason, Receipt, Report, Resolution, Shown, Submission, Understanding, Waivable,
};
use baton_engine::knowledge::wording;
use baton_engine::verdict::{Provenance, Verdict};
use baton_engine::word::{
    AgentName, ArtifactId, BlobId, CheckpointName, ClarificationId, CriterionId, DelegationId, GateName,
    SessionId, TaskId, TreeHash, TurnId, WorkflowName,
};
use baton_engine::workflow::{GateWeight, Review, Role, Workflow};

use crate::sim::word;

/// The task that everybody asks about.
pub const TASK: &str = "T1";
const WORKFLOW: &str = "tried";
const TREE: usize = 1;

/// A place from which something is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    Person,
    Builder,
    Verifier,
    Repair,
    Specialist,
    Orchestrator,
    Host,
}

impl Seat {
    pub const ALL: &[Self] = &[
        Self::Person,
        Self::Builder,
        Self::Verifier,
        Self::Repair,
        Self::Specialist,
        Self::Orchestrator,
        Self::Host,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Builder => "builder",
            Self::Verifier => "verifier",
            Self::Repair => "repair",
            Self::Specialist => "specialist",
            Self::Orchestrator => "orchestrator",
            Self::Host => "host",
        }
    }

    /// The role of the turn that is being taken while somebody asks from this seat.
    fn role(self) -> Role {
        match self {
            Self::Person | Self::Builder | Self::Orchestrator | Self::Host => Role::Builder,
            Self::Verifier => Role::Verifier,
            Self::Repair => Role::Repair,
            Self::Specialist => Role::Specialist,
        }
    }

    pub fn kind(self) -> ActorKind {
        match self {
            Self::Person => ActorKind::Person,
            Self::Builder | Self::Verifier | Self::Repair | Self::Specialist => ActorKind::Agent,
            Self::Orchestrator => ActorKind::Orchestrator,
            Self::Host => ActorKind::Host,
        }
    }

    /// Whoever sits there, with the token of the turn where it is an agent's.
    pub fn actor(self) -> Actor {
        match self.kind() {
            ActorKind::Person => Actor::new(ActorKind::Person, "ida"),
            ActorKind::Agent => Actor::new(ActorKind::Agent, self.agent()).with_turn(self.turn().as_str()),
            ActorKind::Orchestrator => Actor::new(ActorKind::Orchestrator, "baton"),
            ActorKind::Host => Actor::new(ActorKind::Host, "baton"),
        }
    }

    fn agent(self) -> &'static str {
        if self == Self::Verifier { "judge" } else { "maker" }
    }

    fn number(self) -> u64 {
        if self == Self::Verifier { 2 } else { 1 }
    }

    fn turn(self) -> TurnId {
        word(TurnId::new(format!("turn-{}", self.number())))
    }

    fn lease(self) -> LeaseToken {
        LeaseToken { turn: self.turn(), epoch: self.number() }
    }
}

/// Who does what, and in which stream, until the turn of a seat is being taken.
pub fn opening(seat: Seat) -> Vec<(&'static str, Actor, Act)> {
    let (person, orchestrator, host) = (Seat::Person.actor(), Seat::Orchestrator.actor(), Seat::Host.actor());
    let mut steps = vec![
        (PROJECT_STREAM, person.clone(), Act::AdoptCovenant { version: 1, policy_hash: blob(1) }),
        (PROJECT_STREAM, person.clone(), Act::DefineWorkflow { workflow: workflow(seat) }),
        (TASK, person, adding()),
    ];
    let mut take = |role, of: Seat| {
        steps.push((TASK, orchestrator.clone(), starting(role, of)));
        let snapshot = Act::RecordSnapshot { turn: of.turn(), reference: "ref".to_owned(), tree: tree(TREE) };
        steps.push((TASK, host.clone(), snapshot));
        steps.push((TASK, host.clone(), Act::Launch { lease: of.lease(), program: None }));
        if of != seat && seat == Seat::Verifier {
            let submit = Act::Submit { lease: of.lease(), submission: submission() };
            steps.push((TASK, of.actor(), submit));
            steps.push((TASK, host.clone(), Act::Spend { turn: of.turn(), tokens: 1, account: None }));
            steps.push((TASK, host.clone(), Act::RecordReceipt { receipt: receipt("before") }));
        }
    };
    if seat == Seat::Verifier {
        take(Role::Builder, Seat::Builder);
    }
    take(seat.role(), seat);
    steps
}

/// One stage whose worker has the role of the seat, with a verifier behind it.
fn workflow(seat: Seat) -> Workflow {
    let mut workflow = Workflow::built_in("single").unwrap_or_else(|| unreachable!("it is built in"));
    workflow.name = word(WorkflowName::new(WORKFLOW));
    let stage = &mut workflow.stages[0];
    stage.agent = word(AgentName::new("maker"));
    stage.role = if seat == Seat::Verifier { Role::Builder } else { seat.role() };
    stage.review = Review::Independent(word(AgentName::new("judge")));
    workflow
}

/// One command of each kind, as it would be asked while the turn of this seat is being taken.
pub fn one_of_each(seat: Seat) -> Vec<Act> {
    let lease = seat.lease();
    let shown = Shown { tree: tree(TREE), handoff: blob(9) };
    let task = |name: &str| word(TaskId::new(name));
    let words = || "words".to_owned();
    let gate = || word(GateName::new("gate"));
    let clarification = || word(ClarificationId::new("q"));
    let delegation = || word(DelegationId::new("d"));
    let lesson = wording::id("pattern", &wording::canonical("words"));
    vec![
        Act::AdoptCovenant { version: 2, policy_hash: blob(2) },
        Act::DefineWorkflow { workflow: Workflow { version: 2, ..workflow(seat) } },
        Act::DeclareDependency { task: task("A"), on: task("B") },
        Act::Pause { reason: words() },
        Act::Resume {},
        Act::ApproveLesson { lesson: lesson.clone(), text: words(), detail: None, words: words() },
        Act::RetireLesson { lesson, words: words() },
        adding(),
        Act::Depend { on: task("B") },
        Act::ReleaseDependency { on: task("B") },
        starting(Role::Builder, Seat::Builder),
        Act::RecordSnapshot { turn: seat.turn(), reference: words(), tree: tree(TREE) },
        Act::Launch { lease: lease.clone(), program: None },
        Act::Renew { lease: lease.clone() },
        Act::RecordPrompt { lease: lease.clone(), document: document("prompt") },
        Act::EndTurn {
            lease: lease.clone(),
            ending: Ending::Crash,
            spent_tokens: None,
            document: None,
            how: None,
            account: None,
            why: None,
        },
        Act::Expire {},
        Act::Acknowledge {
            lease: lease.clone(),
            document: document("acknowledgment"),
            handoff: document("other"),
            understanding: Understanding::Understood,
            blockers: Vec::new(),
            missing: Vec::new(),
        },
        Act::HandInPlan { lease: lease.clone(), document: document("plan") },
        Act::Submit { lease: lease.clone(), submission: submission() },
        Act::Ask {
            lease: lease.clone(),
            clarification: clarification(),
            document: document("question"),
            question: words(),
            options: Vec::new(),
        },
        Act::Answer {
            clarification: clarification(),
            document: document("answer"),
            answer: words(),
            source: AnswerSource::Person,
            covenant_place: None,
        },
        Act::ObserveTree { tree: tree(TREE + 1), definition: None },
        Act::RecordReceipt { receipt: receipt("after") },
        Act::RecordVerdict { lease: lease.clone(), report: report() },
        Act::AskGate {
            gate: gate(),
            weight: GateWeight::Blocking,
            items: Vec::new(),
            shown: shown.clone(),
            document: document("gate"),
            lease: Some(lease.clone()),
        },
        Act::AnswerGate { gate: gate(), choice: GateChoice::Approve, shown, words: words() },
        Act::Delegate {
            lease: lease.clone(),
            delegation: delegation(),
            to: word(AgentName::new("security")),
            child: task("D"),
            workflow: word(WorkflowName::new("single")),
            deliverable: words(),
            document: document("delegation"),
            budget_tokens: 1,
        },
        Act::Return { delegation: delegation(), document: document("result") },
        Act::Escalate {
            lease: Some(lease),
            document: document("escalation"),
            reason: BlockReason::ScopeChange,
            details: words(),
        },
        Act::Resolve { resolution: Resolution::Fail, words: words() },
        Act::Decide {
            document: document("decision"),
            disposition: Disposition::Accept,
            reason: Reason::AllCriteriaPass,
            refs: Vec::new(),
        },
        Act::Waive { what: Waivable::Criterion(criterion()), reason: words(), until: i64::MAX },
        Act::RecordRollback { applied: true, rescue: None, remediation: Vec::new() },
        Act::RecordMerge { tree: tree(TREE), merged: true, details: words(), receipt: None },
        Act::Spend { turn: seat.turn(), tokens: 1, account: None },
        Act::RecordNotice { notice: 0 },
        Act::Cancel { reason: words() },
    ]
}

fn adding() -> Act {
    Act::AddTask {
        task: word(TaskId::new(TASK)),
        title: "a task".to_owned(),
        document: document("order"),
        workflow: word(WorkflowName::new(WORKFLOW)),
        criteria: [criterion()].into(),
        depends_on: BTreeSet::new(),
        lineage: Vec::new(),
        assignee: None,
        budget_tokens: None,
    }
}

fn starting(role: Role, seat: Seat) -> Act {
    let number = seat.number();
    let name = |what: &str| document(&format!("{what}-{number}"));
    Act::StartTurn {
        role,
        agent: word(AgentName::new(seat.agent())),
        session: word(SessionId::new(format!("session-{number}"))),
        performer: Performer::Program,
        guidance: Guidance {
            document: name("guidance"),
            covenant_version: 1,
            policy_hash: blob(1),
            context: None,
        },
        request: (role == Role::Verifier).then(|| name("request")),
        apart: false,
    }
}

fn submission() -> Submission {
    Submission {
        files: None,
        findings: Vec::new(),
        document: document("handoff"),
        outcome: Outcome::Completed,
        problems: Vec::new(),
        claims: [(validation(), Verdict::Pass)].into(),
        block: None,
        question: None,
        gate: None,
        on_failure: None,
        tree: tree(TREE),
    }
}

fn receipt(name: &str) -> Receipt {
    let check = CheckResult {
        checkpoint: validation(),
        verdict: Verdict::Pass,
        provenance: Provenance::Observed,
        detail: "seen".to_owned(),
        output: None,
        hindrance: None,
    };
    Receipt {
        document: document(&format!("receipt-{name}")),
        checks: vec![check],
        tree_before: tree(TREE),
        tree_after: tree(TREE),
        danger: None,
        violations: Vec::new(),
        findings: Vec::new(),
        asserted: Vec::new(),
        confined_by: None,
        definition: None,
    }
}

fn report() -> Report {
    Report {
        document: document("report"),
        criteria: Vec::new(),
        doubts: Vec::new(),
        tree_before: tree(TREE),
        tree_after: tree(TREE),
        put_back: false,
        confined_by: None,
    }
}

fn validation() -> CheckpointName {
    word(CheckpointName::new("validation"))
}

fn criterion() -> CriterionId {
    word(CriterionId::new("c1"))
}

fn document(name: &str) -> Document {
    let digits: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
    Document { id: word(ArtifactId::new(name)), blob: word(BlobId::new(format!("{digits:0>64.64}"))) }
}

fn blob(number: u64) -> BlobId {
    word(BlobId::new(format!("{number:064x}")))
}

fn tree(number: usize) -> TreeHash {
    word(TreeHash::new(format!("{number:040x}")))
}
