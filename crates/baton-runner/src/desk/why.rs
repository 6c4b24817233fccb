//! Why a task stands as it does: what it waits for and what to do, then the decision with everything it rests on.

mod escalated;
mod missing;
mod reason;
mod taken;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use baton_engine::event::{Entry, Event};
use baton_engine::fact::{ClaimVerdict, Finding, Reason, Receipt, Report, Resolution};
use baton_engine::policy::{NotYet, consider};
use baton_engine::state::{Merge, Rollback, Task};
use baton_engine::verdict::{Provenance, Verdict};
use baton_engine::word::{ArtifactId, CheckpointName, TaskId};
use baton_engine::workflow::SettledBy;

use super::tell::{first_line, holder, joined, line, one_line, status, time};
use super::{Desk, DeskError, failure, refused};
use crate::config::Check;
use crate::workspace::TARGET_DEFAULT;
use escalated::escalated;
use missing::missing_words;
use reason::{reason_words, verb};
use taken::{has_session, kinship, taken_by};

/// What is said of work that was accepted and is none.
pub(crate) const UNCHANGED: &str = "nothing was changed: the files are as they were before the first turn";

/// Why a task stands as it does.
#[derive(Clone, Debug)]
pub struct Why {
    pub status: String,
    /// It was accepted, and its files are as they were before anybody worked on it.
    pub is_unchanged: bool,
    /// What it comes to, and what to do next.
    pub because: Vec<String>,
    /// The decision and what it rests on; then everything that came after it.
    pub record: Vec<String>,
}

impl Desk {
    /// Tells why a task stands as it does.
    pub fn why(&self, id: &TaskId) -> Result<Why, DeskError> {
        let task = self.task(id)?;
        let entries: Vec<Entry> = self.entries(Some(id))?.into_iter().map(|(_, entry)| entry).collect();
        let mut because = match task.end {
            Some(_) if task.is_unchanged() => vec![UNCHANGED.to_owned()],
            Some(_) => entries.iter().rev().find_map(|entry| ended(&task, entry)).into_iter().collect(),
            None => self.reasons(&task)?,
        };
        because.extend(self.informed(&task)?);
        if let Some(turn) = &task.turn {
            because.push(holder(turn));
        }
        if let Some(above) = task.lineage.last() {
            let fate = if task.end.is_some() { "whom the result went back to" } else { "who waits for it" };
            because.push(format!("it was delegated by @{} of {}, {fate}", above.agent, above.task));
        }
        let mut record = on_the_table(&task, &entries);
        record.extend(of_waiting(&task).into_iter().map(|finding| format!("  {finding}")));
        match entries.iter().rposition(is_decision) {
            Some(position) => record.extend(decision(&entries, position, self.lost(&entries, position)?)),
            None => {
                let is_other = |entry: &&Entry| !matches!(entry.event, Event::CommandRefused { .. });
                record.extend(entries.iter().filter(is_other).map(line));
            }
        }
        record.extend(refused::told(&entries));
        let lines = |all: Vec<String>| all.iter().map(|line| one_line(line)).collect();
        let (because, record) = (lines(because), lines(record));
        Ok(Why { status: status(&task), is_unchanged: task.is_unchanged(), because, record })
    }

    /// Says which command moves a task on; nothing when it has ended.
    pub fn next(&self, id: &TaskId) -> Result<Option<String>, DeskError> {
        let task = self.task(id)?;
        if task.end.is_some() {
            return Ok(None);
        }
        let next = self.reasons(&task)?.into_iter().find(|line| line.starts_with("next: "));
        Ok(Some(one_line(&next.unwrap_or_else(|| format!("next: `baton why {id}`")))))
    }

    /// Says why what was handed in last counts for nothing, if it does.
    pub fn voided(&self, id: &TaskId) -> Result<Option<String>, DeskError> {
        let last = self.entries(Some(id))?.into_iter().rev().find_map(|(_, entry)| match entry.event {
            Event::VerdictVoided { why, .. } => Some(Some(why)),
            Event::VerdictReported { .. } | Event::HandoffReceived { .. } => Some(None),
            _ => None,
        });
        Ok(last.flatten())
    }

