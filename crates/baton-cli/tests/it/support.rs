//! Runs the binary in a folder of its own, with nothing of the surroundings but `PATH`.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

pub(crate) use baton_testkit::announce;
use serde_json::Value;
use tempfile::TempDir;

/// The longest that any run may take, also on a machine that is busy with other things: this only stops what hangs.
pub(crate) const DEADLINE: Duration = Duration::from_secs(300);

/// Says whether all cases are wanted, not a sample of them.
pub(crate) fn is_long() -> bool {
    std::env::var_os("BATON_LONG").is_some()
}

/// Says whether `strace` can follow a program here, and tells what is left out where it cannot.
pub(crate) fn has_strace(left_out: &str) -> bool {
    let mut command = Command::new("strace");
    let tried = command.args(["-qq", "-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    let can_follow = tried.as_ref().is_ok_and(|ended| ended.success());
    if !can_follow {
        announce(&format!(
            "LEFT OUT: {left_out}: `strace` (`apt install strace`) follows nothing here: {tried:?}"
        ));
    }
    can_follow
}

/// The forms in which `check` writes its findings.
pub(crate) const FORMATS: &[&str] = &["human", "json", "sarif", "junit", "github"];

/// A stage document without a fault.
pub(crate) fn good() -> String {
    baton_testkit::hostile::good()
}

/// A stage document with one error: a checkpoint is missing.
pub(crate) fn bad() -> String {
    good().replace("  - name: no_lint_errors\n    status: pass\n", "")
}

/// A folder with files in it, and what is run there.
#[derive(Debug)]
pub(crate) struct Place {
    folder: TempDir,
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    /// Missing where a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) took: Duration,
    /// Whether it had to be ended, because its time was up.
    pub(crate) late: bool,
}

impl Run {
    pub(crate) fn out(&self) -> String {
        String::from_utf8(self.stdout.clone()).expect("standard output is UTF-8")
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8(self.stderr.clone()).expect("standard error is UTF-8")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{error} in {}", self.out()))
    }

    /// Returns the lines of what it wrote for programs.
    pub(crate) fn events(&self) -> Vec<Value> {
        self.out().lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }

    /// Stops the test unless the run ended with this code.
    #[track_caller]
    pub(crate) fn ends_with(self, code: i32) -> Self {
        assert!(!self.late, "it takes longer than {DEADLINE:?}");
        assert_eq!(
            self.code,
            Some(code),
            "standard output:\n{}\nstandard error:\n{}",
            self.out(),
            self.err()
        );
        self
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder") }
    }

    /// A folder whose bytes never reach a disk, where the system has such a place: for tests with many runs.
    pub(crate) fn in_memory() -> Self {
        let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new());
        Self { folder: folder.expect("a temporary folder") }
    }

    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = Self::new();
        files.iter().for_each(|(path, text)| place.write(path, text));
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.file(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be made");
        fs::write(path, bytes).expect("the file can be written");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.file(path)).expect("the file can be read")
    }

    pub(crate) fn baton(&self, args: &[&str]) -> Run {
        self.run(&mut self.command(args), b"")
    }

    pub(crate) fn baton_with_input(&self, args: &[&str], input: &[u8]) -> Run {
        self.run(&mut self.command(args), input)
    }

    /// Runs git here, with a fixed person and without the configuration of whoever runs the tests.
    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        let person = ["-c", "user.name=Ida", "-c", "user.email=ida@harbour.example"];
        command.args(person).args(args).current_dir(self.path()).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        let run = command.output().expect("git is installed");
        assert!(run.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8_lossy(&run.stdout).trim().to_owned()
    }

    /// Commits everything.
    #[track_caller]
    pub(crate) fn commit(&self, message: &str) {
        if !self.file(".git").exists() {
            self.git(&["init", "--quiet", "--initial-branch=main"]);
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command.args(args);
        command
    }

    /// Runs a command hermetically, and ends it when it takes too long.
    pub(crate) fn run(&self, command: &mut Command, input: &[u8]) -> Run {
        command.current_dir(self.path()).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        self.run_prepared(command, input)
    }

    /// Runs a command whose surroundings are prepared, and ends it when it takes too long.
    pub(crate) fn run_prepared(&self, command: &mut Command, input: &[u8]) -> Run {
        let started = Instant::now();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("standard input");
        let stdout = child.stdout.take().expect("standard output");
        let stderr = child.stderr.take().expect("standard error");
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            // A program that does not read all of its input is free to do so.
            scope.spawn(move || stdin.write_all(input).ok());
            let out = scope.spawn(|| read_all(stdout, &sender));
            let err = scope.spawn(|| read_all(stderr, &sender));
            let left = |started: Instant| DEADLINE.saturating_sub(started.elapsed());
            let ended = (0..2).all(|_| receiver.recv_timeout(left(started)).is_ok());
            if !ended {
                child.kill().expect("our own child can be ended");
            }
            let status = child.wait().expect("our own child can be waited for");
            let took = started.elapsed();
            let (stdout, stderr) = (out.join().expect("a reader"), err.join().expect("a reader"));
            Run { code: status.code(), stdout, stderr, took, late: !ended }
        })
    }
}

fn read_all(mut stream: impl Read, ended: &mpsc::Sender<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("a pipe can be read");
    // Nobody waits any more when the time is up.
    let _ = ended.send(());
    bytes
}
