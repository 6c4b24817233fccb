//! `session`: what an agent does whom somebody started themselves. One stage, no independent judgement: it ends
//! done-unverified at best. A project that wants checks there defines a workflow of this name.

use super::{Workflow, named, stage};

pub(super) fn workflow() -> Workflow {
    let mut work = stage("work", "session", Vec::new());
    work.must_change = true;
    named(super::SESSION, vec![work])
}
