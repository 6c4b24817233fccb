//! Where the work of a task can be looked at, how, and what was seen of it: what a person who is asked wants to know first.

use std::collections::BTreeMap;
use std::path::PathBuf;

use baton_engine::event::Event;
use baton_engine::fact::{GateChoice, Outcome, Receipt, Submission, Waivable};
use baton_engine::policy::unshown;
use baton_engine::state::{Task, Turn};
use baton_engine::verdict::Verdict;
use baton_engine::word::{CheckpointName, TaskId};
use baton_engine::workflow::Role;
use baton_handoff::document;
use baton_handoff::field::Field;
use baton_handoff::handoff::Handoff;

use super::tell::{joined, one_line};
use super::{Desk, DeskError};
use crate::workspace::FileChange;

/// Most changed files that are named.
const FILES_NAMED_MAX: usize = 8;
/// Most contradicted claims that are named.
const CLAIMS_NAMED_MAX: usize = 5;
/// Most characters of an answer that are shown beside a gate.
const SUMMARY_CHARS_MAX: usize = 500;
const SUMMARY: &str = "summary";

impl Desk {
    /// Says where the work of programs lies, what it changed, and what was checked and judged. Whoever works in the checkout
    /// has it before their eyes.
    pub(super) fn look(&self, task: &Task) -> Result<Vec<String>, DeskError> {
        let Some(own) = self.own_workspace(&task.id)? else { return Ok(Vec::new()) };
        let mut lines = self.answered(task)?;
        if let Some(changes) = self.work_of(task)? {
            let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
            lines.push(format!("changed: {}", named(&paths)));
        }
        lines.push(format!(
            "look at it: `baton task diff {}`; its files lie in {}",
            task.id,
            own.root().display()
        ));
        lines.push(format!("seen: {}", seen(task, self.now)));
        Ok(lines)
    }

    /// Returns what a task has changed since its first turn, or since its work was brought to a newer commit, as the host last
    /// saw its files; nothing where its work lies in the checkout, or nobody has begun. It is read from what was saved: the
    /// repository in a workspace is the agent's.
    pub fn work_of(&self, task: &Task) -> Result<Option<Vec<FileChange>>, DeskError> {
        let Some(own) = self.own_workspace(&task.id)? else { return Ok(None) };
        match (own.renewed().or(task.began_with.as_ref()), &task.tree) {
            (Some(began_with), Some(now)) => Ok(Some(own.changes(began_with, now)?)),
            (_, _) => Ok(None),
        }
    }

    /// Returns where the work of the turn that is being taken belongs, if it has changed nothing there.
    pub fn untouched(&self, id: &TaskId) -> Result<Option<PathBuf>, DeskError> {
        let task = self.task(id)?;
        let builds = |turn: &&Turn| turn.role != Role::Verifier;
        let began = task.turn.as_ref().filter(builds).and_then(|turn| turn.snapshot.as_ref());
        match (self.own_workspace(id)?, began) {
            (Some(own), Some(began)) if own.measure()? == began.tree => Ok(Some(own.root().to_owned())),
            _ => Ok(None),
        }
    }

    /// Tells what a person asked at a gate last, and what came in answer.
    fn answered(&self, task: &Task) -> Result<Vec<String>, DeskError> {
        let entries = self.entries(Some(&task.id))?;
        let asked = entries.iter().rev().find_map(|(_, entry)| match &entry.event {
            Event::GateAnswered { gate, choice: GateChoice::Question, words, .. } => Some((gate, words)),
            _ => None,
        });
        let (Some((gate, words)), Some(work)) = (asked, &task.run.submission) else { return Ok(Vec::new()) };
        let document = &work.document;
        let bytes = self.document(&document.blob)?.unwrap_or_default();
        let said = summary(&bytes).map(|said| format!("{said}; ")).unwrap_or_default();
        let whole = format!("all of it: `baton show {} {}`", task.id, document.id);
        Ok(vec![
            format!("asked at {gate}: {}", one_line(words)),
            format!("answered: {}{whole}", one_line(&said)),
        ])
    }
}

/// Returns what a handoff says of itself first, within a bound and without secrets.
fn summary(bytes: &[u8]) -> Option<String> {
    let read = document::read(document::decode(bytes).ok()?);
    let said = read.handoffs.iter().find_map(|Handoff { record, .. }| {
        // The form that prompts teach has the word in a dialect that does not know it.
        let own = || record.extensions.iter().find(|own| own.key == SUMMARY)?.value.text();
        record.str(Field::Summary).or_else(own)
    })?;
    let said: String = said.trim().chars().take(SUMMARY_CHARS_MAX).collect();
    Some(crate::secret::mask(&said).into_owned()).filter(|said| !said.is_empty())
}

