//! Runs the scripted agent under a keeper, and looks for what is left of it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use baton_runner::supervise::{Order, Supervisor};
use baton_testkit::script::{Step, To, Way, Whom};
use tempfile::TempDir;

/// Stops what hangs; nothing is measured by it.
pub(crate) const LONG: Duration = Duration::from_secs(300);
/// How long what nobody waits for any more may live: keepers see the end of Baton at once, and give nobody more than a grace. Far
/// above all that it takes, and far below the time after which scripted agents end by themselves.
pub(crate) const GONE_WITHIN: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(10);

pub(crate) fn supervisor() -> Supervisor {
    Supervisor::new(PathBuf::from(env!("CARGO_BIN_EXE_baton")))
}

/// Returns the scripted agent. It belongs to another crate, so cargo does not build it for these tests by itself.
pub(crate) fn agent() -> &'static Path {
    static AGENT: OnceLock<PathBuf> = OnceLock::new();
    AGENT.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--package", "baton-testkit", "--bin", "scripted-agent"]);
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        let done = cargo.output().expect("cargo runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Path::new(env!("CARGO_BIN_EXE_baton")).with_file_name("scripted-agent")
    })
}

pub(crate) fn flood(bytes: u64, line: usize, to: To) -> Step {
    Step::Flood { bytes, line, to }
}

pub(crate) fn ignore() -> Step {
    Step::Ignore { signals: ["TERM", "INT", "HUP"].map(str::to_owned).to_vec() }
}

pub(crate) fn signal(whom: Whom, name: &str) -> Step {
    Step::Signal { whom, name: name.to_owned() }
}

/// Runs a script of the shell.
pub(crate) fn sh(script: &str) -> Step {
    Step::Run { argv: ["sh", "-c", script].map(str::to_owned).to_vec() }
}

pub(crate) fn start(way: Way, steps: Vec<Step>) -> Step {
    Step::Start { way, steps }
}

/// A folder with a script in it.
#[derive(Debug)]
pub(crate) struct Stage {
    folder: TempDir,
}

impl Stage {
    pub(crate) fn new(steps: &[Step]) -> Self {
        let stage = Self { folder: TempDir::new().expect("a folder") };
        let lines: Vec<_> = steps.iter().map(|step| serde_json::to_string(step).expect("a step")).collect();
        fs::write(stage.script(), lines.join("\n")).expect("a script");
        stage
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn script(&self) -> PathBuf {
        self.path().join("script.jsonl")
    }

    /// Where scripts say that they have come to the point.
    pub(crate) fn is_ready(&self) -> bool {
        self.path().join("ready").exists()
    }

    pub(crate) fn order(&self, deadline: Duration) -> Order {
        order(&self.script(), deadline)
    }

    /// Returns how many processes of this script live.
    pub(crate) fn alive(&self) -> usize {
        alive(&self.script())
    }

    /// Waits until none of them lives: whoever kept them has ended, and nobody waited for it.
    #[track_caller]
    pub(crate) fn until_none_lives(&self) {
        until_none_lives(&[self.script()]);
    }

    /// None of them lives.
    #[track_caller]
    pub(crate) fn none_lives(&self) {
        none_lives(&[self.script()]);
    }
}

pub(crate) fn order(script: &Path, deadline: Duration) -> Order {
    let argv: Vec<OsString> = vec![agent().into(), script.into()];
    let folder = script.parent().expect("a script lies in a folder");
    let mut order = Order::new(argv, folder.to_owned(), deadline);
    order.grace = Duration::from_millis(300);
    order
}

pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "{what}: it does not come");
        thread::sleep(LOOK_EVERY);
    }
}

/// Waits until no process of these scripts lives; returns how long that took.
#[track_caller]
pub(crate) fn until_none_lives(scripts: &[PathBuf]) -> Duration {
    let begun = Instant::now();
    while let Some(script) = scripts.iter().find(|script| alive(script) > 0) {
        assert!(begun.elapsed() < GONE_WITHIN, "{} of {} live", alive(script), script.display());
        thread::sleep(LOOK_EVERY);
    }
    begun.elapsed()
}

/// No process of these scripts lives: whoever kept them was waited for, so nothing more has to be.
#[track_caller]
pub(crate) fn none_lives(scripts: &[PathBuf]) {
    for script in scripts {
        assert_eq!(alive(script), 0, "{} lives", script.display());
    }
}

/// Counts the processes that have this path among their arguments. Who has ended has no arguments any more.
pub(crate) fn alive(script: &Path) -> usize {
    let name = script.to_str().expect("UTF-8").as_bytes();
    let agent = agent().to_str().expect("UTF-8").as_bytes();
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines
        .filter(|line| {
            let words: Vec<_> = line.split(|&byte| byte == 0).collect();
            words.contains(&name) && words.contains(&agent)
        })
        .count()
}

/// Returns a figure of `/proc/ID/status` in bytes.
pub(crate) fn memory(process: u32, figure: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(figure)?.strip_prefix(':'))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}
