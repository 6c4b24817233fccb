//! `single`: one builder who checks its own work. It ends done-unverified, never verified.

use super::{SettledBy, Workflow, checkpoint, named, stage};

pub(super) fn workflow() -> Workflow {
    let mut build = stage("build", "builder", vec![checkpoint("validation", SettledBy::Host)]);
    build.must_change = true;
    named("single", vec![build])
}
