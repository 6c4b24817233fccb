use crate::command::Act;
use crate::desk::{Desk, host, orchestrator, person, tree};
use crate::fact::{Account, AgentProgram, AnswerSource, Ending, Resolution, SessionMode};
use crate::policy::{NotYet, consider};
use crate::state::StatusKind;
use crate::verdict::Verdict;
use crate::word::ClarificationId;
use crate::workflow::{FailurePolicy, Role, STOPS_MAX, VERIFICATIONS_MAX, Workflow};

#[test]
fn three_retries_and_then_a_person() {
    let mut desk = Desk::with("single");
    for number in 1..=3 {
        assert_eq!(desk.fail(number), ("rework", "checks_failed"));
        let feedback = desk.task().run.feedback.clone().unwrap();
        assert_eq!((feedback.attempt as usize, feedback.attempts_max), (number + 1, 4));
    }
    assert_eq!(desk.fail(4), ("escalate", "retries_exhausted"));
    assert_eq!(desk.task().status().kind(), StatusKind::Waiting);
    assert_eq!(consider(desk.task(), desk.now), Err(NotYet::LiesWithPerson));
}

#[test]
fn a_handoff_tightens_the_number_of_tries() {
    let mut desk = Desk::with("single");
    desk.launch();
    let mut submission = desk.submission(tree(1));
    submission.on_failure = Some(FailurePolicy { retry: Some(0), ..FailurePolicy::default() });
    desk.go(desk.agent(), Act::Submit { lease: desk.lease(), submission });
    desk.settle();
    desk.check(Verdict::Fail);
    assert_eq!(desk.settle_by_policy(), ("escalate", "retries_exhausted"));
}

