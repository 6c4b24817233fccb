//! make and ninja: a recipe failed.

use super::line::{self, Line};
use super::{Definition, Kind, Notes, Place, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Make,
    kind: Kind::Generic,
    name: "make",
    about: "make and ninja, when a recipe fails",
    watch: || Box::<Make>::default(),
};

#[derive(Default)]
struct Make {
    failed: bool,
    /// A command that began; make says nothing when it succeeds.
    silent: Option<Place>,
}

impl Watch for Make {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        if !self.failed && is_failure(line.text) {
            self.failed = true;
            self.silent = None;
            notes.verdict(Tool::Make, Showing::Failure, Place::of(line));
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        if let Some(place) = self.silent.take() {
            notes.verdict(Tool::Make, Showing::Unclear, place);
        }
        self.failed = false;
    }

    fn command(&mut self, command: &str, line: &Line<'_>) {
        let begins = line::names(command, "make") || line::names(command, "ninja");
        self.silent = begins.then(|| Place::of(line));
    }
}

/// `make[1]: *** [Makefile:4: all] Error 2`; what is ignored has no stars.
fn is_failure(text: &str) -> bool {
    if text.starts_with("ninja: build stopped: ") || text.starts_with("ninja: error: ") {
        return true;
    }
    let Some(rest) = text.strip_prefix("gmake").or_else(|| text.strip_prefix("make")) else { return false };
    let rest = match rest.strip_prefix('[').and_then(number::leading) {
        Some((_, rest)) => rest.strip_prefix(']').unwrap_or(rest),
        None => rest,
    };
    rest.starts_with(": *** ")
        && (rest.contains("] Error ") || rest.ends_with("Stop.") || rest.contains("] Segmentation"))
}
