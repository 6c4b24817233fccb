//! unittest of Python, and what prints like it: Django, nose, green bars of others.

use super::line::Line;
use super::{Counts, Definition, Kind, Notes, Place, Reading, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Unittest,
    kind: Kind::Tests,
    name: "unittest",
    about: "Tests of Python, run by unittest",
    watch: || Box::<Unittest>::default(),
};

#[derive(Default)]
struct Unittest {
    /// How many tests ran; the verdict is the next line.
    ran: Option<(u64, Place)>,
}

impl Watch for Unittest {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        if let Some(rest) = line.text.strip_prefix("Ran ") {
            let ran = number::leading(rest).filter(|(_, rest)| is_tail(rest));
            if let Some((count, _)) = ran {
                self.end(notes);
                self.ran = Some((count, Place::of(line)));
                return;
            }
        }
        let Some((count, place)) = self.ran.take() else { return };
        let Some((failed, parts)) = verdict(line.text) else {
            notes.verdict(Tool::Unittest, Showing::Unclear, place);
            return;
        };
        let of = |labels: &[&str]| number::sum_labelled(&parts, labels);
        let failures = of(&["failures", "errors", "unexpected successes"]);
        // Parts of a test fail one by one, so that there can be more failures than tests.
        let counts = Counts::of_total(count, failures, of(&["skipped", "expected failures"]));
        let showing = match failed {
            true => Showing::Failure,
            false if count == 0 || of(&["skipped"]) >= count => Showing::NothingRun,
            false => Showing::Success,
        };
        notes.add(Reading { tool: Tool::Unittest, counts, showing, place: Place::of(line) });
    }

    fn end(&mut self, notes: &mut Notes) {
        if let Some((_, place)) = self.ran.take() {
            notes.verdict(Tool::Unittest, Showing::Unclear, place);
        }
    }
}

fn is_tail(rest: &str) -> bool {
    let rest = rest.strip_prefix(" tests in ").or_else(|| rest.strip_prefix(" test in "));
    rest.is_some_and(number::is_duration)
}

/// `OK`, `OK (skipped=1)`, `FAILED (failures=1, errors=1)`, `NO TESTS RAN`
fn verdict(text: &str) -> Option<(bool, Vec<(&str, u64)>)> {
    if matches!(text, "OK" | "NO TESTS RAN" | "FAILED") {
        return Some((text == "FAILED", Vec::new()));
    }
    let (word, rest) = text.split_once(" (")?;
    let parts = number::labelled(rest.strip_suffix(')')?, ",")?;
    match word {
        "OK" | "NO TESTS RAN" => Some((false, parts)),
        "FAILED" => Some((true, parts)),
        _ => None,
    }
}
