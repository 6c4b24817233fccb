//! Every way in which a run can end, by name.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::sandbox::Label;

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Ended {
    pub how: How,
    /// Both streams as they came, without what was too much.
    pub output: Output,
    pub duration: Duration,
    /// How many processes the child had left behind, or had beside it, when they were ended.
    pub descendants_ended: u32,
    /// Processes that could not be ended in time; the kernel holds them.
    pub descendants_left: u32,
    pub confinement: Label,
}

impl Ended {
    /// The end of what never began.
    pub(crate) fn not_started(why: NotStarted) -> Self {
        Self {
            how: How::NotStarted(why),
            output: Output::default(),
            duration: Duration::ZERO,
            descendants_ended: 0,
            descendants_left: 0,
            confinement: Label::unconfined(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// By itself, with this code.
    Code(i32),
    /// By a signal that Baton did not send.
    Signal(i32),
    /// Its deadline passed.
    TimedOut,
    /// It was asked to stop.
    Stopped,
    /// It took more of the machine than it may.
    OverBound(Bound),
    NotStarted(NotStarted),
    /// The process that watched over it was ended or halted from outside; what it watched over was ended too.
    KeeperLost,
}

impl How {
    /// Returns the end as a code, for the record: `code:1`, `signal:9`, `timed_out`, `not_started:missing`.
    pub fn code(&self) -> String {
        match self {
            Self::Code(code) => format!("code:{code}"),
            Self::Signal(number) => format!("signal:{number}"),
            Self::TimedOut => "timed_out".to_owned(),
            Self::Stopped => "stopped".to_owned(),
            Self::OverBound(Bound::Processes) => "over_bound:processes".to_owned(),
            Self::OverBound(Bound::Memory) => "over_bound:memory".to_owned(),
            Self::OverBound(Bound::Output) => "over_bound:output".to_owned(),
            Self::NotStarted(why) => format!("not_started:{}", why.reason.name()),
            Self::KeeperLost => "keeper_lost".to_owned(),
        }
    }

    /// Returns the end in words that follow on the name of the command.
    pub fn told(&self) -> String {
        match self {
            Self::Code(code) => format!("ended with {code}"),
            Self::Signal(number) => format!("was ended by signal {number}"),
            Self::TimedOut => "did not end in time".to_owned(),
            Self::Stopped => "was stopped".to_owned(),
            Self::OverBound(Bound::Processes) => "started too many processes".to_owned(),
            Self::OverBound(Bound::Memory) => {
                "took more memory than it may (`memory_mib` in `[run]`)".to_owned()
            }
            Self::OverBound(Bound::Output) => "printed too much".to_owned(),
            Self::NotStarted(_) => "could not be started".to_owned(),
            Self::KeeperLost => "lost the process that watched over it".to_owned(),
        }
    }
}

/// A bound over the whole tree of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    Processes,
    Memory,
    /// What all of them print.
    Output,
}

/// Why nothing was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotStarted {
    pub reason: Reason,
    /// The same as a sentence, with the names in it.
    pub told: String,
}

impl NotStarted {
    pub(crate) fn new(reason: Reason, told: impl Into<String>) -> Self {
        Self { reason, told: told.into() }
    }
}

impl fmt::Display for NotStarted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.told)
    }
}

impl std::error::Error for NotStarted {}

/// What kept a program from starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// There is no such program.
    Missing,
    /// There is such a file, and it cannot be run.
    NotExecutable,
    /// The arguments, the environment or the input are longer than can be passed.
    TooLong,
    /// The folder in which it should run cannot be entered.
    Folder,
    /// The confinement that was asked for cannot be had, or cannot be enforced where that was demanded.
    Confinement,
    /// There is no keeper to start it, or Baton itself lacks what it needs for that.
    Keeper,
    Other,
}

impl Reason {
    pub fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::NotExecutable => "not_executable",
            Self::TooLong => "too_long",
            Self::Folder => "folder",
            Self::Confinement => "confinement",
            Self::Keeper => "keeper",
            Self::Other => "other",
        }
    }
}

/// What was kept of the output: its beginning and its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// With a mark where something was left out.
    pub bytes: Vec<u8>,
    pub left_out_bytes: u64,
}

impl Output {
    /// The line that stands where something was left out.
    pub(crate) fn mark(left_out_bytes: u64) -> String {
        format!("\n[… {left_out_bytes} bytes left out …]\n")
    }
}

/// One line of a child, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub stream: Stream,
    pub bytes: Vec<u8>,
    /// The line was longer than what is here.
    pub is_cut: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Out,
    Err,
}
