//! Mocha: passing, pending and failing at the end.

use super::line::Line;
use super::{Counts, Definition, Kind, Notes, Place, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Mocha,
    kind: Kind::Tests,
    name: "mocha",
    about: "Tests of JavaScript, run by Mocha or by what is built on it",
    watch: || Box::<Mocha>::default(),
};

/// Blanks before a summary; a list of tests is further in.
const INDENT_MAX: usize = 4;

#[derive(Default)]
struct Mocha {
    summary: Option<(Counts, Place)>,
}

impl Watch for Mocha {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        let text = line.text.trim_start();
        if line.text.len() - text.len() <= INDENT_MAX
            && let Some((count, rest)) = number::leading(text)
            && self.part(count, rest, line, notes)
        {
            return;
        }
        self.end(notes);
        if line.text.starts_with("Error: No test files found") {
            notes.counted(Tool::Mocha, Counts::summed(0, 0, 0), Place::of(line));
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        if let Some((counts, place)) = self.summary.take() {
            let total = Counts::summed(counts.passed, counts.failed, counts.skipped).total;
            notes.counted(Tool::Mocha, Counts { total, ..counts }, place);
        }
    }
}

impl Mocha {
    /// Takes a line of the summary: `1 passing (5ms)`, `1 pending`, `1 failing`.
    fn part(&mut self, count: u64, rest: &str, line: &Line<'_>, notes: &mut Notes) -> bool {
        let passing = rest.strip_prefix(" passing (").and_then(|rest| rest.strip_suffix(')'));
        if passing.is_some_and(number::is_duration) {
            self.end(notes);
            self.summary = Some((Counts { passed: count, ..Counts::default() }, Place::of(line)));
            return true;
        }
        let Some((counts, place)) = &mut self.summary else { return false };
        match rest {
            " pending" => counts.skipped = count,
            " failing" => {
                counts.failed = count;
                *place = Place::of(line);
            }
            _ => return false,
        }
        true
    }
}
