use crate::command::{Act, Standing};
use crate::desk::{Desk, host, orchestrator};
use crate::fact::{Ancestor, Charge, End, Ending, Reason};
use crate::policy::{NotYet, consider};
use crate::state::StatusKind;
use crate::word::{AgentName, DelegationId, TaskId, WorkflowName};
use crate::workflow::{DELEGATION_FANOUT_MAX, Workflow};

fn delegating(desk: &mut Desk, number: usize, to: &str) -> Act {
    let document = desk.document();
    Act::Delegate {
        lease: desk.lease(),
        delegation: DelegationId::new(format!("d{number}")).unwrap(),
        to: AgentName::new(to).unwrap(),
        child: TaskId::new(format!("D{number}")).unwrap(),
        workflow: WorkflowName::new("single").unwrap(),
        deliverable: "risks".to_owned(),
        document,
        budget_tokens: 1_000,
    }
}

/// A task whose stage lists agents to delegate to.
fn listing() -> Desk {
    let mut workflow = Workflow::built_in("single").unwrap();
    workflow.stages[0].routes = ["security", "verifier"].map(|name| AgentName::new(name).unwrap()).into();
    Desk::of(workflow)
}

fn returning(desk: &mut Desk, number: usize) -> Act {
    let document = desk.document();
    Act::Return { delegation: DelegationId::new(format!("d{number}")).unwrap(), document }
}

fn end_child(desk: &mut Desk, number: usize, spent_tokens: u64) {
    let standing = Standing { end: Some(End::DoneUnverified), spent_tokens, result: None };
    desk.context.standings.insert(TaskId::new(format!("D{number}")).unwrap(), standing);
}

#[test]
fn the_caller_waits_and_pays() {
    let mut desk = listing();
    desk.launch();
    let act = delegating(&mut desk, 1, "security");
    assert_eq!(desk.go(desk.agent(), act), ["delegated"]);
    assert_eq!(desk.task().status().kind(), StatusKind::Waiting);
    let early = returning(&mut desk, 1);
    assert_eq!(desk.refused(orchestrator(), early), "dependency_open");
    end_child(&mut desk, 1, 700);
    let act = returning(&mut desk, 1);
    assert_eq!(desk.go(orchestrator(), act), ["delegation_returned"]);
    assert_eq!(desk.task().budget.spent_tokens, 700);
    assert_eq!(desk.task().status().kind(), StatusKind::Working);
    let again = returning(&mut desk, 1);
    assert_eq!(desk.refused(orchestrator(), again), "not_now");
}

#[test]
fn delegations_go_in_no_circle_and_have_bounds() {
    let mut desk = listing();
    desk.launch();
    let own = delegating(&mut desk, 1, "builder");
    assert_eq!(desk.refused(desk.agent(), own), "delegation_cycle");
    for number in 0..DELEGATION_FANOUT_MAX {
        let act = delegating(&mut desk, number, "security");
        desk.go(desk.agent(), act);
        end_child(&mut desk, number, 0);
        let act = returning(&mut desk, number);
        desk.go(orchestrator(), act);
    }
    let act = delegating(&mut desk, 99, "security");
    assert_eq!(desk.refused(desk.agent(), act), "delegation_too_wide");
}

#[test]
fn a_chain_is_bounded_and_knows_who_waits_above() {
    let mut desk = listing();
    desk.launch();
    let above = |agent: &str| Ancestor {
        task: TaskId::new("T0").unwrap(),
        agent: AgentName::new(agent).unwrap(),
        delegation: DelegationId::new("d0").unwrap(),
    };
    desk.state.task.as_mut().unwrap().lineage = vec![above("architect")];
    let back = delegating(&mut desk, 1, "architect");
    assert_eq!(desk.refused(desk.agent(), back), "delegation_cycle");
    desk.state.task.as_mut().unwrap().lineage = vec![above("a"), above("b"), above("c"), above("d")];
    let deep = delegating(&mut desk, 1, "security");
    assert_eq!(desk.refused(desk.agent(), deep), "delegation_too_deep");
}

#[test]
fn a_delegation_beyond_the_budget_is_refused() {
    let mut desk = listing();
    desk.launch();
    let mut act = delegating(&mut desk, 1, "security");
    if let Act::Delegate { budget_tokens, .. } = &mut act {
        *budget_tokens = u64::MAX;
    }
    assert_eq!(desk.refused(desk.agent(), act), "budget_exhausted");
}

#[test]
fn a_refused_chain_names_its_path() {
    let mut desk = listing();
    desk.launch();
    let above = |task: &str, agent: &str| Ancestor {
        task: TaskId::new(task).unwrap(),
        agent: AgentName::new(agent).unwrap(),
        delegation: DelegationId::new("d0").unwrap(),
    };
    desk.state.task.as_mut().unwrap().lineage = vec![above("T8", "lead"), above("T9", "architect")];
    let act = delegating(&mut desk, 1, "lead");
    let refused = desk.try_to(desk.agent(), act).unwrap_err();
    assert_eq!(refused.details, "@lead → @architect → @builder → @lead");
    let lineage = vec![above("A", "a"), above("B", "b"), above("C", "c"), above("D", "d")];
    desk.state.task.as_mut().unwrap().lineage = lineage;
    let act = delegating(&mut desk, 1, "security");
    let refused = desk.try_to(desk.agent(), act).unwrap_err();
    assert_eq!(refused.details, "A → B → C → D → T1");
}

/// The child would have a verifier that is its builder, could never be added, and its caller would wait for ever.
#[test]
fn a_child_that_could_not_be_added_is_not_delegated() {
    let mut desk = listing();
    desk.launch();
    let mut act = delegating(&mut desk, 1, "verifier");
    if let Act::Delegate { workflow, .. } = &mut act {
        *workflow = WorkflowName::new("waypoint").unwrap();
    }
    assert_eq!(desk.refused(desk.agent(), act), "bad_workflow");
}

#[test]
fn an_agent_delegates_only_to_agents_that_its_stage_lists() {
    let mut desk = listing();
    desk.launch();
    let act = delegating(&mut desk, 1, "stranger");
    assert_eq!(desk.refused(desk.agent(), act), "route_not_listed");
}

#[test]
fn a_turn_that_ends_with_a_delegation_resumes_with_its_result() {
    let mut desk = listing();
    desk.launch();
    let ending = |desk: &Desk| Act::EndTurn {
        lease: desk.lease(),
        ending: Ending::Delegated,
        spent_tokens: Some(10),
        document: None,
        how: None,
        account: None,
        why: None,
    };
    let early = ending(&desk);
    assert_eq!(desk.refused(host(), early), "not_now", "nothing is delegated yet");
    let act = delegating(&mut desk, 1, "security");
    desk.go(desk.agent(), act);
    let end = ending(&desk);
    assert_eq!(desk.go(host(), end), ["turn_ended"]);
    assert_eq!(consider(desk.task(), desk.now), Err(NotYet::Delegation));
    end_child(&mut desk, 1, 700);
    let act = returning(&mut desk, 1);
    desk.go(orchestrator(), act);
    let ruling = consider(desk.task(), desk.now).unwrap();
    assert_eq!((ruling.reason, ruling.charge), (Reason::DelegationReturned, Charge::Nothing));
    assert_eq!(ruling.next.unwrap().agent.as_str(), "builder");
}
