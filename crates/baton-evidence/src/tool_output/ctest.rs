//! CTest: `67% tests passed, 1 tests failed out of 3`; since CMake 4, where all pass, `100% tests passed out of 3`.

use super::line::Line;
use super::{Counts, Definition, Kind, Notes, Place, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Ctest,
    kind: Kind::Tests,
    name: "ctest",
    about: "Tests of a CMake project",
    watch: || Box::new(Ctest),
};

struct Ctest;

impl Watch for Ctest {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        let counts = match line.text {
            "No tests were found!!!" => Some(Counts::summed(0, 0, 0)),
            text => summary(text),
        };
        if let Some(counts) = counts {
            notes.counted(Tool::Ctest, counts, Place::of(line));
        }
    }
}

fn summary(text: &str) -> Option<Counts> {
    let (_, rest) = number::leading(text)?;
    let rest = rest.strip_prefix("% tests passed")?;
    let (failed, rest) = match rest.strip_prefix(", ") {
        Some(rest) => {
            let (failed, rest) = number::leading(rest)?;
            (failed, rest.strip_prefix(" tests failed").or_else(|| rest.strip_prefix(" test failed"))?)
        }
        None => (0, rest),
    };
    let (total, rest) = number::leading(rest.strip_prefix(" out of ")?)?;
    // What was skipped stands in a list below, and counts as passed here.
    rest.is_empty().then(|| Counts::of_total(total, failed, 0)).flatten()
}
