//! What is counted, bounded and ordered.

use std::collections::{BTreeMap, BTreeSet};

use super::walk::{acceptances, handoff, stage, tree, workflow};
use crate::envelope::ActorKind;
use crate::event::{Entry, Event};
use crate::fact::{
    Charge, Disposition, Document, End, GateChoice, Performer, Resolution, Understanding, Waivable,
};
use crate::verdict::Verdict;
use crate::workflow::{
    CLARIFICATION_ROUNDS_MAX, DELEGATION_DEPTH_MAX, DELEGATION_FANOUT_MAX, GateRule, GateWeight, Plan,
    RETRIES_MAX, Review,
};

pub(super) fn versions_without_gap(log: &[Entry]) -> Result<(), String> {
    let mut expected = (1..).zip(log);
    match expected.find(|(version, entry)| entry.version != *version) {
        Some((version, entry)) => Err(format!("version {} stands in the place of {version}", entry.version)),
        None => Ok(()),
    }
}

pub(super) fn nothing_after_the_end(log: &[Entry]) -> Result<(), String> {
    let end = log.iter().position(|entry| matches!(entry.event, Event::TaskEnded { .. }));
    let after = end.map_or(&[][..], |end| &log[end + 1..]);
    match after.iter().find(|entry| !matches!(entry.event, Event::CommandRefused { .. })) {
        Some(entry) => Err(format!("version {}: {} after the end", entry.version, entry.event.kind())),
        None => Ok(()),
    }
}

pub(super) fn refusals_recorded_once(log: &[Entry]) -> Result<(), String> {
    let mut known = BTreeSet::new();
    for entry in log {
        let Event::CommandRefused { command, refusal, repeats, .. } = &entry.event else { continue };
        let is_new = known.insert((&entry.actor, command, refusal));
        let wrong = match repeats {
            None if !is_new => "recorded again",
            Some(_) if is_new => "counted and never recorded",
            Some(0) => "counted without a repeat",
            None | Some(_) => continue,
        };
        let who = &entry.actor.name;
        return Err(format!("version {}: the refusal of {command} to {who} is {wrong}", entry.version));
    }
    Ok(())
}

