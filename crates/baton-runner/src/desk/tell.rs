//! What happened and why, in words for a person.

use baton_engine::event::{Entry, Event};
use baton_engine::fact::Receipt;
use baton_engine::invariant;
use baton_engine::state::{Status, StatusKind, Task, Turn};
use baton_engine::word::{GateName, TaskId};
use baton_engine::workflow::GateWeight;

use baton_store::Log;
use baton_store::view::tasks::{self, Line, Wait};

use super::{Desk, DeskError};

/// Returns a time as RFC 3339 writes it: in whole seconds, or with all three digits of its milliseconds.
pub fn time(at: i64) -> String {
    match jiff::Timestamp::from_millisecond(at) {
        Ok(time) if at % 1_000 == 0 => time.to_string(),
        Ok(time) => format!("{time:.3}"),
        Err(_) => at.to_string(),
    }
}

/// How far the times of two events may lie against their order: a command keeps the time at which it began, and somebody
/// may take minutes to type what it waits for.
const CLOCK_SLACK_MS: i64 = 10 * 60_000;

/// Says that a clock went wrong: an event is older than the one before it. Order is by sequence, never by this time.
pub fn clock_anomaly(before: i64, at: i64) -> Option<String> {
    let behind = before.saturating_sub(at);
    (behind > CLOCK_SLACK_MS)
        .then(|| format!("clock_anomaly: {} s earlier than the event before it", behind / 1_000))
}

/// Returns text that others wrote as one line: no line of it can pass for one of ours.
pub(super) fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

