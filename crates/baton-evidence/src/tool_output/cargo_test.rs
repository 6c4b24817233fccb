//! `cargo test`: one summary for each binary, summed.

use std::collections::BTreeSet;

use super::line::{self, Line};
use super::{Counts, Definition, Kind, Notes, Place, Reading, Showing, Tool, Watch, number};

/// Names of binaries that are remembered, to notice when a run begins again.
const BINARIES_MAX: usize = 10_000;

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::CargoTest,
    kind: Kind::Tests,
    name: "cargo test",
    about: "The tests of a Rust package, and its examples in documents",
    watch: || Box::<CargoTest>::default(),
};

#[derive(Default)]
struct CargoTest {
    run: Run,
    /// Whether the beginning of the run is known to be there.
    begun: bool,
}

#[derive(Default)]
struct Run {
    counts: Counts,
    /// Where the last summary stands, and where the first bad news.
    summary: Option<Place>,
    failure: Option<Place>,
    /// The line that said how many tests will run, as long as no summary followed.
    open: Option<Place>,
    /// Results of tests were seen whose beginning was not.
    headless: bool,
    gap: bool,
    contradictory: bool,
    binaries: BTreeSet<String>,
}

impl Watch for CargoTest {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        if let Some(rest) = line.text.strip_prefix("test ") {
            if self.run.open.is_none() && is_result_of_one(rest) {
                self.run.headless = true;
            } else if let Some(rest) = rest.strip_prefix("result: ") {
                self.summary(rest, line);
            }
        } else if let Some(rest) = line.text.strip_prefix("running ") {
            if matches!(number::leading(rest), Some((_, " test" | " tests"))) {
                self.run.died();
                self.run.open = Some(Place::of(line));
            }
        } else if line.text.starts_with("error: ") {
            self.error(line);
        } else if line.text.starts_with("  ") {
            self.step(line.text.trim_start(), notes);
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        self.close(notes);
        self.begun = false;
    }

    fn command(&mut self, command: &str, _line: &Line<'_>) {
        self.begun = line::names(command, "cargo");
    }

    fn gap(&mut self) {
        self.run.gap = true;
    }
}

impl CargoTest {
    fn summary(&mut self, text: &str, line: &Line<'_>) {
        let (failed, rest) = match (text.strip_prefix("ok. "), text.strip_prefix("FAILED. ")) {
            (Some(rest), _) => (false, rest),
            (None, Some(rest)) => (true, rest),
            (None, None) => return,
        };
        let rest = rest.split("; finished in ").next().unwrap_or(rest);
        let Some(parts) = number::list(rest, ";") else { return };
        if !parts.iter().any(|(_, word)| *word == "passed")
            || !parts.iter().any(|(_, word)| *word == "failed")
        {
            return;
        }
        let of = |word| number::sum(&parts, &[word]);
        self.run
            .counts
            .add(Counts { total: None, ..Counts::summed(of("passed"), of("failed"), of("ignored")) });
        self.run.contradictory |= !failed && of("failed") > 0;
        self.run.open = None;
        self.run.summary = Some(Place::of(line));
        if failed {
            self.run.failure.get_or_insert(Place::of(line));
        }
    }

    fn error(&mut self, line: &Line<'_>) {
        let rest = line.text.strip_prefix("error: ").unwrap_or_default();
        let failed =
            ["test failed, to rerun pass ", "doctest failed, to rerun pass ", "bench failed, to rerun pass "];
        if failed.iter().any(|begin| rest.starts_with(begin)) {
            self.run.died();
            self.run.failure.get_or_insert(Place::of(line));
        }
    }

    /// Sees `Finished`, `Running` and `Doc-tests`. What was run before begins a new run when it comes again.
    fn step(&mut self, text: &str, notes: &mut Notes) {
        if text.starts_with("Finished ") {
            // Tests that build something themselves print `dev` in the middle of a run.
            if !text.contains("`dev`") && !text.starts_with("Finished dev ") {
                self.close(notes);
                self.begun = true;
            }
        } else if text.starts_with("Compiling ") {
            self.begun |= self.run.is_new();
        } else if text.starts_with("Running ") || text.starts_with("Doc-tests ") {
            if self.run.binaries.contains(text) {
                self.close(notes);
            }
            self.begun |= self.run.is_new() && text.starts_with("Running unittests ");
            if self.run.binaries.len() < BINARIES_MAX {
                self.run.binaries.insert(text.to_owned());
            }
        }
    }

    fn close(&mut self, notes: &mut Notes) {
        let mut run = std::mem::take(&mut self.run);
        run.died();
        let whole = self.begun && !run.headless && !run.gap;
        let mut counts = run.summary.as_ref().filter(|_| !run.gap).map(|_| run.counts);
        if let Some(counts) = &mut counts {
            counts.total =
                whole.then(|| Counts::summed(counts.passed, counts.failed, counts.skipped).total).flatten();
        }
        let cut = run.open.is_some();
        let (showing, place) = match (run.failure, run.summary, run.open) {
            (Some(place), _, _) => (Showing::Failure, place),
            (None, _, Some(place)) => (Showing::Unclear, place),
            (None, Some(place), None) if run.contradictory => (Showing::Unclear, place),
            (None, Some(place), None) => match run.counts.showing() {
                // The end of a long run often is that of its documents, which have no tests.
                Showing::NothingRun if !whole => (Showing::Unclear, place),
                showing => (showing, place),
            },
            (None, None, None) => return,
        };
        let counts = counts.filter(|_| !cut);
        notes.add(Reading { tool: Tool::CargoTest, counts, showing, place });
    }
}

impl Run {
    fn is_new(&self) -> bool {
        self.summary.is_none() && self.failure.is_none() && self.open.is_none() && !self.headless
    }

    /// A binary began and gave no summary: what it would have counted is missing.
    fn died(&mut self) {
        self.gap |= self.open.is_some();
    }
}

fn is_result_of_one(rest: &str) -> bool {
    [" ... ok", " ... FAILED", " ... ignored"].iter().any(|end| rest.ends_with(end))
}
