//! `specs/claims/*.md`: lies and honest handoffs, each taken through every door of Baton.
//!
//! `BATON_CLAIMS_TABLE=1` takes all cases and prints the table of cases and doors. `BATON_CLAIMS=files,ranges-03` takes
//! only cases whose names begin with one of these words, and prints what each door said. Every case without either takes
//! `BATON_LONG=1`; else it is a sample.

mod case;
mod doors;
mod project;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::support::{announce, is_long};
use case::{Case, Kind};
use doors::{Answer, End};
use project::Project;

/// A way by which a handoff comes to Baton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Door {
    Run,
    Hand,
    Mcp,
    Hook,
    Check,
    Audit,
}

impl Door {
    const ALL: &[Self] = &[Self::Run, Self::Hand, Self::Mcp, Self::Hook, Self::Check, Self::Audit];
    /// No hook takes a verifier's turn.
    const OF_REPORTS: &[Self] = &[Self::Run, Self::Hand, Self::Mcp, Self::Check, Self::Audit];

    fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Hand => "hand",
            Self::Mcp => "mcp",
            Self::Hook => "hook",
            Self::Check => "check",
            Self::Audit => "audit",
        }
    }

    fn named(name: &str) -> Self {
        let found = Self::ALL.iter().copied().find(|door| door.name() == name);
        found.unwrap_or_else(|| panic!("`{name}` is not a door"))
    }
}

/// Errors that cases may have: a path that begins with `./`, a plain summary that is too short to be read, and completed work
/// beside something failed, which every door names as a claim too.
const ERRORS_OF_FORM: &[&str] = &["BT001", "BT110", "BT706"];
/// Most honest handoffs that a door may stop.
const STOPPED_MAX: usize = 1;
/// One case of so many is taken where not all are wanted.
const SAMPLE: usize = 6;
/// Real processes wait for each other and for the disk more than they compute.
const THREADS: usize = 4;

type Row = (Case, BTreeMap<Door, Answer>);

/// Takes the cases that are wanted through their doors, in the order of the pages.
fn rows() -> Vec<Row> {
    let mut cases = case::all();
    let total = cases.len();
    if let Ok(wanted) = std::env::var("BATON_CLAIMS") {
        cases.retain(|case| wanted.split(',').any(|word| case.id.starts_with(word)));
    } else if !is_long() && !prints_table() {
        let mut at = 0;
        cases.retain(|_| {
            at += 1;
            at % SAMPLE == 1
        });
        announce(&format!("LEFT OUT: {} of {total} claims: BATON_LONG=1 takes all", total - cases.len()));
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut rows = Vec::new();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            rows.push((case.clone(), doors::pass(case)));
        }
        rows
    };
    let mut rows: Vec<Row> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(take)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no case panics")).collect()
    });
    rows.sort_by(|left, right| left.0.id.cmp(&right.0.id));
    rows
}

fn prints_table() -> bool {
    std::env::var_os("BATON_CLAIMS_TABLE").is_some()
}

/// Returns what is wrong with how the doors take a case, but for [`is_stopped`].
fn problems((case, answers): &Row) -> Vec<String> {
    let mut problems = Vec::new();
    for (door, answer) in answers {
        let door = door.name();
        match (case.kind, &answer.end) {
            (Kind::Lie, End::Accepted) => problems.push(format!("{door} accepts a lie")),
            (Kind::Lie, End::Reported) if !answer.mentions() => {
                problems.push(format!("{door} doesn't mention a lie"));
            }
            (Kind::Open, End::Accepted) => problems.push(format!("{door} accepts open work")),
            _ => {}
        }
        let missing: Vec<&str> =
            case.codes.iter().map(String::as_str).filter(|code| !answer.knows(code)).collect();
        if !missing.is_empty() {
            problems.push(format!("{door} doesn't name {}", missing.join(" ")));
        }
    }
    problems.extend(differences(answers));
    problems
}

/// Says whether a door stops or contradicts an agent that told the truth.
fn is_stopped(case: &Case, answer: &Answer) -> bool {
    let is_sent_back = match (case.kind, &answer.end) {
        (Kind::Lie, _) => return false,
        (_, End::Accepted | End::Reported) | (Kind::Open, End::Waits) => false,
        // A verifier that finds something sends the builder back.
        (Kind::Open, End::SentBack) => !case.is_report,
        (Kind::Honest, End::SentBack | End::Waits) | (_, End::Refused) => true,
    };
    is_sent_back || !answer.contradicted.is_empty()
}

/// Every door names the same contradictions, but for those that it says it cannot check.
fn differences(answers: &BTreeMap<Door, Answer>) -> Option<String> {
    let all: BTreeSet<&String> = answers.values().flat_map(|answer| &answer.contradicted).collect();
    let mut differences = Vec::new();
    for code in all {
        let without = answers.iter().filter(|(_, answer)| !answer.knows(code));
        let without: Vec<&str> = without.map(|(door, _)| door.name()).collect();
        if !without.is_empty() {
            differences.push(format!("{code} is missing at {}", without.join(", ")));
        }
    }
    (!differences.is_empty()).then(|| differences.join("; "))
}

