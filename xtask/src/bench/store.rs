//! `cargo xtask bench store`: handoffs stored one after the other and many at once, beside what any store must pay.
//!
//! The work is in the example `workload` of `baton-store`; each run is a process of its own, and the contestants take
//! turns, so that a busy moment of the machine hurts all of them.

mod peer;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::measure::median;
use super::target::{Bound, Target};

const CONTESTANTS: [(&str, &str); 3] =
    [("raw", "raw appends, flushed"), ("sqlite", "bare SQLite, WAL and FULL"), ("baton", "baton's store")];
const THREADS: usize = 32;
const STAGES: usize = 8;

pub(super) struct Plan {
    /// Workflows of eight handoffs in all, divided among the rounds.
    workflows: usize,
    rounds: usize,
    small: usize,
    large: usize,
}

pub(super) const FULL: Plan = Plan { workflows: 1_000, rounds: 10, small: 1_000, large: 1_000_000 };
pub(super) const QUICK: Plan = Plan { workflows: 100, rounds: 5, small: 1_000, large: 100_000 };

/// Runs the example and reads what it prints.
struct Workload {
    program: PathBuf,
    scratch: PathBuf,
}

/// What one contestant did, round by round, in handoffs a second.
struct Rates {
    name: &'static str,
    alone: Vec<f64>,
    together: Vec<f64>,
}

pub(super) fn run(plan: &Plan, root: &Path, target: &Path) -> Result<(), String> {
    eprintln!("building the workload");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    super::peer::succeed(
        Command::new(cargo)
            .args(["build", "--release", "--quiet", "--package", "baton-store", "--example", "workload"])
            .current_dir(root),
    )?;
    let scratch = target.join("bench").join("store");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    }
    let workload = Workload { program: target.join("release").join("examples").join("workload"), scratch };
    let rates = contest(plan, &workload)?;
    let sources = root.join("benches").join("store");
    let peers = peer::measure(&sources, &target.join("bench").join("store-peers"), THREADS);
    print_rates(plan, &rates, &peers);
    let growth = grow(plan, &workload)?;
    growth.print(plan);
    print_targets(plan, &rates, &peers, &growth);
    Ok(())
}

fn contest(plan: &Plan, workload: &Workload) -> Result<Vec<Rates>, String> {
    let mut rates: Vec<Rates> =
        CONTESTANTS.iter().map(|(_, name)| Rates { name, alone: Vec::new(), together: Vec::new() }).collect();
    let workflows = plan.workflows / plan.rounds;
    for round in 0..plan.rounds {
        eprintln!("round {} of {}", round + 1, plan.rounds);
        for ((who, _), rates) in CONTESTANTS.iter().zip(&mut rates) {
            rates.alone.push(workload.rate(&[who, "alone", &workflows.to_string(), "1"])?);
        }
        for ((who, _), rates) in CONTESTANTS.iter().zip(&mut rates) {
            let threads = THREADS.to_string();
            rates.together.push(workload.rate(&[who, "together", &workflows.to_string(), &threads])?);
        }
    }
    Ok(rates)
}

impl Workload {
    /// Returns how many of them there were a second. The second word is a folder of the contestant in the first.
    fn rate(&self, words: &[&str]) -> Result<f64, String> {
        let (count, seconds) = self.run(words)?;
        Ok(count / seconds)
    }

    fn run(&self, words: &[&str]) -> Result<(f64, f64), String> {
        let [what, folder, rest @ ..] = words else { return Err("the workload needs a folder".to_owned()) };
        let place = match CONTESTANTS.iter().any(|(who, _)| who == what) {
            true => self.scratch.join(format!("{what}-{folder}")),
            false => self.scratch.join(format!("baton-{folder}")),
        };
        let out = Command::new(&self.program)
            .arg(what)
            .arg(place)
            .args(rest)
            .output()
            .map_err(|error| format!("{}: {error}", self.program.display()))?;
        let text = String::from_utf8_lossy(&out.stdout);
        let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [count, seconds] if out.status.success() => Ok((count, seconds)),
            _ => Err(format!("workload {}: {text}", words.join(" "))),
        }
    }
}

