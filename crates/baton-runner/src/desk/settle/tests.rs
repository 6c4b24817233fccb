//! A command that ends between two of its appends is finished by the next one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use baton_engine::command::Act;
use baton_engine::envelope::PROJECT_STREAM;
use baton_engine::state::StatusKind;
use baton_engine::word::{AgentName, DelegationId, TaskId, WorkflowName};
use tempfile::TempDir;

use crate::config::Files;
use crate::desk::caller::Visitor;
use crate::desk::paper::Paper;
use crate::desk::turn::NewTask;
use crate::desk::{As, Desk, Visit};

struct Office {
    folder: TempDir,
}

impl Office {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        Self { folder }
    }

    /// Every visit opens the log anew, as every command does.
    fn desk(&self) -> Desk {
        Desk::open(Visit {
            root: self.folder.path().join("project"),
            store: Some(self.folder.path().join("store")),
            caller: crate::desk::caller::Caller::Person("ann".to_owned()),
            now: 1_000_000,
            checks: Vec::new(),
            workflows: Vec::new(),
            files: Files::default(),
            budgets: Default::default(),
        })
        .unwrap()
    }

    fn add(&self, id: &str) {
        let new = NewTask {
            id: task(id),
            title: id.to_owned(),
            workflow: WorkflowName::new("single").unwrap(),
            criteria: BTreeMap::new(),
            depends_on: BTreeSet::new(),
            targets: Vec::new(),
        };
        self.desk().add_task(new).unwrap();
    }

    fn status(&self, id: &str) -> StatusKind {
        self.desk().task(&task(id)).unwrap().status().kind()
    }
}

fn task(id: &str) -> TaskId {
    TaskId::new(id).unwrap()
}

fn delegating(desk: &Desk, number: usize) -> (Act, Paper) {
    let (_, _, lease) = desk.live(&task("T1")).unwrap();
    let paper = Paper::of(&format!("delegation-{number}"), b"{}".to_vec()).unwrap();
    let act = Act::Delegate {
        lease,
        delegation: DelegationId::new(format!("d{number}")).unwrap(),
        to: AgentName::new("tables").unwrap(),
        child: task(&format!("C{number}")),
        workflow: WorkflowName::new("single").unwrap(),
        deliverable: "a table".to_owned(),
        document: paper.document.clone(),
        budget_tokens: 500_000,
    };
    (act, paper)
}

#[test]
fn a_child_is_added_and_comes_back_whoever_comes_next() {
    let office = Office::new();
    office.add("T1");
    office.desk().receive(&task("T1")).unwrap();
    let mut desk = office.desk();
    let (act, paper) = delegating(&desk, 1);
    desk.act("T1", &desk.actor(As::Visitor).with_turn("turn-1"), &act, &[&paper.bytes]).unwrap();
    drop(desk);
    assert!(office.desk().task(&task("C1")).is_err(), "the command ended here");
    // A command about another task is enough.
    office.add("T2");
    assert_eq!(office.status("C1"), StatusKind::Ready);

    let mut desk = office.desk();
    let cancel = Act::Cancel { reason: "enough".to_owned() };
    desk.act("C1", &desk.actor(As::Visitor), &cancel, &[]).unwrap();
    drop(desk);
    assert_eq!(office.status("T1"), StatusKind::Waiting, "the command ended here");
    office.add("T3");
    assert_eq!(office.status("T1"), StatusKind::Working);
    let log: Vec<String> = office
        .desk()
        .entries(Some(&task("T1")))
        .unwrap()
        .iter()
        .map(|(event, _)| event.kind.clone())
        .collect();
    assert_eq!(log.iter().filter(|kind| *kind == "delegation_returned").count(), 1);
}

#[test]
fn edges_and_releases_are_made_up_for() {
    let office = Office::new();
    for id in ["T1", "T2", "T3"] {
        office.add(id);
    }
    let mut desk = office.desk();
    let declare = Act::DeclareDependency { task: task("T2"), on: task("T1") };
    desk.act(PROJECT_STREAM, &desk.actor(As::Visitor), &declare, &[]).unwrap();
    drop(desk);
    assert_eq!(office.status("T2"), StatusKind::Ready, "the command ended here");
    office.desk().cancel(&task("T3"), "enough").unwrap();
    assert_eq!(office.status("T2"), StatusKind::Pending);

    let mut desk = office.desk();
    let cancel = Act::Cancel { reason: "enough".to_owned() };
    desk.act("T1", &desk.actor(As::Visitor), &cancel, &[]).unwrap();
    drop(desk);
    assert_eq!(office.status("T2"), StatusKind::Pending, "the command ended here");
    office.add("T4");
    assert_eq!(office.status("T2"), StatusKind::Blocked, "what it needed was cancelled");
}

#[test]
fn a_turn_that_was_begun_is_launched_and_told_again() {
    let office = Office::new();
    office.add("T1");
    let first = office.desk().receive(&task("T1")).unwrap();
    let again = office.desk().receive(&task("T1")).unwrap();
    assert_eq!((first.turn, first.guidance), (again.turn, again.guidance));
    let saved = office.desk().saved(&task("T1")).unwrap();
    assert!(saved.len() == 1 && saved[0].is_kept, "{saved:?}");
}

#[test]
fn a_turn_whose_time_is_up_goes_to_whoever_wants_it() {
    let office = Office::new();
    office.add("T1");
    office.desk().receive(&task("T1")).unwrap();
    let mut other = office.desk();
    other.visitor = Visitor::Person("bob".to_owned());
    assert!(other.receive(&task("T1")).is_err(), "it is still ann's");
    other.now += 24 * 60 * 60 * 1000;
    let received = other.receive(&task("T1")).unwrap();
    assert_eq!((received.turn.session.as_str(), received.turn.attempt.0), ("bob", 2));
}

#[test]
fn nothing_is_hinted_at_when_nothing_is_owed() {
    let office = Office::new();
    office.add("T1");
    office.desk().receive(&task("T1")).unwrap();
    let desk = office.desk();
    assert_eq!(baton_store::view::owed::tasks(desk.log()).unwrap(), Vec::<String>::new());
}
