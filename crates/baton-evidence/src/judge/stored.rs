//! Checkpoints, criteria, ledgers and counts against what is stored: logs and test reports.

use baton_handoff::rule::audit;

use super::Case;
use super::runs::said_of;
use crate::claims::{CountOf, Judged, LedgerEntry};
use crate::facts::{FileFact, StoredRecord};
use crate::finding::{Against, Finding, Said};
use crate::record::{Record, counts_of};
use crate::tool_output::{Counts, Reading};

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let claims = case.claims;
    for checkpoint in claims.checkpoints.iter().filter(|checkpoint| checkpoint.passes) {
        findings.extend(checkpoint_finding(case, checkpoint));
    }
    for criterion in claims.criteria.iter().filter(|criterion| criterion.passes) {
        cited(case, criterion, findings);
    }
    findings.extend(claims.ledger.iter().filter_map(|entry| ledger_entry(case, entry)));
    findings.extend(claims.references().map(|said| reference(case, said)));
    counts(case, findings);
}

/// Returns the records beside the handoff that are about a checkpoint.
fn about<'a>(case: &Case<'a>, checkpoint: &str) -> impl Iterator<Item = &'a Record> + use<'a> {
    let name = checkpoint.trim().to_lowercase();
    let records = case.facts.records.iter();
    records
        .filter(move |stored| stored.is_beside && stored.about.contains(&name))
        .map(|stored| &stored.record)
}

fn against(record: &Record, reading: &Reading) -> Against {
    Against::file(record.path.as_str(), Some(line(reading)), &reading.place.text)
}

fn line(reading: &Reading) -> u32 {
    u32::try_from(reading.place.line).unwrap_or(u32::MAX)
}

fn is_of_tests(checkpoint: &str) -> bool {
    checkpoint.contains("test") || checkpoint.contains("criteria")
}

fn checkpoint_finding(case: &Case<'_>, checkpoint: &Judged) -> Option<Finding> {
    let status = checkpoint.status.as_ref()?;
    let name = checkpoint.name.text.as_str();
    let finding = |rule, reason: &str| Finding::of_rule(rule, "checkpoint", status, reason);
    for record in about(case, name) {
        if let Some(reading) = record.failure() {
            let finding = finding(&audit::PASS_BESIDE_FAILURE_LOG, "the log stored for it shows failure");
            return Some(finding.against(against(record, reading)));
        }
        if let Some(reading) = record.nothing_run().filter(|_| is_of_tests(name)) {
            let finding = finding(&audit::PASS_BESIDE_EMPTY_RUN, "in the log stored for it no test ran");
            return Some(finding.against(against(record, reading)));
        }
        if let Some(junit) = record.junit.as_ref().filter(|junit| counts_of(junit).failed > 0) {
            let finding =
                finding(&audit::PASS_BESIDE_FAILURE_LOG, "the JUnit file stored for it has failures");
            let failed = format!("{} failed", counts_of(junit).failed);
            return Some(finding.against(Against::file(record.path.as_str(), None, failed)));
        }
    }
    let supported = about(case, name).find_map(|record| record.success().map(|reading| (record, reading)));
    match supported {
        Some((record, reading)) => {
            let holds = Finding::holds("checkpoint", status, "the log stored for it shows success");
            Some(holds.against(against(record, reading)))
        }
        // A check of Baton says more than any log.
        None if case.has_work() => None,
        None => {
            let reason = "nothing is stored that settles it";
            Some(Finding::not_checkable(&audit::FAILS_WHEN_RUN, "checkpoint", status, reason))
        }
    }
}

/// A log that a claim cites must not say the opposite.
fn cited(case: &Case<'_>, criterion: &Judged, findings: &mut Vec<Finding>) {
    let Some(status) = &criterion.status else { return };
    for record in criterion.evidence.iter().filter_map(|said| record_at(case, said)) {
        let finding = |rule, reason: &str| Finding::of_rule(rule, "criterion", status, reason);
        if let Some(reading) = record.failure() {
            let finding =
                finding(&audit::PASS_BESIDE_FAILURE_LOG, "the log given as its evidence shows failure");
            findings.push(finding.against(against(record, reading)));
        } else if let Some(reading) = record.nothing_run() {
            let finding =
                finding(&audit::PASS_BESIDE_EMPTY_RUN, "in the log given as its evidence no test ran");
            findings.push(finding.against(against(record, reading)));
        } else if let Some(reading) = record.success() {
            let holds = Finding::holds("criterion", status, "the log given as its evidence shows success");
            findings.push(holds.against(against(record, reading)));
        }
    }
}

fn record_at<'a>(case: &Case<'a>, said: &Said) -> Option<&'a Record> {
    let is_it = |stored: &&StoredRecord| stored.cited_as.as_deref() == Some(said.text.as_str());
    case.facts.records.iter().find(is_it).map(|stored| &stored.record)
}

