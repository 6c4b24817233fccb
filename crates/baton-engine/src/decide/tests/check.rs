use crate::command::Act;
use crate::desk::{Desk, host, orchestrator, person, tree};
use crate::fact::{ArtifactKind, CheckResult, Danger, Hindrance, Resolution, Waivable};
use crate::policy::{NotYet, consider};
use crate::state::{Freshness, StatusKind};
use crate::verdict::{Provenance, Verdict};
use crate::word::{BlobId, CheckpointName};
use crate::workflow::Role;

#[test]
fn a_receipt_speaks_of_the_tree_that_is_there() {
    let mut desk = Desk::with("single");
    desk.launch();
    desk.submit(tree(1));
    assert_eq!(desk.task().status().kind(), StatusKind::Checking);
    let mut receipt = desk.receipt(Verdict::Pass);
    receipt.tree_before = tree(9);
    assert_eq!(desk.refused(host(), Act::RecordReceipt { receipt }), "stale_tree");
    desk.check(Verdict::Pass);
    assert_eq!(desk.task().receipt_freshness(), Freshness::Fresh);
    desk.go(host(), Act::ObserveTree { tree: tree(2), definition: None });
    assert_eq!(desk.task().receipt_freshness(), Freshness::Stale);
}

#[test]
fn only_a_plain_pass_opens_the_door() {
    for verdict in [Verdict::Fail, Verdict::Inconclusive] {
        let mut desk = Desk::with("single");
        desk.launch();
        desk.submit(tree(1));
        desk.check(verdict);
        assert_eq!(desk.settle_by_policy().0, "rework");
    }
    let mut silent = Desk::with("single");
    silent.launch();
    silent.submit(tree(1));
    let mut receipt = silent.receipt(Verdict::Pass);
    receipt.checks.clear();
    silent.go(host(), Act::RecordReceipt { receipt });
    assert_eq!(silent.settle_by_policy(), ("rework", "insufficient_evidence"));
    let mut wrote = Desk::with("single");
    wrote.launch();
    wrote.submit(tree(1));
    let mut receipt = wrote.receipt(Verdict::Pass);
    receipt.tree_after = tree(7);
    wrote.go(host(), Act::RecordReceipt { receipt });
    assert_eq!(wrote.settle_by_policy(), ("rework", "insufficient_evidence"));
}

#[test]
fn danger_rolls_back_and_violations_go_to_a_person() {
    for (danger, reason) in [(Danger::Safety, "safety"), (Danger::Regression, "regression")] {
        let mut desk = Desk::with("single");
        desk.launch();
        desk.submit(tree(1));
        let mut receipt = desk.receipt(Verdict::Pass);
        receipt.danger = Some(danger);
        desk.go(host(), Act::RecordReceipt { receipt });
        assert_eq!(desk.settle_by_policy(), ("rollback", reason));
    }
    let mut desk = Desk::with("single");
    desk.launch();
    desk.submit(tree(1));
    let mut receipt = desk.receipt(Verdict::Pass);
    receipt.violations.push("changed CI".to_owned());
    desk.go(host(), Act::RecordReceipt { receipt });
    assert_eq!(desk.settle_by_policy(), ("escalate", "policy_conflict"));
}

#[test]
fn a_verifier_is_somebody_else_in_another_session() {
    let mut desk = Desk::with("waypoint");
    desk.build(1);
    let session = desk.task().writers.iter().next().unwrap().session.clone();
    let shared = desk.starting(Role::Verifier, "verifier", session.as_str());
    assert_eq!(desk.refused(orchestrator(), shared), "not_independent");
    let builder = desk.starting(Role::Verifier, "builder", "fresh");
    assert_eq!(desk.refused(orchestrator(), builder), "wrong_agent");
}

