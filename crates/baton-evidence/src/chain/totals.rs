//! Totals that change from one handoff of a chain to the next.

use baton_handoff::rule::audit;

use super::{Chain, Found};
use crate::claims::{Claims, CountOf};
use crate::finding::{Against, Finding, Place, Provenance, Said};

pub(super) fn judge(chain: &Chain<'_>, found: &mut Found) {
    let mut known: Vec<(&str, u64, &Claims, Place)> = Vec::new();
    let mut tests: Option<(u64, &Claims, Place)> = None;
    for (at, claims) in chain.members() {
        for total in &claims.totals {
            let said = Said::new(format!("{}: {}", total.key, total.number), total.place);
            match known.iter_mut().find(|(key, ..)| *key == total.key) {
                None => known.push((&total.key, total.number, claims, total.place)),
                Some((key, number, earlier, place)) if *number != total.number => {
                    let reason = format!("it was {number} in the handoff before");
                    found.push(at, changed(&said, reason, earlier, *place, *number));
                    (*number, *earlier, *place) = (total.number, claims, total.place);
                }
                Some(_) => {
                    found.push(at, Finding::holds("total", &said, "the same as in the handoff before"))
                }
            }
        }
        let total = claims.counts.iter().find(|count| count.of == CountOf::Total);
        let Some(total) = total else { continue };
        if let Some((number, earlier, place)) = tests.filter(|(number, ..)| *number > total.number) {
            let said = Said::new(format!("{} tests", total.number), total.place);
            let reason = format!(
                "there were {number} tests in the handoff before: {} are gone",
                number - total.number
            );
            found.push(at, changed(&said, reason, earlier, place, number));
        }
        tests = Some((total.number, claims, total.place));
    }
}

fn changed(said: &Said, reason: String, earlier: &Claims, place: Place, number: u64) -> Finding {
    Finding::of_rule(&audit::TOTAL_CHANGED, "total", said, reason)
        .against(Against::file(earlier.source.as_str(), Some(place.line), number.to_string()))
        .from(Provenance::Inherited)
}
