//! What the stored output of a tool shows: which tool ran, what it counted, and what its own summary says of success.
//!
//! Every tool is one file of one shape: a [`Definition`] and a `Watch` that sees the log line by line. A log is a failure
//! only when the tool's own verdict says so; words such as "error" in names, messages and quotes decide nothing. For that
//! reason most verdicts are taken only where the tool prints them: at the first column, in the whole grammar of the line.

mod cargo_build;
mod cargo_test;
mod ctest;
mod dotnet_build;
mod dotnet_test;
mod eslint;
mod exit_code;
mod go_build;
mod go_test;
mod gradle;
mod jest;
pub mod junit;
mod line;
mod make;
mod maven;
mod mocha;
mod mypy;
mod nextest;
mod node_test;
mod npm;
mod number;
mod phpunit;
mod pytest;
mod rspec;
mod ruff;
mod ruff_format;
mod tsc;
mod unittest;
mod vitest;

use line::Line;

/// Longest text of a place, in characters.
pub const PLACE_CHARS_MAX: usize = 200;
/// Readings of one tool that are kept; of more, the oldest go.
pub const READINGS_PER_TOOL_MAX: usize = 64;

/// A tool whose output is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    CargoTest,
    Nextest,
    /// `cargo build`, `check` and `clippy`, and rustc itself.
    CargoBuild,
    Pytest,
    Unittest,
    Jest,
    Vitest,
    Mocha,
    /// `node --test`, and others that end with the same lines of TAP.
    NodeTest,
    GoTest,
    /// `go build` and `go vet`.
    GoBuild,
    Tsc,
    Eslint,
    Ruff,
    /// `ruff format --check`, and Black.
    RuffFormat,
    Mypy,
    Gradle,
    Maven,
    Ctest,
    Rspec,
    Phpunit,
    DotnetTest,
    DotnetBuild,
    Npm,
    Make,
    /// A line in which a shell, a runner or a package manager says how a command ended.
    ExitCode,
}

/// What a tool is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Tests,
    Lint,
    Build,
    /// It runs others, and says only that one of them failed.
    Generic,
}

/// What a tool said at the end of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    pub tool: Tool,
    pub counts: Option<Counts>,
    pub showing: Showing,
    pub place: Place,
}

/// How many tests a run had, as its own summary says; summed where a tool prints one summary for each part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: u64,
    /// Failures and errors together.
    pub failed: u64,
    /// All that was left out: skipped, ignored, pending, to do, expected to fail.
    pub skipped: u64,
    /// All of them, where the tool says it, or where the whole run is there to be summed. Without it the log may be a part.
    pub total: Option<u64>,
}

/// What the deciding sentence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Showing {
    Success,
    Failure,
    /// No test was found, or none was run.
    NothingRun,
    /// A run that was cut off, interrupted, or says two things.
    Unclear,
}

/// The sentence that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1.
    pub line: usize,
    /// Without colours and prefixes of a build server, at most [`PLACE_CHARS_MAX`] characters.
    pub text: String,
}

/// A member of the list of tools.
#[derive(Debug)]
pub struct Definition {
    pub tool: Tool,
    pub kind: Kind,
    pub name: &'static str,
    pub about: &'static str,
    watch: fn() -> Box<dyn Watch>,
}

/// All tools.
pub static ALL: &[&Definition] = &[
    &cargo_test::DEFINITION,
    &nextest::DEFINITION,
    &cargo_build::DEFINITION,
    &pytest::DEFINITION,
    &unittest::DEFINITION,
    &jest::DEFINITION,
    &vitest::DEFINITION,
    &mocha::DEFINITION,
    &node_test::DEFINITION,
    &go_test::DEFINITION,
    &go_build::DEFINITION,
    &tsc::DEFINITION,
    &eslint::DEFINITION,
    &ruff::DEFINITION,
    &ruff_format::DEFINITION,
    &mypy::DEFINITION,
    &gradle::DEFINITION,
    &maven::DEFINITION,
    &ctest::DEFINITION,
    &rspec::DEFINITION,
    &phpunit::DEFINITION,
    &dotnet_test::DEFINITION,
    &dotnet_build::DEFINITION,
    &npm::DEFINITION,
    &make::DEFINITION,
    &exit_code::DEFINITION,
];

