//! PHPUnit: the sum at the end.

use super::line::Line;
use super::{Counts, Definition, Kind, Notes, Place, Reading, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Phpunit,
    kind: Kind::Tests,
    name: "phpunit",
    about: "Tests of PHP, run by PHPUnit",
    watch: || Box::<Phpunit>::default(),
};

#[derive(Default)]
struct Phpunit {
    /// The line before was `WARNINGS!`, which may or may not make the run fail.
    warned: bool,
}

impl Watch for Phpunit {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        let warned = std::mem::take(&mut self.warned);
        if let Some(rest) = line.text.strip_prefix("OK (") {
            if let Some(counts) = all_passed(rest) {
                notes.counted(Tool::Phpunit, counts, Place::of(line));
            }
        } else if let Some(rest) = line.text.strip_prefix("Tests: ") {
            if let Some(counts) = summary(rest) {
                let showing = match counts.failed {
                    0 if warned => Showing::Unclear,
                    _ => counts.showing(),
                };
                notes.add(Reading {
                    tool: Tool::Phpunit,
                    counts: Some(counts),
                    showing,
                    place: Place::of(line),
                });
            }
        } else if line.text == "No tests executed!" {
            notes.counted(Tool::Phpunit, Counts::summed(0, 0, 0), Place::of(line));
        } else {
            self.warned = line.text == "WARNINGS!";
        }
    }
}

/// `2 tests, 2 assertions)`
fn all_passed(rest: &str) -> Option<Counts> {
    let parts = number::list(rest.strip_suffix(')')?, ",")?;
    match parts.as_slice() {
        [(tests, "test" | "tests"), (_, "assertion" | "assertions")] => Some(Counts::summed(*tests, 0, 0)),
        _ => None,
    }
}

/// `4, Assertions: 2, Errors: 1, Failures: 1, Skipped: 1.`
fn summary(rest: &str) -> Option<Counts> {
    let (first, rest) = rest.strip_suffix('.')?.split_once(", ")?;
    let parts = number::labelled(rest, ",")?;
    let of = |labels: &[&str]| number::sum_labelled(&parts, labels);
    parts.first().filter(|(label, _)| *label == "Assertions")?;
    Counts::of_total(first.parse().ok()?, of(&["Errors", "Failures"]), of(&["Skipped", "Incomplete"]))
}
