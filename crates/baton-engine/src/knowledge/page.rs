//! One task's page: which handoffs it has, who wrote them, and what became of the work. Folded from the task's stream.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Fate, Source};
use crate::event::{Entry, Event};
use crate::fact::{Disposition, Document, End, Outcome, Reason, Receipt};
use crate::verdict::{Provenance, Verdict};
use crate::word::{AgentName, BlobId, CheckpointName, StageName, TaskId, TurnId};

/// The task as far as its handoffs go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    pub title: String,
    /// Who takes which turn at which stage.
    turns: BTreeMap<TurnId, (StageName, AgentName)>,
    /// In the order of the log.
    pub handoffs: Vec<Handover>,
    /// The checks of the host passed on the last handoff.
    passes: bool,
    /// What the host saw of each checkpoint.
    checks: BTreeMap<CheckpointName, Checked>,
    pub end: Option<End>,
}

/// What all receipts of a task say of one checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Checked {
    /// Of the newest receipt that speaks of it.
    sequence: u64,
    verdict: Verdict,
    /// It passed at least once.
    passed: bool,
}

/// A document that was handed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handover {
    pub source: Source,
    pub blob: BlobId,
    /// What the host measured of the files that it speaks of.
    #[serde(default)]
    pub files: Option<BlobId>,
    /// Nothing for the report of a verifier.
    pub outcome: Option<Outcome>,
}

/// What an event changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// A document came in: the last of the page.
    pub said: bool,
    /// Handoffs from this one on have another fate.
    pub judged_from: Option<usize>,
}

impl Page {
    /// Folds one event of the task's stream in. Total, like everything that reads the log.
    pub fn apply(&mut self, task: &TaskId, sequence: u64, entry: &Entry) -> Changed {
        match &entry.event {
            Event::TaskAdded { title, .. } => self.title.clone_from(title),
            Event::TurnStarted { turn, stage, agent, .. } => {
                self.turns.insert(turn.clone(), (stage.clone(), agent.clone()));
            }
            Event::HandoffReceived { turn, submission, .. } => {
                self.passes = false;
                let place = (task, sequence, entry.at);
                let changed = self.said(turn, &submission.document, Some(submission.outcome), place);
                if let Some(handover) = self.handoffs.last_mut().filter(|_| changed.said) {
                    handover.files = submission.files.as_ref().map(|files| files.blob.clone());
                }
                return changed;
            }
            Event::VerdictReported { turn, report } => {
                return self.said(turn, &report.document, None, (task, sequence, entry.at));
            }
            Event::ReceiptRecorded { receipt } => self.checked(sequence, receipt),
            Event::DecisionMade { disposition, reason, .. } => return self.judged(*disposition, *reason),
            Event::TaskEnded { end } => return self.ended(*end),
            _ => {}
        }
        Changed::default()
    }

    fn checked(&mut self, sequence: u64, receipt: &Receipt) {
        // Only what was run backs what somebody learned.
        let run = || receipt.checks.iter().filter(|check| check.provenance == Provenance::Observed);
        self.passes = run().next().is_some();
        for check in run() {
            let verdict = receipt.verdict(&check.checkpoint);
            let has_passed = verdict == Verdict::Pass;
            self.passes &= has_passed;
            let known = self.checks.get(&check.checkpoint);
            let passed = has_passed || known.is_some_and(|known| known.passed);
            self.checks.insert(check.checkpoint.clone(), Checked { sequence, verdict, passed });
        }
    }

    fn said(
        &mut self,
        turn: &TurnId,
        document: &Document,
        outcome: Option<Outcome>,
        (task, sequence, at): (&TaskId, u64, i64),
    ) -> Changed {
        let Some((stage, agent)) = self.turns.get(turn).cloned() else { return Changed::default() };
        let source = Source {
            task: task.clone(),
            turn: turn.clone(),
            stage,
            agent,
            at,
            handoff: document.id.clone(),
            sequence,
            fate: Fate::Open,
            backed: false,
        };
        self.handoffs.push(Handover { source, blob: document.blob.clone(), files: None, outcome });
        Changed { said: true, judged_from: None }
    }

    /// Settles everything that was not decided yet.
    fn judged(&mut self, disposition: Disposition, reason: Reason) -> Changed {
        let (fate, backed) = match disposition {
            Disposition::Accept => {
                // A waiver lets pass what no check did.
                (Fate::Accepted, self.passes && reason != Reason::AcceptedWithWaiver)
            }
            Disposition::Rework | Disposition::Rollback | Disposition::Escalate => (Fate::Returned, false),
        };
        let first = self.handoffs.iter().position(|handover| handover.source.fate == Fate::Open);
        for handover in self.handoffs.iter_mut().filter(|handover| handover.source.fate == Fate::Open) {
            handover.source.fate = fate;
            handover.source.backed = backed;
        }
        Changed { said: false, judged_from: first }
    }

    /// Work that came to nothing backs nothing, even where a stage of it was accepted.
    fn ended(&mut self, end: End) -> Changed {
        self.end = Some(end);
        if end.releases() {
            return Changed::default();
        }
        for handover in &mut self.handoffs {
            handover.source.fate = Fate::Returned;
            handover.source.backed = false;
        }
        Changed { said: false, judged_from: (!self.handoffs.is_empty()).then_some(0) }
    }

    /// Says whether a handoff speaks for its stage: no later one took its place.
    pub fn is_latest(&self, sequence: u64) -> bool {
        let Some(at) = self.handoffs.iter().position(|handover| handover.source.sequence == sequence) else {
            return false;
        };
        let said = &self.handoffs[at];
        self.handoffs[at + 1..].iter().all(|later| {
            later.source.stage != said.source.stage || later.outcome.is_some() != said.outcome.is_some()
        })
    }

    /// Says whether blockers of a handoff still stand: it speaks for its stage, and nobody completed the work since.
    pub fn still_blocks(&self, sequence: u64) -> bool {
        let done = self.end.is_some_and(End::releases);
        let completed =
            |later: &Handover| later.source.sequence > sequence && later.outcome == Some(Outcome::Completed);
        !done && self.is_latest(sequence) && !self.handoffs.iter().any(completed)
    }
}

/// Returns the checkpoints that passed once in any of these tasks and do not pass in the newest receipt that speaks of them.
pub fn failing<'p>(pages: impl IntoIterator<Item = &'p Page>) -> Vec<CheckpointName> {
    let mut passed: BTreeSet<&CheckpointName> = BTreeSet::new();
    let mut last: BTreeMap<&CheckpointName, Checked> = BTreeMap::new();
    for (name, checked) in pages.into_iter().flat_map(|page| &page.checks) {
        if checked.passed {
            passed.insert(name);
        }
        let newest = last.entry(name).or_insert(*checked);
        if newest.sequence < checked.sequence {
            *newest = *checked;
        }
    }
    last.retain(|name, newest| newest.verdict != Verdict::Pass && passed.contains(name));
    last.into_keys().cloned().collect()
}
