use std::collections::BTreeSet;

use crate::command::{Act, Standing};
use crate::desk::{Desk, host, orchestrator, person};
use crate::fact::{End, Ending, Waivable};
use crate::state::{State, StatusKind};
use crate::word::{TaskId, WorkflowName};
use crate::workflow::Role;

fn task(name: &str) -> TaskId {
    TaskId::new(name).unwrap()
}

fn edge(desk: &mut Desk) {
    desk.context.project.edges.insert(task("T1"), BTreeSet::from([task("T0")]));
}

#[test]
fn a_task_is_added_once_in_a_workflow_that_exists() {
    let mut desk = Desk::with("single");
    let again = desk.adding(WorkflowName::new("single").unwrap());
    assert_eq!(desk.refused(person(), again), "task_exists");
    desk.state = State::default();
    let unknown = desk.adding(WorkflowName::new("nowhere").unwrap());
    assert_eq!(desk.refused(person(), unknown), "unknown_workflow");
    assert_eq!(desk.refused(person(), Act::Cancel { reason: "x".to_owned() }), "no_task");
}

#[test]
fn a_task_waits_for_another_and_is_released_by_its_end() {
    let mut desk = Desk::with("single");
    assert_eq!(desk.refused(person(), Act::Depend { on: task("T0") }), "undeclared_dependency");
    edge(&mut desk);
    assert_eq!(desk.go(person(), Act::Depend { on: task("T0") }), ["dependency_added"]);
    assert_eq!(desk.task().status().kind(), StatusKind::Pending);
    let start = desk.starting(Role::Builder, "builder", "s");
    assert_eq!(desk.refused(orchestrator(), start), "not_now");
    let release = || Act::ReleaseDependency { on: task("T0") };
    assert_eq!(desk.refused(orchestrator(), release()), "dependency_open");
    let standing = Standing { end: Some(End::Done), ..Standing::default() };
    desk.context.standings.insert(task("T0"), standing);
    assert_eq!(desk.go(orchestrator(), release()), ["dependency_released"]);
    assert_eq!(desk.task().status().kind(), StatusKind::Ready);
}

#[test]
fn a_dependency_that_failed_blocks_until_a_person_waives_it() {
    let mut desk = Desk::with("single");
    edge(&mut desk);
    desk.go(person(), Act::Depend { on: task("T0") });
    let standing = Standing { end: Some(End::Failed), ..Standing::default() };
    desk.context.standings.insert(task("T0"), standing);
    let release = Act::ReleaseDependency { on: task("T0") };
    assert_eq!(desk.go(orchestrator(), release), ["dependency_failed"]);
    assert_eq!(desk.task().status().kind(), StatusKind::Blocked);
    let what = Waivable::Dependency(task("T0"));
    let until = desk.now + 1_000;
    desk.go(person(), Act::Waive { what, reason: "done by hand".to_owned(), until });
    assert_eq!(desk.task().status().kind(), StatusKind::Ready);
}

#[test]
fn a_task_is_cancelled_when_its_agent_has_stopped() {
    let mut desk = Desk::with("single");
    desk.launch();
    let cancel = || Act::Cancel { reason: "enough".to_owned() };
    assert_eq!(desk.go(person(), cancel()), ["cancel_requested"]);
    assert_eq!(desk.task().status().kind(), StatusKind::Waiting);
    assert_eq!(desk.refused(person(), cancel()), "already_so");
    let act = Act::EndTurn {
        lease: desk.lease(),
        ending: Ending::Stopped,
        spent_tokens: Some(5),
        document: None,
        how: None,
        account: None,
        why: None,
    };
    assert_eq!(desk.go(host(), act), ["turn_ended", "task_ended"]);
    assert_eq!(desk.task().status().kind(), StatusKind::Cancelled);
}

#[test]
fn a_cancelled_task_leaves_nothing_unsettled() {
    let mut desk = Desk::with("single");
    desk.launch();
    let submission = desk.submission(crate::desk::tree(1));
    desk.go(desk.agent(), Act::Submit { lease: desk.lease(), submission });
    let kinds = desk.go(person(), Act::Cancel { reason: "enough".to_owned() });
    assert_eq!(kinds, ["cancel_requested", "spent", "task_ended"]);
    assert!(desk.task().budget.reserved_tokens.is_empty());
}
