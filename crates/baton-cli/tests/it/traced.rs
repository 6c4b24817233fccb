//! Runs Baton under `strace`, which records what it does to the disk, or kills it there from outside.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::team::Team;

/// Only stops what hangs.
const PATIENCE: Duration = Duration::from_secs(300);
/// How `strace` ends when what it follows was killed.
const KILL: i32 = 9;

/// A kill at the nth of these calls that the main thread makes, which is the one that appends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) call: String,
    pub(crate) when: usize,
}

/// Says whether `strace` is there, and tells what is left out where it is not.
pub(crate) fn is_possible(left_out: &str) -> bool {
    let is_there = Command::new("strace").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !is_there {
        println!("LEFT OUT: {left_out} need `strace`, which is not installed (`apt install strace`)");
    }
    is_there
}

/// Lets a command of Baton run to its end, and returns the calls of these names that its main thread made. A file that is only
/// known by its number is told with its path.
pub(crate) fn record(team: &Team, words: &[&str], calls: &[&str]) -> Vec<String> {
    finish(strace(team, words, &["-y".to_owned(), "-e".to_owned(), format!("trace={}", calls.join(","))]));
    recorded(team)
}

/// Kills a command of Baton at a point; nothing where it came to its end before. Returns the calls that it made until then.
pub(crate) fn kill(team: &Team, words: &[&str], (point, calls): (&Point, &[&str])) -> Option<Vec<String>> {
    let inject = format!("inject={}:signal=KILL:when={}", point.call, point.when);
    let trace = format!("trace={}", calls.join(","));
    let options = ["-y", "-e", &trace, "-e", &inject].map(str::to_owned);
    let ended = finish(strace(team, words, &options));
    (ended.signal() == Some(KILL)).then(|| recorded(team))
}

/// Returns the name of a recorded call; nothing for other lines of a recording.
pub(crate) fn name_of(line: &str) -> Option<&str> {
    let (name, _) = line.split_once('(')?;
    name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_').then_some(name)
}

fn recording(team: &Team) -> PathBuf {
    team.home().join("recording")
}

fn recorded(team: &Team) -> Vec<String> {
    let text = fs::read(recording(team)).expect("a recording");
    String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
}

fn strace(team: &Team, words: &[&str], options: &[String]) -> Command {
    let baton = team.command(words);
    let mut command = Command::new("strace");
    // Only the main thread is followed.
    command.args(["-qq", "-o"]).arg(recording(team)).args(options);
    command.arg(baton.get_program()).args(baton.get_args()).current_dir(team.place.path()).env_clear();
    command.envs(baton.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Waits for the end of a command.
pub(crate) fn finish(mut command: Command) -> ExitStatus {
    let mut child = command.spawn().expect("it starts");
    let begun = Instant::now();
    loop {
        if let Some(ended) = child.try_wait().expect("our own child") {
            return ended;
        }
        assert!(begun.elapsed() < PATIENCE, "it does not end");
        thread::sleep(Duration::from_millis(5));
    }
}
