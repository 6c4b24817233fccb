//! pytest: the last line of a session.

use super::line::Line;
use super::{Counts, Definition, Kind, Notes, Place, Reading, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Pytest,
    kind: Kind::Tests,
    name: "pytest",
    about: "Tests of Python, run by pytest",
    watch: || Box::<Pytest>::default(),
};

const WORDS: &[&str] = &[
    "passed",
    "failed",
    "skipped",
    "deselected",
    "xfailed",
    "xpassed",
    "error",
    "errors",
    "warning",
    "warnings",
    "rerun",
    "reruns",
    "subtests passed",
    "subtests failed",
    "subtests skipped",
    "snapshot passed",
    "snapshots passed",
];

#[derive(Default)]
struct Pytest {
    /// A session that began and has no summary yet.
    open: Option<Place>,
    /// Whether the short list of failures has begun, and its first member.
    in_list: bool,
    failure: Option<Place>,
    /// The session was interrupted, or something beside the tests was not met.
    disturbed: bool,
}

impl Watch for Pytest {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        let text = line.text;
        match text.as_bytes().first() {
            Some(b'=') => self.banner(text.trim_matches('=').trim(), line, notes),
            Some(b'0'..=b'9' | b'n') => self.summary(text, line, notes),
            Some(b'!') => self.disturbed |= text.starts_with("!!!!"),
            Some(b'F' | b'E') if self.in_list => {
                let entry = text.strip_prefix("FAILED ").or_else(|| text.strip_prefix("ERROR "));
                if entry.is_some_and(|entry| entry.contains("::") || entry.contains(".py")) {
                    self.failure.get_or_insert(Place::of(line));
                }
            }
            Some(b'F') => self.disturbed |= text.starts_with("FAIL Required test coverage of "),
            _ => {}
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        // With `-qq` there is no summary, and the list of failures is all there is.
        if let Some(place) = self.failure.take() {
            notes.verdict(Tool::Pytest, Showing::Failure, place);
        } else if let Some(place) = self.open.take() {
            notes.verdict(Tool::Pytest, Showing::Unclear, place);
        }
        *self = Self::default();
    }
}

impl Pytest {
    fn banner(&mut self, title: &str, line: &Line<'_>, notes: &mut Notes) {
        match title {
            "test session starts" => {
                self.end(notes);
                self.open = Some(Place::of(line));
            }
            "short test summary info" => self.in_list = true,
            _ => self.summary(title, line, notes),
        }
    }

    fn summary(&mut self, text: &str, line: &Line<'_>, notes: &mut Notes) {
        let Some(outcome) = outcome(text) else { return };
        let disturbed = self.disturbed;
        *self = Self::default();
        let place = Place::of(line);
        let Outcome { counts, ran } = outcome;
        let showing = match (counts.showing(), disturbed) {
            (Showing::Failure, _) => Showing::Failure,
            (_, true) => Showing::Unclear,
            _ if !ran => Showing::NothingRun,
            _ => Showing::Success,
        };
        notes.add(Reading { tool: Tool::Pytest, counts: Some(counts), showing, place });
    }
}

struct Outcome {
    counts: Counts,
    ran: bool,
}

/// `1 failed, 2 passed, 1 skipped in 0.12s (0:00:01)`
fn outcome(text: &str) -> Option<Outcome> {
    let (parts, duration) = text.rsplit_once(" in ")?;
    if !number::is_duration(duration) {
        return None;
    }
    if parts == "no tests ran" {
        return Some(Outcome { counts: Counts::summed(0, 0, 0), ran: false });
    }
    let parts = number::list(parts, ",")?;
    if !parts.iter().all(|(_, word)| WORDS.contains(word)) {
        return None;
    }
    let of = |words: &[&str]| number::sum(&parts, words);
    let errors = of(&["error", "errors"]);
    // A test whose end failed has passed and is an error: the sum would count it twice.
    let passed = of(&["passed", "xpassed"]);
    let failed = of(&["failed", "subtests failed"]).saturating_add(errors);
    let skipped = of(&["skipped", "xfailed"]);
    let mut counts = Counts::summed(passed, failed, skipped);
    if errors > 0 {
        counts.total = None;
    }
    Some(Outcome { counts, ran: passed > 0 || of(&["xfailed"]) > 0 })
}
