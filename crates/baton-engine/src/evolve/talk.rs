//! Handoffs, acknowledgments, clarifications, gates and delegations.

use super::lifecycle::{close_turn, keep};
use crate::event::{Entry, Event};
use crate::fact::{ArtifactKind, GateChoice, Understanding};
use crate::state::{Clarification, Delegation, Gate, Raised, TakenPlan, Task};
use crate::workflow::FailurePolicy;

pub(super) fn apply(task: &mut Task, entry: &Entry) -> bool {
    match &entry.event {
        Event::HandoffAcknowledged { document, understanding, .. } => {
            keep(task, document, ArtifactKind::Acknowledgment, None);
            if *understanding == Understanding::Understood {
                task.run.acknowledged_by = task.turn.as_ref().map(|turn| turn.agent.clone());
            }
        }
        Event::PlanReceived { turn, document } => {
            keep(task, document, ArtifactKind::BuildPlan, None);
            let made_by = task.turn.as_ref().map(|live| live.agent.clone());
            let replaces = task.run.plan.is_some();
            task.run.plan = made_by.map(|agent| TakenPlan {
                turn: turn.clone(),
                agent,
                document: document.clone(),
                replaces,
            });
        }
        Event::HandoffReceived { submission, .. } => {
            keep(task, &submission.document, ArtifactKind::BuildArtifact, Some(submission.tree.clone()));
            if let Some(files) = &submission.files {
                keep(task, files, ArtifactKind::Measured, Some(submission.tree.clone()));
            }
            task.tree = Some(submission.tree.clone());
            if let Some(said) = &submission.on_failure {
                task.run.tightened = Some(tighter(task.run.tightened.take(), said));
            }
            task.run.submission = Some(submission.clone());
            close_turn(task, entry.at, None);
        }
        Event::ClarificationAsked { turn, clarification, document, question, options } => {
            keep(task, document, ArtifactKind::ClarificationRequest, None);
            task.clarification_rounds = task.clarification_rounds.saturating_add(1);
            let asked = Clarification {
                turn: turn.clone(),
                question: question.clone(),
                options: options.clone(),
                asked_at: entry.at,
                answer: None,
            };
            task.clarifications.insert(clarification.clone(), asked);
        }
        Event::ClarificationAnswered { clarification, document, answer, source, expires_at, .. } => {
            keep(task, document, ArtifactKind::ClarificationResponse, None);
            if let Some(asked) = task.clarifications.get_mut(clarification) {
                asked.answer = Some((answer.clone(), *source));
            }
            lengthen(task, *expires_at);
        }
        Event::GateAsked { gate, weight, items, shown, document, turn } => {
            keep(task, document, ArtifactKind::GateRequest, None);
            let asked = Gate {
                weight: *weight,
                items: items.clone(),
                shown: shown.clone(),
                asked_at: entry.at,
                turn: turn.clone(),
                answer: None,
                words: String::new(),
                by: String::new(),
            };
            task.gates.insert(gate.clone(), asked);
        }
        Event::GateAnswered { gate, choice, words, expires_at, .. } => {
            if let Some(asked) = task.gates.get_mut(gate) {
                asked.answer = Some(*choice);
                asked.words.clone_from(words);
                asked.by.clone_from(&entry.actor.name);
                if *choice == GateChoice::Question && asked.turn.is_none() {
                    task.clarification_rounds = task.clarification_rounds.saturating_add(1);
                }
            }
            lengthen(task, *expires_at);
        }
        Event::Delegated { .. } => delegated(task, entry),
        Event::DelegationReturned { delegation, document, end, spent_tokens, expires_at } => {
            keep(task, document, ArtifactKind::DelegationResult, None);
            task.budget.settle(delegation.as_str(), *spent_tokens);
            if let Some(open) = task.delegations.get_mut(delegation) {
                open.end = Some(*end);
            }
            lengthen(task, *expires_at);
        }
        Event::EscalationRaised { document, reason, details, .. } => {
            keep(task, document, ArtifactKind::Escalation, None);
            task.raised = Some(Raised { reason: *reason, details: details.clone() });
            close_turn(task, entry.at, None);
        }
        _ => return false,
    }
    true
}

fn delegated(task: &mut Task, entry: &Entry) {
    let Event::Delegated { turn, delegation, to, child, workflow, deliverable, document, budget_tokens } =
        &entry.event
    else {
        return;
    };
    keep(task, document, ArtifactKind::DelegationRequest, None);
    task.budget.reserve(delegation.as_str(), *budget_tokens);
    let from = task.turn.as_ref().map_or_else(|| to.clone(), |live| live.agent.clone());
    let open = Delegation {
        turn: turn.clone(),
        from,
        to: to.clone(),
        child: child.clone(),
        workflow: workflow.clone(),
        deliverable: deliverable.clone(),
        budget_tokens: *budget_tokens,
        since: entry.at,
        end: None,
    };
    task.delegations.insert(delegation.clone(), open);
}

/// Time that an agent spent waiting is not time it worked.
fn lengthen(task: &mut Task, expires_at: i64) {
    if let Some(turn) = task.turn.as_mut() {
        turn.expires_at = turn.expires_at.max(expires_at);
    }
}

/// What was tightened once stays tight for the whole stage.
fn tighter(before: Option<FailurePolicy>, said: &FailurePolicy) -> FailurePolicy {
    let before = before.unwrap_or_default();
    let least = |first: Option<u32>, second: Option<u32>| first.into_iter().chain(second).min();
    FailurePolicy {
        retry: least(before.retry, said.retry),
        escalate_after: least(before.escalate_after, said.escalate_after),
        route_to: said.route_to.clone().or(before.route_to),
        notify: said.notify.clone().or(before.notify),
        context: said.context.clone().or(before.context),
    }
}
