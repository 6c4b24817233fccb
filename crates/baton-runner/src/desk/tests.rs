//! The desk on a real log: who is let in, what is remembered, and two hands at one task.

mod authority;
mod clock;
mod gate;
mod guest;

use std::fs;

use super::*;
use baton_engine::fact::{CheckResult, Receipt};
use baton_engine::verdict::{Provenance, Verdict};
use baton_engine::word::{CheckpointName, GateName, StageName, WorkflowName};
use baton_engine::workflow::{GateRule, GateWeight, Workflow};
use tempfile::TempDir;

use super::turn::NewTask;

/// A project in a folder of its own, and its log beside it.
pub(super) struct Project {
    folder: TempDir,
}

/// A moment in 2026, in milliseconds.
pub(super) const NOON: i64 = 1_790_000_000_000;
pub(super) const HOUR: i64 = 3_600_000;

impl Project {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        Self { folder }
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join("work").join(name), text).unwrap();
    }

    /// Somebody comes to the desk, with a clock of their own.
    pub(super) fn visit(&self, person: &str, now: i64) -> Desk {
        Desk::open(Visit {
            root: self.folder.path().join("work"),
            store: Some(self.folder.path().join("log")),
            caller: Caller::Person(person.to_owned()),
            now,
            checks: Vec::new(),
            workflows: vec![gated(), twice()],
            files: Files::default(),
            budgets: Default::default(),
        })
        .unwrap()
    }
}

/// The workflow `single`, with a gate behind it.
fn gated() -> Workflow {
    let mut workflow = Workflow::built_in("single").unwrap();
    workflow.name = WorkflowName::new("gated").unwrap();
    let gate =
        GateRule { name: GateName::new("release").unwrap(), weight: GateWeight::Blocking, items: Vec::new() };
    workflow.stages[0].gates.push(gate);
    workflow
}

/// Two stages with a gate of the same name: the first informs, the second asks.
fn twice() -> Workflow {
    let mut workflow = gated();
    workflow.name = WorkflowName::new("twice").unwrap();
    let mut first = workflow.stages[0].clone();
    first.name = StageName::new("draft").unwrap();
    first.gates[0].weight = GateWeight::Informing;
    workflow.stages.insert(0, first);
    workflow
}

/// The host saw that the check of the stage passes on the files as they are.
pub(super) fn checked(desk: &mut Desk) {
    let tree = desk.workspace.measure().unwrap();
    desk.observe(&id(), tree.clone()).unwrap();
    let serial = desk.task(&id()).unwrap().artifacts.len();
    let paper = paper::Paper::of(&format!("receipt-{serial}"), b"{}".to_vec()).unwrap();
    let check = CheckResult {
        checkpoint: CheckpointName::new("validation").unwrap(),
        verdict: Verdict::Pass,
        provenance: Provenance::Observed,
        detail: "it was run".to_owned(),
        output: None,
        hindrance: None,
    };
    let receipt = Receipt {
        document: paper.document.clone(),
        checks: vec![check],
        tree_before: tree.clone(),
        tree_after: tree,
        danger: None,
        violations: Vec::new(),
        confined_by: None,
        definition: None,
        findings: Vec::new(),
        asserted: Vec::new(),
    };
    let host = desk.actor(As::Host);
    desk.act(id().as_str(), &host, &Act::RecordReceipt { receipt }, &[&paper.bytes]).unwrap();
    desk.settle(&id()).unwrap();
}

pub(super) fn id() -> TaskId {
    TaskId::new("T1").unwrap()
}

pub(super) fn new_task(workflow: &str) -> NewTask {
    NewTask {
        id: id(),
        title: "a task".to_owned(),
        workflow: WorkflowName::new(workflow).unwrap(),
        criteria: BTreeMap::new(),
        depends_on: BTreeSet::new(),
        targets: Vec::new(),
    }
}

/// Returns the code of a refusal.
#[track_caller]
pub(super) fn code<T: fmt::Debug>(answer: Result<T, DeskError>) -> &'static str {
    match answer {
        Err(DeskError::Refused(rejection)) => rejection.refusal.name(),
        other => panic!("{other:?}"),
    }
}

/// A handoff that says that everything is done.
pub(super) const HANDOFF: &str = "---\nid: T1\nstage: implementation\ntitle: Tides\nstatus: complete\n\
    started_at: 2026-03-02T09:00:00Z\ncompleted_at: 2026-03-02T10:00:00Z\ncheckpoints:\n  - name: tests_written\n    \
    status: pass\n  - name: code_complete\n    status: pass\n  - name: tests_passing\n    status: pass\n  \
    - name: no_lint_errors\n    status: pass\nhandoff_ready: true\nretry_count: 0\n---\n\n# Tides\n\nThe table is printed.\n";
