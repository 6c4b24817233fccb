//! `cargo xtask bench check`: Baton beside what people would use in its place, on the same documents.
//! `cargo xtask bench audit`: what an audit costs, and whether the cost of a handoff grows with their number.
//! `cargo xtask bench store`: its log beside what any log must pay, in [`store`].
//! `cargo xtask bench hook`: one call of a hook from a cold start, in [`hook`].
//! `cargo xtask bench context`: what the next agent is sent beside what others send it, in [`context`].
//! `cargo xtask bench run`: what a turn of an agent costs Baton itself, in [`mod@run`].
//!
//! Reading order: [`document`] writes synthetic handoffs, [`corpus`] puts them into folders, [`peer`] installs the
//! other programs, [`program`] knows the command lines, [`measure`] runs them in turns, [`verdict`] refuses wrong
//! answers, [`report`] prints. A target that is missed is printed and fails nothing: machines differ.
#![expect(clippy::print_stderr, clippy::print_stdout, reason = "a benchmark is run by a person who reads it")]

mod audit;
mod context;
mod corpus;
mod document;
mod hook;
mod measure;
mod package;
mod peer;
mod program;
mod prose;
mod report;
mod run;
mod stage;
mod store;
mod summary;
mod target;
mod task;
mod verdict;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use corpus::Corpus;
use measure::{Bench, Measurement};
use program::Built;
use report::Contest;

const COLD_START_ROUNDS: usize = 200;

struct Plan {
    sizes: &'static [usize],
    rounds: usize,
}

const FULL: Plan = Plan { sizes: &[100, 1_000, 20_000], rounds: 5 };
const QUICK: Plan = Plan { sizes: &[100, 1_000], rounds: 3 };

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["check"] => check(&FULL),
        ["check", "--quick"] => check(&QUICK),
        ["audit"] => audit::run(root(), &target()),
        ["context"] => context::run(root(), &target()),
        ["hook"] => hook::run(root(), &target()),
        ["run"] => run::run(root(), &target()),
        ["store"] => store::run(&store::FULL, root(), &target()),
        ["store", "--quick"] => store::run(&store::QUICK, root(), &target()),
        _ => {
            Err("usage: cargo xtask bench check|store [--quick], or cargo xtask bench audit|context|hook|run"
                .to_owned())
        }
    }
}

fn root() -> &'static Path {
    let workshop = Path::new(env!("CARGO_MANIFEST_DIR"));
    workshop.parent().unwrap_or(workshop)
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

fn check(plan: &Plan) -> Result<(), String> {
    let (root, target) = (root(), target());
    let scratch = target.join("bench");
    let sources = root.join("benches").join("check");
    let script = sources.join("measure.py");

    let built = build(root, &target)?;
    let peers = peer::install(&sources, &scratch.join("peers"));
    let mut contests = Vec::new();
    for &documents in plan.sizes {
        let corpus = Corpus::prepare(&scratch, documents)?;
        eprintln!("{}", description(&corpus));
        let programs = program::all(&built, &peers, &corpus)?;
        let output = scratch.join(format!("output-{documents}"));
        let bench = Bench { script: &script, scratch: &output, rounds: plan.rounds };
        let measurements = bench.run(&programs)?;
        contests.push(judged(corpus, measurements)?);
    }
    let Some(first) = contests.first() else { return Ok(()) };
    let output = scratch.join("output-cold-start");
    let bench = Bench { script: &script, scratch: &output, rounds: COLD_START_ROUNDS };
    let cold_start = bench.run(&program::cold_start(&built, &first.corpus))?;
    report::print_table(&contests, &cold_start);
    report::print_targets(&contests, &cold_start);
    Ok(())
}

/// Builds what is measured, in release mode.
fn build(root: &Path, target: &Path) -> Result<Built, String> {
    eprintln!("building baton and the floors");
    cargo_build(root, &[])?;
    cargo_build(root, &["--examples", "--package", "baton-handoff"])?;
    let release = target.join("release");
    let examples = release.join("examples");
    Ok(Built { baton: release.join("baton"), floor: examples.join("floor"), empty: examples.join("empty") })
}

/// Copies a program, as whoever installs it does. What a linker has just written lies in small pieces in memory until it is
/// read from the disk again, and a large program pays for that at each start: over a millisecond here.
fn installed(program: &Path, folder: &Path) -> Result<PathBuf, String> {
    let failed = |error: std::io::Error| format!("cannot copy {}: {error}", program.display());
    let name = program.file_name().ok_or_else(|| format!("{} has no name", program.display()))?;
    let copy = folder.join(name);
    fs::copy(program, &copy).map_err(failed)?;
    Ok(copy)
}

/// Builds in release mode what the arguments name.
fn cargo_build(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    peer::succeed(
        Command::new(cargo).args(["build", "--release", "--quiet"]).args(arguments).current_dir(root),
    )
}

fn description(corpus: &Corpus) -> String {
    format!(
        "{} documents of {} bytes on average, {} of them invalid",
        corpus.documents,
        corpus.bytes / corpus.documents.max(1),
        corpus.invalid.len()
    )
}

/// Refuses a contest in which a program read something else or found other documents invalid.
fn judged(corpus: Corpus, measurements: Vec<Measurement>) -> Result<Contest, String> {
    for measurement in &measurements {
        eprintln!("  {}", verdict::verify(measurement, &corpus)?);
    }
    Ok(Contest { corpus, measurements })
}
