//! `cargo build`, `cargo check`, `cargo clippy` and rustc: whether it compiled.

use super::line::Line;
use super::{Definition, Kind, Notes, Place, Showing, Tool, Watch};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::CargoBuild,
    kind: Kind::Build,
    name: "cargo build",
    about: "Building and linting Rust: cargo build, check, clippy, and rustc",
    watch: || Box::<CargoBuild>::default(),
};

#[derive(Default)]
struct CargoBuild {
    /// Whether this run already has its verdict; it names every package that does not compile.
    failed: bool,
}

impl Watch for CargoBuild {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        if is_finished(line.text) {
            self.failed = false;
            notes.verdict(Tool::CargoBuild, Showing::Success, Place::of(line));
        } else if !self.failed && line.text.strip_prefix("error: ").is_some_and(is_failure) {
            self.failed = true;
            notes.verdict(Tool::CargoBuild, Showing::Failure, Place::of(line));
        }
    }

    fn end(&mut self, _notes: &mut Notes) {
        self.failed = false;
    }
}

/// `    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.60s`
fn is_finished(text: &str) -> bool {
    let step = text.trim_start();
    text.len() - step.len() <= 4 && step.starts_with("Finished ") && step.contains(" target(s) in ")
}

fn is_failure(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix("could not compile `") {
        return rest.contains('`');
    }
    let aborting = text.strip_prefix("aborting due to ").unwrap_or_default();
    aborting.contains("previous error")
}