#[test]
fn the_same_failure_again_is_no_attempt_and_the_answer_grows() {
    let mut desk = Desk::with("waypoint");
    let mut seen = Vec::new();
    loop {
        let (disposition, reason) = desk.fail(7);
        let next = desk.task().run.next.clone();
        seen.push((disposition, reason, desk.task().attempt().0));
        if disposition == "escalate" {
            break;
        }
        assert_eq!(next.unwrap().session == SessionMode::Fresh, seen.len() > 1);
    }
    let expected = [
        ("rework", "checks_failed", 2),
        ("rework", "checks_failed", 2),
        ("rework", "checks_failed", 2),
        ("escalate", "no_progress", 2),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn failures_go_where_the_stage_routes_them() {
    let mut desk = Desk::with("waypoint");
    desk.build(1);
    desk.verify(Verdict::Fail);
    desk.settle_by_policy();
    desk.launch();
    let turn = desk.task().turn.clone().unwrap();
    assert_eq!((turn.agent.as_str(), turn.role), ("repair", Role::Repair));
}

#[test]
fn what_a_check_of_the_host_says_goes_back_to_the_builder_where_another_judges() {
    let mut desk = Desk::with("waypoint");
    desk.fail(1);
    let next = desk.task().run.next.clone().unwrap();
    assert_eq!((next.agent.as_str(), next.session), ("builder", SessionMode::Same));
}

#[test]
fn a_question_at_the_end_of_a_turn_waits_for_its_answer_and_costs_no_attempt() {
    let mut desk = Desk::with("single");
    desk.launch();
    let (lease, document) = (desk.lease(), desk.document());
    let clarification = ClarificationId::fixed("q1");
    let (question, options) = ("Which harbour?".to_owned(), Vec::new());
    let agent = desk.agent();
    desk.go(agent, Act::Ask { lease, clarification: clarification.clone(), document, question, options });
    let (lease, ending) = (desk.lease(), Ending::Asked);
    let end = Act::EndTurn {
        lease,
        ending,
        spent_tokens: Some(0),
        document: None,
        how: Some("code:0".to_owned()),
        account: None,
        why: None,
    };
    desk.go(host(), end);
    assert_eq!(consider(desk.task(), desk.now), Err(NotYet::Clarification(clarification.clone())));
    assert!(desk.task().status().waits_for_person());
    assert_eq!(desk.task().history[0].how.as_deref(), Some("code:0"));
    let (document, source) = (desk.document(), AnswerSource::Person);
    let answer = "the new one".to_owned();
    desk.go(person(), Act::Answer { clarification, document, answer, source, covenant_place: None });
    assert_eq!(desk.settle_by_policy(), ("rework", "clarification_answered"));
    assert_eq!((desk.task().attempt().0, desk.task().run.lost), (1, None));
    assert_eq!(consider(desk.task(), desk.now), Err(NotYet::Work));
    assert_eq!(crate::invariant::violation(&desk.log), None);
}

#[test]
fn an_account_that_is_not_let_in_goes_to_a_person_at_once() {
    let mut desk = Desk::with("single");
    desk.launch();
    let (lease, ending) = (desk.lease(), Ending::AccessRefused);
    desk.go(
        host(),
        Act::EndTurn {
            lease,
            ending,
            spent_tokens: Some(0),
            document: None,
            how: None,
            account: None,
            why: None,
        },
    );
    assert_eq!(desk.settle_by_policy(), ("escalate", "access_refused"));
}

/// Lets whoever's turn it is be stopped by a person.
fn stop(desk: &mut Desk) {
    desk.launch();
    let (lease, ending) = (desk.lease(), Ending::Stopped);
    let (document, how, account, why) = (None, None, None, Some("its program was stopped".to_owned()));
    desk.go(host(), Act::EndTurn { lease, ending, spent_tokens: Some(0), document, how, account, why });
}

#[test]
fn turns_that_a_person_stopped_cost_no_attempt_and_have_a_ceiling() {
    let mut desk = Desk::with("single");
    assert_eq!(desk.fail(1), ("rework", "checks_failed"));
    let told = desk.task().run.feedback.clone();
    for _ in 0..STOPS_MAX {
        stop(&mut desk);
        assert_eq!(desk.settle_by_policy(), ("rework", "turn_stopped"));
        assert_eq!((desk.task().attempt().0, &desk.task().run.feedback), (2, &told));
    }
    stop(&mut desk);
    assert_eq!(desk.settle_by_policy(), ("rework", "turn_lost"));
    assert_eq!(desk.task().attempt().0, 3);
    assert_eq!(crate::invariant::violation(&desk.log), None);
}

#[test]
fn a_verifier_that_a_person_stopped_is_asked_again_and_told_nothing() {
    let mut desk = Desk::with("waypoint");
    desk.build(1);
    for _ in 0..=VERIFICATIONS_MAX {
        stop(&mut desk);
        assert_eq!(consider(desk.task(), desk.now), Err(NotYet::Verification));
        assert_eq!(desk.task().lost_verification(), None);
    }
    desk.verify(Verdict::Pass);
    assert_eq!(desk.settle_by_policy(), ("accept", "all_criteria_pass"));
}

#[test]
fn a_handoff_that_was_not_taken_is_an_attempt_and_its_agent_is_told_why() {
    let mut desk = Desk::with("single");
    desk.launch();
    let (lease, ending) = (desk.lease(), Ending::HandoffRefused);
    let why = Some("it names another task".to_owned());
    desk.go(
        host(),
        Act::EndTurn { lease, ending, spent_tokens: Some(0), document: None, how: None, account: None, why },
    );
    assert_eq!(desk.settle_by_policy(), ("rework", "handoff_invalid"));
    assert_eq!(desk.task().attempt().0, 2);
    let told = desk.task().run.feedback.as_ref().unwrap().text();
    assert!(told.contains("### Handoff\n**Status**: FAIL\n**Reason**: it names another task\n"), "{told}");
}

#[test]
fn a_plan_that_is_refused_is_an_attempt_and_the_next_turn_owes_one_again() {
    let mut desk = Desk::with("waypoint");
    desk.launch_unplanned();
    let (lease, ending) = (desk.lease(), Ending::PlanRefused);
    let why = Some("it covers no criterion".to_owned());
    desk.go(
        host(),
        Act::EndTurn { lease, ending, spent_tokens: Some(0), document: None, how: None, account: None, why },
    );
    assert_eq!(desk.settle_by_policy(), ("rework", "plan_invalid"));
    assert_eq!(desk.task().attempt().0, 2);
    let told = desk.task().run.feedback.as_ref().unwrap().text();
    assert!(told.contains("### Plan\n**Status**: FAIL\n**Reason**: it covers no criterion\n"), "{told}");
    desk.launch_unplanned();
    assert!(desk.task().owes_plan());
}

#[test]
fn a_plan_holds_for_every_attempt_until_a_person_sends_the_task_round_again() {
    let mut desk = Desk::with("waypoint");
    desk.build(1);
    assert!(desk.task().run.plan.is_some());
    desk.verify(Verdict::Fail);
    assert_eq!(desk.settle_by_policy(), ("rework", "criteria_failed"));
    desk.launch_unplanned();
    assert!(!desk.task().owes_plan());
    let again = Act::HandInPlan { lease: desk.lease(), document: desk.document() };
    assert_eq!(desk.go(desk.agent(), again), ["plan_received"]);
    let third = Act::HandInPlan { lease: desk.lease(), document: desk.document() };
    assert_eq!(desk.refused(desk.agent(), third), "already_so");
}

#[test]
fn a_verdict_decides_criterion_by_criterion() {
    for (verdict, expected) in [
        (Verdict::Pass, ("accept", "all_criteria_pass")),
        (Verdict::Fail, ("rework", "criteria_failed")),
        (Verdict::Inconclusive, ("rework", "insufficient_evidence")),
    ] {
        let mut desk = Desk::with("waypoint");
        desk.build(1);
        assert_eq!(consider(desk.task(), desk.now), Err(NotYet::Verification));
        desk.verify(verdict);
        assert_eq!(desk.settle_by_policy(), expected);
    }
}

#[test]
fn what_changes_after_the_verdict_is_judged_again() {
    let mut desk = Desk::with("waypoint");
    desk.build(1);
    desk.verify(Verdict::Pass);
    desk.go(host(), Act::ObserveTree { tree: tree(2), definition: None });
    assert_eq!(consider(desk.task(), desk.now), Err(NotYet::Checks));
    desk.check(Verdict::Pass);
    assert_eq!(consider(desk.task(), desk.now), Err(NotYet::Verification));
}

#[test]
fn doubts_of_the_verifier_are_missing_evidence() {
    let mut desk = Desk::with("waypoint");
    desk.build(1);
    desk.launch();
    let mut report = desk.report(Verdict::Pass);
    report.doubts.push("I could not run it".to_owned());
    desk.go(desk.agent(), Act::RecordVerdict { lease: desk.lease(), report });
    desk.settle();
    assert_eq!(desk.settle_by_policy(), ("rework", "insufficient_evidence"));
}

#[test]
fn nothing_is_decided_before_its_cost_is_known() {
    let mut desk = Desk::with("single");
    desk.launch();
    let submission = desk.submission(tree(1));
    desk.go(desk.agent(), Act::Submit { lease: desk.lease(), submission });
    assert_eq!(consider(desk.task(), desk.now), Err(NotYet::Usage("turn-1".to_owned())));
}

#[test]
fn a_budget_that_is_used_up_goes_to_a_person_and_not_round_again() {
    let mut workflow = Workflow::built_in("single").unwrap();
    workflow.budget_tokens = workflow.stages[0].limits.turn_tokens;
    let mut desk = Desk::of(workflow);
    desk.launch();
    desk.submit(tree(1));
    desk.check(Verdict::Fail);
    assert_eq!(desk.settle_by_policy(), ("rework", "checks_failed"));
    let start = desk.starting(Role::Builder, "builder", "s");
    assert_eq!(desk.refused(orchestrator(), start), "not_now");
    assert_eq!(desk.settle_by_policy(), ("escalate", "budget_exhausted"));
    let again = Act::Resolve { resolution: Resolution::Again, words: "go on".to_owned() };
    assert_eq!(desk.refused(person(), again), "resolution_not_possible");
}

/// Lets a program that counts take one turn which costs so much, and brings nothing.
fn ends_a_turn(desk: &mut Desk, told_microdollars: Option<u64>, lasts_ms: i64) {
    let start = desk.starting(Role::Builder, "builder", "s");
    desk.go(orchestrator(), start);
    let (turn, reference) = (desk.lease().turn, "snapshot".to_owned());
    desk.go(host(), Act::RecordSnapshot { turn, reference, tree: tree(0) });
    let program = AgentProgram { driver: "claude".to_owned(), model: None, counts_tokens: true };
    desk.go(host(), Act::Launch { lease: desk.lease(), program: Some(program) });
    desk.now += lasts_ms;
    let account =
        told_microdollars.map(|cost| Account { cost_microdollars: Some(cost), ..Account::default() });
    let (lease, ending, spent_tokens) = (desk.lease(), Ending::NoHandoff, Some(10));
    let (document, how, why) = (None, None, None);
    desk.go(host(), Act::EndTurn { lease, ending, spent_tokens, document, how, account, why });
    assert_eq!(desk.settle_by_policy().1, "turn_lost");
}

#[test]
fn dollars_that_are_used_up_go_to_a_person() {
    let dollar = 1_000_000;
    for (turn, told, more) in [
        // While anything is left a turn is begun, and what is set aside for it has to be left.
        (None, Some(dollar), true),
        (None, Some(2 * dollar), false),
        (Some(dollar), Some(dollar), true),
        (Some(dollar), Some(dollar + 1), false),
        // Whoever does not tell counts with what was set aside, and without that with everything.
        (Some(dollar), None, true),
        (Some(dollar + 1), None, false),
        (None, None, false),
    ] {
        let mut workflow = Workflow::built_in("single").unwrap();
        workflow.budget_microdollars = Some(2 * dollar);
        workflow.stages[0].limits.turn_microdollars = turn;
        let mut desk = Desk::of(workflow);
        ends_a_turn(&mut desk, told, 5);
        match more {
            true => ends_a_turn(&mut desk, told, 5),
            false => {
                assert_eq!(desk.settle_by_policy(), ("escalate", "budget_exhausted"), "{turn:?} {told:?}")
            }
        }
    }
}

#[test]
fn time_that_is_used_up_goes_to_a_person_and_no_turn_outlasts_it() {
    let mut workflow = Workflow::built_in("single").unwrap();
    workflow.budget_ms = Some(40 * 60_000);
    let mut desk = Desk::of(workflow);
    ends_a_turn(&mut desk, None, 25 * 60_000);
    let start = desk.starting(Role::Builder, "builder", "s");
    desk.go(orchestrator(), start);
    let turn = desk.task().turn.clone().unwrap();
    let left = turn.expires_at - turn.started_at;
    assert!((14 * 60_000..15 * 60_000).contains(&left), "{left}");
    desk.now = turn.expires_at;
    desk.go(orchestrator(), Act::Expire {});
    assert_eq!(desk.settle_by_policy(), ("rework", "turn_lost"));
    assert_eq!(desk.settle_by_policy(), ("escalate", "budget_exhausted"));
}

#[test]
fn every_built_in_workflow_can_be_carried_to_its_end() {
    for (name, end) in [
        ("single", StatusKind::DoneUnverified),
        ("stages", StatusKind::Done),
        ("phases", StatusKind::Done),
        ("steps", StatusKind::Done),
        ("waypoint", StatusKind::Done),
    ] {
        let mut desk = Desk::with(name);
        crate::evolve::tests::carry(&mut desk);
        assert_eq!(desk.task().status().kind(), end, "{name}");
        assert_eq!(crate::invariant::violation(&desk.log), None, "{name}");
    }
}