/// What the host saw last that is not as it should be.
pub(super) fn seen_last(task: &Task, now: i64) -> Vec<String> {
    let of_handoff = task.run.submission.iter().flat_map(|submission| &submission.findings);
    let of_work = task.run.receipt.iter().flat_map(Receipt::contradicted);
    let contradicted = of_handoff.filter(|finding| finding.is_contradicted()).chain(of_work);
    let mut lines: Vec<String> = contradicted
        .take(CLAIMS_NAMED_MAX)
        .map(|finding| format!("seen: {}: {}", finding.code, finding.told()))
        .collect();
    lines.dedup();
    let Some(receipt) = &task.run.receipt else { return lines };
    let not_shown = asserted_not_shown(task, now).map(|words| format!("seen: {words}"));
    let failed = receipt.checks.iter().filter(|check| check.verdict != Verdict::Pass);
    let failed = failed.map(|check| {
        format!("seen: {} {}: {}", check.checkpoint, check.verdict.name(), joined(&check.detail))
    });
    let violations = receipt.violations.iter().map(|what| format!("seen: not allowed: {what}"));
    let asserted = receipt.asserted.iter().map(CheckpointName::as_str).collect::<Vec<_>>().join(", ");
    let asserted = (!asserted.is_empty()).then(|| format!("asserted by the agent alone: {asserted}"));
    lines.extend(failed.chain(not_shown).chain(violations).chain(asserted));
    lines
}

/// Names the checkpoints that only the agent speaks for and that its handoff does not say to hold; nothing where that is not what
/// keeps the work from passing. What the host saw itself is told with the receipt.
pub(crate) fn asserted_not_shown(task: &Task, now: i64) -> Option<String> {
    let is_judged = |work: &&Submission| work.outcome == Outcome::Completed && work.problems.is_empty();
    let work = task.run.submission.as_ref().filter(is_judged)?;
    let receipt = task.run.receipt.as_ref()?;
    let unshown = unshown(task, now);
    let mut by_claim: BTreeMap<Option<Verdict>, Vec<&str>> = BTreeMap::new();
    for item in unshown
        .iter()
        .filter(|item| receipt.checks.iter().all(|check| check.checkpoint.as_str() != item.subject))
    {
        let claim = work.claims.iter().find(|(name, _)| name.as_str() == item.subject);
        by_claim.entry(claim.map(|(_, claim)| *claim)).or_default().push(&item.subject);
    }
    let words = by_claim.into_iter().map(|(claim, names)| match claim {
        Some(claim) => format!("claimed as {}: {}", claim.name(), names.join(", ")),
        None => format!("not claimed: {}", names.join(", ")),
    });
    Some(words.collect::<Vec<_>>().join("; ")).filter(|words| !words.is_empty())
}

fn named(paths: &[&str]) -> String {
    let more = paths.len().saturating_sub(FILES_NAMED_MAX);
    let shown = paths.iter().take(FILES_NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
    match (paths.is_empty(), more) {
        (true, _) => "nothing".to_owned(),
        (false, 0) => shown,
        (false, more) => format!("{shown} and {more} more"),
    }
}

/// Says what the host checked, what a verifier judged, and what a person let pass.
fn seen(task: &Task, now: i64) -> String {
    let checks = task.run.receipt.iter().flat_map(|receipt| &receipt.checks);
    let mut seen: Vec<String> = checks
        .map(|check| match task.is_waived(&Waivable::Checkpoint(check.checkpoint.clone()), now) {
            true if check.verdict != Verdict::Pass => {
                format!("{} {}, which was waived", check.checkpoint, check.verdict.name())
            }
            true | false => format!("{} {}", check.checkpoint, check.verdict.name()),
        })
        .collect();
    let asserted = task.run.receipt.iter().flat_map(|receipt| &receipt.asserted);
    seen.extend(asserted.map(|name| format!("{name} asserted by the agent alone")));
    match &task.run.report {
        Some(report) => {
            let said = report.criteria.iter();
            seen.extend(
                said.map(|said| format!("{} {} by the verifier", said.criterion, said.verdict.name())),
            );
        }
        None => seen.push("nobody independent has judged it".to_owned()),
    }
    seen.join(", ")
}
