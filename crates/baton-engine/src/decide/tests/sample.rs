//! One command of each kind, for the tests that hold for all of them.

use crate::command::Act;
use crate::desk::{Desk, tree};
use crate::fact::{
    AnswerSource, BlockReason, Disposition, Ending, GateChoice, Reason, Report, Resolution, Shown,
    Understanding, Waivable,
};
use crate::verdict::Verdict;
use crate::word::{AgentName, ClarificationId, CriterionId, DelegationId, GateName, TaskId, WorkflowName};
use crate::workflow::{GateWeight, Role, Workflow};

pub(super) fn one_of_each(desk: &mut Desk) -> Vec<Act> {
    let task = |name: &str| TaskId::new(name).unwrap();
    let words = || "words".to_owned();
    let lease = desk.lease();
    let document = desk.document();
    let shown = Shown { tree: tree(0), handoff: document.blob.clone() };
    let policy_hash = desk.blob();
    let single = WorkflowName::new("single").unwrap();
    let gate = GateName::new("gate").unwrap();
    let clarification = ClarificationId::new("q").unwrap();
    let delegation = DelegationId::new("d").unwrap();
    let report = Report {
        document: document.clone(),
        criteria: Vec::new(),
        doubts: Vec::new(),
        tree_before: tree(0),
        tree_after: tree(0),
    };
    vec![
        Act::AdoptCovenant { version: 2, policy_hash },
        Act::DefineWorkflow { workflow: Workflow::built_in("single").unwrap() },
        Act::DeclareDependency { task: task("A"), on: task("B") },
        Act::Pause { reason: words() },
        Act::Resume {},
        desk.adding(single.clone()),
        Act::Depend { on: task("B") },
        Act::ReleaseDependency { on: task("B") },
        desk.starting(Role::Builder, "builder", "s"),
        Act::RecordSnapshot { turn: lease.turn.clone(), reference: words(), tree: tree(0) },
        Act::Launch { lease: lease.clone() },
        Act::Renew { lease: lease.clone() },
        Act::EndTurn { lease: lease.clone(), ending: Ending::Crash, spent_tokens: None },
        Act::Expire {},
        Act::Acknowledge {
            lease: lease.clone(),
            document: document.clone(),
            handoff: document.clone(),
            understanding: Understanding::Understood,
            blockers: Vec::new(),
            missing: Vec::new(),
        },
        Act::HandInPlan { lease: lease.clone(), document: document.clone() },
        Act::Submit { lease: lease.clone(), submission: desk.submission(tree(1)) },
        Act::Ask {
            lease: lease.clone(),
            clarification: clarification.clone(),
            document: document.clone(),
            question: words(),
            options: Vec::new(),
        },
        Act::Answer {
            clarification,
            document: document.clone(),
            answer: words(),
            source: AnswerSource::Person,
            covenant_place: None,
        },
        Act::ObserveTree { tree: tree(3) },
        Act::RecordReceipt { receipt: desk.receipt(Verdict::Pass) },
        Act::RecordVerdict { lease: lease.clone(), report },
        Act::AskGate {
            gate: gate.clone(),
            weight: GateWeight::Blocking,
            items: Vec::new(),
            shown: shown.clone(),
            document: document.clone(),
            lease: Some(lease.clone()),
        },
        Act::AnswerGate { gate, choice: GateChoice::Approve, shown, words: words() },
        Act::Delegate {
            lease: lease.clone(),
            delegation: delegation.clone(),
            to: AgentName::new("security").unwrap(),
            child: task("D"),
            workflow: single,
            deliverable: words(),
            document: document.clone(),
            budget_tokens: 1,
        },
        Act::Return { delegation, document: document.clone() },
        Act::Escalate {
            lease: Some(lease.clone()),
            document: document.clone(),
            reason: BlockReason::ScopeChange,
            details: words(),
        },
        Act::Resolve { resolution: Resolution::Fail, words: words() },
        Act::Decide {
            document,
            disposition: Disposition::Accept,
            reason: Reason::SelfChecked,
            refs: Vec::new(),
        },
        Act::Waive {
            what: Waivable::Criterion(CriterionId::new("c1").unwrap()),
            reason: words(),
            until: i64::MAX,
        },
        Act::RecordRollback { applied: true, rescue: None, remediation: Vec::new() },
        Act::RecordMerge { tree: tree(1), merged: true, details: words() },
        Act::Spend { turn: lease.turn, tokens: 1 },
        Act::RecordNotice { notice: 0 },
        Act::Cancel { reason: words() },
    ]
}