pub(super) fn retries_bounded(log: &[Entry]) -> Result<(), String> {
    let mut failures = 0;
    for entry in log {
        match &entry.event {
            Event::DecisionMade { disposition: Disposition::Rework, charge: Charge::Attempt, .. } => {
                failures += 1;
                if failures > RETRIES_MAX {
                    return Err(format!("version {}: retry {failures}", entry.version));
                }
            }
            Event::TurnStarted { turn, attempt, .. } if attempt.0 != failures + 1 => {
                return Err(format!("version {}: {turn} counts as attempt {attempt}", entry.version));
            }
            Event::StageAdvanced { .. } | Event::EscalationResolved { resolution: Resolution::Again, .. } => {
                failures = 0;
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn turn_launched_once(log: &[Entry]) -> Result<(), String> {
    let (mut started, mut saved, mut launched) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for entry in log {
        match &entry.event {
            Event::TurnStarted { turn, .. } if !started.insert(turn) => {
                return Err(format!("version {}: {turn} started twice", entry.version));
            }
            Event::SnapshotTaken { turn, .. } => {
                saved.insert(turn);
            }
            Event::TurnLaunched { turn, .. }
                if !launched.insert(turn) || !started.contains(turn) || !saved.contains(turn) =>
            {
                return Err(format!("version {}: {turn} launched out of order", entry.version));
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn turn_ends_once(log: &[Entry]) -> Result<(), String> {
    let mut live = None;
    for entry in log {
        match &entry.event {
            Event::TurnStarted { turn, .. } => {
                if live.is_some() {
                    return Err(format!("version {}: {turn} started beside another", entry.version));
                }
                live = Some(turn);
            }
            Event::TurnEnded { turn, .. }
            | Event::HandoffReceived { turn, .. }
            | Event::VerdictReported { turn, .. }
            | Event::VerdictVoided { turn, .. }
            | Event::EscalationRaised { turn: Some(turn), .. }
                if live.take() != Some(turn) =>
            {
                return Err(format!("version {}: {turn} ended and was not being taken", entry.version));
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn acknowledged_before_work(log: &[Entry]) -> Result<(), String> {
    let (mut inbound, mut holder, mut acknowledged): (Option<&Document>, _, _) = (None, None, None);
    for entry in log {
        match &entry.event {
            Event::StageAdvanced { handoff, .. } => (inbound, acknowledged) = (Some(handoff), None),
            Event::TurnStarted { agent, .. } => holder = Some(agent),
            Event::HandoffAcknowledged { handoff, understanding: Understanding::Understood, .. } => {
                if Some(handoff) != inbound
                    || matches!(entry.actor.kind, ActorKind::Host | ActorKind::Orchestrator)
                {
                    return Err(format!("version {}: acknowledged what was not handed over", entry.version));
                }
                acknowledged = holder;
            }
            Event::HandoffReceived { turn, .. } if inbound.is_some() && acknowledged != holder => {
                return Err(format!("version {}: {turn} worked on what nobody acknowledged", entry.version));
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn planned_before_work(log: &[Entry]) -> Result<(), String> {
    let mut is_planned = false;
    for (index, entry) in log.iter().enumerate() {
        match &entry.event {
            Event::StageAdvanced { .. } | Event::EscalationResolved { .. } => is_planned = false,
            Event::PlanReceived { .. } => is_planned = true,
            // Whoever says that it is blocked has not worked.
            Event::HandoffReceived { turn, submission, .. }
                if submission.block.is_none()
                    && !is_planned
                    && stage(&log[..index]).is_some_and(|stage| stage.plan == Plan::Required) =>
            {
                return Err(format!("version {}: {turn} worked without a plan", entry.version));
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn gate_answered_for_this_version(log: &[Entry]) -> Result<(), String> {
    for (index, entry) in acceptances(log) {
        let before = &log[..index];
        let submission = handoff(before).and_then(|place| match &before[place].event {
            Event::HandoffReceived { submission, .. } => Some(submission),
            _ => None,
        });
        let blob = submission.map(|submission| &submission.document.blob);
        let rules: Vec<_> = stage(before).into_iter().flat_map(|stage| &stage.gates).collect();
        let asked = submission.and_then(|submission| submission.gate.as_deref());
        let asked = asked.filter(|asked| rules.iter().all(|rule| rule.name != asked.name));
        let blocking = |rule: &&GateRule| rule.weight == GateWeight::Blocking;
        for rule in rules.iter().copied().chain(asked).filter(blocking) {
            let approved = before.iter().any(|entry| {
                matches!(&entry.event, Event::GateAnswered { gate, choice: GateChoice::Approve, shown, .. }
                    if *gate == rule.name
                        && entry.actor.kind == ActorKind::Person
                        && Some(&shown.tree) == tree(before)
                        && Some(&shown.handoff) == blob)
            });
            if !approved {
                return Err(format!("version {}: nobody approved {} as it is", entry.version, rule.name));
            }
        }
    }
    Ok(())
}

pub(super) fn budget_within_cap(log: &[Entry]) -> Result<(), String> {
    let (mut cap, mut spent) = (0, 0_u64);
    let mut reserved: BTreeMap<&str, u64> = BTreeMap::new();
    for entry in log {
        match &entry.event {
            Event::TaskAdded { budget_tokens, .. } => cap = *budget_tokens,
            Event::TurnStarted { turn, reserved_tokens, .. } => {
                reserved.insert(turn.as_str(), *reserved_tokens);
            }
            Event::Delegated { delegation, budget_tokens, .. } => {
                reserved.insert(delegation.as_str(), *budget_tokens);
            }
            Event::TurnEnded { turn, spent_tokens: tokens, .. } | Event::Spent { turn, tokens, .. } => {
                reserved.remove(turn.as_str());
                spent = spent.saturating_add(*tokens);
            }
            Event::DelegationReturned { delegation, spent_tokens, .. } => {
                reserved.remove(delegation.as_str());
                spent = spent.saturating_add(*spent_tokens);
            }
            _ => continue,
        }
        let committed = reserved.values().fold(spent, |sum, tokens| sum.saturating_add(*tokens));
        let starts =
            matches!(entry.event, Event::TurnStarted { reserved_tokens: 1.., .. } | Event::Delegated { .. });
        if starts && committed > cap {
            return Err(format!("version {}: {committed} tokens of {cap}", entry.version));
        }
    }
    Ok(())
}

pub(super) fn dollars_and_time_within_cap(log: &[Entry]) -> Result<(), String> {
    let (mut dollars_cap, mut time_cap, mut spent) = (None, None, 0_u64);
    for entry in log {
        match &entry.event {
            Event::TaskAdded { workflow, .. } => {
                (dollars_cap, time_cap) = (workflow.budget_microdollars, workflow.budget_ms);
            }
            Event::TurnEnded { account, .. } | Event::Spent { account, .. } => {
                let told = account.as_ref().and_then(|account| account.cost_microdollars);
                spent = spent.saturating_add(told.unwrap_or(0));
            }
            Event::TurnStarted { performer: Performer::Program, expires_at, .. } => {
                if let Some(cap) = dollars_cap.filter(|cap| spent >= *cap) {
                    return Err(format!("version {}: {spent} of {cap} microdollars", entry.version));
                }
                let given = expires_at.saturating_sub(entry.at);
                if let Some(cap) = time_cap.filter(|cap| given > *cap) {
                    return Err(format!("version {}: {given} of {cap} milliseconds", entry.version));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn artifacts_never_rewritten(log: &[Entry]) -> Result<(), String> {
    let mut known = BTreeMap::new();
    for entry in log {
        for document in documents(&entry.event) {
            if *known.entry(&document.id).or_insert(&document.blob) != &document.blob {
                return Err(format!("version {}: {} was rewritten", entry.version, document.id));
            }
        }
    }
    Ok(())
}

/// Returns the documents that an event brings.
pub(super) fn documents(event: &Event) -> Vec<&Document> {
    match event {
        Event::GuidanceIssued { guidance, .. } => {
            std::iter::once(&guidance.document).chain(&guidance.context).collect()
        }
        Event::TurnStarted { request, .. } => request.iter().collect(),
        Event::TurnEnded { document, account, .. } => {
            document.iter().chain(account.as_ref().and_then(|account| account.output.as_ref())).collect()
        }
        Event::Spent { account, .. } => {
            account.iter().filter_map(|account| account.output.as_ref()).collect()
        }
        Event::TaskAdded { document, .. }
        | Event::EscalationRaised { document, .. }
        | Event::HandoffAcknowledged { document, .. }
        | Event::PlanReceived { document, .. }
        | Event::PromptRecorded { document, .. }
        | Event::ClarificationAsked { document, .. }
        | Event::ClarificationAnswered { document, .. }
        | Event::GateAsked { document, .. }
        | Event::Delegated { document, .. }
        | Event::DelegationReturned { document, .. }
        | Event::DecisionMade { document, .. } => vec![document],
        Event::HandoffReceived { submission, .. } => {
            std::iter::once(&submission.document).chain(&submission.files).collect()
        }
        Event::ReceiptRecorded { receipt } | Event::MergeRecorded { receipt: Some(receipt), .. } => {
            receipt.documents().collect()
        }
        Event::VerdictReported { report, .. } | Event::VerdictVoided { report, .. } => vec![&report.document],
        _ => Vec::new(),
    }
}

pub(super) fn waiver_is_a_human_act(log: &[Entry]) -> Result<(), String> {
    let mut ends: BTreeMap<&Waivable, i64> = BTreeMap::new();
    for entry in log {
        match &entry.event {
            Event::Waived { what, reason, until } => {
                if entry.actor.kind != ActorKind::Person || reason.trim().is_empty() || *until <= entry.at {
                    return Err(format!("version {}: a waiver without person, reason or end", entry.version));
                }
                ends.insert(what, *until);
            }
            Event::DecisionMade { waived, .. } => {
                if let Some(what) =
                    waived.iter().find(|what| ends.get(what).is_none_or(|end| entry.at >= *end))
                {
                    return Err(format!("version {}: {what:?} is not waived any more", entry.version));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn delegation_bounded(log: &[Entry]) -> Result<(), String> {
    let (mut count, mut chain, mut holder) = (0, Vec::new(), None);
    for (index, entry) in log.iter().enumerate() {
        match &entry.event {
            Event::TaskAdded { lineage, .. } => chain = lineage.iter().map(|above| &above.agent).collect(),
            Event::TurnStarted { agent, .. } => holder = Some(agent),
            Event::Delegated { to, .. } => {
                count += 1;
                let circle = chain.contains(&to) || holder == Some(to);
                if count > DELEGATION_FANOUT_MAX || chain.len() >= DELEGATION_DEPTH_MAX || circle {
                    return Err(format!("version {}: delegation {count} to @{to}", entry.version));
                }
                let is_listed = stage(&log[..index]).is_some_and(|stage| {
                    stage.routes.contains(to) || stage.on_failure.route_to.as_ref() == Some(to)
                });
                if entry.actor.kind == ActorKind::Agent && !is_listed {
                    return Err(format!("version {}: @{to} is not listed in the stage", entry.version));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn self_checked_is_not_verified(log: &[Entry]) -> Result<(), String> {
    for (index, entry) in log.iter().enumerate() {
        if !matches!(entry.event, Event::TaskEnded { end: End::Done }) {
            continue;
        }
        let before = &log[..index];
        let reviewed = stage(before).is_some_and(|stage| stage.review != Review::None);
        let leaned = before.iter().any(|entry| {
            matches!(&entry.event, Event::DecisionMade { disposition: Disposition::Accept, waived, .. } if !waived.is_empty())
        });
        if !reviewed || leaned {
            return Err(format!("version {}: done, though nobody verified it", entry.version));
        }
    }
    Ok(())
}

pub(super) fn dependencies_first(log: &[Entry]) -> Result<(), String> {
    let mut open = BTreeSet::new();
    for entry in log {
        match &entry.event {
            Event::TaskAdded { depends_on, .. } => open.extend(depends_on),
            Event::DependencyAdded { on } => {
                open.insert(on);
            }
            Event::DependencyReleased { on, .. } | Event::Waived { what: Waivable::Dependency(on), .. } => {
                open.remove(on);
            }
            Event::TurnStarted { turn, .. } if !open.is_empty() => {
                return Err(format!("version {}: {turn} before what it depends on", entry.version));
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn merged_once(log: &[Entry]) -> Result<(), String> {
    let mut accepted = false;
    let mut merges = 0;
    for entry in log {
        match &entry.event {
            Event::DecisionMade { disposition, .. } => accepted = *disposition == Disposition::Accept,
            Event::MergeRecorded { merged: true, receipt, .. } => {
                merges += 1;
                if merges > 1 || !accepted {
                    return Err(format!("version {}: merge {merges}", entry.version));
                }
                let mut together = receipt.iter().flat_map(|receipt| &receipt.checks);
                if together.any(|check| check.verdict != Verdict::Pass) {
                    return Err(format!("version {}: merged with what it does not go with", entry.version));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn clarifications_bounded(log: &[Entry]) -> Result<(), String> {
    let bound = workflow(log).map_or(CLARIFICATION_ROUNDS_MAX, |workflow| workflow.clarification_rounds_max);
    let asked = log.iter().filter(|entry| matches!(entry.event, Event::ClarificationAsked { .. })).count();
    match asked > bound as usize {
        true => Err(format!("{asked} questions, {bound} are allowed")),
        false => Ok(()),
    }
}
