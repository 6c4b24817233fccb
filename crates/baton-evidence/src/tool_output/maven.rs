//! Maven with Surefire or Failsafe: the sum of tests of each module, and how the build ended.

use super::line::Line;
use super::{Counts, Definition, Kind, Notes, Place, Reading, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Maven,
    kind: Kind::Tests,
    name: "maven",
    about: "A build by Maven, with its tests",
    watch: || Box::<Maven>::default(),
};

#[derive(Default)]
struct Maven {
    counts: Option<Counts>,
    last: Option<Place>,
    failure: Option<Place>,
    without_tests: bool,
}

impl Watch for Maven {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        let text = without_level(line.text);
        if let Some(rest) = text.strip_prefix("Tests run: ") {
            self.summary(rest, line);
        } else if text == "No tests to run." {
            self.without_tests = true;
        } else if text == "BUILD SUCCESS" && text.len() < line.text.len() {
            self.close(Showing::Success, Some(Place::of(line)), notes);
        } else if text == "BUILD FAILURE" && text.len() < line.text.len() {
            self.close(Showing::Failure, Some(Place::of(line)), notes);
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        self.close(Showing::Unclear, None, notes);
    }
}

impl Maven {
    /// `3, Failures: 1, Errors: 1, Skipped: 0`; the line of one class goes on with the time it took.
    fn summary(&mut self, rest: &str, line: &Line<'_>) {
        let Some((first, rest)) = rest.split_once(", ") else { return };
        let (Ok(total), Some(parts)) = (first.parse(), number::labelled(rest, ",")) else { return };
        let of = |labels: &[&str]| number::sum_labelled(&parts, labels);
        if parts.first().is_none_or(|(label, _)| *label != "Failures") {
            return;
        }
        let failed = of(&["Failures", "Errors"]);
        let Some(counts) = Counts::of_total(total, failed, of(&["Skipped"])) else { return };
        match &mut self.counts {
            Some(sum) => sum.add(counts),
            None => self.counts = Some(counts),
        }
        self.last = Some(Place::of(line));
        if failed > 0 {
            self.failure.get_or_insert(Place::of(line));
        }
    }

    fn close(&mut self, build: Showing, end: Option<Place>, notes: &mut Notes) {
        let Self { counts, last, failure, without_tests } = std::mem::take(self);
        let (showing, place) = match (failure, counts, end.or(last)) {
            (Some(place), _, _) => (Showing::Failure, place),
            (None, _, None) => return,
            (None, _, Some(place)) if build == Showing::Failure => (Showing::Failure, place),
            (None, Some(counts), Some(place)) => (counts.showing(), place),
            (None, None, Some(place)) if without_tests => (Showing::NothingRun, place),
            (None, None, Some(place)) => (build, place),
        };
        notes.add(Reading { tool: Tool::Maven, counts, showing, place });
    }
}

fn without_level(text: &str) -> &str {
    let levels = ["[INFO]", "[WARNING]", "[ERROR]"];
    levels.iter().find_map(|level| text.strip_prefix(level)).map_or(text, str::trim_start)
}
