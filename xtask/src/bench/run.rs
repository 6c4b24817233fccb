//! `cargo xtask bench run`: what `baton run` itself costs for a turn, without the agent and the check.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{cargo_build, installed};

const FILES: usize = 5_000;
const ROUNDS: usize = 3;
/// What a turn may cost of the processor, in milliseconds.
const TURN_CPU_MS_MAX: f64 = 50.0;

pub(super) fn run(root: &Path, target: &Path) -> Result<(), String> {
    eprintln!("building baton");
    cargo_build(root, &["--package", "baton-cli"])?;
    let scratch = target.join("bench").join("run");
    fs::create_dir_all(&scratch).map_err(|error| format!("cannot make {}: {error}", scratch.display()))?;
    let baton = installed(&target.join("release").join("baton"), &scratch)?;
    let script = root.join("benches").join("run").join("measure.py");
    let output = Command::new("python3")
        .arg(script)
        .arg(baton)
        .arg(scratch)
        .args([FILES.to_string(), ROUNDS.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("the measuring script failed: {error}"))?;
    if !output.status.success() {
        return Err(format!("the measuring script failed: {}", output.status));
    }
    let figures: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("no figures: {error}"))?;
    let of = |name: &str| figures[name].as_f64().unwrap_or(f64::NAN) * 1e3;
    println!("{FILES} files, median of {ROUNDS} rounds");
    let line = |what: &str, wall: &str, cpu: &str| {
        println!("{what:<44} {:>7.0} ms wall {:>7.0} ms CPU", of(wall), of(cpu));
    };
    line("a task with one turn, workspace and merge", "first_wall", "first_cpu");
    line("until its first turn begins", "begin_wall", "begin_cpu");
    line("each further turn, without agent and check", "turn_wall", "turn_cpu");
    println!("{:<44} {:>15} {:>10.0} ms CPU", "agent and check by themselves", "", of("others_cpu"));
    let word = if of("turn_cpu") <= TURN_CPU_MS_MAX { "met" } else { "MISSED" };
    println!("at most {TURN_CPU_MS_MAX:.0} ms of the processor for a turn: {word}");
    Ok(())
}
