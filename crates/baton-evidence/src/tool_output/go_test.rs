//! `go test`: one verdict for each package, and with `-v` one for each test.

use std::collections::BTreeSet;

use super::line::{self, Line};
use super::{Counts, Definition, Kind, Notes, Place, Reading, Showing, Tool, Watch, number};

/// Names of packages that are remembered, to notice when a run begins again.
const PACKAGES_MAX: usize = 10_000;

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::GoTest,
    kind: Kind::Tests,
    name: "go test",
    about: "Tests of Go packages",
    watch: || Box::<GoTest>::default(),
};

#[derive(Default)]
struct GoTest {
    run: Run,
    /// Whether the command that began the run is there.
    begun: bool,
}

#[derive(Default)]
struct Run {
    packages: BTreeSet<String>,
    last: Option<Place>,
    failure: Option<Place>,
    /// Whether a package had tests that ran.
    ran: bool,
    counts: Counts,
    gap: bool,
    /// The last line of a run in which a package failed, maybe one that is not in the log.
    failed_somewhere: bool,
    /// What was printed since the last verdict on a package.
    tests: Tests,
}

/// Tests whose end was printed, without those inside of others.
#[derive(Default)]
struct Tests {
    counts: Counts,
    /// The first that began: only with `-v` there is one, and only then all are counted.
    begun: Option<Place>,
}

enum Package {
    Passed,
    Failed,
    WithoutTests,
}

impl Watch for GoTest {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        match line.text.as_bytes() {
            [b'o', b'k', b' ' | b'\t', ..]
            | [b'F', b'A', b'I', b'L', b' ' | b'\t', ..]
            | [b'?', b' ' | b'\t', ..] => {
                if let Some((name, package)) = package(line.text) {
                    self.package(name, &package, line, notes);
                }
            }
            [b'=', b'=', b'=', b' ', b'R', b'U', b'N', b' ', ..] => {
                self.run.tests.begun.get_or_insert(Place::of(line));
            }
            b"FAIL" => self.run.failed_somewhere = true,
            [b'-', b'-', b'-', b' ', ..] => self.run.tests.end(line.text),
            _ => {}
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        self.close(notes);
        self.begun = false;
    }

    fn command(&mut self, command: &str, _line: &Line<'_>) {
        self.begun = line::names(command, "go");
    }

    fn gap(&mut self) {
        self.run.gap = true;
    }
}

impl GoTest {
    fn package(&mut self, name: &str, package: &Package, line: &Line<'_>, notes: &mut Notes) {
        if self.run.packages.contains(name) {
            let tests = std::mem::take(&mut self.run.tests);
            self.close(notes);
            self.run.tests = tests;
        }
        if self.run.packages.len() < PACKAGES_MAX {
            self.run.packages.insert(name.to_owned());
        }
        let tests = std::mem::take(&mut self.run.tests);
        self.run.gap |= tests.begun.is_none() && !matches!(package, Package::WithoutTests);
        self.run.counts.add(tests.counts);
        self.run.last = Some(Place::of(line));
        match package {
            Package::Passed => self.run.ran = true,
            Package::WithoutTests => {}
            Package::Failed => {
                self.run.failure.get_or_insert(Place::of(line));
            }
        }
    }

    fn close(&mut self, notes: &mut Notes) {
        let run = std::mem::take(&mut self.run);
        let alone = run.packages.len() == 1;
        let cut = run.tests.begun;
        let whole = !run.gap && cut.is_none();
        let counts = whole
            .then_some(Counts { total: None, ..run.counts })
            .filter(|_| run.ran || run.failure.is_some());
        let (showing, place) = match (run.failure, run.last, cut) {
            (Some(place), _, _) => (Showing::Failure, place),
            (None, _, Some(place)) => (Showing::Unclear, place),
            (None, Some(place), None) if run.failed_somewhere => (Showing::Unclear, place),
            (None, Some(place), None) if run.ran => (Showing::Success, place),
            // The end of a longer list can be of packages without tests only.
            (None, Some(place), None) if alone || self.begun => (Showing::NothingRun, place),
            (None, Some(place), None) => (Showing::Unclear, place),
            (None, None, None) => return,
        };
        notes.add(Reading { tool: Tool::GoTest, counts, showing, place });
    }
}

impl Tests {
    /// `--- PASS: TestAdd (0.00s)`
    fn end(&mut self, text: &str) {
        let Some((verdict, rest)) = text.strip_prefix("--- ").and_then(|rest| rest.split_once(": ")) else {
            return;
        };
        if !rest.ends_with("s)") {
            return;
        }
        match verdict {
            "PASS" => self.counts.passed += 1,
            "FAIL" => self.counts.failed += 1,
            "SKIP" => self.counts.skipped += 1,
            _ => {}
        }
    }
}

/// `ok  example.com/a  0.004s`, `FAIL  example.com/b [build failed]`, `?  example.com/c  [no test files]`, with tabs
fn package(text: &str) -> Option<(&str, Package)> {
    let mut words = text.split_whitespace();
    let verdict = words.next()?;
    let name = words.next()?;
    let gap = text.get(verdict.len()..)?;
    if !gap.starts_with('\t') && !gap.starts_with("  ") {
        return None;
    }
    let rest = text.split_once(name)?.1.trim_start();
    let time = rest.split_whitespace().next().unwrap_or_default();
    let timed = time == "(cached)" || (time.ends_with('s') && number::is_duration(time));
    match verdict {
        "ok" if timed && rest.contains("[no tests to run]") => Some((name, Package::WithoutTests)),
        "ok" if timed => Some((name, Package::Passed)),
        "FAIL" if timed || rest.starts_with("[build failed]") || rest.starts_with("[setup failed]") => {
            Some((name, Package::Failed))
        }
        "?" if rest.starts_with("[no test files]") => Some((name, Package::WithoutTests)),
        _ => None,
    }
}
