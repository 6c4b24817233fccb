//! Stored logs and test reports: what the tools in them say of their own run.

use crate::tool_output::junit::{JunitCounts, read_junit};
use crate::tool_output::{self, Counts, Reading, Showing};

/// A stored log or JUnit file.
#[derive(Clone, Debug)]
pub struct Record {
    /// From the root.
    pub path: String,
    pub readings: Vec<Reading>,
    pub junit: Option<JunitCounts>,
}

impl Record {
    /// Reads what a file of this name holds.
    pub fn read(path: &str, bytes: &[u8]) -> Self {
        let is_xml = path.ends_with(".xml");
        let junit = if is_xml { read_junit(bytes).ok() } else { None };
        let readings = if is_xml { Vec::new() } else { tool_output::read(&String::from_utf8_lossy(bytes)) };
        Self { path: path.to_owned(), readings, junit }
    }

    /// Returns the last reading of each tool: what ran again counts as it ended.
    pub fn last(&self) -> Vec<&Reading> {
        tool_output::last_of_each(&self.readings)
    }

    pub fn failure(&self) -> Option<&Reading> {
        self.last().into_iter().find(|reading| reading.showing == Showing::Failure)
    }

    /// Returns the reading that says that no test ran, where no other says that one did.
    pub fn nothing_run(&self) -> Option<&Reading> {
        let last = self.last();
        let any_ran =
            last.iter().any(|reading| reading.counts.as_ref().is_some_and(|counts| counts.passed > 0));
        last.into_iter().find(|reading| reading.showing == Showing::NothingRun).filter(|_| !any_ran)
    }

    pub fn success(&self) -> Option<&Reading> {
        let last = self.last();
        let all = !last.is_empty() && last.iter().all(|reading| reading.showing == Showing::Success);
        last.last().copied().filter(|_| all)
    }

    /// Returns the counts of tests that the record holds.
    pub fn counts(&self) -> Vec<Counts> {
        let of_junit = self.junit.as_ref().map(counts_of);
        // Without a total the log may be only a part of the run.
        let whole = |reading: &Reading| reading.counts.filter(|counts| counts.total.is_some());
        self.last().into_iter().filter_map(whole).chain(of_junit).collect()
    }
}

/// Returns the counts of a JUnit file in the words of a log.
pub fn counts_of(junit: &JunitCounts) -> Counts {
    let failed = junit.failures + junit.errors;
    let passed = junit.tests.saturating_sub(failed + junit.skipped);
    Counts { passed, failed, skipped: junit.skipped, total: Some(junit.tests) }
}
