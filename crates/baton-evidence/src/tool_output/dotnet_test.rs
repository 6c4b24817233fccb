//! `dotnet test`: one summary for each assembly, summed, or that of the newer runner for all.

use super::line::Line;
use super::{Counts, Definition, Kind, Notes, Place, Reading, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::DotnetTest,
    kind: Kind::Tests,
    name: "dotnet test",
    about: "Tests of .NET assemblies",
    watch: || Box::<DotnetTest>::default(),
};

#[derive(Default)]
struct DotnetTest {
    counts: Option<Counts>,
    failure: Option<Place>,
    last: Option<Place>,
}

impl Watch for DotnetTest {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        let text = line.text;
        let assembly =
            ["Passed!  - ", "Failed!  - ", "Skipped! - "].iter().find_map(|begin| text.strip_prefix(begin));
        if let Some(counts) =
            assembly.and_then(|rest| summary(rest, ["Passed", "Failed", "Skipped", "Total"]))
        {
            match &mut self.counts {
                Some(sum) => sum.add(counts),
                None => self.counts = Some(counts),
            }
            if counts.failed > 0 || text.starts_with("Failed!") {
                self.failure.get_or_insert(Place::of(line));
            }
            self.last = Some(Place::of(line));
        } else if let Some(rest) = text.strip_prefix("Test summary: ") {
            if let Some(counts) = summary(rest, ["succeeded", "failed", "skipped", "total"]) {
                // It sums up what came before it.
                *self = Self::default();
                notes.counted(Tool::DotnetTest, counts, Place::of(line));
            }
        } else if let "Test Run Failed." | "Test Run Successful." = text {
            let showing = if text.ends_with("Failed.") { Showing::Failure } else { Showing::Success };
            notes.verdict(Tool::DotnetTest, showing, Place::of(line));
        } else if text.starts_with("No test is available in ") {
            self.last.get_or_insert(Place::of(line));
            self.counts.get_or_insert(Counts::summed(0, 0, 0));
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        let Self { counts, failure, last } = std::mem::take(self);
        let (Some(counts), Some(last)) = (counts, last) else { return };
        match failure {
            Some(place) => {
                let showing = Showing::Failure;
                notes.add(Reading { tool: Tool::DotnetTest, counts: Some(counts), showing, place });
            }
            None => notes.counted(Tool::DotnetTest, counts, last),
        }
    }
}

/// `Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 5 ms - x.dll (net8.0)`; the labels are those of
/// what passed, failed, was skipped, and all.
fn summary(text: &str, labels: [&str; 4]) -> Option<Counts> {
    let [passed, failed, skipped, total] = labels;
    let end = text.to_ascii_lowercase().find(", duration: ").unwrap_or(text.len());
    let parts = number::labelled(text.get(..end)?, ",")?;
    let of = |label: &str| parts.iter().find(|(name, _)| *name == label).map(|(_, count)| *count);
    Some(Counts { passed: of(passed)?, failed: of(failed)?, skipped: of(skipped)?, total: Some(of(total)?) })
}
