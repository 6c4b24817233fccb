//! Runs the project's own checks in a clean checkout, and holds passes against what came of them.

use baton_handoff::rule::audit;

use baton_evidence::finding::{Against, Finding, Provenance};

use super::report::Rows;
use super::world::World;
use crate::check_run::{self, CheckRoom};
use crate::config::Check;
use crate::git::{GitError, Repository};
use crate::sandbox::Demand;
use crate::scratch::Scratch;
use crate::settled::Settled;

/// What running a check showed.
#[derive(Clone, Debug)]
pub(super) struct Observation {
    checkpoint: String,
    verdict: Settled,
    /// The command line, and how it ended.
    told: String,
}

/// Runs all checks on the commit that is checked out.
pub(super) fn observe(repository: &Repository, checks: &[Check]) -> Result<Vec<Observation>, GitError> {
    let Some(head) = repository.head() else { return Ok(Vec::new()) };
    let folder = Scratch::new().map_err(|error| GitError::workshop(&error))?;
    let checkout = folder.path().join("checkout");
    repository.checkout(head, &checkout)?;
    let room = CheckRoom::of_copy(&checkout, repository.root(), Demand::WhereAvailable);
    Ok(checks
        .iter()
        .map(|check| {
            let run = check_run::run(check, &room, &|_| {});
            let verdict = Settled::of_command_alone(&check.run, &run);
            let told =
                format!("`{}` {} in a checkout of {}", check.run.join(" "), run.how.told(), head.short());
            Observation { checkpoint: check.checkpoint.clone(), verdict, told }
        })
        .collect())
}

/// Holds the last pass of each checkpoint in a chain against what was observed.
pub(super) fn compare(world: &World<'_>, members: &[usize], observations: &[Observation], rows: &mut Rows) {
    for observation in observations {
        let claim = members.iter().rev().find_map(|&at| {
            let checkpoints = &world.dossier(at).checkpoints;
            let is_it = |name: &str| name.trim() == observation.checkpoint;
            let judged = checkpoints.iter().find(|judged| judged.passes && is_it(&judged.name.text))?;
            Some((at, judged.status.as_ref()?))
        });
        let Some((at, status)) = claim else { continue };
        let against = Against::file(observation.told.as_str(), None, "");
        let row = match &observation.verdict {
            Settled::Pass => Finding::holds("checkpoint", status, "the check passes when it is run"),
            Settled::Inconclusive(reason) => {
                let reason = format!("the check was run and settles nothing: {reason}");
                Finding::not_checkable(&audit::FAILS_WHEN_RUN, "checkpoint", status, reason)
            }
            Settled::Fail | Settled::Contradicts(_) => match world.changed_since(at) {
                Some(false) => {
                    let reason = "its check fails when it is run";
                    Finding::of_rule(&audit::FAILS_WHEN_RUN, "checkpoint", status, reason)
                }
                Some(true) | None => {
                    let reason = "its check fails now; the code changed since";
                    Finding::of_rule(&audit::FAILS_WHEN_RUN, "checkpoint", status, reason).unsupported()
                }
            },
        };
        rows.push(at, row.against(against).from(Provenance::Observed));
    }
}
