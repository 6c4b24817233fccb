//! What follows from a failed attempt: another one while there are any, and something else when nothing moves.

use std::collections::BTreeSet;

use super::{Ruling, escalate, ruling};
use crate::fact::{Charge, Disposition, Ending, Finding, NextTurn, Outcome, Performer, Reason, SessionMode};
use crate::feedback::{Feedback, FeedbackItem, Subject};
use crate::progress::{Fingerprint, Remedy, normalise};
use crate::state::{Freshness, Task};
use crate::verdict::Verdict;
use crate::word::AgentName;

/// Why an attempt failed.
pub(super) struct Failure {
    reason: Reason,
    items: Vec<FeedbackItem>,
    charge: Charge,
}

impl Failure {
    pub(super) fn of(reason: Reason, items: Vec<FeedbackItem>) -> Self {
        Self { reason, items, charge: Charge::Attempt }
    }

    pub(super) fn plain(reason: Reason, subject: Subject<'_>, details: &str) -> Self {
        Self::of(reason, vec![FeedbackItem::new(subject, Verdict::Fail, details)])
    }

    /// A turn that brought nothing.
    pub(super) fn lost(ending: Ending, why: &str) -> Self {
        let separator = if why.is_empty() { "" } else { ": " };
        let details = format!("{}{separator}{why}", ending.name());
        Self::plain(Reason::TurnLost, Subject::Turn, &details)
    }

    /// A failure that is not the agent's and uses up no attempt; something else bounds it.
    pub(super) fn free(reason: Reason, subject: Subject<'_>, details: &str) -> Self {
        Self { charge: Charge::Nothing, ..Self::plain(reason, subject, details) }
    }

    /// Adds what the lost turn had been told to mend: nobody has answered it.
    pub(super) fn with_unanswered(mut self, task: &Task) -> Self {
        let told = task.run.feedback.iter().flat_map(|feedback| &feedback.items);
        let unanswered: Vec<_> =
            told.filter(|told| self.items.iter().all(|own| own.subject != told.subject)).cloned().collect();
        self.items.extend(unanswered);
        self
    }

    /// Adds the claims that the evidence denies, before everything else: they are the agent's own words.
    pub(super) fn with_contradicted(mut self, findings: &[Finding]) -> Self {
        let contradicted = findings.iter().filter(|finding| finding.is_contradicted());
        let item = |finding| FeedbackItem::new(Subject::Finding(finding), Verdict::Fail, &finding.told());
        self.items.splice(0..0, contradicted.map(item));
        self
    }

    /// Returns a failure when there are items. Without a plain fail among them, evidence is what is missing.
    pub(super) fn from_items(reason: Reason, items: Vec<FeedbackItem>) -> Option<Self> {
        let failure = Self::of(reason, items);
        let reason = if failure.has_fail() { reason } else { Reason::InsufficientEvidence };
        (!failure.items.is_empty()).then_some(Self { reason, ..failure })
    }

    pub(super) fn into_items(self) -> Vec<FeedbackItem> {
        self.items
    }

    pub(super) fn has_fail(&self) -> bool {
        self.items.iter().any(|item| item.verdict == Verdict::Fail)
    }

    /// Only work that was judged can be compared with the work before it, and what was said in place of a handoff.
    fn fingerprint(&self, task: &Task) -> Option<Fingerprint> {
        if task.run.submission.is_none() && task.run.lost != Some(Ending::NoHandoff) {
            return None;
        }
        let tree = task.tree.clone()?;
        if self.charge == Charge::Nothing {
            return None;
        }
        let failing: BTreeSet<String> = self.items.iter().map(|item| item.subject.clone()).collect();
        let details: Vec<&str> = self.items.iter().map(|item| item.details.as_str()).collect();
        Some(Fingerprint { tree, failing, error: normalise(&details.join("\n")) })
    }
}

/// Returns why nothing came of the last turn, as the host saw it.
pub(super) fn why(task: &Task) -> &str {
    task.history.last().and_then(|attempt| attempt.why.as_deref()).unwrap_or_default()
}