#[test]
fn a_builder_hands_in_no_verdict_and_a_verifier_no_work() {
    let mut desk = Desk::with("waypoint");
    desk.build(1);
    desk.launch();
    let submission = desk.submission(tree(2));
    assert_eq!(desk.refused(desk.agent(), Act::Submit { lease: desk.lease(), submission }), "stale_lease");
    let mut desk = Desk::with("waypoint");
    desk.fail(1);
    desk.launch();
    desk.submit(tree(2));
    desk.check(Verdict::Pass);
    let report = desk.report(Verdict::Pass);
    let lease = crate::fact::LeaseToken { turn: desk.task().history[0].turn.clone(), epoch: 1 };
    let builder =
        crate::envelope::Actor::new(crate::envelope::ActorKind::Agent, "builder").with_turn("turn-1");
    assert_eq!(desk.refused(builder, Act::RecordVerdict { lease, report }), "stale_lease");
}

#[test]
fn a_report_that_cannot_count_is_void() {
    let void = |bend: fn(&mut crate::fact::Report)| {
        let mut desk = Desk::with("waypoint");
        desk.build(1);
        desk.launch();
        let mut report = desk.report(Verdict::Pass);
        bend(&mut report);
        desk.go(desk.agent(), Act::RecordVerdict { lease: desk.lease(), report })
    };
    assert_eq!(void(|_| {}), ["verdict_reported"]);
    assert_eq!(void(|report| report.tree_after = tree(8)), ["verdict_voided"]);
    assert_eq!(void(|report| report.put_back = true), ["verdict_voided"]);
    assert_eq!(
        void(|report| (report.tree_before, report.tree_after) = (tree(8), tree(8))),
        ["verdict_voided"]
    );
    assert_eq!(void(|report| drop(report.criteria.pop())), ["verdict_voided"]);
    assert_eq!(void(|report| report.criteria.push(report.criteria[0].clone())), ["verdict_voided"]);
    assert_eq!(void(|report| report.criteria[0].evidence.clear()), ["verdict_voided"]);
    assert_eq!(
        void(|report| report.criteria[0].evidence = vec![crate::word::ArtifactId::new("nowhere").unwrap()]),
        ["verdict_voided"]
    );
}

#[test]
fn void_verifications_are_bounded() {
    let mut desk = Desk::with("waypoint");
    desk.build(1);
    for _ in 0..crate::workflow::VERIFICATIONS_MAX {
        desk.launch();
        let mut report = desk.report(Verdict::Pass);
        report.tree_after = tree(8);
        desk.go(desk.agent(), Act::RecordVerdict { lease: desk.lease(), report });
        desk.settle();
    }
    assert_eq!(desk.settle_by_policy(), ("escalate", "verification_exhausted"));
}

#[test]
fn after_verifications_that_came_to_nothing_a_person_has_the_same_work_verified_again() {
    let mut desk = Desk::with("waypoint");
    desk.build(1);
    for _ in 0..crate::workflow::VERIFICATIONS_MAX {
        desk.launch();
        let mut report = desk.report(Verdict::Pass);
        report.criteria.clear();
        desk.go(desk.agent(), Act::RecordVerdict { lease: desk.lease(), report });
        desk.settle();
        let lost = desk.task().lost_verification().unwrap();
        assert!(lost.why.as_deref().unwrap().contains("this is no verification report"), "{lost:?}");
    }
    assert_eq!(desk.settle_by_policy(), ("escalate", "verification_exhausted"));
    let again = Act::Resolve { resolution: Resolution::Again, words: "ask again".to_owned() };
    desk.go(person(), again);
    assert_eq!(consider(desk.task(), desk.now), Err(NotYet::Verification));
    desk.verify(Verdict::Pass);
    assert_eq!(desk.settle_by_policy(), ("accept", "all_criteria_pass"));
    assert_eq!(crate::invariant::violation(&desk.log), None);
}

