//! Times of a stage against those of the stage before it.

use baton_handoff::rule::audit;

use super::{Chain, Found};
use crate::claims::Claims;
use crate::finding::{Against, Finding, Provenance};
use crate::moment::{Moment, Precision, spoken};

pub(super) fn judge(chain: &Chain<'_>, found: &mut Found) {
    order(chain, found);
    zones(chain, found);
}

/// Holds each stage against the one before it. Of a stage that was tried again the first attempt counts: what came
/// after a step back is no longer in the order of the stages.
fn order(chain: &Chain<'_>, found: &mut Found) {
    let mut first: Vec<(usize, usize, &Claims)> = Vec::new();
    for (rank, at, claims) in chain.ranked() {
        match first.iter_mut().find(|(known, _, _)| *known == rank) {
            None => first.push((rank, at, claims)),
            Some(known) => {
                let earlier = ends_before(claims, known.2);
                if earlier {
                    *known = (rank, at, claims);
                }
            }
        }
    }
    for pair in first.windows(2) {
        let [(_, _, before), (_, at, after)] = pair else { continue };
        compare(before, *at, after, found);
    }
}

fn ends_before(one: &Claims, other: &Claims) -> bool {
    one.ended().zip(other.ended()).is_some_and(|(one, other)| one.is_before(other))
}

fn compare(before: &Claims, at: usize, after: &Claims, found: &mut Found) {
    let Some(ended) = before.ended() else { return };
    let name = before.stage.as_ref().map_or(before.variant, |stage| stage.text.as_str());
    let against = || Against::file(before.source.as_str(), Some(ended.said.place.line), &ended.said.text);
    if let Some(own) = after.ended().filter(|own| own.is_before(ended)) {
        let gap = spoken(ended.earliest - own.latest);
        let reason = format!("it ended {gap} before {name}, on which it rests, had ended");
        let finding = Finding::of_rule(&audit::BEFORE_PREDECESSOR, "time", &own.said, reason);
        found.push(at, finding.against(against()).from(Provenance::Asserted));
        return;
    }
    if let Some(own) = after.started.as_ref().filter(|own| own.is_before(ended)) {
        let gap = spoken(ended.earliest - own.latest);
        let reason = format!("it began {gap} before {name} had ended");
        let finding = Finding::of_rule(&audit::OVERLAP, "time", &own.said, reason);
        found.push(at, finding.against(against()).from(Provenance::Asserted));
    }
}

/// Times without an offset in a chain that has them elsewhere: the one is as good as the other, and they do not compare.
fn zones(chain: &Chain<'_>, found: &mut Found) {
    let others_have_one = chain.members().flat_map(|(_, claims)| claims.times()).any(Moment::is_exact);
    for (at, claims) in chain.members() {
        for moment in claims.times().filter(|moment| moment.precision == Precision::WithoutZone) {
            if others_have_one {
                let reason = "it has no offset, and other times of this task have one";
                let finding = Finding::of_rule(&audit::TIME_WITHOUT_ZONE, "time", &moment.said, reason);
                found.push(at, finding.from(Provenance::Asserted));
            }
        }
    }
}