fn print_rates(plan: &Plan, rates: &[Rates], peers: &[peer::Rates]) {
    println!("\n{} workflows of {STAGES} handoffs of 1 KB with a document of 4 KB\n", plan.workflows);
    println!("{:<28} {:>14} {:>16}", "handoffs a second", "one by one", "32 at once");
    for rates in rates {
        let (alone, together) = (median(rates.alone.clone()), median(rates.together.clone()));
        println!("{:<28} {alone:>14.0} {together:>16.0}", rates.name);
    }
    for peer in peers {
        println!("{:<28} {:>14.0} {:>16.0}", peer.name, peer.alone, peer.together);
    }
}

/// Costs on a small and on a large log.
struct Growth {
    small: Costs,
    large: Costs,
}

#[derive(Default)]
struct Costs {
    handoffs: Vec<f64>,
    status: Vec<f64>,
    verified: f64,
}

/// The same questions to a small and to a large log, in turns.
fn grow(plan: &Plan, workload: &Workload) -> Result<Growth, String> {
    for (name, events) in [("small", plan.small), ("large", plan.large)] {
        eprintln!("filling a log of {events} events");
        workload.run(&["fill", name, &events.to_string()])?;
    }
    let mut growth = Growth { small: Costs::default(), large: Costs::default() };
    for _ in 0..plan.rounds {
        for (name, costs) in [("small", &mut growth.small), ("large", &mut growth.large)] {
            costs.status.push(workload.run(&["status", name])?.1);
        }
        for (name, costs) in [("small", &mut growth.small), ("large", &mut growth.large)] {
            costs.handoffs.push(1.0 / workload.rate(&["baton", name, "10", "1"])?);
        }
    }
    growth.large.verified = workload.rate(&["verify", "large"])?;
    Ok(growth)
}

impl Growth {
    fn print(&self, plan: &Plan) {
        println!("\n{:<28} {:>14} {:>16}", "events in the log", plan.small, plan.large);
        let line = |what: &str, costs: fn(&Costs) -> &Vec<f64>| {
            let of = |side: &Costs| median(costs(side).clone()) * 1_000.0;
            println!("{what:<28} {:>11.2} ms {:>13.2} ms", of(&self.small), of(&self.large));
        };
        line("one handoff", |costs| &costs.handoffs);
        line("open and status", |costs| &costs.status);
        println!("{:<28} {:>14} {:>14.0}/s", "events verified", "", self.large.verified);
    }
}

fn print_targets(plan: &Plan, rates: &[Rates], peers: &[peer::Rates], growth: &Growth) {
    let ratio =
        |one: &[f64], other: &[f64]| median(one.iter().zip(other).map(|(one, other)| one / other).collect());
    let [_, sqlite, baton] = rates else { return };
    let target = |bound, subject: String, seen: f64| Target { bound, subject, seen: Some(seen), cpu: None };
    let best = peers.iter().map(|peer| peer.together).reduce(f64::max);
    println!("\ntargets");
    let beside = Target {
        bound: Bound::AtLeast(10.0),
        subject: "the fastest peer, 32 at once".to_owned(),
        seen: best.map(|best| median(baton.together.clone()) / best),
        cpu: None,
    };
    println!("  {beside}");
    let lines = [
        target(Bound::AtLeast(0.7), "bare SQLite, one by one".to_owned(), ratio(&baton.alone, &sqlite.alone)),
        target(
            Bound::AtMost(1.2),
            format!("a handoff on {} events, on {}", plan.small, plan.large),
            ratio(&growth.large.handoffs, &growth.small.handoffs),
        ),
        target(
            Bound::AtMost(2.0),
            format!("open and status on {} events, on {}", plan.small, plan.large),
            ratio(&growth.large.status, &growth.small.status),
        ),
        target(
            Bound::AtLeast(1.0),
            "100000 events verified a second".to_owned(),
            growth.large.verified / 1e5,
        ),
    ];
    for line in lines {
        println!("  {line}");
    }
}
