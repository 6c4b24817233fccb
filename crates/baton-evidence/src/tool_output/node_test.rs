//! `node --test`: the counts at the end, as TAP (`# pass 1`) or for people (`ℹ pass 1`).

use super::line::Line;
use super::{Counts, Definition, Kind, Notes, Place, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::NodeTest,
    kind: Kind::Tests,
    name: "node --test",
    about: "Tests of JavaScript, run by Node itself, or others that end in the same lines of TAP",
    watch: || Box::<NodeTest>::default(),
};

#[derive(Default)]
struct NodeTest {
    summary: Option<Summary>,
}

struct Summary {
    counts: Counts,
    /// Whether it says how many passed. A heading `# tests 2` alone is no summary.
    passed: bool,
    place: Place,
}

impl Watch for NodeTest {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        let part = line.text.strip_prefix("# ").or_else(|| line.text.strip_prefix("ℹ "));
        let Some((label, count)) = part.and_then(labelled) else { return self.end(notes) };
        if label == "tests" {
            self.end(notes);
            let counts = Counts { total: Some(count), ..Counts::default() };
            self.summary = Some(Summary { counts, passed: false, place: Place::of(line) });
            return;
        }
        let Some(summary) = &mut self.summary else { return };
        match label {
            "pass" => {
                summary.counts.passed = count;
                summary.passed = true;
            }
            "fail" | "cancelled" => {
                summary.counts.failed = summary.counts.failed.saturating_add(count);
                if count > 0 {
                    summary.place = Place::of(line);
                }
            }
            "skipped" | "todo" => summary.counts.skipped = summary.counts.skipped.saturating_add(count),
            _ => {}
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        if let Some(summary) = self.summary.take().filter(|summary| summary.passed) {
            notes.counted(Tool::NodeTest, summary.counts, summary.place);
        }
    }
}

/// `pass 1`
fn labelled(text: &str) -> Option<(&str, u64)> {
    let (label, count) = text.split_once(' ')?;
    let known = ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo"].contains(&label);
    let (count, rest) = number::leading(count.trim())?;
    (known && rest.is_empty()).then_some((label, count))
}
