use crate::command::Act;
use crate::desk::{Desk, host, orchestrator, tree};
use crate::fact::{Account, AgentProgram, ArtifactKind, Ending, LeaseToken};
use crate::state::StatusKind;
use crate::workflow::Role;

#[test]
fn a_turn_goes_to_the_agent_of_the_stage_with_guidance_before_it() {
    let mut desk = Desk::with("single");
    let wrong = desk.starting(Role::Builder, "somebody", "s");
    assert_eq!(desk.refused(orchestrator(), wrong), "wrong_agent");
    let start = desk.starting(Role::Builder, "builder", "s");
    assert_eq!(desk.go(orchestrator(), start), ["guidance_issued", "turn_started"]);
    assert_eq!(desk.task().status().kind(), StatusKind::Working);
}

#[test]
fn guidance_of_yesterday_starts_nothing() {
    let mut desk = Desk::with("single");
    let start = desk.starting(Role::Builder, "builder", "s");
    let policy_hash = desk.blob();
    desk.context.project.covenant = Some(crate::state::Covenant { version: 2, policy_hash });
    assert_eq!(desk.refused(orchestrator(), start), "guidance_outdated");
}

#[test]
fn a_launch_needs_a_snapshot_and_happens_once() {
    let mut desk = Desk::with("single");
    let start = desk.starting(Role::Builder, "builder", "s");
    desk.go(orchestrator(), start);
    let lease = desk.lease();
    assert_eq!(desk.refused(host(), Act::Launch { lease: lease.clone(), program: None }), "snapshot_missing");
    let turn = lease.turn.clone();
    desk.go(host(), Act::RecordSnapshot { turn, reference: "r".to_owned(), tree: tree(0) });
    assert_eq!(desk.go(host(), Act::Launch { lease: lease.clone(), program: None }), ["turn_launched"]);
    assert_eq!(desk.refused(host(), Act::Launch { lease, program: None }), "already_launched");
}

#[test]
fn nothing_starts_while_the_project_is_paused() {
    let mut desk = Desk::with("single");
    desk.context.project.paused = Some("lunch".to_owned());
    let start = desk.starting(Role::Builder, "builder", "s");
    assert_eq!(desk.refused(orchestrator(), start), "paused");
}

#[test]
fn a_lease_ends_when_it_has_run_out_and_not_before() {
    let mut desk = Desk::with("single");
    desk.launch();
    assert_eq!(desk.refused(orchestrator(), Act::Expire {}), "lease_live");
    desk.now = desk.task().turn.as_ref().unwrap().expires_at;
    assert_eq!(desk.go(orchestrator(), Act::Expire {}), ["turn_ended"]);
    assert_eq!(desk.settle_by_policy(), ("rework", "turn_lost"));
}

#[test]
fn what_a_lost_turn_was_told_is_told_again_once() {
    let mut desk = Desk::with("single");
    assert_eq!(desk.fail(1), ("rework", "checks_failed"));
    for _ in 0..2 {
        desk.launch();
        desk.now = desk.task().turn.as_ref().unwrap().expires_at;
        desk.go(orchestrator(), Act::Expire {});
        assert_eq!(desk.settle_by_policy(), ("rework", "turn_lost"));
        let feedback = desk.task().run.feedback.as_ref().unwrap();
        let subjects: Vec<&str> = feedback.items.iter().map(|item| item.subject.as_str()).collect();
        let failed: Vec<&str> = subjects.iter().copied().filter(|subject| *subject != "turn").collect();
        assert_eq!(subjects[0], "turn");
        assert!(!failed.is_empty() && failed.len() + 1 == subjects.len(), "{subjects:?}");
    }
}

#[test]
fn a_lease_is_lengthened_up_to_a_ceiling() {
    let mut desk = Desk::with("single");
    desk.launch();
    desk.now += 60_000;
    let lease = desk.lease();
    assert_eq!(desk.go(host(), Act::Renew { lease: lease.clone() }), ["lease_renewed"]);
    desk.now += 2 * crate::workflow::TURN_MS_MAX;
    desk.go(host(), Act::Renew { lease: lease.clone() });
    assert_eq!(desk.refused(host(), Act::Renew { lease }), "already_so");
}

