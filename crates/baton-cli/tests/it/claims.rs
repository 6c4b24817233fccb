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
    /// No hook takes a verifier's turn, and a report without its request is not about the work tree.
    const OF_REPORTS: &[Self] = &[Self::Run, Self::Hand, Self::Mcp];

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

/// Returns what is wrong with how the doors take a case.
fn problems((case, answers): &Row) -> Vec<String> {
    let mut problems = Vec::new();
    for (door, answer) in answers {
        let door = door.name();
        match (case.kind, &answer.end) {
            (Kind::Lie, End::Accepted) => problems.push(format!("{door} accepts a lie")),
            (Kind::Lie, End::Reported) if answer.contradicted.is_empty() && answer.unknown.is_empty() => {
                problems.push(format!("{door} doesn't mention a lie"));
            }
            (Kind::Open, End::Accepted) => problems.push(format!("{door} accepts open work")),
            (Kind::Honest, End::SentBack | End::Waits | End::Refused)
            | (Kind::Open, End::SentBack | End::Refused) => {
                problems.push(format!("{door} stops an honest handoff"));
            }
            _ => {}
        }
        if case.kind != Kind::Lie && !answer.contradicted.is_empty() {
            problems.push(format!("{door} contradicts an honest handoff: {}", joined(&answer.contradicted)));
        }
        let known =
            |code: &&String| answer.contradicted.contains(*code) || answer.unknown.contains_key(*code);
        let missing: BTreeSet<String> = case.codes.iter().filter(|code| !known(code)).cloned().collect();
        if !missing.is_empty() {
            problems.push(format!("{door} doesn't name {}", joined(&missing)));
        }
    }
    problems.extend(differences(answers));
    problems
}

/// Every door names the same contradictions, but for those that it says it cannot check.
fn differences(answers: &BTreeMap<Door, Answer>) -> Option<String> {
    let all: BTreeSet<&String> = answers.values().flat_map(|answer| &answer.contradicted).collect();
    let lacks = |answer: &Answer, code: &str| {
        !answer.contradicted.contains(code) && !answer.unknown.contains_key(code)
    };
    let mut differences = Vec::new();
    for code in all {
        let without = answers.iter().filter(|(_, answer)| lacks(answer, code));
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

/// Counts, for each door, lies that pass and honest handoffs that are stopped.
fn summary(rows: &[Row]) -> String {
    let mut text = String::new();
    for door in Door::ALL {
        let taken = |kind: Kind| {
            rows.iter()
                .filter(move |(case, _)| case.kind == kind)
                .filter_map(move |(_, answers)| answers.get(door))
        };
        let lies = taken(Kind::Lie).count();
        let passed = taken(Kind::Lie).filter(|answer| match answer.end {
            End::Reported => answer.contradicted.is_empty() && answer.unknown.is_empty(),
            _ => answer.end == End::Accepted,
        });
        let unnamed = taken(Kind::Lie).filter(|answer| answer.contradicted.is_empty()).count();
        let honest = taken(Kind::Honest).count();
        let stopped = taken(Kind::Honest).filter(|answer| is_stopped(answer));
        let open = taken(Kind::Open).count();
        let wrong = taken(Kind::Open).filter(|answer| match answer.end {
            End::Reported => !answer.contradicted.is_empty(),
            _ => answer.end != End::Waits || !answer.contradicted.is_empty(),
        });
        let _ = writeln!(
            text,
            "{:5}: {} of {lies} lies pass, {unnamed} without a code; {} of {honest} honest stopped; {} of {open} open wrong",
            door.name(),
            passed.count(),
            stopped.count(),
            wrong.count()
        );
    }
    text
}

fn is_stopped(answer: &Answer) -> bool {
    !matches!(answer.end, End::Accepted | End::Reported) || !answer.contradicted.is_empty()
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
        "{}\n{}\n{} of {} cases",
        wrong.join("\n"),
        summary(&rows),
        wrong.len(),
        rows.len()
    );
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
