//! `cargo xtask bench store`: handoffs stored one after the other and many at once, beside what any store must pay.
//!
//! The work is in the example `workload` of `baton-store`; each run is a process of its own, and the contestants and the
//! peers take turns, so that a busy moment of the machine hurts all of them.

mod peer;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::measure::median;
use super::target::{Bound, Target};
use peer::Peer;

const CONTESTANTS: [(&str, &str); 3] =
    [("raw", "raw appends, flushed"), ("sqlite", "bare SQLite, WAL and FULL"), ("baton", "baton's store")];
const THREADS: usize = 32;
const STAGES: usize = 8;
/// What each of them keeps before it answers.
const ONE_HANDOFF: &str = "\
raw, SQLite: an event of 1 KB and a document of 4 KB. baton: the same event with its hash, its idempotency key and two
indexes, the document with its hash, and the line of the task on the board when it changes; with the first handoff also
the event that adds the task. Peers: a handoff of 1 KB, with what they keep around it.";

pub(super) struct Plan {
    /// Workflows of eight handoffs in each round, one by one and many at once. The second is a multiple of the callers,
    /// so that none is left without work before the end.
    alone: usize,
    together: usize,
    rounds: usize,
    small: usize,
    large: usize,
}

pub(super) const FULL: Plan =
    Plan { alone: 100, together: 10 * THREADS, rounds: 5, small: 1_000, large: 1_000_000 };
pub(super) const QUICK: Plan =
    Plan { alone: 25, together: 5 * THREADS, rounds: 3, small: 1_000, large: 100_000 };

/// Runs the example and reads what it prints.
struct Workload {
    program: PathBuf,
    scratch: PathBuf,
}

/// What one contestant did, round by round.
struct Rates {
    name: &'static str,
    alone: Vec<Run>,
    together: Vec<Run>,
}

/// One run of the workload.
#[derive(Clone, Copy, Debug)]
struct Run {
    count: f64,
    seconds: f64,
    /// Seconds of processor time and bytes for the disk, where they are known.
    processor: Option<f64>,
    bytes: Option<f64>,
}

impl Run {
    fn rate(&self) -> f64 {
        self.count / self.seconds
    }
}

pub(super) fn run(plan: &Plan, root: &Path, target: &Path) -> Result<(), String> {
    eprintln!("building the workload");
    super::cargo_build(root, &["--package", "baton-store", "--example", "workload"])?;
    let scratch = target.join("bench").join("store");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    }
    let workload = Workload { program: target.join("release").join("examples").join("workload"), scratch };
    let peers_home = target.join("bench").join("store-peers");
    let peers = peer::installed(&root.join("benches").join("store"), &peers_home);
    let rates = contest(plan, &workload, (&peers, &peers_home))?;
    print_rates(plan, &rates);
    let growth = grow(plan, &workload)?;
    growth.print(plan);
    print_targets(plan, &rates, &growth);
    Ok(())
}

fn contest(plan: &Plan, workload: &Workload, (peers, home): (&[Peer], &Path)) -> Result<Vec<Rates>, String> {
    let fresh = |name| Rates { name, alone: Vec::new(), together: Vec::new() };
    let mut rates: Vec<Rates> = CONTESTANTS.iter().map(|(_, name)| fresh(name)).collect();
    let mut of_peers: Vec<Rates> = peers.iter().map(|peer| fresh(peer.name)).collect();
    let (alone, together, threads) = (plan.alone.to_string(), plan.together.to_string(), THREADS.to_string());
    for round in 0..plan.rounds {
        eprintln!("round {} of {}", round + 1, plan.rounds);
        for ((who, _), rates) in CONTESTANTS.iter().zip(&mut rates) {
            rates.alone.push(workload.run(&[who, "alone", &alone, "1"])?);
        }
        for ((who, _), rates) in CONTESTANTS.iter().zip(&mut rates) {
            rates.together.push(workload.run(&[who, "together", &together, &threads])?);
        }
        for (peer, rates) in peers.iter().zip(&mut of_peers) {
            match peer.run(home, 1).and_then(|alone| Ok((alone, peer.run(home, THREADS)?))) {
                Ok((alone, together)) => {
                    rates.alone.push(alone);
                    rates.together.push(together);
                }
                Err(reason) => eprintln!("left out: {}, because {reason}", peer.name),
            }
        }
    }
    // A peer that failed in one round cannot be compared round by round.
    of_peers.retain(|rates| rates.together.len() == plan.rounds);
    rates.extend(of_peers);
    Ok(rates)
}

