//! `single`: one builder who checks its own work. It ends done-unverified, never verified.

use super::{SettledBy, Workflow, checkpoint, named, stage};

pub(super) fn workflow() -> Workflow {
    named("single", vec![stage("build", "builder", vec![checkpoint("validation", SettledBy::Host)])])
}
