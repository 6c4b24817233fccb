//! `cargo xtask bench audit`: the cost of an audit for each handoff, from a thousand to twenty thousand.

use std::fs;
use std::path::{Path, PathBuf};

use baton_testkit::project;

use super::build;
use super::measure::{Bench, Clock, Measurement};
use super::program::{Program, Role};

const ROUNDS: usize = 3;
/// The cost of a handoff among twenty thousand may be this much of its cost among a thousand.
const GROWTH_MAX: f64 = 1.3;

struct Size {
    role: Role,
    handoffs: usize,
    chains: usize,
    commits: usize,
}

const SIZES: [Size; 2] = [
    Size { role: Role::AuditThousand, handoffs: 1_000, chains: 100, commits: 2_500 },
    Size { role: Role::AuditTwentyThousand, handoffs: 20_000, chains: 2_000, commits: 50_000 },
];

pub(super) fn run(root: &Path, target: &Path) -> Result<(), String> {
    let built = build(root, target)?;
    let scratch = target.join("bench");
    let mut programs = Vec::new();
    for size in &SIZES {
        let folder = prepare(&scratch, size)?;
        let words =
            [built.baton.as_path(), Path::new("audit"), &folder, Path::new("--threads"), Path::new("1")];
        programs.push(Program { role: size.role, argv: argv(&words) });
        if size.role == Role::AuditTwentyThousand {
            let git =
                ["git", "-C", &folder.display().to_string(), "log", "--all", "--raw", "--no-renames", "-z"];
            programs.push(Program { role: Role::GitLog, argv: git.map(str::to_owned).to_vec() });
        }
    }
    let script = root.join("benches").join("check").join("measure.py");
    let bench = Bench { script: &script, scratch: &scratch.join("output-audit"), rounds: ROUNDS };
    let measurements = bench.run(&programs)?;
    for measurement in &measurements {
        let peak = measurement.peak_kb.map_or_else(|| "?".to_owned(), |peak| (peak / 1024).to_string());
        println!(
            "{:<32} {:>8.2} s wall {:>8.2} s CPU {:>6} MiB",
            measurement.role.name(),
            measurement.seconds(Clock::Wall),
            measurement.seconds(Clock::Cpu),
            peak
        );
    }
    print_growth(&measurements);
    Ok(())
}

fn print_growth(measurements: &[Measurement]) {
    let of = |role: Role| measurements.iter().find(|measurement| measurement.role == role);
    let (Some(small), Some(large)) = (of(Role::AuditThousand), of(Role::AuditTwentyThousand)) else { return };
    let times_as_many = SIZES[1].handoffs as f64 / SIZES[0].handoffs as f64;
    let growth = large.over(small, Clock::Cpu) / times_as_many;
    let each = large.seconds(Clock::Cpu) / SIZES[1].handoffs as f64 * 1e6;
    let word = if growth <= GROWTH_MAX { "met" } else { "MISSED" };
    println!(
        "{each:.0} µs of the processor for each of 20,000 handoffs, {growth:.2} times that of 1,000 (at most {GROWTH_MAX}: {word})"
    );
}

fn prepare(scratch: &Path, size: &Size) -> Result<PathBuf, String> {
    let folder = scratch.join(format!("audit-{}", size.handoffs));
    if folder.join(".git").is_dir() {
        return Ok(folder);
    }
    eprintln!("writing {} handoffs of {} tasks over {} commits", size.handoffs, size.chains, size.commits);
    let failed = |error: std::io::Error| format!("cannot write {}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let made = project::large(&folder, size.handoffs, size.chains, size.commits).map_err(failed)?;
    eprintln!("{} handoffs, {} tasks, {} commits", made.handoffs, made.tasks, made.commits);
    Ok(folder)
}

fn argv(words: &[&Path]) -> Vec<String> {
    words.iter().map(|word| word.display().to_string()).collect()
}
