use crate::command::{Act, Standing};
use crate::desk::{Desk, orchestrator, tree};
use crate::fact::End;
use crate::pending::{Effect, pending};
use crate::verdict::Verdict;
use crate::word::TaskId;
use crate::workflow::Role;

fn owed(desk: &Desk) -> Vec<Effect> {
    pending(&desk.state, &desk.context, desk.now)
}

#[test]
fn what_is_owed_follows_the_turn() {
    let mut desk = Desk::with("single");
    assert!(matches!(owed(&desk)[..], [Effect::GiveTurn { role: Role::Builder, .. }]));
    let start = desk.starting(Role::Builder, "builder", "s");
    desk.go(orchestrator(), start);
    assert!(matches!(owed(&desk)[..], [Effect::TakeSnapshot { .. }]));
    let turn = desk.lease().turn;
    let snapshot = Act::RecordSnapshot { turn, reference: "r".to_owned(), tree: tree(0) };
    desk.go(crate::desk::host(), snapshot);
    assert!(matches!(owed(&desk)[..], [Effect::StartAgent { .. }]));
    desk.go(crate::desk::host(), Act::Launch { lease: desk.lease(), program: None });
    assert!(owed(&desk).is_empty(), "a launched turn is never launched again");
    desk.now = desk.task().turn.as_ref().unwrap().expires_at;
    assert!(matches!(owed(&desk)[..], [Effect::Expire { .. }]));
    let submission = desk.submission(tree(1));
    desk.go(desk.agent(), Act::Submit { lease: desk.lease(), submission });
    assert!(matches!(owed(&desk)[..], [Effect::SettleCost { .. }]));
    desk.settle();
    assert!(matches!(owed(&desk)[..], [Effect::RunChecks { .. }]));
    desk.check(Verdict::Pass);
    assert!(matches!(owed(&desk)[..], [Effect::Decide(_)]));
    desk.settle_by_policy();
    assert!(matches!(owed(&desk)[..], [Effect::Merge { .. }]), "a program works apart");
    desk.go(
        crate::desk::host(),
        Act::RecordMerge { tree: tree(1), merged: true, details: String::new(), receipt: None },
    );
    assert!(owed(&desk).is_empty());
}

#[test]
fn nothing_is_started_in_a_paused_project() {
    let mut desk = Desk::with("single");
    desk.context.project.paused = Some("lunch".to_owned());
    assert!(owed(&desk).is_empty());
}

#[test]
fn an_edge_of_the_graph_reaches_the_task_and_is_released() {
    let mut desk = Desk::with("single");
    let on = TaskId::new("T0").unwrap();
    desk.context.project.edges.entry(TaskId::new("T1").unwrap()).or_default().insert(on.clone());
    assert!(owed(&desk).contains(&Effect::RecordDependency { on: on.clone() }));
    desk.go(orchestrator(), Act::Depend { on: on.clone() });
    assert!(owed(&desk).is_empty());
    let standing = Standing { end: Some(End::Done), ..Standing::default() };
    desk.context.standings.insert(on.clone(), standing);
    assert_eq!(owed(&desk), [Effect::Release { on }]);
}