#[test]
fn checks_that_are_defined_anew_make_the_receipt_stale_until_they_were_run() {
    let defined = |digit: &str| Some(BlobId::new(digit.repeat(64)).unwrap());
    let observe = |definition| Act::ObserveTree { tree: tree(1), definition };
    let mut desk = Desk::with("single");
    desk.launch();
    desk.submit(tree(1));
    assert_eq!(desk.refused(host(), observe(defined("a"))), "already_so", "there is no receipt yet");
    let mut receipt = desk.receipt(Verdict::Pass);
    receipt.definition = defined("a");
    desk.go(host(), Act::RecordReceipt { receipt });
    assert_eq!(desk.refused(host(), observe(defined("a"))), "already_so");
    assert_eq!(desk.refused(host(), observe(None)), "already_so", "whoever does not know says nothing");
    assert_eq!(desk.go(host(), observe(defined("b"))), ["tree_observed"]);
    assert_eq!(desk.task().receipt_freshness(), Freshness::Stale);
    let mut receipt = desk.receipt(Verdict::Fail);
    receipt.definition = defined("b");
    desk.go(host(), Act::RecordReceipt { receipt });
    assert_eq!(desk.settle_by_policy(), ("rework", "checks_failed"));
}

fn hinder(desk: &mut Desk, verdict: Verdict, by: Hindrance) {
    let mut receipt = desk.receipt(verdict);
    receipt.checks.iter_mut().for_each(|check| check.hindrance = Some(by));
    desk.go(host(), Act::RecordReceipt { receipt });
}

/// A task whose check fails as it did before the work, and of which the agent was told once.
fn failed_before() -> Desk {
    let mut desk = Desk::with("single");
    desk.launch();
    desk.submit(tree(1));
    hinder(&mut desk, Verdict::Fail, Hindrance::FailedBefore);
    assert_eq!(desk.settle_by_policy(), ("rework", "checks_failed"));
    assert!(desk.task().run.told_of_before);
    desk.launch();
    desk.submit(tree(2));
    hinder(&mut desk, Verdict::Inconclusive, Hindrance::FailedBefore);
    assert_eq!(desk.settle_by_policy(), ("escalate", "failed_before"));
    desk
}

#[test]
fn a_check_that_nobody_named_or_that_never_ends_is_for_a_person() {
    let mut unnamed = Desk::with("single");
    unnamed.launch();
    unnamed.submit(tree(1));
    hinder(&mut unnamed, Verdict::Inconclusive, Hindrance::NotNamed);
    assert_eq!(unnamed.settle_by_policy(), ("escalate", "check_unavailable"));
    let mut slow = Desk::with("single");
    let expected = [("rework", "insufficient_evidence"), ("escalate", "check_unavailable")];
    for (number, expected) in (1..).zip(expected) {
        slow.launch();
        slow.submit(tree(number));
        hinder(&mut slow, Verdict::Inconclusive, Hindrance::TimedOut);
        assert_eq!(slow.settle_by_policy(), expected);
    }
}

#[test]
fn what_no_agent_can_mend_goes_to_a_person_and_the_checks_are_run_again_after() {
    let again = || Act::Resolve { resolution: Resolution::Again, words: "it is there now".to_owned() };
    let mut missing = Desk::with("single");
    missing.launch();
    missing.submit(tree(1));
    hinder(&mut missing, Verdict::Inconclusive, Hindrance::NotStarted);
    assert_eq!(missing.settle_by_policy(), ("escalate", "check_unavailable"));
    assert_eq!(missing.task().run.failures, 0);
    missing.go(person(), again());
    assert_eq!(missing.task().status().kind(), StatusKind::Checking, "the work is still there");
    missing.check(Verdict::Pass);
    assert_eq!(missing.settle_by_policy(), ("accept", "self_checked"));

    let mut before = failed_before();
    before.go(person(), again());
    assert_eq!(before.task().status().kind(), StatusKind::Ready, "a person wants it mended");
    let mut waived = failed_before();
    let (what, until) = (Waivable::Checkpoint(CheckpointName::fixed("validation")), waived.now + 1000);
    waived.go(person(), Act::Waive { what, reason: "known".to_owned(), until });
    waived.go(person(), again());
    assert_eq!(waived.task().status().kind(), StatusKind::Checking);
}

