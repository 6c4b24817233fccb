//! Attempts at one stage: counts that go down, and failures that turn into passes without any work.

use baton_handoff::rule::audit;

use super::{Case, Rows};
use crate::audit::dossier::{Dossier, Judged};
use crate::audit::row::{Against, Provenance, Row, Said};

pub(super) fn inspect(case: &Case<'_>, rows: &mut Rows) {
    for group in case.attempts() {
        let mut timed: Vec<_> = group.into_iter().filter(|(_, dossier)| dossier.latest().is_some()).collect();
        timed.sort_by_key(|(_, dossier)| dossier.latest().map(|moment| moment.earliest));
        for pair in timed.windows(2) {
            let [(earlier, before), (at, after)] = pair else { continue };
            let in_order =
                before.latest().zip(after.latest()).is_some_and(|(one, other)| one.is_before(other));
            if in_order {
                retry_count(before, *at, after, rows);
                flips(case, *earlier, *at, rows);
            }
        }
    }
}

fn retry_count(before: &Dossier, at: usize, after: &Dossier, rows: &mut Rows) {
    let (Some((earlier, earlier_place)), Some((later, place))) = (before.retry_count, after.retry_count)
    else {
        return;
    };
    let said = Said::new(later.to_string(), place);
    if later < earlier {
        let reason = format!("the attempt before had a retry count of {earlier}");
        let against = Against::file(before.shown_path(), Some(earlier_place.line), earlier.to_string());
        let row = Row::finding(&audit::RETRIES_WENT_DOWN, "retry-count", &said, reason).against(against);
        rows.push(at, row.from(Provenance::Inherited));
    } else {
        rows.push(at, Row::holds("retry-count", &said, "it does not go down").from(Provenance::Inherited));
    }
}

fn flips(case: &Case<'_>, earlier: usize, at: usize, rows: &mut Rows) {
    let (before, after) = (&case.dossiers[earlier], &case.dossiers[at]);
    for failed in before.checkpoints.iter().filter(|checkpoint| checkpoint.fails) {
        let same = |checkpoint: &&Judged| checkpoint.name.text == failed.name.text && checkpoint.passes;
        let Some(status) = after.checkpoints.iter().find(same).and_then(|passed| passed.status.as_ref())
        else {
            continue;
        };
        match case.world.changed_between(earlier, at) {
            Some(false) => {
                let reason = "it failed in the attempt before, and nothing but handoffs was committed since";
                let line = failed.status.as_ref().map(|status| status.place.line);
                let against = Against::file(before.shown_path(), line, "fail");
                rows.push(
                    at,
                    Row::finding(&audit::FLIPPED_WITHOUT_CHANGE, "checkpoint", status, reason)
                        .against(against),
                );
            }
            Some(true) => {
                rows.push(at, Row::holds("checkpoint", status, "the repository changed since it failed"));
            }
            None => {}
        }
    }
}
