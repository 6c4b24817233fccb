//! Runs Baton under `strace`, which records what it does to the disk, or kills it there from outside.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::team::{Started, Team};

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

/// What is seen of a command: calls of these names that its main thread makes.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) calls: &'static [&'static str],
    /// Where any are named, only calls on these are seen, and counted: by their path as it is given, or that of their file or
    /// folder.
    pub(crate) paths: Vec<PathBuf>,
}

impl Watch {
    /// Sees these calls wherever they go to.
    pub(crate) fn everywhere(calls: &'static [&'static str]) -> Self {
        Self { calls, paths: Vec::new() }
    }

    fn options(&self) -> Vec<OsString> {
        // Not every machine has every call.
        let calls: Vec<String> = self.calls.iter().map(|call| format!("?{call}")).collect();
        let mut options = vec!["-y".into(), "-e".into(), format!("trace={}", calls.join(",")).into()];
        options.extend(self.paths.iter().flat_map(|path| ["-P".into(), path.into()]));
        options
    }
}

/// Lets a command of Baton run to its end, which is this code, and returns the calls that are watched. A file that is only known
/// by its number is told with its path.
#[track_caller]
pub(crate) fn record(team: &Team, (code, words): (i32, &[&str]), watch: &Watch) -> Vec<String> {
    let ended = finish(strace(team, words, &watch.options()));
    assert_eq!(ended.code(), Some(code), "{words:?} under strace");
    let made = recorded(team);
    assert!(!made.is_empty(), "{words:?}: nothing was seen of {watch:?}");
    made
}

/// Kills a command of Baton at a point; nothing where it came to its end before. Returns the calls that it made until then.
pub(crate) fn kill(team: &Team, words: &[&str], (point, watch): (&Point, &Watch)) -> Option<Vec<String>> {
    let mut options = watch.options();
    options.extend(["-e".into(), format!("inject={}:signal=KILL:when={}", point.call, point.when).into()]);
    let ended = finish(strace(team, words, &options));
    (ended.signal() == Some(KILL)).then(|| recorded(team))
}

/// Returns every recorded call as a point to kill at.
pub(crate) fn points(lines: &[String]) -> Vec<Point> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let points = lines.iter().filter_map(|line| name_of(line)).map(|call| {
        let when = counts.entry(call).or_default();
        *when += 1;
        Point { call: call.to_owned(), when: *when }
    });
    points.collect()
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

fn strace(team: &Team, words: &[&str], options: &[OsString]) -> Command {
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
    let mut child = Started::new(&mut command);
    let begun = Instant::now();
    loop {
        if let Some(ended) = child.try_wait().expect("our own child") {
            return ended;
        }
        assert!(begun.elapsed() < PATIENCE, "it does not end");
        thread::sleep(Duration::from_millis(5));
    }
}
