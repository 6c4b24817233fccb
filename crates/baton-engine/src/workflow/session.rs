//! `session`: what an agent does that somebody started themselves. One stage, no independent judgement: it ends
//! done-unverified at best. It has every check of the project; a project that wants other ones defines a workflow of this name.

use super::{Checkpoint, SettledBy, Workflow, named, stage};
use crate::word::CheckpointName;

pub(super) fn workflow() -> Workflow {
    of_checks(Vec::new())
}

pub(super) fn of_checks(checks: Vec<CheckpointName>) -> Workflow {
    let host = |name| Checkpoint { name, settled_by: SettledBy::Host };
    let mut work = stage("work", "session", checks.into_iter().map(host).collect());
    work.must_change = true;
    named(super::SESSION, vec![work])
}