impl Workload {
    /// The second word is a folder of the contestant in the first.
    fn run(&self, words: &[&str]) -> Result<Run, String> {
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
            [count, seconds, processor, bytes] if out.status.success() => {
                let known = |value: f64| Some(value).filter(|value| *value > 0.0);
                Ok(Run { count, seconds, processor: known(processor), bytes: known(bytes) })
            }
            _ => Err(format!("workload {}: {text}", words.join(" "))),
        }
    }
}

fn print_rates(plan: &Plan, rates: &[Rates]) {
    let workflows = plan.rounds * plan.alone;
    println!(
        "\n{workflows} workflows of {STAGES} handoffs one by one, {} at once",
        plan.rounds * plan.together
    );
    println!("{ONE_HANDOFF}\n");
    println!("{:<28} {:>14} {:>14}", "handoffs a second", "one by one", "32 at once");
    for rates in rates {
        let [alone, together] = [&rates.alone, &rates.together].map(|runs| middle(runs, Run::rate));
        println!("{:<28} {alone:>14.0} {together:>14.0}", rates.name);
    }
    println!("\n{:<28} {:>14} {:>14}", "µs of processor, KB on disk", "one by one", "32 at once");
    for rates in rates.iter().take(CONTESTANTS.len()) {
        let [alone, together] = [&rates.alone, &rates.together].map(|runs| {
            let each = |value: Option<f64>, run: &Run| value.map_or(f64::NAN, |value| value / run.count);
            let processor = middle(runs, |run| each(run.processor, run) * 1e6);
            format!("{processor:.0}, {:.0}", middle(runs, |run| each(run.bytes, run) / 1024.0))
        });
        println!("{:<28} {alone:>14} {together:>14}", rates.name);
    }
}

fn middle(runs: &[Run], of: impl Fn(&Run) -> f64) -> f64 {
    median(runs.iter().map(of).collect())
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
            costs.status.push(workload.run(&["status", name])?.seconds);
        }
        for (name, costs) in [("small", &mut growth.small), ("large", &mut growth.large)] {
            costs.handoffs.push(1.0 / workload.run(&["baton", name, "10", "1"])?.rate());
        }
    }
    growth.large.verified = workload.run(&["verify", "large"])?.rate();
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

/// Returns how many times as fast one was as the other: the median over the rounds, each compared with itself.
fn rates_ratio(one: &[Run], other: &[Run]) -> f64 {
    median(one.iter().zip(other).map(|(one, other)| one.rate() / other.rate()).collect())
}

fn print_targets(plan: &Plan, rates: &[Rates], growth: &Growth) {
    let ratio =
        |one: &[f64], other: &[f64]| median(one.iter().zip(other).map(|(one, other)| one / other).collect());
    let [_, sqlite, baton, ..] = rates else { return };
    let target = |bound, subject: String, seen: f64| Target { bound, subject, seen: Some(seen), cpu: None };
    println!("\ntargets");
    let peers = rates.get(CONTESTANTS.len()..).unwrap_or_default();
    let best = peers
        .iter()
        .max_by(|one, other| middle(&one.together, Run::rate).total_cmp(&middle(&other.together, Run::rate)));
    let beside = Target {
        bound: Bound::AtLeast(10.0),
        subject: "the fastest peer, 32 at once".to_owned(),
        seen: best.map(|best| rates_ratio(&baton.together, &best.together)),
        cpu: None,
    };
    println!("  {beside}");
    let lines = [
        target(
            Bound::AtLeast(0.7),
            "bare SQLite, one by one".to_owned(),
            rates_ratio(&baton.alone, &sqlite.alone),
        ),
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
