//! RSpec: `2 examples, 1 failure, 1 pending`.

use super::line::Line;
use super::{Counts, Definition, Kind, Notes, Place, Reading, Showing, Tool, Watch, number};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::Rspec,
    kind: Kind::Tests,
    name: "rspec",
    about: "Tests of Ruby, run by RSpec",
    watch: || Box::new(Rspec),
};

struct Rspec;

impl Watch for Rspec {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        let Some((_, rest)) = number::leading(line.text) else { return };
        if !rest.starts_with(" example") {
            return;
        }
        let Some(parts) = number::list(line.text, ",") else { return };
        let of = |words: &[&str]| number::sum(&parts, words);
        let [(examples, "example" | "examples"), (failures, "failure" | "failures"), ..] = parts.as_slice()
        else {
            return;
        };
        let outside = of(&["error occurred outside of examples", "errors occurred outside of examples"]);
        let counts = Counts::of_total(*examples, *failures, of(&["pending"]));
        let showing = match counts {
            _ if *failures > 0 || outside > 0 => Showing::Failure,
            Some(counts) => counts.showing(),
            None => Showing::Unclear,
        };
        notes.add(Reading { tool: Tool::Rspec, counts, showing, place: Place::of(line) });
    }
}
