//! `go build` and `go vet`: a package, and what is wrong in it.

use super::line::{self, Line};
use super::{Definition, Kind, Notes, Place, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::GoBuild,
    kind: Kind::Build,
    name: "go build",
    about: "Building and vetting Go: go build, go vet",
    watch: || Box::<GoBuild>::default(),
};

#[derive(Default)]
struct GoBuild {
    /// Whether the line before named a package.
    in_package: bool,
    failed: bool,
    /// A command that says nothing when all is well.
    silent: Option<Place>,
}

impl Watch for GoBuild {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        if self.in_package && !self.failed && is_complaint(line.text) {
            self.failed = true;
            self.silent = None;
            notes.verdict(Tool::GoBuild, Showing::Failure, Place::of(line));
        }
        self.in_package = is_package(line.text);
    }

    fn end(&mut self, notes: &mut Notes) {
        if let Some(place) = self.silent.take() {
            notes.verdict(Tool::GoBuild, Showing::Unclear, place);
        }
        *self = Self::default();
    }

    fn command(&mut self, command: &str, line: &Line<'_>) {
        let builds = ["build", "vet", "install"].iter().any(|word| line::names(command, word));
        self.silent = (line::names(command, "go") && builds).then(|| Place::of(line));
    }
}

/// `# example.com/a`, and before tests `# example.com/a [example.com/a.test]`
fn is_package(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("# ") else { return false };
    let (name, test) = rest.split_once(' ').unwrap_or((rest, "[]"));
    !name.is_empty() && !name.contains(' ') && test.starts_with('[') && test.ends_with(']')
}

/// `./x.go:2:23: cannot use "a" as int value`, also behind `vet: `
fn is_complaint(text: &str) -> bool {
    let text = text.strip_prefix("vet: ").unwrap_or(text);
    let Some((file, rest)) = text.split_once(".go:") else { return false };
    let Some((_, rest)) = number::leading(rest) else { return false };
    let rest = rest.strip_prefix(':').and_then(number::leading).map_or(rest, |(_, rest)| rest);
    let message = rest.strip_prefix(": ").unwrap_or_default();
    !file.is_empty() && !file.contains(' ') && !message.is_empty() && !message.starts_with("warning")
}
