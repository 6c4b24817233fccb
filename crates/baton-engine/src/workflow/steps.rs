//! `steps`: specification, architecture, implementation, review; a person opens the gate after each of the first two.

use super::{Form, GateRule, GateWeight, SettledBy, Stage, Workflow, checkpoint, named, stage, verified_by};
use crate::word::GateName;

pub(super) fn workflow() -> Workflow {
    let mut review = stage("review", "review", vec![checkpoint("tests_pass", SettledBy::Host)]);
    review.review = verified_by("verifier");
    review.gates = vec![gate("release", GateWeight::Informing, &["What will be released"])];
    let mut implementation = stage(
        "implementation",
        "implementation",
        vec![checkpoint("build_passes", SettledBy::Host), checkpoint("tests_pass", SettledBy::Host)],
    );
    implementation.must_change = true;
    let mut stages = vec![gated("specification"), gated("architecture"), implementation, review];
    for step in &mut stages {
        step.form = Form::Package;
    }
    named("steps", stages).routed_among_stages()
}

fn gated(name: &str) -> Stage {
    let mut step = stage(name, name, vec![checkpoint("artifacts_listed", SettledBy::Agent)]);
    step.gates = vec![gate(
        &format!("{name}-approved"),
        GateWeight::Blocking,
        &["It says what is wanted", "Open questions are answered"],
    )];
    step
}

fn gate(name: &str, weight: GateWeight, items: &[&str]) -> GateRule {
    let items = items.iter().map(|item| (*item).to_owned()).collect();
    GateRule { name: GateName::fixed(name), weight, items }
}