    /// Tells of a turn without a handoff that a decision rests on: what the host saw, and where more of it is.
    fn lost(&self, entries: &[Entry], position: usize) -> Result<Vec<String>, DeskError> {
        let Event::DecisionMade { refs, .. } = &entries[position].event else { return Ok(Vec::new()) };
        let mut lines = Vec::new();
        for entry in &entries[..position] {
            if let Event::ReceiptRecorded { receipt } = &entry.event
                && refs.contains(&receipt.document.id)
            {
                lines.extend(self.findings(receipt)?);
            }
            let Event::TurnEnded { turn, ending, document: Some(document), .. } = &entry.event else {
                continue;
            };
            if refs.contains(&document.id) {
                let text = self.document(&document.blob)?.unwrap_or_default();
                let seen =
                    failure::seen(&String::from_utf8_lossy(&text)).unwrap_or_else(|| ending.name().into());
                lines.push(format!("  {turn} {}, {}: {seen}", failure::left(*ending), time(entry.at)));
                lines.push(format!("    what it changed is in {}", document.id));
                lines.extend(
                    taken_by(entries, turn).map(|words| format!("    the turn was taken by {words}")),
                );
            }
        }
        Ok(lines)
    }

    /// Tells what a receipt notes that stands in nobody's way.
    fn findings(&self, receipt: &Receipt) -> Result<Vec<String>, DeskError> {
        let bytes = self.document(&receipt.document.blob)?.unwrap_or_default();
        let noted: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let noted = noted["findings"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str);
        Ok(noted.map(|finding| format!("  {} notes: {finding}", receipt.document.id)).collect())
    }

    /// Says what a task that has not ended waits for, and which commands move it or tell more of it.
    pub fn because(&self, task: &Task) -> Result<Vec<String>, DeskError> {
        let mut lines = self.reasons(task)?;
        if let (Some(next), true) = (lines.last_mut(), task.escalation.is_some()) {
            next.push_str(&format!("; `baton why {}` says more", task.id));
        }
        Ok(lines)
    }

    fn reasons(&self, task: &Task) -> Result<Vec<String>, DeskError> {
        let id = &task.id;
        if let Some(escalation) = &task.escalation {
            let own = self.programs_in(task)?;
            return Ok(escalated(task, escalation, (self.now, &own)));
        }
        if let Rollback::Owed(_) = task.rollback {
            let next = match self.is_for_programs(id) {
                true => "next: `baton run`".to_owned(),
                false => format!("next: `baton rollback {id} --dry-run`, then `baton rollback {id}`"),
            };
            return Ok(vec!["its files are to go back to the last good snapshot".to_owned(), next]);
        }
        let is_for_programs = self.is_for_programs(id);
        if let Merge::Owed(tree, _) = &task.merge {
            let first = format!("accepted as {}; it is done when a commit has it", short(tree.as_str()));
            let rest = match self.stuck(task)? {
                Some(stuck) => stuck.lines(),
                None if is_for_programs => vec![format!("next: `baton run` brings it to `{TARGET_DEFAULT}`")],
                None => vec![format!("next: commit the accepted files, then `baton merge {id}`")],
            };
            return Ok(std::iter::once(first).chain(rest).collect());
        }
        if let Some((_, open)) = task.open_delegation() {
            let child = self.task(&open.child)?;
            return Ok(vec![
                format!("@{} delegated \"{}\" to @{}", open.from, open.deliverable, open.to),
                format!("{} is {}", open.child, status(&child)),
                format!("next: `baton why {}`", open.child),
            ]);
        }
        Ok(match consider(task, self.now) {
            Ok(ruling) => vec![
                format!("a decision is due: {}, {}", ruling.disposition.name(), reason_words(ruling.reason)),
                match is_for_programs {
                    true => "next: `baton run`".to_owned(),
                    false => format!("next: `baton decide {id}`"),
                },
            ],
            Err(missing) => self.waits_for(task, &missing)?,
        })
    }

    /// Returns where those programs of checks lie that are files of a task itself, by their checkpoints.
    fn programs_in(&self, task: &Task) -> Result<BTreeMap<String, PathBuf>, DeskError> {
        let has_own = task.escalation.as_ref().is_some_and(|known| known.reason == Reason::CheckUnavailable);
        let Some(own) = self.own_workspace(&task.id)?.filter(|_| has_own) else { return Ok(BTreeMap::new()) };
        let program = |check: &Check| {
            let program = Path::new(check.run.first()?);
            let is_file = program.is_relative() && program.components().count() > 1;
            is_file.then(|| {
                (check.checkpoint.clone(), own.root().join(program.strip_prefix(".").unwrap_or(program)))
            })
        };
        Ok(self.checks.iter().filter_map(program).collect())
    }

