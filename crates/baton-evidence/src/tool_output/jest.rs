//! Jest: the lines on suites and tests at the end.

use super::line::Line;
use super::{Counts, Definition, Kind, Notes, Place, Reading, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Jest,
    kind: Kind::Tests,
    name: "jest",
    about: "Tests of JavaScript, run by Jest",
    watch: || Box::<Jest>::default(),
};

const WORDS: &[&str] = &["failed", "skipped", "pending", "todo", "passed", "total"];

#[derive(Default)]
struct Jest {
    /// The line on suites; that on tests follows it.
    suites: Option<(u64, Place)>,
    /// A line on tests without one on suites: a short log, or something that a test of vitest printed.
    lone: Option<Reading>,
    /// Whether a threshold of coverage was not met.
    disturbed: bool,
    /// Inside of a run of vitest a line that looks like ours was printed by a test.
    in_vitest: bool,
}

impl Watch for Jest {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        if let Some(rest) = line.text.strip_prefix("Test Suites: ") {
            self.close(notes);
            if let Some(parts) = parts(rest) {
                self.suites = Some((number::sum(&parts, &["failed"]), Place::of(line)));
            }
        } else if let Some(rest) = line.text.strip_prefix("Tests: ") {
            self.tests(rest, line, notes);
        } else if line.text.starts_with("No tests found, exiting with code ") {
            notes.verdict(Tool::Jest, Showing::NothingRun, Place::of(line));
        } else if line.text.starts_with("Jest: ") {
            self.disturbed |= line.text.contains("coverage threshold");
        } else if let Some(rest) = line.text.strip_prefix(" RUN  v") {
            self.in_vitest = rest.starts_with(|first: char| first.is_ascii_digit());
        } else if line.text.trim_start().starts_with("Test Files  ") {
            self.in_vitest = false;
            self.lone = None;
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        self.close(notes);
        *self = Self::default();
    }
}

impl Jest {
    /// A line on suites or on tests that stayed alone.
    fn close(&mut self, notes: &mut Notes) {
        if let Some((failed, place)) = self.suites.take() {
            let showing = if failed > 0 { Showing::Failure } else { Showing::Unclear };
            notes.verdict(Tool::Jest, showing, place);
        }
        if let Some(reading) = self.lone.take() {
            notes.add(reading);
        }
    }

    fn tests(&mut self, rest: &str, line: &Line<'_>, notes: &mut Notes) {
        let Some(parts) = parts(rest) else { return };
        if self.in_vitest && self.suites.is_none() {
            return;
        }
        let of = |words: &[&str]| number::sum(&parts, words);
        let counts = Counts {
            passed: of(&["passed"]),
            failed: of(&["failed"]),
            skipped: of(&["skipped", "pending", "todo"]),
            total: Some(of(&["total"])),
        };
        let disturbed = std::mem::take(&mut self.disturbed);
        let place = Place::of(line);
        let reading = |showing, place| Reading { tool: Tool::Jest, counts: Some(counts), showing, place };
        let showing = match counts.showing() {
            Showing::Success | Showing::NothingRun if disturbed => Showing::Unclear,
            showing => showing,
        };
        match self.suites.take() {
            // A suite that cannot be loaded has no tests to count.
            Some((1.., suites)) if counts.failed == 0 => notes.add(reading(Showing::Failure, suites)),
            Some(_) => notes.add(reading(showing, place)),
            None => {
                self.close(notes);
                let loaded = counts.passed > 0 || counts.failed > 0;
                self.lone = Some(reading(if loaded { showing } else { Showing::Unclear }, place));
            }
        }
    }
}

/// `1 failed, 4 passed, 5 total`, in suites also `0 of 2 total`
fn parts(text: &str) -> Option<Vec<(u64, &str)>> {
    let mut parts = number::list(text, ",")?;
    for (count, word) in &mut parts {
        if let Some((all, "total")) = word.strip_prefix("of ").and_then(|rest| {
            let (all, rest) = number::leading(rest)?;
            Some((all, rest.trim_start()))
        }) {
            (*count, *word) = (all, "total");
        }
    }
    let known = parts.iter().all(|(_, word)| WORDS.contains(word));
    (known && parts.last().is_some_and(|(_, word)| *word == "total")).then_some(parts)
}
