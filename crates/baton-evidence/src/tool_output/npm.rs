//! npm: its own errors, which it prints when a script failed or could not be run.

use super::line::Line;
use super::{Definition, Kind, Notes, Place, Showing, Tool, Watch};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Npm,
    kind: Kind::Generic,
    name: "npm",
    about: "npm, when what it runs fails",
    watch: || Box::<Npm>::default(),
};

#[derive(Default)]
struct Npm {
    failed: bool,
    /// A script that began; npm says nothing when it succeeds.
    silent: Option<Place>,
}

impl Watch for Npm {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        let error = line.text.starts_with("npm ERR! ") || line.text.starts_with("npm error ");
        if error && !self.failed {
            self.failed = true;
            self.silent = None;
            notes.verdict(Tool::Npm, Showing::Failure, Place::of(line));
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        if let Some(place) = self.silent.take() {
            notes.verdict(Tool::Npm, Showing::Unclear, place);
        }
        self.failed = false;
    }

    fn command(&mut self, command: &str, line: &Line<'_>) {
        let begins =
            command.starts_with("npm ") || command.split(' ').next().is_some_and(|word| word.contains('@'));
        self.silent = begins.then(|| Place::of(line));
    }
}