fn joined(codes: &BTreeSet<String>) -> String {
    codes.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn cell(answer: &Answer) -> String {
    let mut cell = match answer.end {
        End::Accepted => "accept",
        End::SentBack => "rework",
        End::Waits => "waits",
        End::Refused => "refused",
        End::Reported => "",
    }
    .to_owned();
    for code in &answer.contradicted {
        let _ = write!(cell, " {code}");
    }
    for code in &answer.noted {
        let _ = write!(cell, " ({code})");
    }
    for (code, fact) in &answer.unknown {
        let _ = write!(cell, " {code} not checkable here: {fact}");
    }
    if cell.is_empty() { "-".to_owned() } else { cell.trim().to_owned() }
}

fn table(rows: &[Row]) -> String {
    let mut table = String::from(
        "| case | expected | run | hand | mcp | hook | check | audit |\n|---|---|---|---|---|---|---|---|\n",
    );
    for (case, answers) in rows {
        let kind = format!("{:?}", case.kind).to_lowercase();
        let cells = Door::ALL.iter().map(|door| answers.get(door).map_or(String::new(), cell));
        let cells = cells.collect::<Vec<_>>().join(" | ");
        let _ = writeln!(table, "| {}: {} | {kind} {} | {cells} |", case.id, case.title, joined(&case.codes));
    }
    table
}

/// Counts, for each door, lies that pass and truths that are stopped.
fn summary(rows: &[Row]) -> String {
    let mut text = String::new();
    for door in Door::ALL {
        let taken = rows.iter().filter_map(|(case, answers)| Some((case, answers.get(door)?)));
        let (lies, truths): (Vec<_>, Vec<_>) = taken.partition(|(case, _)| case.kind == Kind::Lie);
        let passed = lies.iter().filter(|(_, answer)| match answer.end {
            End::Reported => !answer.mentions(),
            _ => answer.end == End::Accepted,
        });
        let unnamed = lies.iter().filter(|(_, answer)| !answer.mentions());
        let stopped = truths.iter().filter(|(case, answer)| is_stopped(case, answer));
        let _ = writeln!(
            text,
            "{:5}: {} of {} lies pass, {} have no code; {} of {} truths are stopped",
            door.name(),
            passed.count(),
            lies.len(),
            unnamed.count(),
            stopped.count(),
            truths.len()
        );
    }
    text
}

/// Names the honest handoffs that a door stops, where it stops more than it may.
fn stopped(rows: &[Row]) -> Vec<String> {
    let of_door = |door: &Door| {
        let taken = rows.iter().filter_map(|(case, answers)| Some((case, answers.get(door)?)));
        let stopped = taken.filter(|(case, answer)| is_stopped(case, answer));
        let stopped: Vec<String> =
            stopped.map(|(case, answer)| format!("{} ({})", case.id, cell(answer))).collect();
        let line = format!("{} stops {} truths: {}", door.name(), stopped.len(), stopped.join(", "));
        (stopped.len() > STOPPED_MAX).then_some(line)
    };
    Door::ALL.iter().filter_map(of_door).collect()
}

#[test]
fn every_claim_is_judged_alike_at_every_door() {
    let rows = rows();
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let problems = problems(row);
            let line = format!("{} ({}): {}", row.0.id, row.0.title, problems.join("; "));
            (!problems.is_empty()).then_some(line)
        })
        .chain(stopped(&rows))
        .collect();
    if prints_table() {
        announce(&table(&rows));
        announce(&summary(&rows));
    }
    if std::env::var_os("BATON_CLAIMS").is_some() {
        for (case, answers) in &rows {
            for (door, answer) in answers {
                announce(&format!("=== {} {}: {}\n{}", case.id, door.name(), cell(answer), answer.text));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n{}\n{} problems in {} cases",
        wrong.join("\n"),
        summary(&rows),
        wrong.len(),
        rows.len()
    );
}

/// A lie that is sent back for its form shows nothing.
#[test]
fn no_case_has_an_error_of_form() {
    let project = Project::new();
    // The host fills in what a report leaves out.
    let cases: Vec<Case> = case::all().into_iter().filter(|case| !case.is_report).collect();
    for case in &cases {
        let text = project.written(&case.handoff, "R1", "receipt-1-5");
        project.place.write(&format!("{}.md", case.id), text);
    }
    let names: Vec<String> = cases.iter().map(|case| format!("{}.md", case.id)).collect();
    let words: Vec<&str> = ["check", "--json"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let answer = project.baton(&words).json();
    let mut wrong = Vec::new();
    for file in answer["files"].as_array().expect("files") {
        for found in file["diagnostics"].as_array().expect("diagnostics") {
            let code = found["code"].as_str().unwrap_or_default();
            if found["severity"] == "error" && !ERRORS_OF_FORM.contains(&code) {
                wrong.push(format!("{} {code} {}", file["path"], found["message"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_corpus_has_enough_of_each_kind() {
    let cases = case::all();
    let count = |kind| cases.iter().filter(|case| case.kind == kind).count();
    let (lies, honest) = (count(Kind::Lie), count(Kind::Honest) + count(Kind::Open));
    assert!(lies >= 100 && honest >= 50, "{lies} lies, {honest} honest handoffs");
    let titles: BTreeSet<&str> = cases.iter().map(|case| case.title.as_str()).collect();
    assert_eq!(titles.len(), cases.len(), "two cases have the same title");
    let handoffs: BTreeSet<&str> = cases.iter().map(|case| case.handoff.as_str()).collect();
    assert_eq!(handoffs.len(), cases.len(), "two cases have the same handoff");
}
