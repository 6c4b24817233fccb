//! Gradle, and Ant, which ends in the same words.

use super::line::Line;
use super::{Counts, Definition, Kind, Notes, Place, Reading, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Gradle,
    kind: Kind::Tests,
    name: "gradle",
    about: "A build by Gradle, with its tests",
    watch: || Box::<Gradle>::default(),
};

#[derive(Default)]
struct Gradle {
    counts: Option<Counts>,
    /// The line with the counts, which is printed only when tests failed.
    failure: Option<Place>,
}

impl Watch for Gradle {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        if let Some(counts) = completed(line.text) {
            // Tasks are summed: a build has one for each project.
            match &mut self.counts {
                Some(sum) => sum.add(counts),
                None => self.counts = Some(counts),
            }
            if counts.failed > 0 {
                self.failure.get_or_insert(Place::of(line));
            }
        } else if let Some(failed) = verdict(line.text) {
            let showing = if failed || self.failure.is_some() { Showing::Failure } else { Showing::Success };
            let place = self.failure.take().unwrap_or_else(|| Place::of(line));
            // Projects that passed print no counts, so that the sum is that of a part.
            let counts = self.counts.take().map(|counts| Counts { total: None, ..counts });
            notes.add(Reading { tool: Tool::Gradle, counts, showing, place });
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        if let Some(place) = self.failure.take() {
            notes.verdict(Tool::Gradle, Showing::Failure, place);
        }
        *self = Self::default();
    }
}

/// `5 tests completed, 2 failed, 1 skipped`
fn completed(text: &str) -> Option<Counts> {
    let rest = number::leading(text)?.1;
    if !rest.starts_with(" tests completed, ") && !rest.starts_with(" test completed, ") {
        return None;
    }
    let parts = number::list(text, ",")?;
    let of = |words: &[&str]| number::sum(&parts, words);
    Counts::of_total(of(&["tests completed", "test completed"]), of(&["failed"]), of(&["skipped"]))
}

/// `BUILD FAILED in 3s`
fn verdict(text: &str) -> Option<bool> {
    let (failed, rest) = match text.strip_prefix("BUILD FAILED") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix("BUILD SUCCESSFUL")?),
    };
    (rest.is_empty() || rest.strip_prefix(" in ").is_some_and(number::is_duration)).then_some(failed)
}
