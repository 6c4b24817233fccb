use crate::desk::Desk;
use crate::envelope::ActorKind;
use crate::evolve::tests::carry;
use crate::fact::{End, GateChoice};
use crate::invariant::{ALL, violation};
use crate::workflow::Role;
use crate::{Entry, Event};

fn log(workflow: &str) -> Vec<Entry> {
    let mut desk = Desk::with(workflow);
    carry(&mut desk);
    assert_eq!(violation(&desk.log), None);
    desk.log
}

/// Bends a good log and returns the rules that notice.
fn broken(workflow: &str, bend: impl Fn(&mut Vec<Entry>)) -> Vec<&'static str> {
    let mut log = log(workflow);
    bend(&mut log);
    ALL.iter().filter(|rule| (rule.check)(&log).is_err()).map(|rule| rule.name).collect()
}

fn each(log: &mut [Entry], change: impl Fn(&mut Entry)) {
    log.iter_mut().for_each(change);
}

#[test]
fn rules_have_names_of_their_own() {
    let names: std::collections::BTreeSet<_> = ALL.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), ALL.len());
    assert!(ALL.iter().all(|rule| rule.holds.ends_with('.')));
}

#[test]
fn each_bent_log_is_noticed_by_the_rule_that_is_there_for_it() {
    let by = |workflow, rule, bend: fn(&mut Vec<Entry>)| {
        let noticed = broken(workflow, bend);
        assert!(noticed.contains(&rule), "{rule} among {noticed:?}");
    };
    by("waypoint", "single_authority", |log| {
        each(log, |entry| {
            if matches!(entry.event, Event::DecisionMade { .. }) {
                entry.actor.kind = ActorKind::Agent;
            }
        });
    });
    by("waypoint", "verifier_cannot_write", |log| {
        each(log, |entry| {
            if let Event::VerdictReported { report, .. } = &mut entry.event {
                report.tree_after = crate::desk::tree(99);
            }
        });
    });
    by("waypoint", "criterion_has_evidence", |log| {
        each(log, |entry| {
            if let Event::VerdictReported { report, .. } = &mut entry.event {
                report.criteria.pop();
            }
        });
    });
    by("single", "completion_claim_is_not_the_end", |log| {
        log.retain(|entry| !matches!(entry.event, Event::ReceiptRecorded { .. }));
    });
    by("waypoint", "completion_claim_is_not_the_end", |log| {
        each(log, |entry| {
            if let Event::TurnStarted { role: Role::Verifier, agent, .. } = &mut entry.event {
                *agent = crate::word::AgentName::new("builder").unwrap();
            }
        });
    });
    by("single", "guidance_with_every_turn", |log| {
        log.retain(|entry| !matches!(entry.event, Event::GuidanceIssued { .. }));
    });
    by("single", "decision_has_reason_and_references", |log| {
        each(log, |entry| {
            if let Event::DecisionMade { refs, .. } = &mut entry.event {
                refs.clear();
            }
        });
    });
    by("single", "versions_without_gap", |log| drop(log.remove(3)));
    by("single", "nothing_after_the_end", |log| {
        let again = log[1].clone();
        log.push(again);
    });
    by("single", "turn_launched_once", |log| {
        log.retain(|entry| !matches!(entry.event, Event::SnapshotTaken { .. }));
    });
    by("single", "turn_ends_once", |log| {
        let place =
            log.iter().position(|entry| matches!(entry.event, Event::HandoffReceived { .. })).unwrap();
        let again = log[place].clone();
        log.insert(place, again);
    });
    by("stages", "acknowledged_before_work", |log| {
        log.retain(|entry| !matches!(entry.event, Event::HandoffAcknowledged { .. }));
    });
    by("steps", "gate_answered_for_this_version", |log| {
        each(log, |entry| {
            if let Event::GateAnswered { choice, .. } = &mut entry.event {
                *choice = GateChoice::Question;
            }
        });
    });
    by("single", "budget_within_cap", |log| {
        each(log, |entry| {
            if let Event::TurnStarted { reserved_tokens, .. } = &mut entry.event {
                *reserved_tokens = u64::MAX;
            }
        });
    });
    by("single", "dollars_and_time_within_cap", |log| {
        each(log, |entry| {
            if let Event::TaskAdded { workflow, .. } = &mut entry.event {
                workflow.budget_ms = Some(1);
            }
        });
    });
    by("single", "self_checked_is_not_verified", |log| {
        each(log, |entry| {
            if let Event::TaskEnded { end } = &mut entry.event {
                *end = End::Done;
            }
        });
    });
    by("waypoint", "merged_once", |log| {
        log.retain(|entry| !matches!(entry.event, Event::DecisionMade { .. }));
    });
    by("single", "retries_bounded", |log| {
        each(log, |entry| {
            if let Event::TurnStarted { attempt, .. } = &mut entry.event {
                *attempt = attempt.next();
            }
        });
    });
}
