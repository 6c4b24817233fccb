//! Ruff: what it found. Biome sums up in the same words.

use super::line::Line;
use super::{Definition, Kind, Notes, Place, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Ruff,
    kind: Kind::Lint,
    name: "ruff",
    about: "Ruff, the linter of Python",
    watch: || Box::<Ruff>::default(),
};

#[derive(Default)]
struct Ruff {
    /// There was nothing to check.
    without_files: bool,
}

impl Watch for Ruff {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        let showing = match line.text.as_bytes().first() {
            Some(b'A') if line.text == "All checks passed!" => match self.without_files {
                true => Showing::NothingRun,
                false => Showing::Success,
            },
            Some(b'F') => match line.text.strip_prefix("Found ").and_then(remaining) {
                Some(0) => Showing::Success,
                Some(_) => Showing::Failure,
                None => return,
            },
            Some(b'w') => {
                self.without_files |= line.text.starts_with("warning: No Python files found under ");
                return;
            }
            _ => return,
        };
        self.without_files = false;
        notes.verdict(Tool::Ruff, showing, Place::of(line));
    }

    fn end(&mut self, _notes: &mut Notes) {
        self.without_files = false;
    }
}

/// `2 errors.`, `3 errors (1 fixed, 2 remaining).`
fn remaining(text: &str) -> Option<u64> {
    let (count, rest) = number::leading(text)?;
    let rest = rest.strip_prefix(" errors").or_else(|| rest.strip_prefix(" error"))?;
    if rest == "." {
        return Some(count);
    }
    let parts = number::list(rest.strip_prefix(" (")?.strip_suffix(").")?, ",")?;
    match parts.as_slice() {
        [(_, "fixed"), (remaining, "remaining")] => Some(*remaining),
        _ => None,
    }
}
