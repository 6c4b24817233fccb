//! `cargo nextest run`: one summary for a run.

use super::line::Line;
use super::{Counts, Definition, Kind, Notes, Place, Reading, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Nextest,
    kind: Kind::Tests,
    name: "cargo nextest",
    about: "The tests of a Rust package, run by nextest",
    watch: || Box::<Nextest>::default(),
};

#[derive(Default)]
struct Nextest {
    /// A run that began and has no summary yet.
    open: Option<Place>,
}

impl Watch for Nextest {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        // What tests print is indented by four, so that a summary within is further in than a real one.
        let text = line.text.trim_start();
        if line.text.len() - text.len() > 8 {
            return;
        }
        if text.starts_with("Starting ") && text.contains(" tests across ") {
            self.end(notes);
            self.open = Some(Place::of(line));
        } else if let Some(counts) = text.strip_prefix("Summary [").and_then(summary) {
            self.open = None;
            notes.counted(Tool::Nextest, counts, Place::of(line));
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        if let Some(place) = self.open.take() {
            notes.add(Reading { tool: Tool::Nextest, counts: None, showing: Showing::Unclear, place });
        }
    }
}

/// `   0.753s] 3/5 tests run: 2 passed (1 slow), 1 failed, 1 skipped`
fn summary(text: &str) -> Option<Counts> {
    let (_, text) = text.split_once("] ")?;
    let (run, parts) = text.split_once(" tests run: ").or_else(|| text.split_once(" test run: "))?;
    let run = number::leading(run)?.0;
    let (mut passed, mut failed, mut skipped) = (0u64, 0u64, 0u64);
    for part in outside_parentheses(parts).split(',') {
        let (count, word) = number::leading(part.trim())?;
        match word.trim() {
            "passed" => passed = count,
            "failed" | "timed out" | "exec failed" | "failed to execute" => {
                failed = failed.saturating_add(count)
            }
            "skipped" => skipped = count,
            _ => return None,
        }
    }
    Some(Counts { passed, failed, skipped, total: Some(run) })
}

fn outside_parentheses(text: &str) -> String {
    let mut depth = 0usize;
    let keep = |character: &char| {
        depth += usize::from(*character == '(');
        let outside = depth == 0;
        depth = depth.saturating_sub(usize::from(*character == ')'));
        outside
    };
    text.chars().filter(keep).collect()
}