    /// Says what is missing before there can be a decision, and what brings it.
    fn waits_for(&self, task: &Task, missing: &NotYet) -> Result<Vec<String>, DeskError> {
        let is_for_programs = self.is_for_programs(&task.id);
        if let Some(paused) = self.held_up(task, missing)? {
            return Ok(std::iter::once(missing.words()).chain(paused.lines()).collect());
        }
        Ok(match missing {
            NotYet::Work | NotYet::Verification | NotYet::Turn => match self.stuck(task)? {
                Some(stuck) => std::iter::once(missing.words()).chain(stuck.lines()).collect(),
                None if is_for_programs && *missing != NotYet::Turn => {
                    let next = format!(
                        "next: `baton run`, or `baton receive {}` to take the turn yourself",
                        task.id
                    );
                    vec![missing.words(), next]
                }
                None => missing_words(task, missing),
            },
            NotYet::GateAnswer(_) => {
                let mut lines = missing_words(task, missing);
                let next = lines.pop();
                lines.extend(self.look(task)?);
                lines.into_iter().chain(next).collect()
            }
            NotYet::Checks if is_for_programs => vec![missing.words(), "next: `baton run`".to_owned()],
            missing => missing_words(task, missing),
        })
    }
}

/// Says how a task came to an end that no acceptance brought about.
fn ended(task: &Task, entry: &Entry) -> Option<String> {
    let id = &task.id;
    let who = format!("{} {}", entry.actor.kind.name(), entry.actor.name);
    match &entry.event {
        Event::CancelRequested { reason } => Some(format!("{who} cancelled it: {reason}")),
        Event::EscalationResolved { resolution: Resolution::Fail, words } => {
            Some(format!("{who} gave it up: {words}"))
        }
        Event::EscalationResolved { resolution: Resolution::RolledBackByHand, words } => Some(format!(
            "{who} put the files back by hand: {words}; `baton recover {id}` lists what was saved"
        )),
        Event::RollbackRecorded { applied: true, .. } => {
            let tree = task.snapshot_good.as_ref().map_or("", |snapshot| short(snapshot.tree.as_str()));
            Some(format!("its files went back to snapshot {tree}; `baton recover {id}` lists what was saved"))
        }
        _ => None,
    }
}

/// Tells what was handed over and is not decided yet: it is what a person at a gate is asked about.
fn on_the_table(task: &Task, entries: &[Entry]) -> Vec<String> {
    let run = &task.run;
    let Some(submission) =
        run.submission.as_ref().filter(|_| task.end.is_none() && task.merge == Merge::None)
    else {
        return Vec::new();
    };
    let receipt = run.receipt.as_ref().map(|receipt| receipt.document.id.clone());
    let report = run.report.as_ref().map(|report| report.document.id.clone());
    let refs: Vec<ArtifactId> =
        std::iter::once(submission.document.id.clone()).chain(receipt).chain(report).collect();
    let since = entries.iter().rposition(is_decision).map_or(0, |position| position + 1);
    let found: Vec<String> =
        entries[since..].iter().flat_map(|entry| evidence(entry, &refs, entries)).collect();
    match found.is_empty() {
        // The last decision rests on it, and tells it.
        true => Vec::new(),
        false => std::iter::once("handed over and not decided yet:".to_owned()).chain(found).collect(),
    }
}

fn is_decision(entry: &Entry) -> bool {
    matches!(entry.event, Event::DecisionMade { .. })
}

/// Tells a decision, each thing that it rests on, and what came of it.
fn decision(entries: &[Entry], position: usize, lost: Vec<String>) -> Vec<String> {
    let Event::DecisionMade { disposition, reason, refs, feedback, waived, next, .. } =
        &entries[position].event
    else {
        return Vec::new();
    };
    let at = time(entries[position].at);
    let mut lines =
        vec![format!("decided at {at}: {}, because {}", verb(*disposition), reason_words(*reason))];
    lines.extend(waived.iter().map(|what| format!("  leaning on a waiver of {}", waived_words(what))));
    lines.extend(lost);
    // That it could not be merged was answered by the decision that came next.
    let since = entries[..position].iter().rposition(is_decision).unwrap_or(0);
    let is_answered = |index: usize, entry: &Entry| {
        index < since && matches!(entry.event, Event::MergeRecorded { merged: false, .. })
    };
    for (index, entry) in entries[..position].iter().enumerate() {
        if !is_answered(index, entry) {
            lines.extend(evidence(entry, refs, &entries[..position]));
        }
    }
    if let Some(next) = next {
        let session = match has_session(&entries[..position], &next.agent) {
            true => format!(", in the {} session", next.session.name()),
            false => String::new(),
        };
        lines.push(format!("  so @{} works on it next{session}", next.agent));
    }
    if let Some(feedback) = feedback {
        lines.extend(feedback.text().lines().map(|line| format!("  | {line}")));
    }
    if position + 1 < entries.len() {
        lines.push("since then:".to_owned());
    }
    lines.extend(entries[position + 1..].iter().map(line));
    lines
}

