//! ESLint: the sum of problems at the end.

use super::line::{self, Line};
use super::{Definition, Kind, Notes, Place, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Eslint,
    kind: Kind::Lint,
    name: "eslint",
    about: "ESLint, with its usual output",
    watch: || Box::<Eslint>::default(),
};

#[derive(Default)]
struct Eslint {
    /// Warnings only; whether there were too many is said behind them.
    warned: Option<Place>,
    /// A command that says nothing when all is well.
    silent: Option<Place>,
}

impl Watch for Eslint {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        let failed = match line.text.chars().next() {
            Some('✖' | '✘' | '×') => match errors(line.text) {
                Some(0) => {
                    self.silent = None;
                    self.end(notes);
                    self.warned = Some(Place::of(line));
                    false
                }
                errors => errors.is_some(),
            },
            Some('E') => line.text.starts_with("ESLint found too many warnings (maximum: "),
            Some('O') => line.text == "Oops! Something went wrong! :(",
            _ => false,
        };
        if failed {
            self.silent = None;
            if !line.text.starts_with('E') {
                self.end(notes);
            }
            *self = Self::default();
            notes.verdict(Tool::Eslint, Showing::Failure, Place::of(line));
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        if let Some(place) = self.warned.take() {
            notes.verdict(Tool::Eslint, Showing::Success, place);
        } else if let Some(place) = self.silent.take() {
            notes.verdict(Tool::Eslint, Showing::Unclear, place);
        }
        *self = Self::default();
    }

    fn command(&mut self, command: &str, line: &Line<'_>) {
        self.silent = line::names(command, "eslint").then(|| Place::of(line));
    }
}

/// `✖ 3 problems (2 errors, 1 warning)`
fn errors(text: &str) -> Option<u64> {
    let rest = text.split_once(' ')?.1;
    let (_, rest) = number::leading(rest)?;
    let rest = rest.strip_prefix(" problems (").or_else(|| rest.strip_prefix(" problem ("))?;
    let parts = number::list(rest.strip_suffix(')')?, ",")?;
    match parts.as_slice() {
        [(errors, "error" | "errors"), (_, "warning" | "warnings")] => Some(*errors),
        _ => None,
    }
}
