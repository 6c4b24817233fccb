//! `cargo xtask test`: everything that must hold before a change lands.

use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::{corpus, docs, tidy};

/// The folder of real documents to measure on, when there is one.
const CORPUS_VARIABLE: &str = "BATON_CORPUS";
/// The rig in which real agents are run, when there is one.
const RIG_VARIABLE: &str = "BATON_AGENT_RIG";
/// How many seeds the simulator runs.
const SEEDS_VARIABLE: &str = "BATON_SIM_SEEDS";
const SEEDS_ALL: &str = "20000";
/// Lets tests that take a sample take all.
const LONG_VARIABLE: &str = "BATON_LONG";

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A part of what takes long.
    Samples,
    All,
}

impl Extent {
    /// Returns the variable that tells the tests how much to try, where it isn't set already.
    fn variables(self) -> Option<(&'static str, &'static str)> {
        (self == Self::All && env::var_os(LONG_VARIABLE).is_none()).then_some((LONG_VARIABLE, "1"))
    }
}

pub(crate) fn run(extent: Extent) -> Result<(), String> {
    let started = Instant::now();
    let mut left_out = Vec::new();
    set_up()?;
    step("format", || cargo(&["fmt", "--all", "--check"]))?;
    step("lints", || cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    step("house rules", tidy::run)?;
    step("generated documents", || docs::run(docs::Mode::Check))?;
    let mut passed = 0;
    step("tests", || tests(extent).map(|count| passed = count))?;
    step("documentation", || {
        cargo_with(
            &["doc", "--workspace", "--no-deps", "--document-private-items"],
            &[("RUSTDOCFLAGS", "-D warnings")],
        )
    })?;
    step("simulation", || simulation(extent))?;
    match env::var_os(CORPUS_VARIABLE) {
        Some(folder) => step("corpus", || corpus::run(Path::new(&folder), corpus::Goals::Floors))?,
        None => left_out.push(format!("the corpus of real documents: set {CORPUS_VARIABLE} to its folder")),
    }
    match has_program("cargo-deny") {
        true => step("dependencies", || cargo(&["deny", "check", "licenses", "bans", "sources"]))?,
        false => {
            left_out.push("the licences of dependencies: `cargo install cargo-deny` to check them".to_owned())
        }
    }
    if env::var_os(RIG_VARIABLE).is_none() {
        left_out.push(format!(
            "real agents against a scripted model: set {RIG_VARIABLE} to the folder of the rig"
        ));
    }
    if !has_program("strace") {
        left_out.push(
            "faults and power cuts for `baton`, and kills of runs: install `strace` to try them (`apt install strace`)"
                .to_owned(),
        );
    }
    println!("\nall checks pass, after {} s", started.elapsed().as_secs());
    for what in left_out {
        println!("left out: {what}");
    }
    println!("{passed} passed, 0 failed");
    Ok(())
}

/// Runs the engine in its simulated world. It is built for speed: the seeds are many.
fn simulation(extent: Extent) -> Result<(), String> {
    let of_extent = || match extent {
        Extent::Samples => crate::sim::SEEDS.to_string(),
        Extent::All => SEEDS_ALL.to_owned(),
    };
    let seeds = env::var(SEEDS_VARIABLE).unwrap_or_else(|_| of_extent());
    cargo(&["run", "--release", "--quiet", "--package", "xtask", "--", "sim", &seeds])
}

/// Tries faults and power cuts on the binary, to the extent that `BATON_LONG` names.
pub(crate) fn durability(extent: &str) -> Result<(), String> {
    if !has_program("strace") {
        return Err("this needs `strace`, which is not installed (`apt install strace`)".to_owned());
    }
    cargo_with(
        &["test", "--package", "baton-cli", "--test", "it", "durability", "--", "--nocapture"],
        &[("BATON_LONG", extent)],
    )
}

/// Runs all tests and counts them: a run without a test is no proof of anything.
fn tests(extent: Extent) -> Result<usize, String> {
    let mut command = Command::new(cargo_program());
    command.args(["test", "--workspace", "--no-fail-fast"]).envs(extent.variables()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cargo test could not be started: {error}"))?;
    let mut passed = 0;
    for line in
        child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()).map_while(Result::ok)
    {
        let count = line.strip_prefix("test result: ok. ").and_then(|rest| rest.split(' ').next());
        passed += count.and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
        println!("{line}");
    }
    match child.wait() {
        Ok(status) if status.success() && passed > 0 => Ok(passed),
        Ok(status) if status.success() => Err("no test was run".to_owned()),
        Ok(status) => Err(format!("`cargo test` ended with {status}")),
        Err(error) => Err(format!("cargo test could not be waited for: {error}")),
    }
}

/// Adds the parts of the toolchain that the checks need, where they are missing and can be added.
fn set_up() -> Result<(), String> {
    for (component, command) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        let is_there =
            Command::new("cargo").args([command, "--version"]).output().is_ok_and(|out| out.status.success());
        if !is_there {
            println!("adding {component} to the toolchain");
            done(Command::new("rustup").args(["component", "add", component]), "rustup component add")?;
        }
    }
    Ok(())
}

fn step(name: &str, run: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    println!("\n── {name}");
    run().map_err(|error| format!("{name}: {error}"))
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    cargo_with(arguments, &[])
}

fn cargo_with(arguments: &[&str], variables: &[(&str, &str)]) -> Result<(), String> {
    let mut command = Command::new(cargo_program());
    command.args(arguments).envs(variables.iter().copied());
    done(&mut command, &format!("cargo {}", arguments.join(" ")))
}

fn cargo_program() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn done(command: &mut Command, name: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{name}` ended with {status}")),
        Err(error) => Err(format!("`{name}` could not be started: {error}")),
    }
}

fn has_program(name: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}