/// Returns the lines of a text as one line in which each is still one.
pub(super) fn joined(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Returns what a text says first; what follows it is for whoever works on.
pub(super) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Returns how a task stands, with what it waits for, in one line.
pub fn status(task: &Task) -> String {
    if let Status::Pending { on } = task.status() {
        let names: Vec<&str> = on.iter().map(TaskId::as_str).collect();
        return one_line(&format!("pending on {}", names.join(", ")));
    }
    standing(&tasks::line(task))
}

/// Returns the same for a task that is not pending, from its line.
fn standing(line: &Line) -> String {
    let since = match &line.wait {
        Some(Wait::Host { since, .. } | Wait::Person { since, .. } | Wait::Agent { since, .. }) => {
            format!(" since {}", time(*since))
        }
        Some(Wait::Blocked { .. }) | None => String::new(),
    };
    format!("{}{since}", cause(line))
}

/// Returns how a task stands, without since when: the same words for all that wait for the same.
pub fn cause(line: &Line) -> String {
    let waiting = |whom: &str, for_what: &str| format!("waiting on {whom} for {for_what}");
    one_line(&match &line.wait {
        Some(Wait::Host { for_what, .. }) => waiting("the host", for_what),
        Some(Wait::Person { for_what, .. }) => waiting("a person", for_what),
        Some(Wait::Agent { agent, for_what, .. }) => waiting(&format!("@{agent}"), for_what),
        Some(Wait::Blocked { why }) => format!("blocked: {why}"),
        None if line.is_unchanged => format!("{} (nothing changed)", line.status),
        None => line.status.clone(),
    })
}

/// Returns one event in one line.
pub fn line(entry: &Entry) -> String {
    let who = format!("{} {}", entry.actor.kind.name(), entry.actor.name);
    let words = one_line(&words(&entry.event));
    format!("{:>4}  {}  {who:<20}  {words}", entry.version, time(entry.at))
}

/// Returns what an event says, in words.
pub fn words(event: &Event) -> String {
    match event {
        Event::TaskAdded { title, workflow, .. } => format!("task added: {title} ({})", workflow.name),
        Event::GuidanceIssued { turn, .. } => format!("guidance issued for {turn}"),
        Event::TurnStarted { turn, stage, role, agent, attempt, .. } => {
            format!("{turn} started: @{agent} as {} on {stage}, attempt {attempt}", role.name())
        }
        Event::SnapshotTaken { tree, .. } => format!("snapshot taken: {}", short(tree.as_str())),
        Event::TurnLaunched { turn, .. } => format!("{turn} launched"),
        Event::TurnEnded { turn, ending, document, how, .. } => {
            let how = how.as_ref().map(|how| format!(" ({how})")).unwrap_or_default();
            let left = document.as_ref().map(|document| format!(", see {}", document.id));
            format!("{turn} ended: {}{how}{}", ending.name(), left.unwrap_or_default())
        }
        Event::PromptRecorded { turn, document } => format!("{turn} was told {}", document.id),
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
        Event::ReceiptRecorded { receipt } => receipt_words(receipt),
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
        Event::GateAsked { gate, weight: GateWeight::Informing, items, .. } => informs(gate, items),
        Event::GateAsked { gate, weight: GateWeight::Blocking, .. } => format!("gate {gate} asked"),
        Event::GateAnswered { gate, choice, words, .. } => format!("gate {gate}: {} {words}", choice.name()),
        Event::EscalationRaised { reason, details, .. } => {
            format!("escalation raised: {}: {details}", reason.name())
        }
        Event::EscalationResolved { resolution, words } => {
            format!("resolved: {}: {words}", resolution.name())
        }
        Event::Waived { reason, until, .. } => format!("waived until {}: {reason}", time(*until)),
        Event::TaskEnded { end } => format!("task ended: {}", end.name()),
        Event::CommandRefused { command, refusal, details, repeats } => {
            let again = repeats.map(|repeats| format!(" again, {repeats} times")).unwrap_or_default();
            format!("refused {command}{again}: {refusal} {details}")
        }
        Event::CancelRequested { reason } => format!("cancel requested: {reason}"),
        Event::CovenantAdopted { version, policy_hash } => {
            format!("guidance version {version} is in force: {}", short(policy_hash.as_str()))
        }
        Event::WorkflowDefined { workflow } => {
            format!("workflow {} defined, version {}", workflow.name, workflow.version)
        }
        Event::DependencyDeclared { task, on } => format!("{task} is to wait for {on}"),
        Event::Paused { reason } => format!("paused: {reason}"),
        Event::Resumed {} => "goes on".to_owned(),
        Event::LessonApproved { lesson, words, .. } => format!("lesson approved: {lesson}: {words}"),
        Event::LessonRetired { lesson, words } => format!("lesson retired: {lesson}: {words}"),
        Event::DependencyAdded { on } => format!("waits for {on}"),
        Event::DependencyReleased { on, end } => format!("{on} ended as {}; released", end.name()),
        Event::DependencyFailed { on, end } => format!("{on} ended as {}; blocked", end.name()),
        Event::LeaseRenewed { turn, expires_at } => format!("{turn} may go on until {}", time(*expires_at)),
        Event::PlanReceived { document, .. } => format!("plan received: {}", document.id),
        Event::TreeObserved { tree, definition } => {
            let anew = if definition.is_some() {
                ", and the checks, their tools or their environment are others"
            } else {
                ""
            };
            format!("the files are {} now{anew}", short(tree.as_str()))
        }
        Event::Delegated { to, child, deliverable, .. } => {
            format!("delegated to @{to} as {child}: {deliverable}")
        }
        Event::DelegationReturned { delegation, document, end, .. } => {
            format!("delegation {delegation} came back as {}: {}", end.name(), document.id)
        }
        Event::RollbackRecorded { applied: true, rescue, .. } => {
            format!("rolled back; what was there is saved as {}", rescue.as_deref().map_or("nothing", short))
        }
        Event::RollbackRecorded { applied: false, remediation, .. } => {
            let first = remediation.first().map_or("", String::as_str);
            format!("not rolled back, {} steps are left to a person: {first}", remediation.len())
        }
        Event::MergeRecorded { merged, details, receipt, .. } => {
            let merged = if *merged { "merged" } else { "not merged" };
            let seen = receipt.as_ref().map(|receipt| format!("; together: {}", receipt_words(receipt)));
            format!("{merged}: {}{}", first_line(details), seen.unwrap_or_default())
        }
        Event::Spent { turn, tokens, account } => {
            let cost = account.as_ref().and_then(|account| account.cost_microdollars);
            let dollars = cost.map(|cost| format!(", {}", dollars(cost))).unwrap_or_default();
            format!("{turn} cost {tokens} tokens{dollars}")
        }
        Event::NoticeSent { notice } => format!("notice {notice} is in the inbox"),
        Event::Unknown { kind, .. } => format!("{kind}, which a newer Baton wrote"),
    }
}

/// Says what a gate informs of.
pub(crate) fn informs(gate: &GateName, items: &[String]) -> String {
    match items.is_empty() {
        true => format!("gate {gate} informs"),
        false => format!("gate {gate} informs: {}", items.join("; ")),
    }
}

/// Says who has a turn.
pub(super) fn holder(turn: &Turn) -> String {
    let Turn { session, id, agent, role, started_at, .. } = turn;
    format!("{session} has {id} as @{agent} ({}) since {}", role.name(), time(*started_at))
}

/// Returns an amount of money in words, to the hundredth of a cent.
pub fn dollars(microdollars: u64) -> String {
    let rounded = microdollars.saturating_add(50) / 100;
    format!("{}.{:04} USD", rounded / 10_000, rounded % 10_000)
}

fn receipt_words(receipt: &Receipt) -> String {
    let checks: Vec<String> =
        receipt.checks.iter().map(|check| format!("{} {}", check.checkpoint, check.verdict.name())).collect();
    format!("receipt {}: {}", receipt.document.id, checks.join(", "))
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

impl Desk {
    /// Returns how the task of a line stands. Only the tasks that another is pending on are not in its line.
    pub(super) fn standing(&self, line: &Line) -> Result<String, DeskError> {
        let task = match line.status == StatusKind::Pending.name() {
            true => self.shown(line)?,
            false => None,
        };
        Ok(task.map_or_else(|| standing(line), |task| status(&task)))
    }

    /// Says that the clock of this machine and the end of the log do not agree.
    pub fn clock_anomaly(&self) -> Result<Option<String>, DeskError> {
        let head = self.log.head()?.sequence;
        let last: Vec<i64> =
            self.log.read_all(head.saturating_sub(2), 2)?.iter().map(|event| event.at).collect();
        let among = last.windows(2).find_map(|pair| clock_anomaly(pair[0], pair[1]));
        let since = last.last().filter(|at| clock_anomaly(**at, self.now).is_some());
        let ahead =
            since.map(|at| format!("clock_anomaly: the last event is of {}, which lies ahead", time(*at)));
        Ok(ahead.or(among))
    }

    /// Folds the stream of every task again and checks all invariants in the state after each of its events.
    pub fn replay(&self) -> Result<Replayed, DeskError> {
        let mut rules: Vec<ReplayedRule> = invariant::ALL
            .iter()
            .map(|rule| ReplayedRule {
                name: rule.name,
                holds: rule.holds,
                is_of_protocol: rule.is_of_protocol(),
                states: 0,
                broken: 0,
            })
            .collect();
        let mut replayed = Replayed { events: 0, tasks: 0, rules: Vec::new(), violations: Vec::new() };
        for task in self.tasks()? {
            let entries: Vec<Entry> =
                self.entries(Some(&task.id))?.into_iter().map(|(_, entry)| entry).collect();
            replayed.events += entries.len();
            replayed.tasks += 1;
            if !tasks::shows(&self.log, &task)? {
                replayed
                    .violations
                    .push(format!("{}: the view says something else than the events", task.id));
            }
            for (rule, checked) in invariant::ALL.iter().zip(&mut rules) {
                let (states, how) = invariant::replay(rule, &entries);
                checked.states += states;
                checked.broken += usize::from(how.is_some());
                replayed.violations.extend(how.map(|how| format!("{}: {}: {how}", task.id, rule.name)));
            }
        }
        replayed.rules = rules;
        Ok(replayed)
    }
}

/// What a replay showed.
#[derive(Clone, Debug)]
pub struct Replayed {
    pub events: usize,
    pub tasks: usize,
    /// The nine of the protocol first.
    pub rules: Vec<ReplayedRule>,
    pub violations: Vec<String>,
}

/// What a replay showed about one invariant.
#[derive(Clone, Debug)]
pub struct ReplayedRule {
    pub name: &'static str,
    /// What holds, in a sentence.
    pub holds: &'static str,
    pub is_of_protocol: bool,
    /// The number of states that it was checked in.
    pub states: usize,
    /// The number of tasks whose log breaks it; `violations` says where.
    pub broken: usize,
}