/// Decides about a failed attempt.
pub(super) fn failed(task: &Task, failure: Failure) -> Ruling {
    let Some(allowance) = task.allowance() else { return escalate(task, failure.reason) };
    let fingerprint = failure.fingerprint(task);
    let repeats = fingerprint.is_some() && fingerprint == task.run.last_failure && !is_guests(task);
    let repetitions = if repeats { task.run.repetitions.saturating_add(1) } else { 0 };
    let remedy = Remedy::after(repetitions);
    let other = another_agent(task, allowance.route_to.as_ref());
    if remedy == Remedy::Human || remedy == Remedy::AnotherAgent && other.is_none() {
        return Ruling { fingerprint, ..escalate(task, Reason::NoProgress) };
    }
    let charge = if repeats { Charge::Nothing } else { failure.charge };
    let failures = task.run.failures + u32::from(charge == Charge::Attempt);
    if failures > allowance.retries_max || charge == Charge::Attempt && failures >= allowance.escalate_after {
        return Ruling { fingerprint, ..escalate(task, Reason::RetriesExhausted) };
    }
    let next = NextTurn {
        agent: match remedy {
            Remedy::AnotherAgent => other,
            Remedy::Feedback | Remedy::FreshSession | Remedy::Human => {
                routed(task, failure.reason, allowance.route_to)
            }
        }
        .unwrap_or_else(|| current_agent(task)),
        session: if remedy == Remedy::Feedback { SessionMode::Same } else { SessionMode::Fresh },
    };
    let feedback = Feedback {
        reason: failure.reason,
        items: failure.items,
        attempt: failures + 1,
        attempts_max: allowance.retries_max + 1,
        context: allowance.context,
    };
    Ruling {
        charge,
        next: Some(next),
        feedback: Some(feedback),
        fingerprint,
        ..ruling(task, Disposition::Rework, failure.reason)
    }
}

/// Decides about a turn that was lost through nobody's work, as one whose question is answered or that a person stopped: whoever
/// had it goes on, and is told what it had been told.
pub(super) fn goes_on(task: &Task, reason: Reason) -> Ruling {
    let next = NextTurn { agent: current_agent(task), session: SessionMode::Same };
    let feedback = task.run.feedback.clone();
    Ruling { next: Some(next), feedback, ..ruling(task, Disposition::Rework, reason) }
}

/// A guest cannot be given a fresh session, and nobody else is there: its attempts are all that ends it.
fn is_guests(task: &Task) -> bool {
    task.history.last().is_some_and(|attempt| attempt.performer == Performer::Guest)
}

/// A route is for work that failed a judgement; whoever lost a turn or was asked something takes it up again. Where an
/// independent verifier judges, only its judgement is routed: what a check of the host says, its builder mends best.
fn routed(task: &Task, reason: Reason, route: Option<AgentName>) -> Option<AgentName> {
    let is_judged = task.verifier().is_none() || task.report_freshness() == Freshness::Fresh;
    let says_failed = || task.run.submission.as_ref().is_some_and(|work| work.outcome == Outcome::Failed);
    match reason {
        Reason::WorkIncomplete if is_judged && says_failed() => route,
        Reason::ChecksFailed | Reason::CriteriaFailed | Reason::InsufficientEvidence if is_judged => route,
        _ => Some(current_agent(task)),
    }
}

fn current_agent(task: &Task) -> AgentName {
    let last = task.run.next.as_ref().map(|next| next.agent.clone());
    let own = || task.stage().map(|stage| stage.agent.clone());
    last.or_else(own).unwrap_or_else(|| AgentName::fixed("nobody"))
}

/// Returns somebody else who could try: the one failures are routed to, or the stage's own agent.
fn another_agent(task: &Task, route: Option<&AgentName>) -> Option<AgentName> {
    let current = current_agent(task);
    let own = task.stage().map(|stage| &stage.agent);
    route.into_iter().chain(own).find(|agent| **agent != current).cloned()
}