/// Follows one tool through a log.
trait Watch {
    /// Sees a line that is not blank.
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes);

    /// The run is over: another command begins, or the log ends.
    fn end(&mut self, _notes: &mut Notes) {}

    /// A shell, a build server or a package manager shows the command that begins.
    fn command(&mut self, _command: &str, _line: &Line<'_>) {}

    /// Something was cut out of the log.
    fn gap(&mut self) {}
}

/// The readings so far.
#[derive(Default)]
struct Notes {
    readings: Vec<Reading>,
    per_tool: [usize; ALL.len()],
}

impl Tool {
    pub fn definition(self) -> Option<&'static Definition> {
        ALL.iter().find(|definition| definition.tool == self).copied()
    }

    pub fn name(self) -> &'static str {
        self.definition().map_or("", |definition| definition.name)
    }

    pub fn kind(self) -> Kind {
        self.definition().map_or(Kind::Generic, |definition| definition.kind)
    }
}

impl Counts {
    fn summed(passed: u64, failed: u64, skipped: u64) -> Self {
        let total = passed.saturating_add(failed).saturating_add(skipped);
        Self { passed, failed, skipped, total: Some(total) }
    }

    /// Counts of which the summary gives the total, and not what passed; nothing when they do not fit together.
    fn of_total(total: u64, failed: u64, skipped: u64) -> Option<Self> {
        let passed = total.checked_sub(failed)?.checked_sub(skipped)?;
        Some(Self { passed, failed, skipped, total: Some(total) })
    }

    fn add(&mut self, other: Self) {
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
        self.skipped = self.skipped.saturating_add(other.skipped);
        self.total = self.total.zip(other.total).map(|(left, right)| left.saturating_add(right));
    }

    /// What a summary shows that has nothing but counts.
    fn showing(self) -> Showing {
        match (self.failed, self.passed) {
            (0, 0) => Showing::NothingRun,
            (0, _) => Showing::Success,
            _ => Showing::Failure,
        }
    }
}

impl Place {
    fn of(line: &Line<'_>) -> Self {
        Self { line: line.number, text: line.text.trim().chars().take(PLACE_CHARS_MAX).collect() }
    }
}

impl Notes {
    fn add(&mut self, reading: Reading) {
        let index = reading.tool as usize;
        self.readings.push(reading);
        let Some(count) = self.per_tool.get_mut(index) else { return };
        *count += 1;
        // Thrown out by halves, so that a log of a million verdicts is still read in linear time.
        if *count >= 2 * READINGS_PER_TOOL_MAX {
            let mut surplus = *count - READINGS_PER_TOOL_MAX;
            *count = READINGS_PER_TOOL_MAX;
            self.readings.retain(|reading| {
                let goes = reading.tool as usize == index && surplus > 0;
                surplus -= usize::from(goes);
                !goes
            });
        }
    }

    fn verdict(&mut self, tool: Tool, showing: Showing, place: Place) {
        self.add(Reading { tool, counts: None, showing, place });
    }

    fn counted(&mut self, tool: Tool, counts: Counts, place: Place) {
        self.add(Reading { tool, counts: Some(counts), showing: counts.showing(), place });
    }
}

/// Says what a log shows: one reading for each run that was recognised, in the order of their places.
pub fn read(text: &str) -> Vec<Reading> {
    let mut watches: Vec<_> = ALL.iter().map(|definition| (definition.watch)()).collect();
    let mut notes = Notes::default();
    line::each(text, &mut |line| {
        if let Some(command) = line.command() {
            watches.iter_mut().for_each(|watch| watch.end(&mut notes));
            watches.iter_mut().for_each(|watch| watch.command(command, line));
        } else if line.is_gap() {
            watches.iter_mut().for_each(|watch| watch.gap());
        }
        watches.iter_mut().for_each(|watch| watch.line(line, &mut notes));
    });
    watches.iter_mut().for_each(|watch| watch.end(&mut notes));
    let mut readings = notes.readings;
    readings.sort_by_key(|reading| reading.place.line);
    readings
}

/// The readings that count: the last of each tool, without what a generic tool said before another tool ran again.
pub fn last_of_each(readings: &[Reading]) -> Vec<&Reading> {
    let counts = |(index, reading): (usize, &Reading)| {
        let generic = reading.tool.kind() == Kind::Generic;
        readings
            .iter()
            .skip(index + 1)
            .all(|later| later.tool != reading.tool && !(generic && later.tool.kind() != Kind::Generic))
    };
    readings.iter().enumerate().filter(|&entry| counts(entry)).map(|(_, reading)| reading).collect()
}

#[cfg(test)]
mod tests;
