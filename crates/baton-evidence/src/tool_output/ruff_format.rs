//! `ruff format --check`, and Black: what would be formatted otherwise.

use super::line::Line;
use super::{Definition, Kind, Notes, Place, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::RuffFormat,
    kind: Kind::Lint,
    name: "ruff format",
    about: "Ruff or Black, the formatters of Python",
    watch: || Box::new(RuffFormat),
};

struct RuffFormat;

impl Watch for RuffFormat {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        if let Some(showing) = formatted(line.text) {
            notes.verdict(Tool::RuffFormat, showing, Place::of(line));
        }
    }
}

/// `1 file would be reformatted, 2 files already formatted`
fn formatted(text: &str) -> Option<Showing> {
    let parts = number::list(text.strip_suffix('.').unwrap_or(text), ",")?;
    let mut showing = Showing::Success;
    for (count, words) in parts {
        match words.strip_prefix("files ").or_else(|| words.strip_prefix("file "))? {
            "would be reformatted" if count > 0 => showing = Showing::Failure,
            "would be reformatted" | "already formatted" | "left unchanged" | "would be left unchanged" => {}
            _ => return None,
        }
    }
    Some(showing)
}
