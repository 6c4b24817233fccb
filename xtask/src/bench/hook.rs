//! `cargo xtask bench hook`: one call of a hook from a cold start, in a project whose log has a hundred thousand events,
//! beside a program that does nothing.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Instant, UNIX_EPOCH};

use serde_json::{Value, json};

use super::measure::median;
use super::{build, cargo_build, installed, peer};

const ROUNDS: usize = 100;
const EVENTS: usize = 100_000;
const FILES: usize = 100;
/// A call may take so many times what an empty program takes.
const TIMES_MAX: f64 = 5.0;

pub(super) fn run(root: &Path, target: &Path) -> Result<(), String> {
    let built = build(root, target)?;
    cargo_build(root, &["--examples", "--package", "baton-store"])?;
    let scratch = target.join("bench").join("hook");
    let (project, store) = (scratch.join("project"), scratch.join("store"));
    prepare(&project, &store, &target.join("release/examples/many_events"))?;
    let (baton, empty) = (installed(&built.baton, &scratch)?, installed(&built.empty, &scratch)?);
    let call = |event: &str, more: Value| {
        let mut payload = json!({ "session_id": "bench", "hook_event_name": event, "cwd": project });
        more.as_object().into_iter().flatten().for_each(|(key, value)| payload[key] = value.clone());
        payload.to_string()
    };
    let calls = [
        ("an event that is not Baton's", call("PreToolUse", json!({}))),
        ("a prompt", call("UserPromptSubmit", json!({ "prompt": "Why?" }))),
        ("a stop, nothing owed", call("Stop", json!({ "last_assistant_message": "Because." }))),
        ("a session starts, with its context", call("SessionStart", json!({ "source": "startup" }))),
    ];
    let mut times = vec![Vec::new(); calls.len() + 1];
    // The first round folds views and indexes, and is not counted.
    for round in 0..=ROUNDS {
        let empty = timed(Command::new(&empty), "")?;
        let mut all = vec![empty];
        for (_, payload) in &calls {
            let mut command = Command::new(&baton);
            command.args(["hook", "claude", "--store"]).arg(&store).current_dir(&project);
            all.push(timed(command, payload)?);
        }
        if round > 0 {
            times.iter_mut().zip(all).for_each(|(times, took)| times.push(took));
        }
    }
    let best = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    let (empty, empty_best) = (median(times[0].clone()), best(&times[0]));
    println!("{EVENTS} events, {FILES} files, {ROUNDS} rounds; an empty program takes {:.2} ms", empty * 1e3);
    for ((name, _), times) in calls.iter().zip(&times[1..]) {
        let took = median(times.clone());
        let word = if took / empty <= TIMES_MAX { "met" } else { "MISSED" };
        println!(
            "{name:<36} {:>7.2} ms {:>6.1} times (at most {TIMES_MAX}: {word}), {:.1} at best",
            took * 1e3,
            took / empty,
            best(times) / empty_best
        );
    }
    Ok(())
}

fn prepare(project: &Path, store: &Path, writer: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot prepare {}: {error}", project.display());
    if !store.join("log.sqlite").is_file() {
        eprintln!("writing {EVENTS} events");
        peer::succeed(Command::new(writer).arg(store).arg(EVENTS.to_string()))?;
    }
    fs::create_dir_all(project.join(".git")).map_err(failed)?;
    for number in 0..FILES {
        let path = project.join(format!("file-{number}.txt"));
        fs::write(&path, "some words\n").map_err(failed)?;
        // Before anybody spoke of it: what became of a changed file would be looked up in git, if this were a repository.
        let written = File::options().write(true).open(&path);
        written.and_then(|file| file.set_modified(UNIX_EPOCH)).map_err(failed)?;
    }
    Ok(())
}

/// Runs a program to its end, and returns how long that took.
fn timed(mut command: Command, input: &str) -> Result<f64, String> {
    let failed = |error: std::io::Error| format!("cannot run it: {error}");
    let started = Instant::now();
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input is free to do so.
        let _ = stdin.write_all(input.as_bytes());
    }
    let status = child.wait().map_err(failed)?;
    match status.success() {
        true => Ok(started.elapsed().as_secs_f64()),
        false => Err(format!("it ended with {status}")),
    }
}
