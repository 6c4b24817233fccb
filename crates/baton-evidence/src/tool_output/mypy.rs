//! mypy: its last line.

use super::line::Line;
use super::{Definition, Kind, Notes, Place, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Mypy,
    kind: Kind::Lint,
    name: "mypy",
    about: "mypy, which checks the types of Python",
    watch: || Box::new(Mypy),
};

struct Mypy;

impl Watch for Mypy {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        if line
            .text
            .strip_prefix("Success: no issues found in ")
            .is_some_and(|rest| rest.contains(" source file"))
        {
            notes.verdict(Tool::Mypy, Showing::Success, Place::of(line));
        } else if line.text.strip_prefix("Found ").is_some_and(has_errors) {
            notes.verdict(Tool::Mypy, Showing::Failure, Place::of(line));
        }
    }
}

/// `1 error in 1 file (checked 1 source file)`, `1 error in 1 file (errors prevented further checking)`
fn has_errors(text: &str) -> bool {
    let Some((1.., rest)) = number::leading(text) else { return false };
    let rest = rest.strip_prefix(" errors in ").or_else(|| rest.strip_prefix(" error in "));
    let Some((_, rest)) = rest.and_then(number::leading) else { return false };
    rest.contains(" (checked ") || rest.contains(" (errors prevented further checking)")
}