/// Tells what an event has to do with a decision that refers to these documents.
fn evidence(entry: &Entry, refs: &[ArtifactId], before: &[Entry]) -> Vec<String> {
    let who = format!("{} {}", entry.actor.kind.name(), entry.actor.name);
    match &entry.event {
        Event::HandoffReceived { turn, submission, .. } if refs.contains(&submission.document.id) => {
            let mut lines = vec![format!(
                "  handoff {} of {who}, {}: says {}",
                submission.document.id,
                time(entry.at),
                submission.outcome.name()
            )];
            lines.extend(taken_by(before, turn).map(|words| format!("    the turn was taken by {words}")));
            lines.extend(submission.problems.iter().map(|problem| format!("    wrong in it: {problem}")));
            let stage = stage_at(before, entry.version);
            for (name, verdict) in &submission.claims {
                if stage.is_some_and(|stage| is_asserted(before, stage, name.as_str())) {
                    let who = match before.iter().any(|entry| was_looked_at(entry, name)) {
                        true => "claimed; a rule of the host settles it",
                        false => "asserted; nobody else can see it",
                    };
                    lines.push(format!("    {name}: {} ({who})", verdict.name()));
                }
            }
            lines
        }
        Event::ReceiptRecorded { receipt } if refs.contains(&receipt.document.id) => {
            receipt_lines(entry, receipt, before)
        }
        Event::VerdictReported { turn, report } if refs.contains(&report.document.id) => {
            let mut lines = report_lines(&who, entry, report);
            lines.extend(taken_by(before, turn).map(|words| format!("    the turn was taken by {words}")));
            lines.extend(kinship(before, entry.version, turn).map(|words| format!("    {words}")));
            lines
        }
        Event::EscalationRaised { reason, details, .. } => {
            vec![format!("  {who} asked for a person, {}: {}: {details}", time(entry.at), reason.name())]
        }
        Event::GateAnswered { gate, choice, words, .. } => {
            let words = if words.is_empty() { String::new() } else { format!(": {words}") };
            vec![format!("  gate {gate}, {} by {who}, {}{words}", choice.name(), time(entry.at))]
        }
        Event::Waived { what, reason, until } => vec![format!(
            "  waiver of {} by {who}, {}, until {}: {reason}",
            waived_words(what),
            time(entry.at),
            time(*until)
        )],
        Event::DelegationReturned { document, end, .. } => {
            vec![format!("  delegated work came back as {}, {}: {}", end.name(), time(entry.at), document.id)]
        }
        Event::MergeRecorded { merged: false, details, receipt, .. } => {
            let mut lines = vec![format!("  not merged: {}", first_line(details))];
            lines.extend(receipt.iter().flat_map(|receipt| receipt_lines(entry, receipt, before)));
            lines
        }
        Event::VerdictVoided { report, why, .. } => {
            vec![format!("  report {} of {who} counts for nothing: {why}", report.document.id)]
        }
        _ => Vec::new(),
    }
}

/// Returns who let pass what a receipt saw.
fn let_pass_by(receipt: &Receipt, entries: &[Entry]) -> Option<String> {
    let seen = receipt.waivable()?;
    entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Waived { what, .. } if *what == seen => Some(entry.actor.name.clone()),
        _ => None,
    })
}

fn receipt_lines(entry: &Entry, receipt: &Receipt, entries: &[Entry]) -> Vec<String> {
    let mut lines = vec![format!(
        "  receipt {} of the host, {}, on the files {}",
        receipt.document.id,
        time(entry.at),
        short(receipt.tree_before.as_str())
    )];
    lines.extend(receipt.confined_by.map(|by| format!("    its commands were confined by: {}", by.name())));
    for check in &receipt.checks {
        let details = joined(&check.detail);
        let seen = if check.provenance == Provenance::Derived { " (settled by a rule)" } else { "" };
        lines.push(format!("    {}: {}{seen}: {details}", check.checkpoint, check.verdict.name()));
        lines
            .extend(check.output.as_ref().map(|output| format!("      what it printed is in {}", output.id)));
    }
    if receipt.checks.is_empty() {
        lines.push("    nothing in this stage is settled by a command or a rule".to_owned());
    }
    lines.extend(receipt.asserted.iter().map(|name| format!("    {name}: asserted by the agent alone")));
    let leave = let_pass_by(receipt, entries).map(|who| format!(", let pass by {who}")).unwrap_or_default();
    lines.extend(receipt.violations.iter().map(|what| format!("    not allowed{leave}: {what}")));
    lines.extend(receipt.danger.map(|danger| format!("    danger: {}", danger.name())));
    lines.extend(unsupported(receipt).map(|line| format!("    {line}")));
    lines
}

