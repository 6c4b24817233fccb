//! Runs a program to its end or its deadline: own process group, bounded output, chosen environment, no shell.

use std::collections::VecDeque;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Output that is kept; of more, the beginning goes, because tools say at the end how it went.
pub const OUTPUT_BYTES_MAX: usize = 1024 * 1024;
/// How often a child is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How long output may come after the child has ended, from what it left behind.
const DRAIN_MAX: Duration = Duration::from_secs(2);
/// All that a child gets to know of this machine. Tools find themselves and their caches by it.
const ENVIRONMENT: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOCACHE",
    "JAVA_HOME",
    "PYENV_ROOT",
    "SystemRoot",
];

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Code(i32),
    /// It was ended by a signal, or in a way that has no code.
    Signal,
    TimedOut,
    NotStarted(String),
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Run {
    pub end: End,
    /// Both streams, as they came, without what was too much.
    pub output: Vec<u8>,
    pub duration: Duration,
}

/// Runs a command line in a folder. The program is looked for in the PATH outside of `folder`, or in `folder` when it is
/// given with a slash.
pub fn run(arguments: &[String], folder: &Path, deadline: Duration) -> Run {
    let begun = Instant::now();
    let ended = |end, output| Run { end, output, duration: begun.elapsed() };
    let Some((name, rest)) = arguments.split_first() else {
        return ended(End::NotStarted("the command is empty".to_owned()), Vec::new());
    };
    let Some(program) = find(name, folder) else {
        return ended(End::NotStarted(format!("`{name}` is not installed")), Vec::new());
    };
    let mut command = Command::new(program);
    command.args(rest).current_dir(folder).env_clear().envs(environment(folder));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    match command.spawn() {
        Err(error) => ended(End::NotStarted(format!("`{name}` cannot be started: {error}")), Vec::new()),
        Ok(child) => {
            let (end, output) = watch(child, begun + deadline);
            ended(end, output)
        }
    }
}

fn watch(mut child: Child, until: Instant) -> (End, Vec<u8>) {
    let kept = Arc::new(Mutex::new(VecDeque::new()));
    let mut readers = Vec::new();
    if let Some(stream) = child.stdout.take() {
        readers.push(keep(stream, Arc::clone(&kept)));
    }
    if let Some(stream) = child.stderr.take() {
        readers.push(keep(stream, Arc::clone(&kept)));
    }
    let end = loop {
        match child.try_wait() {
            Ok(Some(status)) => break end_of(status),
            Ok(None) if Instant::now() >= until => break End::TimedOut,
            Ok(None) => thread::sleep(LOOK_EVERY),
            Err(error) => break End::NotStarted(error.to_string()),
        }
    };
    // Whatever the child started and left behind is ended with it.
    end_group(&mut child);
    let drained = Instant::now() + DRAIN_MAX;
    while readers.iter().any(|reader| !reader.is_finished()) && Instant::now() < drained {
        thread::sleep(LOOK_EVERY);
    }
    let output = kept.lock().map(|kept| kept.iter().copied().collect()).unwrap_or_default();
    (end, output)
}

fn keep(mut stream: impl Read + Send + 'static, kept: Arc<Mutex<VecDeque<u8>>>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            let Ok(mut kept) = kept.lock() else { return };
            kept.extend(&buffer[..count]);
            let excess = kept.len().saturating_sub(OUTPUT_BYTES_MAX);
            kept.drain(..excess);
        }
    })
}

fn end_of(status: ExitStatus) -> End {
    status.code().map_or(End::Signal, End::Code)
}

#[cfg(unix)]
fn end_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // The group is gone already when the child left nothing behind.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

#[cfg(not(unix))]
fn end_group(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Returns the folders of the PATH in which a program may be looked for: none that is relative, none in the checkout.
fn search_folders(checkout: &Path) -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).filter(|folder| folder.is_absolute() && !folder.starts_with(checkout)).collect()
}

fn find(name: &str, folder: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        let inside = fs::canonicalize(folder.join(name)).ok()?;
        return inside.starts_with(fs::canonicalize(folder).ok()?).then_some(inside);
    }
    search_folders(folder).into_iter().map(|place| place.join(name)).find(|program| program.is_file())
}

fn environment(checkout: &Path) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<(OsString, OsString)> =
        ENVIRONMENT.iter().filter_map(|name| Some((OsString::from(name), env::var_os(name)?))).collect();
    if let Ok(path) = env::join_paths(search_folders(checkout)) {
        variables.retain(|(name, _)| name != "PATH");
        variables.push(("PATH".into(), path));
    }
    variables.push(("CI".into(), "true".into()));
    variables
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, deadline: Duration) -> Run {
        run(&["sh".to_owned(), "-c".to_owned(), script.to_owned()], &env::temp_dir(), deadline)
    }

    #[test]
    fn the_exit_code_and_both_streams_are_kept() {
        let run = shell("echo out; echo err >&2; exit 3", Duration::from_secs(20));
        assert_eq!(run.end, End::Code(3));
        let output = String::from_utf8_lossy(&run.output).into_owned();
        assert!(output.contains("out") && output.contains("err"), "{output}");
    }

    #[test]
    fn what_does_not_end_is_ended_with_all_that_it_started() {
        let run = shell("sleep 600 & sleep 600", Duration::from_millis(200));
        assert_eq!(run.end, End::TimedOut);
        assert!(run.duration < Duration::from_secs(60), "{:?}", run.duration);
    }

    #[test]
    fn of_too_much_output_the_end_is_kept() {
        let run = shell(
            "i=0; while [ $i -lt 40000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done; echo last",
            Duration::from_secs(60),
        );
        assert!(run.output.len() <= OUTPUT_BYTES_MAX);
        assert!(run.output.ends_with(b"last\n"));
    }

    #[test]
    fn a_program_of_the_folder_is_not_found_by_its_name_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = run(&["no-such-program-anywhere".to_owned()], folder.path(), Duration::from_secs(5));
        assert!(matches!(run.end, End::NotStarted(_)), "{:?}", run.end);
    }
}
