//! `session`: what an agent does whom somebody started themselves. One stage, no independent judgement: it ends
//! done-unverified at best. A project that wants checks there defines a workflow of this name.

use super::{Workflow, named, stage};

pub(super) fn workflow() -> Workflow {
    named(super::SESSION, vec![stage("work", "session", Vec::new())])
}
