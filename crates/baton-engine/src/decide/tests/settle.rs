use crate::command::Act;
use crate::desk::{Desk, host, orchestrator, person, tree};
use crate::fact::{Danger, Disposition, Reason, Resolution, Waivable};
use crate::policy::consider;
use crate::state::StatusKind;
use crate::verdict::Verdict;
use crate::word::{ArtifactId, CheckpointName, CriterionId};

/// A task whose work the host found dangerous, with the rollback decided.
fn rolling_back() -> Desk {
    let mut desk = Desk::with("single");
    desk.launch();
    desk.submit(tree(1));
    let mut receipt = desk.receipt(Verdict::Pass);
    receipt.danger = Some(Danger::Safety);
    desk.go(host(), Act::RecordReceipt { receipt });
    assert_eq!(desk.settle_by_policy(), ("rollback", "safety"));
    desk
}

fn resolving(resolution: Resolution) -> Act {
    Act::Resolve { resolution, words: "because".to_owned() }
}

#[test]
fn a_decision_follows_the_policy_and_says_on_what_it_rests() {
    let mut desk = Desk::with("single");
    let document = desk.document();
    let accept = |refs: Vec<ArtifactId>, reason| Act::Decide {
        document: document.clone(),
        disposition: Disposition::Accept,
        reason,
        refs,
    };
    assert_eq!(
        desk.refused(orchestrator(), accept(Vec::new(), Reason::SelfChecked)),
        "decision_not_possible"
    );
    desk.build(1);
    let refs = consider(desk.task(), desk.now).unwrap().refs;
    assert_eq!(desk.refused(orchestrator(), accept(Vec::new(), Reason::SelfChecked)), "no_references");
    let nowhere = vec![ArtifactId::new("nowhere").unwrap()];
    assert_eq!(desk.refused(orchestrator(), accept(nowhere, Reason::SelfChecked)), "unknown_reference");
    let wrong = accept(refs.clone(), Reason::AllCriteriaPass);
    assert_eq!(desk.refused(orchestrator(), wrong), "decision_against_policy");
    let events = desk.go(orchestrator(), accept(refs, Reason::SelfChecked));
    // A program built it where nobody else works: it is done when it was merged.
    assert_eq!(events, ["decision_made"]);
    let merged = Act::RecordMerge { tree: tree(1), merged: true, details: String::new(), receipt: None };
    assert_eq!(desk.go(host(), merged), ["merge_recorded", "task_ended"]);
    assert_eq!(desk.task().status().kind(), StatusKind::DoneUnverified);
}

#[test]
fn verified_work_is_merged_and_done() {
    let mut desk = Desk::with("waypoint");
    desk.build(1);
    desk.verify(Verdict::Pass);
    assert_eq!(desk.settle_by_policy(), ("accept", "all_criteria_pass"));
    let merge = |at| Act::RecordMerge { tree: tree(at), merged: true, details: String::new(), receipt: None };
    assert_eq!(desk.refused(host(), merge(2)), "stale_tree");
    assert_eq!(desk.go(host(), merge(1)), ["merge_recorded", "task_ended"]);
    assert_eq!(desk.task().status().kind(), StatusKind::Done);
    assert_eq!(crate::invariant::violation(&desk.log), None);
}

#[test]
fn a_conflict_in_the_merge_is_rework() {
    let mut desk = Desk::with("waypoint");
    desk.build(1);
    desk.verify(Verdict::Pass);
    desk.settle_by_policy();
    let act =
        Act::RecordMerge { tree: tree(1), merged: false, details: "both changed".to_owned(), receipt: None };
    desk.go(host(), act);
    assert_eq!(desk.settle_by_policy(), ("rework", "merge_conflict"));
}

#[test]
fn what_does_not_go_together_with_others_is_not_merged() {
    let mut desk = Desk::with("waypoint");
    desk.build(1);
    desk.verify(Verdict::Pass);
    desk.settle_by_policy();
    let merged = |receipt| Act::RecordMerge {
        tree: tree(1),
        merged: true,
        details: "together".to_owned(),
        receipt: Some(receipt),
    };
    for verdict in [Verdict::Fail, Verdict::Inconclusive] {
        let receipt = desk.receipt(verdict);
        assert_eq!(desk.refused(host(), merged(receipt)), "decision_against_policy");
    }
    let receipt = desk.receipt(Verdict::Pass);
    assert_eq!(desk.go(host(), merged(receipt)), ["merge_recorded", "task_ended"]);
    assert_eq!(crate::invariant::violation(&desk.log), None);
}

#[test]
fn a_rollback_that_failed_says_what_to_do_by_hand() {
    let mut desk = rolling_back();
    let failed = |remediation: Vec<String>| Act::RecordRollback { applied: false, rescue: None, remediation };
    assert_eq!(desk.refused(host(), failed(vec![" ".to_owned()])), "remediation_missing");
    desk.go(host(), failed(vec!["check out main".to_owned()]));
    assert!(desk.task().status().waits_for_person());
    assert_eq!(desk.refused(person(), resolving(Resolution::Again)), "resolution_not_possible");
    desk.go(person(), resolving(Resolution::RolledBackByHand));
    assert_eq!(desk.task().status().kind(), StatusKind::RolledBack);
}

#[test]
fn a_rollback_that_worked_ends_the_task() {
    let mut desk = rolling_back();
    let act = Act::RecordRollback { applied: true, rescue: Some("r".to_owned()), remediation: Vec::new() };
    assert_eq!(desk.go(host(), act), ["rollback_recorded", "task_ended"]);
    assert_eq!(desk.task().tree, Some(tree(0)));
}

