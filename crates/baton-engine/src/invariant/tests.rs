use crate::desk::Desk;
use crate::envelope::ActorKind;
use crate::evolve::tests::carry;
use crate::fact::{AnswerSource, Document, End, GateChoice, Waivable};
use crate::invariant::bound::documents;
use crate::invariant::{ALL, replay, violation};
use crate::word::{BlobId, CheckpointName, ClarificationId, DelegationId, TaskId, TurnId};
use crate::workflow::{CLARIFICATION_ROUNDS_MAX, Role, Workflow};
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
fn the_protocol_has_nine_rules_and_each_is_checked_in_every_state() {
    let of_protocol = ALL.iter().filter(|rule| rule.is_of_protocol());
    let log = log("waypoint");
    let checked: Vec<_> = of_protocol.map(|rule| replay(rule, &log)).collect();
    assert_eq!(checked, vec![(log.len(), None); 9]);
}

#[test]
fn replay_stops_in_the_first_state_that_breaks_the_rule() {
    let mut log = log("single");
    let at = log.iter().position(|entry| matches!(entry.event, Event::DecisionMade { .. })).unwrap();
    log[at].actor.kind = ActorKind::Agent;
    let rule = ALL.iter().find(|rule| rule.name == "single_authority").unwrap();
    let (states, how) = replay(rule, &log);
    assert_eq!(states, at + 1);
    assert!(how.unwrap().contains("decision_made by the agent"));
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
    by("waypoint", "planned_before_work", |log| {
        log.retain(|entry| !matches!(entry.event, Event::PlanReceived { .. }));
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

/// Puts an event before the first of a sort, in the hands that the first has.
fn insert(log: &mut Vec<Entry>, is_place: fn(&Event) -> bool, event: Event) {
    let place = log.iter().position(|entry| is_place(&entry.event)).unwrap();
    let entry = Entry { event, ..log[place].clone() };
    log.insert(place, entry);
}

fn is_turn(event: &Event) -> bool {
    matches!(event, Event::TurnStarted { .. })
}

fn is_decision(event: &Event) -> bool {
    matches!(event, Event::DecisionMade { .. })
}

/// A document that the log has already.
fn known_document(log: &[Entry]) -> Document {
    log.iter().find_map(|entry| documents(&entry.event).first().map(|known| (*known).clone())).unwrap()
}

fn question(document: Document) -> Event {
    Event::ClarificationAsked {
        turn: TurnId::new("turn-1").unwrap(),
        clarification: ClarificationId::new("question-1").unwrap(),
        document,
        question: "which?".to_owned(),
        options: Vec::new(),
    }
}

#[test]
fn each_log_with_something_put_in_is_noticed_by_the_rule_that_is_there_for_it() {
    let by = |rule, bend: fn(&mut Vec<Entry>)| {
        let noticed = broken("single", bend);
        assert!(noticed.contains(&rule), "{rule} among {noticed:?}");
    };
    by("rollback_has_remediation", |log| {
        let remediation = vec![" ".to_owned()];
        insert(log, is_decision, Event::RollbackRecorded { applied: false, rescue: None, remediation });
    });
    by("doubt_is_answered_by_authority", |log| {
        let answered = Event::ClarificationAnswered {
            clarification: ClarificationId::new("question-1").unwrap(),
            document: known_document(log),
            answer: "that one".to_owned(),
            source: AnswerSource::Covenant,
            covenant_place: None,
            expires_at: i64::MAX,
        };
        insert(log, is_decision, answered);
    });
    by("open_clarification_forbids", |log| {
        let asked = question(known_document(log));
        insert(log, is_decision, asked);
    });
    by("clarifications_bounded", |log| {
        for _ in 0..=CLARIFICATION_ROUNDS_MAX {
            let asked = question(known_document(log));
            insert(log, is_decision, asked);
        }
    });
    by("artifacts_never_rewritten", |log| {
        let blob = BlobId::new("f".repeat(64)).unwrap();
        let asked = question(Document { blob, ..known_document(log) });
        insert(log, is_decision, asked);
    });
    by("waiver_is_a_human_act", |log| {
        let what = Waivable::Checkpoint(CheckpointName::fixed("validation"));
        insert(log, is_decision, Event::Waived { what, reason: "known".to_owned(), until: i64::MAX });
    });
    by("delegation_bounded", |log| {
        let holder = log.iter().find_map(|entry| match &entry.event {
            Event::TurnStarted { agent, turn, .. } => Some((agent.clone(), turn.clone())),
            _ => None,
        });
        let (to, turn) = holder.unwrap();
        let delegated = Event::Delegated {
            turn,
            delegation: DelegationId::new("delegation-1").unwrap(),
            to,
            child: TaskId::new("T2").unwrap(),
            workflow: Workflow::built_in("single").unwrap(),
            deliverable: "a part".to_owned(),
            document: known_document(log),
            budget_tokens: 1,
        };
        insert(log, is_decision, delegated);
    });
    by("refusals_recorded_once", |log| {
        insert(log, is_decision, Event::refused("waive", "not_allowed", "not yours"));
        insert(log, is_decision, Event::refused("waive", "not_allowed", "still not yours"));
    });
    by("dependencies_first", |log| {
        insert(log, is_turn, Event::DependencyAdded { on: TaskId::new("T2").unwrap() });
    });
}
