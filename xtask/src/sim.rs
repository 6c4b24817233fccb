//! `cargo xtask sim`: the engine in a simulated world, seed after seed, and the planted bugs that it must find.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use baton_testkit::sim::pair::{self, Expected};
use baton_testkit::sim::{self, Coverage, Mutation, Violation};

/// Seeds when no number is given: enough to reach everything.
pub(crate) const SEEDS: u64 = 2_000;
/// Within this many seeds every planted bug has to be found.
const MUTANT_SEEDS: u64 = 2_000;
/// One seed in so many is run twice, to the same end.
const TWICE_EVERY: u64 = 100;
/// Below this many seeds a run is not expected to reach everything.
const COVERAGE_SEEDS_MIN: u64 = SEEDS;
/// Below this many seeds a run is not expected to reach every fault in every state.
const PAIRS_SEEDS_MIN: u64 = 20_000;

pub(crate) fn run(words: &[&str]) -> Result<(), String> {
    match words {
        [] => all(SEEDS).and_then(|()| mutants()),
        ["--mutants"] => mutants(),
        ["--seed", seed] => show(number(seed)?),
        [seeds] => all(number(seeds)?).and_then(|()| mutants()),
        _ => Err("`cargo xtask sim [SEEDS]`, `--seed N` or `--mutants`".to_owned()),
    }
}

fn number(word: &str) -> Result<u64, String> {
    word.parse().map_err(|_| format!("`{word}` is not a number"))
}

#[derive(Default)]
struct Sum {
    steps: usize,
    events: usize,
    crashes: usize,
    coverage: Coverage,
    failures: Vec<(u64, Violation)>,
}

/// Runs seeds on all threads; every one of them has to hold.
fn all(seeds: u64) -> Result<(), String> {
    let started = Instant::now();
    let next = AtomicU64::new(0);
    let sum = Mutex::new(Sum::default());
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut own = Sum::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds {
                break;
            }
            one(seed, &mut own);
        }
        if let Ok(mut sum) = sum.lock() {
            sum.steps += own.steps;
            sum.events += own.events;
            sum.crashes += own.crashes;
            sum.coverage.merge(&own.coverage);
            sum.failures.extend(own.failures);
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let mut sum = sum.into_inner().map_err(|_| "a thread ended".to_owned())?;
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{seeds} seeds, {} steps, {} events, {} crashes and power cuts in {seconds:.1} s: {:.0} seeds/s",
        sum.steps,
        sum.events,
        sum.crashes,
        seeds as f64 / seconds
    );
    for list in ["fault", "state", "disposition", "reason", "event", "refusal"] {
        println!("  {list}s reached: {}", sum.coverage.count(list));
    }
    pairs(&sum.coverage);
    sum.failures.sort_by_key(|(seed, _)| *seed);
    if let Some((seed, violation)) = sum.failures.first() {
        let Violation { rule, how, step } = violation;
        let count = sum.failures.len();
        return Err(format!("{count} seeds break a rule; seed {seed} breaks {rule} at step {step}: {how}"));
    }
    let wrong = sum.coverage.wrong_pairs();
    println!("\n{} pairs of a fault and a state are not as they should be", wrong.len());
    if seeds >= PAIRS_SEEDS_MIN && !wrong.is_empty() {
        return Err(wrong.join("; "));
    }
    let missing = sum.coverage.missing();
    match missing.is_empty() || seeds < COVERAGE_SEEDS_MIN {
        true => Ok(()),
        false => Err(format!("never reached: {}", missing.join(", "))),
    }
}

/// Prints which fault came in which state, and why some pairs are not asked for.
fn pairs(coverage: &Coverage) {
    let names: Vec<&str> = pair::states().iter().map(|state| state.name()).collect();
    println!("\n| fault | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len()));
    let mut reasons = BTreeMap::<&str, Vec<&str>>::new();
    for fault in pair::faults() {
        let mut cells = Vec::new();
        for state in pair::states() {
            let times = coverage.times(fault, *state);
            cells.push(match pair::expected(fault, *state) {
                Expected::Must => times.to_string(),
                Expected::Seldom(why) => {
                    reasons.entry(why).or_default().push(fault);
                    format!("({times})")
                }
                Expected::Never(why) => {
                    reasons.entry(why).or_default().push(fault);
                    "–".to_owned()
                }
            });
        }
        println!("| {fault} | {} |", cells.join(" | "));
    }
    println!("\nNot asked for:");
    for (why, mut faults) in reasons {
        faults.dedup();
        println!("- {why}: {}", faults.join(", "));
    }
}

fn one(seed: u64, sum: &mut Sum) {
    let outcome = sim::run(seed, Mutation::None);
    sum.steps += outcome.steps;
    sum.events += outcome.events;
    sum.crashes += outcome.crashes;
    sum.coverage.merge(&outcome.coverage);
    if let Some(violation) = outcome.violation {
        sum.failures.push((seed, violation));
    }
    if seed.is_multiple_of(TWICE_EVERY) && sim::run(seed, Mutation::None).head != outcome.head {
        let (rule, how) = ("same_seed_same_run".to_owned(), "two runs differ".to_owned());
        sum.failures.push((seed, Violation { rule, how, step: outcome.steps }));
    }
}

/// Plants every bug; a bug that nothing finds means that the simulator is blind there.
fn mutants() -> Result<(), String> {
    let started = Instant::now();
    println!("\n| planted bug | found at seed | rule that found it |\n|---|---|---|");
    let mut missed = Vec::new();
    for (mutation, found) in Mutation::ALL.iter().zip(hunt()) {
        match found {
            Some((seed, violation)) => println!("| {} | {seed} | {} |", mutation.what(), violation.rule),
            None => {
                println!("| {} | not found | |", mutation.what());
                missed.push(mutation.what());
            }
        }
    }
    let (all, seconds) = (Mutation::ALL.len(), started.elapsed().as_secs());
    println!("{} of {all} planted bugs found in {seconds} s", all - missed.len());
    match missed.is_empty() {
        true => Ok(()),
        false => Err(format!("nothing finds: {}", missed.join("; "))),
    }
}

/// Looks for every planted bug, on all threads.
fn hunt() -> Vec<Option<(u64, Violation)>> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(vec![None; Mutation::ALL.len()]);
    let work = || {
        while let Some(mutation) = Mutation::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
            let first = (0..MUTANT_SEEDS)
                .find_map(|seed| sim::run(seed, *mutation).violation.map(|violation| (seed, violation)));
            let place = Mutation::ALL.iter().position(|known| known == mutation);
            if let (Ok(mut found), Some(place)) = (found.lock(), place) {
                found[place] = first;
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    found.into_inner().unwrap_or_default()
}

/// Shows one run, event by event.
fn show(seed: u64) -> Result<(), String> {
    let (outcome, lines) = sim::log(seed, Mutation::None);
    for line in lines {
        println!("{line}");
    }
    println!("{} steps, {} events", outcome.steps, outcome.events);
    match outcome.violation {
        Some(Violation { rule, how, step }) => Err(format!("breaks {rule} at step {step}: {how}")),
        None => Ok(()),
    }
}