#[test]
fn a_person_sends_a_task_round_again_but_not_for_ever() {
    let mut desk = Desk::with("single");
    for round in 0..=crate::workflow::ROUNDS_MAX {
        for number in 0..4 {
            desk.fail(100 * round as usize + number + 1);
        }
        let again = desk.try_to(person(), resolving(Resolution::Again));
        assert_eq!(again.is_ok(), round < crate::workflow::ROUNDS_MAX);
    }
    desk.go(person(), resolving(Resolution::Fail));
    assert_eq!(desk.task().status().kind(), StatusKind::Failed);
    assert_eq!(crate::invariant::violation(&desk.log), None);
}

#[test]
fn a_waiver_lets_work_pass_that_is_then_not_verified() {
    let mut desk = Desk::with("waypoint");
    let what = Waivable::Criterion(CriterionId::new("c1").unwrap());
    let until = desk.now + 1_000_000;
    let waive = |until, reason: &str| Act::Waive { what: what.clone(), reason: reason.to_owned(), until };
    assert_eq!(desk.refused(person(), waive(until, " ")), "reason_missing");
    assert_eq!(desk.refused(person(), waive(desk.now, "why")), "waiver_ended");
    assert_eq!(desk.refused(orchestrator(), waive(until, "why")), "not_allowed");
    let unknown = Waivable::Checkpoint(CheckpointName::new("nothing").unwrap());
    let act = Act::Waive { what: unknown, reason: "why".to_owned(), until };
    assert_eq!(desk.refused(person(), act), "unknown_subject");
    desk.go(person(), waive(until, "why"));
    desk.build(1);
    desk.launch();
    let mut report = desk.report(Verdict::Pass);
    report.criteria[0].verdict = Verdict::Fail;
    desk.go(desk.agent(), Act::RecordVerdict { lease: desk.lease(), report });
    desk.settle();
    assert_eq!(desk.settle_by_policy(), ("accept", "accepted_with_waiver"));
    desk.go(host(), Act::RecordMerge { tree: tree(1), merged: true, details: String::new(), receipt: None });
    assert_eq!(desk.task().status().kind(), StatusKind::DoneUnverified);
}

#[test]
fn leave_is_for_exactly_what_was_seen_in_exactly_these_files() {
    let mut desk = Desk::with("waypoint");
    let seen = |desk: &mut Desk, what: &str| {
        let mut receipt = desk.receipt(Verdict::Pass);
        receipt.violations.push(what.to_owned());
        let waivable = receipt.waivable().unwrap();
        desk.go(host(), Act::RecordReceipt { receipt });
        waivable
    };
    let waive =
        |what: &Waivable| Act::Waive { what: what.clone(), reason: "why".to_owned(), until: i64::MAX };
    desk.launch();
    desk.submit(tree(1));
    let what = seen(&mut desk, "changed CI");
    assert_eq!(desk.settle_by_policy(), ("escalate", "policy_conflict"));
    for other in [
        Waivable::Violations { tree: tree(1), seen: vec!["changed a test".to_owned()] },
        Waivable::Violations { tree: tree(2), seen: vec!["changed CI".to_owned()] },
        Waivable::Violations { tree: tree(1), seen: Vec::new() },
    ] {
        assert_eq!(desk.refused(person(), waive(&other)), "unknown_subject");
    }
    assert_eq!(desk.refused(orchestrator(), waive(&what)), "not_allowed");
    desk.go(person(), waive(&what));
    // It goes on to be verified, and nothing else is let pass.
    assert_eq!(desk.task().status().kind(), StatusKind::Verifying);
    desk.launch();
    let report = desk.report(Verdict::Fail);
    desk.go(desk.agent(), Act::RecordVerdict { lease: desk.lease(), report });
    desk.settle();
    assert_eq!(desk.settle_by_policy(), ("rework", "criteria_failed"));
    desk.launch();
    desk.submit(tree(2));
    seen(&mut desk, "changed CI");
    assert_eq!(desk.settle_by_policy(), ("escalate", "policy_conflict"));
    assert_eq!(crate::invariant::violation(&desk.log), None);
}

#[test]
fn a_waiver_that_has_ended_lets_nothing_pass() {
    let mut desk = Desk::with("single");
    let what = Waivable::Checkpoint(CheckpointName::new("validation").unwrap());
    let until = desk.now + 500;
    desk.go(person(), Act::Waive { what, reason: "why".to_owned(), until });
    desk.launch();
    desk.submit(tree(1));
    desk.check(Verdict::Fail);
    assert_eq!(consider(desk.task(), desk.now).unwrap().disposition, Disposition::Accept);
    desk.now = until;
    assert_eq!(desk.settle_by_policy(), ("rework", "checks_failed"));
}

#[test]
fn what_a_turn_cost_is_settled_once() {
    let mut desk = Desk::with("single");
    desk.launch();
    let turn = desk.lease().turn;
    let spend = || Act::Spend { turn: turn.clone(), tokens: 3, account: None };
    assert_eq!(desk.refused(host(), spend()), "nothing_reserved");
    let submission = desk.submission(tree(1));
    desk.go(desk.agent(), Act::Submit { lease: desk.lease(), submission });
    desk.go(host(), spend());
    assert_eq!(desk.refused(host(), spend()), "nothing_reserved");
}

#[test]
fn whoever_is_to_be_told_is_told_once() {
    let mut desk = Desk::with("phases");
    desk.launch();
    let act = Act::EndTurn {
        lease: desk.lease(),
        ending: crate::fact::Ending::Crash,
        spent_tokens: Some(1),
        document: None,
        how: None,
        account: None,
        why: None,
    };
    desk.go(host(), act);
    desk.settle_by_policy();
    assert_eq!(desk.go(host(), Act::RecordNotice { notice: 0 }), ["notice_sent"]);
    assert_eq!(desk.refused(host(), Act::RecordNotice { notice: 0 }), "unknown_notice");
}