#[test]
fn what_a_check_printed_is_kept_with_its_receipt() {
    let mut desk = Desk::with("single");
    desk.launch();
    desk.submit(tree(1));
    let mut receipt = desk.receipt(Verdict::Pass);
    let output = desk.document();
    receipt.checks[0].output = Some(output.clone());
    desk.go(host(), Act::RecordReceipt { receipt });
    assert_eq!(desk.task().artifacts[&output.id].kind, ArtifactKind::CheckOutput);
}

#[test]
fn what_the_host_sees_to_be_false_no_claim_makes_true() {
    for (verdict, expected) in
        [(Verdict::Fail, ("rework", "checks_failed")), (Verdict::Pass, ("accept", "stage_checks_pass"))]
    {
        let mut desk = Desk::with("stages");
        desk.launch();
        desk.submit(tree(1));
        let mut receipt = desk.receipt(Verdict::Pass);
        receipt.checks.push(CheckResult {
            checkpoint: CheckpointName::fixed("no_open_blockers"),
            verdict,
            provenance: Provenance::Derived,
            detail: "the handoff names a blocker".to_owned(),
            output: None,
            hindrance: None,
        });
        desk.go(host(), Act::RecordReceipt { receipt });
        assert_eq!(desk.settle_by_policy(), expected);
    }
}

/// Two checks: the first did not pass for one reason, the second for another.
fn hinder_two(desk: &mut Desk, first: Hindrance, second: Hindrance) {
    let mut receipt = desk.receipt(Verdict::Inconclusive);
    let mut more = receipt.checks[0].clone();
    more.checkpoint = CheckpointName::fixed("speed");
    (receipt.checks[0].hindrance, more.hindrance) = (Some(first), Some(second));
    receipt.checks.push(more);
    desk.go(host(), Act::RecordReceipt { receipt });
}

#[test]
fn work_whose_old_failure_is_let_pass_stays_though_another_check_took_too_long() {
    let mut desk = Desk::with("single");
    desk.launch();
    desk.submit(tree(1));
    hinder_two(&mut desk, Hindrance::FailedBefore, Hindrance::TimedOut);
    assert_eq!(desk.settle_by_policy(), ("escalate", "failed_before"));
    let (what, until) = (Waivable::Checkpoint(CheckpointName::fixed("validation")), desk.now + 1000);
    desk.go(person(), Act::Waive { what, reason: "known".to_owned(), until });
    desk.go(person(), Act::Resolve { resolution: Resolution::Again, words: "let it pass".to_owned() });
    assert_eq!(desk.task().status().kind(), StatusKind::Checking, "the work is still there");
}

#[test]
fn a_check_that_took_too_long_counts_as_told_only_where_an_agent_heard_of_it() {
    let mut desk = Desk::with("single");
    desk.launch();
    desk.submit(tree(1));
    let mut receipt = desk.receipt(Verdict::Fail);
    let mut late = receipt.checks[0].clone();
    (late.checkpoint, late.hindrance) = (CheckpointName::fixed("speed"), Some(Hindrance::TimedOut));
    receipt.checks.push(late);
    desk.go(host(), Act::RecordReceipt { receipt });
    assert_eq!(desk.settle_by_policy(), ("rework", "checks_failed"));
    assert!(!desk.task().run.told_of_timeout, "the stage does not ask for it, so nobody was told");
    desk.launch();
    desk.submit(tree(2));
    hinder(&mut desk, Verdict::Inconclusive, Hindrance::TimedOut);
    assert_eq!(desk.settle_by_policy(), ("rework", "insufficient_evidence"));
    assert!(desk.task().run.told_of_timeout);
}
