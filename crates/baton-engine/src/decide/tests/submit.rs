use crate::command::Act;
use crate::desk::{Desk, orchestrator, person, tree};
use crate::envelope::{Actor, ActorKind};
use crate::fact::{Block, BlockReason, Outcome, Understanding};
use crate::state::StatusKind;
use crate::verdict::Verdict;

/// A task whose first stage is accepted and whose second turn was launched, not acknowledged.
fn handed_on() -> Desk {
    let mut desk = Desk::with("stages");
    desk.build(1);
    assert_eq!(desk.settle_by_policy(), ("accept", "stage_checks_pass"));
    let start = desk.starting(crate::workflow::Role::Builder, "architecture-agent", "s2");
    desk.go(orchestrator(), start);
    let turn = desk.lease().turn;
    let snapshot = Act::RecordSnapshot { turn, reference: "r".to_owned(), tree: tree(1) };
    desk.go(crate::desk::host(), snapshot);
    desk.go(crate::desk::host(), Act::Launch { lease: desk.lease(), program: None });
    desk
}

#[test]
fn a_handoff_is_acknowledged_before_work_is_handed_over() {
    let mut desk = handed_on();
    assert_eq!(desk.task().status().kind(), StatusKind::Waiting);
    let submission = desk.submission(tree(2));
    let act = Act::Submit { lease: desk.lease(), submission };
    assert_eq!(desk.refused(desk.agent(), act.clone()), "acknowledgment_missing");
    let acknowledge = desk.acknowledging(Understanding::Understood);
    assert_eq!(desk.go(desk.agent(), acknowledge), ["handoff_acknowledged"]);
    assert_eq!(desk.go(desk.agent(), act), ["handoff_received"]);
}

#[test]
fn an_acknowledgment_that_does_not_fit_is_refused() {
    let mut desk = handed_on();
    let mut other = desk.acknowledging(Understanding::Understood);
    if let Act::Acknowledge { handoff, .. } = &mut other {
        *handoff = desk.document();
    }
    assert_eq!(desk.refused(desk.agent(), other), "acknowledgment_wrong");
    let mut incomplete = desk.acknowledging(Understanding::Understood);
    if let Act::Acknowledge { missing, .. } = &mut incomplete {
        missing.push("docs/spec.md".to_owned());
    }
    assert_eq!(desk.refused(desk.agent(), incomplete), "acknowledgment_wrong");
}

#[test]
fn a_receiver_that_did_not_understand_opens_a_question() {
    let mut desk = handed_on();
    let partial = desk.acknowledging(Understanding::RequestClarification);
    assert_eq!(desk.go(desk.agent(), partial), ["handoff_acknowledged", "clarification_asked"]);
    assert!(desk.task().status().waits_for_person());
}

#[test]
fn only_the_holder_of_the_turn_hands_over() {
    let mut desk = Desk::with("single");
    desk.launch();
    let submission = desk.submission(tree(1));
    let act = Act::Submit { lease: desk.lease(), submission };
    let turn = desk.lease().turn;
    let other = Actor::new(ActorKind::Agent, "other").with_turn(turn.as_str());
    assert_eq!(desk.refused(other, act.clone()), "not_allowed");
    assert_eq!(desk.refused(Actor::new(ActorKind::Agent, "builder"), act.clone()), "not_allowed");
    assert_eq!(desk.refused(person(), act), "not_allowed");
}

#[test]
fn an_id_never_stands_for_other_content() {
    let mut desk = Desk::with("single");
    desk.build(1);
    let first = desk.task().run.submission.clone().unwrap();
    let again = Act::Submit {
        lease: crate::fact::LeaseToken { turn: desk.task().history[0].turn.clone(), epoch: 1 },
        submission: first,
    };
    let builder = Actor::new(ActorKind::Agent, "builder").with_turn("turn-1");
    assert_eq!(desk.refused(builder, again), "stale_lease");
    let mut desk = Desk::with("single");
    desk.fail(1);
    desk.launch();
    let known = desk.task().artifacts.keys().next().unwrap().clone();
    let mut rewritten = desk.submission(tree(2));
    rewritten.document.id = known;
    assert_eq!(
        desk.refused(desk.agent(), Act::Submit { lease: desk.lease(), submission: rewritten }),
        "artifact_conflict"
    );
}