/// Returns what the evidence says of the claims of work whose question is open: no decision has said it yet.
pub fn of_waiting(task: &Task) -> Vec<String> {
    let Some(work) = task.run.submission.as_ref().filter(|_| task.question_of_work().is_some()) else {
        return Vec::new();
    };
    let of_receipt = task.run.receipt.as_ref().map(|receipt| receipt.findings.as_slice());
    let findings = of_receipt.unwrap_or(&work.findings).iter().filter(|finding| !finding.code.is_empty());
    let said = |finding: &Finding| match finding.verdict {
        ClaimVerdict::Contradicted => format!("{}: {}", finding.code, finding.told()),
        ClaimVerdict::Unsupported => format!("unsupported, {}: {}", finding.code, finding.told()),
        ClaimVerdict::NotCheckable => format!("{}: not checkable here: {}", finding.code, finding.reason),
    };
    findings.map(said).collect()
}

/// Says which claims nothing supports. What is contradicted stands in the feedback, and a check that fails beside completed
/// work stands among the checks.
pub fn unsupported(receipt: &Receipt) -> impl Iterator<Item = String> + use<'_> {
    let unsupported = receipt
        .findings
        .iter()
        .filter(|finding| finding.verdict == ClaimVerdict::Unsupported && finding.claim_kind != "work");
    unsupported.map(|finding| format!("unsupported, {}: {}", finding.code, finding.told()))
}

fn report_lines(who: &str, entry: &Entry, report: &Report) -> Vec<String> {
    let mut lines = vec![format!("  report {} of {who}, {}", report.document.id, time(entry.at))];
    lines.extend(report.confined_by.map(|by| format!("    the verifier was confined by: {}", by.name())));
    for said in &report.criteria {
        let evidence: Vec<&str> = said.evidence.iter().map(ArtifactId::as_str).collect();
        let on = match (evidence.is_empty(), said.verdict) {
            (false, _) => format!(" on {}", evidence.join(", ")),
            (true, Verdict::Pass | Verdict::Fail | Verdict::Inconclusive) => " without evidence".to_owned(),
        };
        lines.push(format!("    {}: {}{on}", said.criterion, said.verdict.name()));
    }
    lines.extend(report.doubts.iter().map(|doubt| format!("    doubt: {doubt}")));
    lines
}

/// Returns the stage that was worked on when an event came.
fn stage_at(entries: &[Entry], version: u64) -> Option<&str> {
    entries.iter().filter(|entry| entry.version < version).rev().find_map(|entry| match &entry.event {
        Event::TurnStarted { stage, .. } => Some(stage.as_str()),
        _ => None,
    })
}

/// Says whether the host looked for itself whether an asserted checkpoint holds.
fn was_looked_at(entry: &Entry, checkpoint: &CheckpointName) -> bool {
    let Event::ReceiptRecorded { receipt } = &entry.event else { return false };
    receipt
        .checks
        .iter()
        .any(|check| check.provenance == Provenance::Derived && check.checkpoint == *checkpoint)
}

fn is_asserted(entries: &[Entry], stage: &str, checkpoint: &str) -> bool {
    let added = entries.iter().find_map(|entry| match &entry.event {
        Event::TaskAdded { workflow, .. } => Some(workflow),
        _ => None,
    });
    let known = added.and_then(|workflow| workflow.stages.iter().find(|known| known.name.as_str() == stage));
    known.is_some_and(|stage| {
        stage
            .checkpoints
            .iter()
            .any(|known| known.name.as_str() == checkpoint && known.settled_by == SettledBy::Agent)
    })
}

fn waived_words(what: &baton_engine::fact::Waivable) -> String {
    use baton_engine::fact::Waivable;
    match what {
        Waivable::Checkpoint(name) => format!("the checkpoint {name}"),
        Waivable::Criterion(id) => format!("the criterion {id}"),
        Waivable::Dependency(on) => format!("the dependency on {on}"),
        Waivable::Violations { tree, seen } => {
            format!("what was seen in the files {}, {} in all", short(tree.as_str()), seen.len())
        }
    }
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

#[cfg(test)]
mod tests;
