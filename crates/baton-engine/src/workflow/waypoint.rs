//! `waypoint`: a builder with a plan, the host's receipt, an independent verifier, a repair agent, a merge.

use super::{Form, Integration, Plan, SettledBy, Workflow, checkpoint, named, stage, verified_by};
use crate::word::AgentName;

pub(super) fn workflow() -> Workflow {
    let mut build = stage("build", "builder", vec![checkpoint("validation", SettledBy::Host)]);
    build.form = Form::BuildArtifact;
    build.plan = Plan::Required;
    build.must_change = true;
    build.review = verified_by("verifier");
    build.on_failure.route_to = Some(AgentName::fixed("repair"));
    Workflow { integration: Integration::Merge, ..named("waypoint", vec![build]) }
}
