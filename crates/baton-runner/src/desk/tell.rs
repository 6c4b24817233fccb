//! What happened and why, in words for a person.

use baton_engine::event::{Entry, Event};
use baton_engine::invariant;
use baton_engine::state::{Status, Task, Whom};
use baton_engine::word::TaskId;

use baton_store::view::tasks;

use super::{Desk, DeskError};

/// Returns a time as RFC 3339 writes it.
pub fn time(at: i64) -> String {
    jiff::Timestamp::from_millisecond(at).map_or_else(|_| at.to_string(), |time| time.to_string())
}

/// Returns how a task stands, with what it waits for.
pub fn status(task: &Task) -> String {
    match task.status() {
        Status::Pending { on } => {
            let names: Vec<&str> = on.iter().map(TaskId::as_str).collect();
            format!("pending on {}", names.join(", "))
        }
        Status::Waiting { on, for_what, since } => {
            let whom = match on {
                Whom::Person => "a person".to_owned(),
                Whom::Agent(agent) => format!("@{agent}"),
                Whom::Host => "the host".to_owned(),
            };
            format!("waiting on {whom} for {for_what} since {}", time(since))
        }
        Status::Blocked { why } => format!("blocked: {why}"),
        other => other.kind().name().to_owned(),
    }
}

/// Returns one event in one line.
pub fn line(entry: &Entry) -> String {
    let who = format!("{} {}", entry.actor.kind.name(), entry.actor.name);
    format!("{:>4}  {}  {who:<20}  {}", entry.version, time(entry.at), words(&entry.event))
}

