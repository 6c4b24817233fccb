//! `phases`: the eight phases of completion summaries, with failures routed back to who can mend them.

use baton_handoff::project::Project;

use super::{Form, SettledBy, Workflow, checkpoint, named, stage, verified_by};
use crate::word::AgentName;

const IMPLEMENTER: &str = "implementation-agent";
const MANAGER: &str = "project-manager";

pub(super) fn workflow() -> Workflow {
    let stages = Project::default().phases.into_iter().map(|phase| {
        let agent = format!("{}-agent", phase.to_ascii_lowercase());
        let (name, settled_by) = match phase.as_str() {
            "Implementation" => ("build_passes", SettledBy::Host),
            "Testing" | "Integration" | "QA" => ("tests_pass", SettledBy::Host),
            _ => ("summary_complete", SettledBy::Agent),
        };
        let mut stage = stage(&phase, &agent, vec![checkpoint(name, settled_by)]);
        stage.form = Form::Summary;
        stage.must_change = phase == "Implementation";
        stage.limits.retries_max = 2;
        stage.on_failure.notify = Some(AgentName::fixed(MANAGER));
        stage.on_failure.escalate_after = Some(3);
        if matches!(phase.as_str(), "Testing" | "Integration") {
            stage.on_failure.route_to = Some(AgentName::fixed(IMPLEMENTER));
        }
        if phase == "Complete" {
            stage.review = verified_by("verifier");
        }
        stage
    });
    named("phases", stages.collect()).routed_among_stages()
}