fn ledger_entry(case: &Case<'_>, entry: &LedgerEntry) -> Option<Finding> {
    let ended = entry.ended().filter(|_| entry.is_stated)?;
    let said = &entry.said();
    let slug = slug(&entry.command.text);
    let cited = entry.evidence.iter().filter_map(|said| record_at(case, said));
    let beside = case.facts.records.iter().filter(|stored| stored.is_beside).map(|stored| &stored.record);
    let beside = beside.filter(|record| !slug.is_empty() && record.path.contains(&slug));
    let mut decided = false;
    for record in cited.chain(beside) {
        let (wrong, reason) = if ended.is_well() {
            (record.failure(), "the log stored for the command shows failure")
        } else {
            (record.success(), "the log stored for the command shows success")
        };
        if let Some(reading) = wrong {
            let finding = Finding::of_rule(&audit::COMMAND_AGAINST_LOG, "command", said, reason);
            return Some(finding.against(against(record, reading)));
        }
        decided |= if ended.is_well() { record.success().is_some() } else { record.failure().is_some() };
    }
    match decided {
        true => Some(Finding::holds("command", said, "the log stored for the command agrees")),
        false if case.has_work() => None,
        false => {
            let reason = "no log is stored that shows how it ended";
            Some(Finding::not_checkable(&audit::COMMAND_AGAINST_LOG, "command", said, reason))
        }
    }
}

/// Returns the words of a command as a log would be named after it: `cargo-test`.
fn slug(command: &str) -> String {
    let words = command.split_whitespace().take_while(|word| !word.starts_with('-')).take(3);
    let slug = words.collect::<Vec<_>>().join("-").to_lowercase();
    if slug.len() >= 6 { slug } else { String::new() }
}

/// Evidence that is given as a file must be one.
fn reference(case: &Case<'_>, said: &Said) -> Finding {
    let missing = |reason: &str| Finding::of_rule(&audit::EVIDENCE_MISSING, "evidence", said, reason);
    let unknown = |reason: &str| Finding::not_checkable(&audit::EVIDENCE_MISSING, "evidence", said, reason);
    match case.facts.file(&said.text) {
        Some(FileFact::Work(fact)) if fact.after.is_there() => {
            Finding::holds("evidence", said, "the file is there")
        }
        Some(FileFact::Work(fact)) if fact.before.is_there() => {
            missing("the file was there before the work and is gone")
        }
        Some(FileFact::Work(_)) => missing("there is no such file, line or test")
            .contradicted()
            .fix("Name evidence that exists: a test, a file and line of the work, or a receipt."),
        Some(FileFact::History(fact)) if fact.is_there => {
            Finding::holds("evidence", said, "the file is there")
        }
        Some(FileFact::History(fact)) if fact.is_known => {
            let holds = Finding::holds("evidence", said, "the file was there");
            match &fact.last {
                Some((commit, _)) => holds.against(commit.clone()),
                None => holds,
            }
        }
        Some(FileFact::History(_)) => missing("the file exists neither now nor in any commit"),
        Some(FileFact::Unknown(reason)) => unknown(reason),
        None if has_artifact(case, said) => Finding::holds("evidence", said, "the log of the task has it"),
        None => unknown("it doesn't name a file, and no log of its task is known here"),
    }
}

fn has_artifact(case: &Case<'_>, said: &Said) -> bool {
    case.facts.turn.as_ref().is_some_and(|turn| turn.artifacts.iter().any(|known| known == said.text.trim()))
}

/// Compares the counts that the handoff states with the records of its tests.
fn counts(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let records: Vec<(&Record, Counts)> = about(case, "tests_passing")
        .flat_map(|record| record.counts().into_iter().map(move |counts| (record, counts)))
        .collect();
    let Some((first, _)) = records.first() else {
        if !case.has_work() {
            let reason = "no record of a test run is stored";
            let unknown = |count| {
                Finding::not_checkable(&audit::COUNT_AGAINST_RECORD, "count", &said_of(count), reason)
            };
            findings.extend(case.claims.counts.iter().map(unknown));
        }
        return;
    };
    for count in &case.claims.counts {
        let said = said_of(count);
        let stored: Vec<u64> = records.iter().map(|(_, counts)| number_of(counts, count.of)).collect();
        let total: u64 = stored.iter().sum();
        // "42 tests passed" may count all that ran, when none failed.
        let all: Vec<u64> = records.iter().map(|(_, counts)| number_of(counts, CountOf::Total)).collect();
        let none_failed = records.iter().all(|(_, counts)| counts.failed == 0);
        let agrees = stored.contains(&count.number)
            || total == count.number
            || count.of == CountOf::Passed
                && none_failed
                && (all.contains(&count.number) || all.iter().sum::<u64>() == count.number)
            || count.of == CountOf::Total && without_skipped(&records).contains(&count.number);
        let quoted = format!("{} {}", stored.first().copied().unwrap_or_default(), count.of.name());
        let evidence = Against::file(first.path.as_str(), line_of(first), quoted.as_str());
        let finding = match agrees {
            true => Finding::holds("count", &said, "the stored record says the same"),
            false => {
                let reason = format!("the stored record of the run says {quoted}");
                Finding::of_rule(&audit::COUNT_AGAINST_RECORD, "count", &said, reason)
            }
        };
        findings.push(finding.against(evidence));
    }
}

fn line_of(record: &Record) -> Option<u32> {
    record.last().into_iter().find(|reading| reading.counts.is_some()).map(line)
}

fn without_skipped(records: &[(&Record, Counts)]) -> Vec<u64> {
    records.iter().map(|(_, counts)| counts.passed + counts.failed).collect()
}

fn number_of(counts: &Counts, of: CountOf) -> u64 {
    match of {
        CountOf::Passed => counts.passed,
        CountOf::Failed => counts.failed,
        CountOf::Skipped => counts.skipped,
        CountOf::Total => counts.total.unwrap_or(counts.passed + counts.failed + counts.skipped),
    }
}
