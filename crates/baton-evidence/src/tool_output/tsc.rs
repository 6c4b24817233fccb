//! The TypeScript compiler: errors with their numbers, and `Found 2 errors`.

use super::line::{self, Line};
use super::{Definition, Kind, Notes, Place, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Tsc,
    kind: Kind::Build,
    name: "tsc",
    about: "The TypeScript compiler",
    watch: || Box::<Tsc>::default(),
};

/// Bytes of the shortest verdict.
const LINE_BYTES_MIN: usize = "error TS1: a".len();

#[derive(Default)]
struct Tsc {
    failed: bool,
    /// A command that says nothing when all is well.
    silent: Option<Place>,
}

impl Watch for Tsc {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        if line.text.len() < LINE_BYTES_MIN {
            return;
        }
        if let Some(found) = line.text.find("Found ").and_then(|at| found(line.text, at)) {
            // It sums up the errors above, and begins anew when it watches.
            let failed = std::mem::take(&mut self.failed);
            self.silent = None;
            match found {
                0 => notes.verdict(Tool::Tsc, Showing::Success, Place::of(line)),
                _ if failed => {}
                _ => notes.verdict(Tool::Tsc, Showing::Failure, Place::of(line)),
            }
        } else if !self.failed && is_error(line.text) {
            self.failed = true;
            self.silent = None;
            notes.verdict(Tool::Tsc, Showing::Failure, Place::of(line));
        }
    }

    fn end(&mut self, notes: &mut Notes) {
        if let Some(place) = self.silent.take() {
            notes.verdict(Tool::Tsc, Showing::Unclear, place);
        }
        *self = Self::default();
    }

    fn command(&mut self, command: &str, line: &Line<'_>) {
        let compiles = line::names(command, "tsc") || line::names(command, "vue-tsc");
        self.silent = compiles.then(|| Place::of(line));
    }
}

/// `src/a.ts(3,5): error TS2345: …`, `src/a.ts:3:5 - error TS2345: …`, `error TS5058: …`
fn is_error(text: &str) -> bool {
    let Some(at) = text.find("error TS") else { return false };
    let (Some(before), Some(rest)) = (text.get(..at), text.get(at + "error TS".len()..)) else {
        return false;
    };
    let numbered = number::leading(rest).is_some_and(|(_, rest)| rest.starts_with(": "));
    numbered && (before.is_empty() || is_place(before))
}

fn is_place(before: &str) -> bool {
    // A path with blanks cannot be told from a sentence that quotes an error.
    let path = before.strip_suffix(" - ").or_else(|| before.strip_suffix(' ')).unwrap_or(before);
    if path.contains([' ', '\t', '`', '"', '\'']) {
        return false;
    }
    let position = |text: &str, separator: char| {
        let (line, column) = text.split_once(separator)?;
        let whole = |text| number::leading(text).is_some_and(|(_, rest)| rest.is_empty());
        (whole(line) && whole(column)).then_some(())
    };
    if let Some((_, place)) = before.strip_suffix("): ").and_then(|before| before.rsplit_once('(')) {
        return position(place, ',').is_some();
    }
    let Some(place) = before.strip_suffix(" - ") else { return false };
    let Some((rest, column)) = place.rsplit_once(':') else { return false };
    let Some((file, line)) = rest.rsplit_once(':') else { return false };
    !file.is_empty() && position(&format!("{line}:{column}"), ':').is_some()
}

/// `Found 2 errors in the same file, starting at: a.ts:1`, `Found 3 errors in 2 files.`, `Found 1 error in a.ts:3`, and
/// `03:03:50 AM - Found 0 errors. Watching for file changes.`
fn found(text: &str, at: usize) -> Option<u64> {
    let (count, rest) = number::leading(text.get(at + "Found ".len()..)?)?;
    let rest = rest.strip_prefix(" errors").or_else(|| rest.strip_prefix(" error"))?;
    if rest.starts_with(". Watching for file changes.") {
        return Some(count);
    }
    let rest = rest.strip_prefix(" in ")?;
    let several = || number::leading(rest).is_some_and(|(_, rest)| rest == " files.");
    let one = || {
        let (_, line) = rest.rsplit_once(':')?;
        let typescript = [".ts:", ".tsx:", ".mts:", ".cts:", ".vue:", ".js:", ".jsx:"]
            .iter()
            .any(|end| rest.contains(end));
        (typescript && number::leading(line)?.1.is_empty() && !rest.contains(" (")).then_some(())
    };
    let same = rest.starts_with("the same file, starting at: ");
    (at == 0 && (same || several() || one().is_some())).then_some(count)
}
