//! Totals that change from one handoff of a chain to the next.

use baton_handoff::rule::audit;

use super::{Case, Rows};
use crate::audit::dossier::{CountOf, Dossier};
use crate::audit::row::{Against, Place, Provenance, Row, Said};

pub(super) fn inspect(case: &Case<'_>, rows: &mut Rows) {
    let mut known: Vec<(&str, u64, &Dossier, Place)> = Vec::new();
    let mut tests: Option<(u64, &Dossier, Place)> = None;
    for (at, dossier) in case.members() {
        for total in &dossier.totals {
            let said = Said::new(format!("{}: {}", total.key, total.number), total.place);
            match known.iter_mut().find(|(key, ..)| *key == total.key) {
                None => known.push((&total.key, total.number, dossier, total.place)),
                Some((key, number, earlier, place)) if *number != total.number => {
                    let reason = format!("it was {number} in the handoff before");
                    rows.push(at, changed(&said, reason, earlier, *place, *number));
                    (*number, *earlier, *place) = (total.number, dossier, total.place);
                }
                Some(_) => rows.push(at, Row::holds("total", &said, "the same as in the handoff before")),
            }
        }
        let total = dossier.counts.iter().find(|count| count.of == CountOf::Total);
        let Some(total) = total else { continue };
        if let Some((number, earlier, place)) = tests.filter(|(number, ..)| *number > total.number) {
            let said = Said::new(format!("{} tests", total.number), total.place);
            let reason = format!(
                "there were {number} tests in the handoff before: {} are gone",
                number - total.number
            );
            rows.push(at, changed(&said, reason, earlier, place, number));
        }
        tests = Some((total.number, dossier, total.place));
    }
}

fn changed(said: &Said, reason: String, earlier: &Dossier, place: Place, number: u64) -> Row {
    Row::finding(&audit::TOTAL_CHANGED, "total", said, reason)
        .against(Against::file(earlier.shown_path(), Some(place.line), number.to_string()))
        .from(Provenance::Inherited)
}
