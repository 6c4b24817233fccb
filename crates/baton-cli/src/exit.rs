//! What the exit code of `baton` means. The meanings never change; `docs/reference/exit-codes.md` is this table.

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// Everything asked for was done, and nothing is wrong.
    Fine = 0,
    /// The documents were judged and have errors.
    Findings = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// A file or stream could not be read or written.
    Io = 3,
    /// `baton.toml` has a mistake.
    Config = 4,
    /// The conversion is written, and something could not be carried over.
    Lossy = 5,
    /// Nothing that was given is a handoff.
    NoHandoff = 6,
    /// Something of the repository would have to be run that no person has trusted.
    Untrusted = 7,
    /// The engine refuses what was asked: it is not your turn, or something is missing.
    Refused = 8,
    /// `baton run` ended, and a task failed or waits for somebody.
    Unfinished = 9,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}
