//! Checkpoints, criteria, ledgers and counts against what is stored: logs and JUnit files.

use baton_handoff::rule::audit;

use super::{Case, Rows};
use crate::audit::dossier::{CountOf, Dossier, Judged, LedgerEntry};
use crate::audit::evidence::{Evidence, Record, counts_of};
use crate::audit::row::{Against, Row, Said};
use crate::audit::world::Whereabouts;
use crate::tool_output::{Counts, Reading};

pub(super) fn inspect(case: &Case<'_>, rows: &mut Rows) {
    for (at, dossier) in case.members() {
        let evidence = Evidence::beside(dossier, case.world);
        for checkpoint in dossier.checkpoints.iter().filter(|checkpoint| checkpoint.passes) {
            checkpoint_against(checkpoint, &evidence, at, rows);
        }
        for criterion in dossier.criteria.iter().filter(|criterion| criterion.passes) {
            cited(case, dossier, criterion, at, rows);
        }
        for entry in &dossier.ledger {
            ledger_entry(case, dossier, entry, &evidence, at, rows);
        }
        let criteria = dossier.criteria.iter().flat_map(|criterion| &criterion.evidence);
        let commands = dossier.ledger.iter().flat_map(|entry| &entry.evidence);
        for said in dossier.evidence.iter().chain(criteria).chain(commands) {
            reference(case, dossier, said, at, rows);
        }
        counts(dossier, &evidence, at, rows);
    }
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

fn checkpoint_against(checkpoint: &Judged, evidence: &Evidence<'_>, at: usize, rows: &mut Rows) {
    let Some(status) = &checkpoint.status else { return };
    let name = checkpoint.name.text.as_str();
    for record in evidence.about(name) {
        if let Some(reading) = record.failure() {
            let reason = "the log stored for it shows failure";
            let row = Row::finding(&audit::PASS_BESIDE_FAILURE_LOG, "checkpoint", status, reason);
            return rows.push(at, row.against(against(record, reading)));
        }
        if let Some(reading) = record.nothing_run().filter(|_| is_of_tests(name)) {
            let reason = "in the log stored for it no test ran";
            let row = Row::finding(&audit::PASS_BESIDE_EMPTY_RUN, "checkpoint", status, reason);
            return rows.push(at, row.against(against(record, reading)));
        }
        if let Some(junit) = record.junit.as_ref().filter(|junit| counts_of(junit).failed > 0) {
            let reason = "the JUnit file stored for it has failures";
            let row = Row::finding(&audit::PASS_BESIDE_FAILURE_LOG, "checkpoint", status, reason);
            let said = format!("{} failed", counts_of(junit).failed);
            return rows.push(at, row.against(Against::file(record.path.as_str(), None, said)));
        }
    }
    let supported = evidence.about(name).find_map(|record| record.success().map(|reading| (record, reading)));
    rows.push(
        at,
        match supported {
            Some((record, reading)) => {
                Row::holds("checkpoint", status, "the log stored for it shows success")
                    .against(against(record, reading))
            }
            None => Row::not_checkable("checkpoint", status, "nothing is stored that settles it"),
        },
    );
}

/// A log that a claim cites must not say the opposite.
fn cited(case: &Case<'_>, dossier: &Dossier, criterion: &Judged, at: usize, rows: &mut Rows) {
    let Some(status) = &criterion.status else { return };
    for record in criterion.evidence.iter().filter_map(|said| log_at(case, dossier, said)) {
        if let Some(reading) = record.failure() {
            let reason = "the log given as its evidence shows failure";
            let row = Row::finding(&audit::PASS_BESIDE_FAILURE_LOG, "criterion", status, reason);
            rows.push(at, row.against(against(&record, reading)));
        } else if let Some(reading) = record.nothing_run() {
            let reason = "in the log given as its evidence no test ran";
            let row = Row::finding(&audit::PASS_BESIDE_EMPTY_RUN, "criterion", status, reason);
            rows.push(at, row.against(against(&record, reading)));
        } else if let Some(reading) = record.success() {
            let row = Row::holds("criterion", status, "the log given as its evidence shows success");
            rows.push(at, row.against(against(&record, reading)));
        }
    }
}

fn log_at(case: &Case<'_>, dossier: &Dossier, said: &Said) -> Option<Record> {
    let place = said.text.split('#').next().unwrap_or_default();
    match case.world.whereabouts(dossier, place) {
        Whereabouts::Now { path, .. } => Record::read(&case.world.work_tree, &path),
        _ => None,
    }
}

fn ledger_entry(
    case: &Case<'_>,
    dossier: &Dossier,
    entry: &LedgerEntry,
    evidence: &Evidence<'_>,
    at: usize,
    rows: &mut Rows,
) {
    let Some(exit_code) = &entry.exit_code else { return };
    let Ok(code) = exit_code.text.trim().parse::<i64>() else { return };
    let said = &Said::new(format!("{}: {code}", entry.command.text), exit_code.place);
    let cited: Vec<Record> = entry.evidence.iter().filter_map(|said| log_at(case, dossier, said)).collect();
    let slug = slug(&entry.command.text);
    let beside = evidence.records.iter().filter(|record| record.path.contains(&slug) && !slug.is_empty());
    let mut decided = false;
    for record in cited.iter().chain(beside) {
        let (wrong, reason) = if code == 0 {
            (record.failure(), "the log stored for the command shows failure")
        } else {
            (record.success(), "the log stored for the command shows success")
        };
        if let Some(reading) = wrong {
            let row = Row::finding(&audit::COMMAND_AGAINST_LOG, "command", said, reason);
            return rows.push(at, row.against(against(record, reading)));
        }
        decided |= if code == 0 { record.success().is_some() } else { record.failure().is_some() };
    }
    rows.push(
        at,
        match decided {
            true => Row::holds("command", said, "the log stored for the command agrees"),
            false => Row::not_checkable("command", said, "no log is stored that shows how it ended"),
        },
    );
}

/// Returns the words of a command as a log would be named after it: `cargo-test`.
fn slug(command: &str) -> String {
    let words = command.split_whitespace().take_while(|word| !word.starts_with('-')).take(3);
    let slug = words.collect::<Vec<_>>().join("-").to_lowercase();
    if slug.len() >= 6 { slug } else { String::new() }
}

/// Evidence that is given as a file must be one.
fn reference(case: &Case<'_>, dossier: &Dossier, said: &Said, at: usize, rows: &mut Rows) {
    let path = said.text.split('#').next().unwrap_or_default();
    if !looks_like_a_file(path) {
        return rows.push(at, Row::not_checkable("evidence", said, "it does not name a file"));
    }
    rows.push(
        at,
        match case.world.whereabouts(dossier, path) {
            Whereabouts::Now { .. } => Row::holds("evidence", said, "the file is there"),
            Whereabouts::Before { commit, .. } => Row::holds("evidence", said, "the file was there")
                .against(Against::commit(commit, "last version")),
            Whereabouts::Nowhere => Row::finding(
                &audit::EVIDENCE_MISSING,
                "evidence",
                said,
                "the file exists neither now nor in any commit",
            ),
            Whereabouts::Unknown(reason) => Row::not_checkable("evidence", said, reason),
        },
    );
}

fn looks_like_a_file(text: &str) -> bool {
    let name = text.rsplit_once('/').map_or(text, |(_, name)| name);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    !text.contains([' ', ':', '*']) && (1..=5).contains(&ending.len()) && !name.starts_with('.')
}

/// Holds the counts that the handoff states against the records of its tests.
fn counts(dossier: &Dossier, evidence: &Evidence<'_>, at: usize, rows: &mut Rows) {
    let of_tests = |record: &&Record| evidence.about("tests_passing").any(|known| known.path == record.path);
    let records: Vec<(&Record, Counts)> = evidence
        .records
        .iter()
        .filter(of_tests)
        .flat_map(|record| record.counts().into_iter().map(move |counts| (record, counts)))
        .collect();
    let Some((first, _)) = records.first() else {
        for count in &dossier.counts {
            let said = Said::new(format!("{} {}", count.number, count.of.name()), count.place);
            rows.push(at, Row::not_checkable("count", &said, "no record of a test run is stored"));
        }
        return;
    };
    for count in &dossier.counts {
        let said = Said::new(format!("{} {}", count.number, count.of.name()), count.place);
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
        rows.push(
            at,
            match agrees {
                true => Row::holds("count", &said, "the stored record says the same").against(evidence),
                false => {
                    let reason = format!("the stored record of the run says {quoted}");
                    Row::finding(&audit::COUNT_AGAINST_RECORD, "count", &said, reason).against(evidence)
                }
            },
        );
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