fn words(event: &Event) -> String {
    match event {
        Event::TaskAdded { title, workflow, .. } => format!("task added: {title} ({})", workflow.name),
        Event::GuidanceIssued { turn, .. } => format!("guidance issued for {turn}"),
        Event::TurnStarted { turn, stage, role, agent, attempt, .. } => {
            format!("{turn} started: @{agent} as {} on {stage}, attempt {attempt}", role.name())
        }
        Event::SnapshotTaken { tree, .. } => format!("snapshot taken: {}", short(tree.as_str())),
        Event::TurnLaunched { turn, .. } => format!("{turn} launched"),
        Event::TurnEnded { turn, ending, .. } => format!("{turn} ended: {}", ending.name()),
        Event::HandoffAcknowledged { understanding, .. } => {
            format!("handoff acknowledged: {}", understanding.name())
        }
        Event::HandoffReceived { submission, .. } => {
            let problems = match submission.problems.len() {
                0 => String::new(),
                count => format!(", {count} problems"),
            };
            format!(
                "handoff received: {} claims {}{problems}",
                submission.document.id,
                submission.outcome.name()
            )
        }
        Event::ReceiptRecorded { receipt } => {
            let checks: Vec<String> = receipt
                .checks
                .iter()
                .map(|check| format!("{} {}", check.checkpoint, check.verdict.name()))
                .collect();
            format!("receipt {}: {}", receipt.document.id, checks.join(", "))
        }
        Event::VerdictReported { report, .. } => {
            let verdicts: Vec<String> = report
                .criteria
                .iter()
                .map(|criterion| format!("{} {}", criterion.criterion, criterion.verdict.name()))
                .collect();
            format!("report {}: {}", report.document.id, verdicts.join(", "))
        }
        Event::VerdictVoided { why, .. } => format!("report void: {why}"),
        Event::DecisionMade { disposition, reason, refs, .. } => {
            let refs: Vec<&str> = refs.iter().map(|id| id.as_str()).collect();
            format!("decided: {} because of {}, on {}", disposition.name(), reason.name(), refs.join(", "))
        }
        Event::StageAdvanced { from, to, .. } => format!("stage {from} accepted, on to {to}"),
        Event::ClarificationAsked { clarification, question, .. } => {
            format!("asked {clarification}: {question}")
        }
        Event::ClarificationAnswered { clarification, answer, .. } => {
            format!("answered {clarification}: {answer}")
        }
        Event::GateAsked { gate, .. } => format!("gate {gate} asked"),
        Event::GateAnswered { gate, choice, words, .. } => format!("gate {gate}: {} {words}", choice.name()),
        Event::EscalationRaised { reason, details, .. } => {
            format!("escalation raised: {}: {details}", reason.name())
        }
        Event::EscalationResolved { resolution, words } => {
            format!("resolved: {}: {words}", resolution.name())
        }
        Event::Waived { reason, until, .. } => format!("waived until {}: {reason}", time(*until)),
        Event::TaskEnded { end } => format!("task ended: {}", end.name()),
        Event::CommandRefused { command, refusal, details } => {
            format!("refused {command}: {refusal} {details}")
        }
        Event::CancelRequested { reason } => format!("cancel requested: {reason}"),
        other => other.kind().replace('_', " "),
    }
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// Why a task stands as it does: the last decision with everything it rests on.
#[derive(Clone, Debug)]
pub struct Why {
    pub status: String,
    pub lines: Vec<String>,
}

impl Desk {
    /// Tells why a task stands as it does.
    pub fn why(&self, id: &TaskId) -> Result<Why, DeskError> {
        let task = self.task(id)?;
        let entries: Vec<Entry> = self.entries(Some(id))?.into_iter().map(|(_, entry)| entry).collect();
        let last = entries.iter().rposition(|entry| matches!(entry.event, Event::DecisionMade { .. }));
        let mut lines = Vec::new();
        if let Some(position) = last
            && let Event::DecisionMade { refs, feedback, .. } = &entries[position].event
        {
            lines.push(line(&entries[position]));
            for entry in &entries[..position] {
                let names = match &entry.event {
                    Event::HandoffReceived { submission, .. } => Some(&submission.document.id),
                    Event::ReceiptRecorded { receipt } => Some(&receipt.document.id),
                    Event::VerdictReported { report, .. } => Some(&report.document.id),
                    _ => None,
                };
                let raised = matches!(entry.event, Event::EscalationRaised { .. });
                if raised || names.is_some_and(|name| refs.contains(name)) {
                    lines.push(format!("  on {}", line(entry).trim_start()));
                }
                if let Event::ReceiptRecorded { receipt } = &entry.event
                    && refs.contains(&receipt.document.id)
                {
                    let details = receipt.checks.iter().map(|check| {
                        format!("       {}: {}", check.checkpoint, check.detail.replace('\n', "; "))
                    });
                    lines.extend(details);
                }
            }
            if let Some(feedback) = feedback {
                lines.extend(feedback.text().lines().map(|line| format!("  | {line}")));
            }
            lines.extend(entries[position + 1..].iter().map(line));
        } else {
            lines.extend(entries.iter().map(line));
        }
        Ok(Why { status: status(&task), lines })
    }

    /// Folds every stream anew and holds the invariants against it; returns what does not hold.
    pub fn replay(&self) -> Result<Replayed, DeskError> {
        let mut replayed = Replayed { events: 0, tasks: 0, violations: Vec::new() };
        for task in self.tasks()? {
            let entries: Vec<Entry> =
                self.entries(Some(&task.id))?.into_iter().map(|(_, entry)| entry).collect();
            replayed.events += entries.len();
            replayed.tasks += 1;
            if tasks::state(&self.log, task.id.as_str())?.task.as_ref() != Some(&task) {
                replayed
                    .violations
                    .push(format!("{}: the view says something else than the events", task.id));
            }
            let broken = invariant::violation(&entries);
            replayed.violations.extend(broken.map(|(rule, how)| format!("{}: {rule}: {how}", task.id)));
        }
        Ok(replayed)
    }
}

/// What a replay showed.
#[derive(Clone, Debug)]
pub struct Replayed {
    pub events: usize,
    pub tasks: usize,
    pub violations: Vec<String>,
}