#[test]
fn a_result_of_an_earlier_epoch_moves_nothing() {
    let mut desk = Desk::with("single");
    desk.launch();
    let late = desk.lease();
    desk.go(
        host(),
        Act::EndTurn {
            lease: late.clone(),
            ending: Ending::Crash,
            spent_tokens: None,
            document: None,
            how: None,
            account: None,
            why: None,
        },
    );
    desk.settle_by_policy();
    desk.launch();
    let act = Act::EndTurn {
        lease: late.clone(),
        ending: Ending::Crash,
        spent_tokens: None,
        document: None,
        how: None,
        account: None,
        why: None,
    };
    assert_eq!(desk.refused(host(), act), "stale_lease");
    let forged = LeaseToken { turn: desk.lease().turn, epoch: late.epoch };
    let act = Act::EndTurn {
        lease: forged,
        ending: Ending::Crash,
        spent_tokens: None,
        document: None,
        how: None,
        account: None,
        why: None,
    };
    assert_eq!(desk.refused(host(), act), "stale_lease");
}

#[test]
fn faults_of_the_provider_burn_no_attempt_and_have_a_ceiling() {
    let mut desk = Desk::with("single");
    for _ in 0..crate::workflow::PROVIDER_FAULTS_MAX {
        desk.launch();
        desk.go(
            host(),
            Act::EndTurn {
                lease: desk.lease(),
                ending: Ending::Limit,
                spent_tokens: Some(0),
                document: None,
                how: None,
                account: None,
                why: None,
            },
        );
        assert_eq!(desk.settle_by_policy(), ("rework", "provider_fault"));
        assert_eq!(desk.task().attempt().0, 1);
    }
    desk.launch();
    desk.go(
        host(),
        Act::EndTurn {
            lease: desk.lease(),
            ending: Ending::Network,
            spent_tokens: Some(0),
            document: None,
            how: None,
            account: None,
            why: None,
        },
    );
    assert_eq!(desk.settle_by_policy(), ("escalate", "provider_unavailable"));
}

#[test]
fn a_lost_turn_costs_all_that_was_set_aside() {
    let mut desk = Desk::with("single");
    desk.launch();
    let reserved = desk.task().budget.committed_tokens();
    desk.go(
        host(),
        Act::EndTurn {
            lease: desk.lease(),
            ending: Ending::Crash,
            spent_tokens: None,
            document: None,
            how: None,
            account: None,
            why: None,
        },
    );
    assert_eq!(desk.task().budget.spent_tokens, reserved);
    assert!(desk.task().budget.reserved_tokens.is_empty());
}

#[test]
fn a_turn_of_a_program_that_counts_nothing_costs_nothing_however_it_ends() {
    let program = |counts_tokens| AgentProgram { driver: "command".to_owned(), model: None, counts_tokens };
    for counts_tokens in [true, false] {
        let mut desk = Desk::with("single");
        let start = desk.starting(Role::Builder, "builder", "s");
        desk.go(orchestrator(), start);
        let (turn, reference) = (desk.lease().turn, "snapshot".to_owned());
        desk.go(host(), Act::RecordSnapshot { turn: turn.clone(), reference, tree: tree(0) });
        desk.go(host(), Act::Launch { lease: desk.lease(), program: Some(program(counts_tokens)) });
        let reserved = desk.task().budget.reserved_for(turn.as_str());
        desk.now = desk.task().turn.as_ref().unwrap().expires_at;
        desk.go(orchestrator(), Act::Expire {});
        let spent = desk.task().budget.spent_tokens;
        assert_eq!(spent, if counts_tokens { reserved } else { 0 });
    }
}

#[test]
fn what_is_told_of_a_turn_is_kept_with_it() {
    let mut desk = Desk::with("single");
    desk.launch();
    let (lease, output) = (desk.lease(), desk.document());
    let model = Some("a-model".to_owned());
    let account = Account { model, output: Some(output.clone()), cost_microdollars: Some(70), usage: None };
    let (ending, spent_tokens) = (Ending::Budget, Some(5));
    let act = Act::EndTurn {
        lease,
        ending,
        spent_tokens,
        document: None,
        how: None,
        account: Some(account.clone()),
        why: None,
    };
    desk.go(host(), act);
    let task = desk.task();
    assert_eq!(task.history[0].account, Some(account));
    assert_eq!(task.budget.spent_microdollars, 70);
    assert_eq!(task.artifacts[&output.id].kind, ArtifactKind::TurnOutput);
    assert_eq!(desk.settle_by_policy(), ("rework", "turn_lost"));
}
