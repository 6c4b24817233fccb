//! What one turn may take, and by which of it a turn was ended.

use std::time::Duration;

use baton_engine::workflow::Limits;

use crate::supervise::{Bound, How};

/// What a program may print in a turn where its stage says nothing: far more than any of them ever needs.
const OUTPUT_MIB_DEFAULT: u64 = 1024;
const MIB: u64 = 1024 * 1024;

/// What a turn may take, besides its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed {
    tokens: u64,
    commands: Option<u64>,
    output_mib: u64,
    memory_bytes: Option<u64>,
    /// The deadline of the turn is the end of the run.
    is_cut_by_run: bool,
}

/// The limit that a turn was ended for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OverLimit {
    Tokens { spent: u64, most: u64 },
    Commands { most: u64 },
    Output { most_mib: u64 },
    Memory { most_mib: u64 },
    RunTime,
}

impl Allowed {
    pub(super) fn new(reserved_tokens: u64, limits: &Limits) -> Self {
        Self {
            tokens: reserved_tokens,
            commands: limits.turn_commands,
            output_mib: limits.turn_output_mib.unwrap_or(OUTPUT_MIB_DEFAULT),
            memory_bytes: None,
            is_cut_by_run: false,
        }
    }

    /// With this much memory for the program and all that it starts.
    pub(super) fn with_memory(self, memory_bytes: Option<u64>) -> Self {
        Self { memory_bytes, ..self }
    }

    pub(super) fn memory_bytes_max(&self) -> Option<u64> {
        self.memory_bytes
    }

    /// Holds the time of the turn against what is left of the run.
    pub(super) fn within_run(self, turn: Duration, run: Option<Duration>) -> Self {
        Self { is_cut_by_run: run.is_some_and(|run| run < turn), ..self }
    }

    pub(super) fn printed_bytes_max(&self) -> u64 {
        self.output_mib.saturating_mul(MIB)
    }

    pub(super) fn over_tokens(&self, spent: u64) -> Option<OverLimit> {
        (spent > self.tokens).then_some(OverLimit::Tokens { spent, most: self.tokens })
    }

    pub(super) fn over_commands(&self, used: u64) -> Option<OverLimit> {
        self.commands.filter(|most| used > *most).map(|most| OverLimit::Commands { most })
    }

    /// Returns the limit for which a program was ended: the one that was heard of, or that its end tells.
    pub(super) fn ended_for(&self, how: &How, heard: Option<OverLimit>) -> Option<OverLimit> {
        match how {
            How::Stopped => heard,
            How::TimedOut if self.is_cut_by_run => Some(OverLimit::RunTime),
            How::OverBound(Bound::Output) => Some(OverLimit::Output { most_mib: self.output_mib }),
            How::OverBound(Bound::Memory) => {
                self.memory_bytes.map(|most| OverLimit::Memory { most_mib: most / MIB })
            }
            How::Code(_)
            | How::Signal(_)
            | How::TimedOut
            | How::OverBound(Bound::Processes)
            | How::NotStarted(_)
            | How::KeeperLost => None,
        }
    }
}

impl OverLimit {
    /// The key in `baton.toml`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tokens { .. } => "turn_tokens",
            Self::Commands { .. } => "turn_commands",
            Self::Output { .. } => "turn_output_mib",
            Self::Memory { .. } => "memory_mib",
            Self::RunTime => "budget_minutes",
        }
    }

    /// Returns what was too much, in words that follow on the name of whoever it was.
    pub(super) fn told(self) -> String {
        let what = match self {
            Self::Tokens { spent, most } => format!("has cost {spent} tokens of {most}"),
            Self::Commands { most } => format!("used more than {most} commands and tools"),
            Self::Output { most_mib } => format!("printed more than {most_mib} MiB"),
            Self::Memory { most_mib } => format!("took more than {most_mib} MiB of memory"),
            Self::RunTime => "had no more time: that of the run is up".to_owned(),
        };
        format!("{what} (`{}`)", self.name())
    }

    /// Returns what it has cost at least, where it was stopped for that.
    pub(super) fn spent_tokens(self) -> Option<u64> {
        match self {
            Self::Tokens { spent, .. } => Some(spent),
            Self::Commands { .. } | Self::Output { .. } | Self::Memory { .. } | Self::RunTime => None,
        }
    }
}
