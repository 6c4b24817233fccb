//! Attempts at one stage: counts that go down, and failures that turn into passes without any work.

use baton_handoff::rule::audit;

use super::{Chain, Found};
use crate::claims::{Claims, Judged};
use crate::finding::{Against, Finding, Provenance, Said};

pub(super) fn judge(chain: &Chain<'_>, found: &mut Found) {
    for group in chain.attempts() {
        let mut timed: Vec<_> = group.into_iter().filter(|(_, claims)| claims.latest().is_some()).collect();
        timed.sort_by_key(|(_, claims)| claims.latest().map(|moment| moment.earliest));
        for pair in timed.windows(2) {
            let [(earlier, before), (at, after)] = pair else { continue };
            let in_order =
                before.latest().zip(after.latest()).is_some_and(|(one, other)| one.is_before(other));
            if in_order {
                retry_count(before, *at, after, found);
                flips(chain, *earlier, *at, found);
            }
        }
    }
}

fn retry_count(before: &Claims, at: usize, after: &Claims, found: &mut Found) {
    let (Some((earlier, earlier_place)), Some((later, place))) = (before.retry_count, after.retry_count)
    else {
        return;
    };
    let said = Said::new(later.to_string(), place);
    if later < earlier {
        let reason = format!("the attempt before had a retry count of {earlier}");
        let against = Against::file(before.source.as_str(), Some(earlier_place.line), earlier.to_string());
        let finding =
            Finding::of_rule(&audit::RETRIES_WENT_DOWN, "retry-count", &said, reason).against(against);
        found.push(at, finding.from(Provenance::Inherited));
    } else {
        found.push(
            at,
            Finding::holds("retry-count", &said, "it does not go down").from(Provenance::Inherited),
        );
    }
}

fn flips(chain: &Chain<'_>, earlier: usize, at: usize, found: &mut Found) {
    let (before, after) = (chain.members[earlier].claims, chain.members[at].claims);
    for failed in before.checkpoints.iter().filter(|checkpoint| checkpoint.fails) {
        let same = |checkpoint: &&Judged| checkpoint.name.text == failed.name.text && checkpoint.passes;
        let Some(status) = after.checkpoints.iter().find(same).and_then(|passed| passed.status.as_ref())
        else {
            continue;
        };
        match (chain.changed_between)(earlier, at) {
            Some(false) => {
                let reason = "it failed in the attempt before, and nothing but handoffs was committed since";
                let line = failed.status.as_ref().map(|status| status.place.line);
                let against = Against::file(before.source.as_str(), line, "fail");
                found.push(
                    at,
                    Finding::of_rule(&audit::FLIPPED_WITHOUT_CHANGE, "checkpoint", status, reason)
                        .against(against),
                );
            }
            Some(true) => {
                found
                    .push(at, Finding::holds("checkpoint", status, "the repository changed since it failed"));
            }
            None => {}
        }
    }
}
