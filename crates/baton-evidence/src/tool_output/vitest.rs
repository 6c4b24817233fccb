//! Vitest: the lines on files, tests and errors at the end.

use super::line::Line;
use super::{Counts, Definition, Kind, Notes, Place, Reading, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Vitest,
    kind: Kind::Tests,
    name: "vitest",
    about: "Tests of JavaScript, run by Vitest",
    watch: || Box::<Vitest>::default(),
};

const WORDS: &[&str] = &["failed", "passed", "skipped", "todo", "expected fail"];

#[derive(Default)]
struct Vitest {
    /// A run that began and has no summary yet.
    open: Option<Place>,
    summary: Option<Summary>,
    /// Whether a threshold of coverage was not met.
    disturbed: bool,
}

struct Summary {
    counts: Option<Counts>,
    failed: bool,
    /// Whether the line on files is there; one that cannot be loaded fails without tests.
    files: bool,
    /// Where it failed, or else the line on tests.
    place: Place,
}

impl Watch for Vitest {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        let text = line.text.trim_start();
        let rest = |label: &str| text.strip_prefix(label).and_then(|rest| rest.strip_prefix("  "));
        if let Some(files) = rest("Test Files").and_then(parts) {
            self.close(notes);
            let failed = number::sum(&files, &["failed"]) > 0;
            self.summary = Some(Summary { counts: None, failed, files: true, place: Place::of(line) });
        } else if let Some(tests) = rest("Tests").and_then(parts) {
            self.tests(&tests, line, notes);
        } else if let Some(errors) = rest("Errors").or_else(|| rest("Type Errors")) {
            if let (Some(summary), Some((1.., " error" | " errors"))) =
                (&mut self.summary, number::leading(errors.trim()))
            {
                summary.failed = true;
                summary.place = Place::of(line);
            }
        } else if rest("Snapshots").is_none() && rest("Start at").is_none() {
            self.close(notes);
            self.other(text, line, notes);
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        self.close(notes);
        if let Some(place) = self.open.take() {
            notes.verdict(Tool::Vitest, Showing::Unclear, place);
        }
        self.disturbed = false;
    }
}

impl Vitest {
    fn tests(&mut self, tests: &[(u64, &str)], line: &Line<'_>, notes: &mut Notes) {
        let of = |words: &[&str]| number::sum(tests, words);
        let counts =
            Counts::summed(of(&["passed", "expected fail"]), of(&["failed"]), of(&["skipped", "todo"]));
        match &mut self.summary {
            Some(summary) if summary.counts.is_none() => {
                summary.counts = Some(counts);
                if counts.failed > 0 || !summary.failed {
                    summary.failed |= counts.failed > 0;
                    summary.place = Place::of(line);
                }
            }
            _ => {
                self.close(notes);
                let failed = counts.failed > 0;
                self.summary =
                    Some(Summary { counts: Some(counts), failed, files: false, place: Place::of(line) });
            }
        }
    }

    fn other(&mut self, text: &str, line: &Line<'_>, notes: &mut Notes) {
        if text.starts_with("No test files found, exiting with code ") {
            self.open = None;
            notes.verdict(Tool::Vitest, Showing::NothingRun, Place::of(line));
        } else if text.starts_with("ERROR: Coverage for ") {
            self.disturbed |= text.contains(" does not meet ");
        } else if line.text.strip_prefix(" RUN  v").is_some_and(|rest| number::leading(rest).is_some()) {
            self.end(notes);
            self.open = Some(Place::of(line));
        }
    }

    fn close(&mut self, notes: &mut Notes) {
        let Some(Summary { counts, failed, files, place }) = self.summary.take() else { return };
        self.open = None;
        let showing = match counts {
            _ if failed => Showing::Failure,
            _ if std::mem::take(&mut self.disturbed) => Showing::Unclear,
            Some(counts) if files || counts.passed > 0 => counts.showing(),
            _ => Showing::Unclear,
        };
        notes.add(Reading { tool: Tool::Vitest, counts, showing, place });
    }
}

/// `1 failed | 3 passed (4)`, or `no tests`
fn parts(text: &str) -> Option<Vec<(u64, &str)>> {
    let text = text.trim();
    if text == "no tests" {
        return Some(Vec::new());
    }
    let (parts, total) = text.strip_suffix(')')?.rsplit_once(" (")?;
    number::leading(total).filter(|(_, rest)| rest.is_empty())?;
    let parts = number::list(parts, "|")?;
    parts.iter().all(|(_, word)| WORDS.contains(word)).then_some(parts)
}