#[test]
fn a_plan_comes_before_the_work_where_the_stage_wants_one() {
    let mut desk = Desk::with("waypoint");
    let start = desk.starting(crate::workflow::Role::Builder, "builder", "s");
    desk.go(orchestrator(), start);
    let turn = desk.lease().turn;
    let snapshot = Act::RecordSnapshot { turn, reference: "r".to_owned(), tree: tree(0) };
    desk.go(crate::desk::host(), snapshot);
    desk.go(crate::desk::host(), Act::Launch { lease: desk.lease(), program: None });
    let submission = desk.submission(tree(1));
    assert_eq!(desk.refused(desk.agent(), Act::Submit { lease: desk.lease(), submission }), "plan_missing");
}

#[test]
fn a_block_escalates_without_another_try() {
    for (reason, status) in [
        (BlockReason::NeedsHumanInput, StatusKind::Waiting),
        (BlockReason::ExternalDependency, StatusKind::Blocked),
        (BlockReason::ScopeChange, StatusKind::Waiting),
    ] {
        let mut desk = Desk::with("single");
        desk.launch();
        let mut submission = desk.submission(tree(1));
        submission.outcome = Outcome::Blocked;
        submission.block = Some(Block { reason, details: "no key".to_owned() });
        desk.go(desk.agent(), Act::Submit { lease: desk.lease(), submission });
        desk.settle();
        assert_eq!(desk.settle_by_policy(), ("escalate", reason.name()));
        assert_eq!(desk.task().status().kind(), status);
    }
}

#[test]
fn a_bad_document_and_unfinished_work_come_back() {
    let mut desk = Desk::with("single");
    desk.launch();
    let mut submission = desk.submission(tree(1));
    submission.problems = vec!["BT201".to_owned()];
    desk.go(desk.agent(), Act::Submit { lease: desk.lease(), submission });
    desk.settle();
    assert_eq!(desk.settle_by_policy(), ("rework", "handoff_invalid"));
    desk.launch();
    let mut submission = desk.submission(tree(2));
    submission.outcome = Outcome::Partial;
    desk.go(desk.agent(), Act::Submit { lease: desk.lease(), submission });
    desk.settle();
    assert_eq!(desk.settle_by_policy(), ("rework", "work_incomplete"));
    let feedback = desk.task().run.feedback.clone().unwrap();
    assert_eq!((feedback.attempt, feedback.attempts_max), (3, 4));
}

#[test]
fn an_agent_hands_its_task_to_a_person() {
    let mut desk = Desk::with("single");
    desk.launch();
    let document = desk.document();
    let reason = BlockReason::ScopeChange;
    let act = Act::Escalate { lease: None, document: document.clone(), reason, details: "more".to_owned() };
    assert_eq!(desk.refused(desk.agent(), act), "not_allowed");
    let lease = Some(desk.lease());
    let act = Act::Escalate { lease, document, reason, details: "more".to_owned() };
    assert_eq!(desk.go(desk.agent(), act), ["escalation_raised"]);
    desk.settle();
    assert_eq!(desk.settle_by_policy(), ("escalate", "scope_change"));
}

#[test]
fn claims_settle_only_what_nobody_else_can() {
    let mut desk = Desk::with("stages");
    desk.launch();
    let mut submission = desk.submission(tree(1));
    submission.claims.pop_first();
    desk.go(desk.agent(), Act::Submit { lease: desk.lease(), submission });
    desk.settle();
    desk.check(Verdict::Pass);
    assert_eq!(desk.settle_by_policy(), ("rework", "insufficient_evidence"));
}
