//! `stages`: requirements, architecture, implementation, qa, with the checkpoints of stage documents.

use baton_handoff::project::Project;

use super::{Checkpoint, Form, SettledBy, Workflow, checkpoint, named, stage, verified_by};

/// Checkpoints that a command can settle; all others are a matter of judgement.
const SETTLED_BY_HOST: &[&str] = &["tests_passing", "no_lint_errors"];

pub(super) fn workflow() -> Workflow {
    let stages = Project::default().stages.into_iter().map(|known| {
        let checkpoints = known.checkpoints.iter().map(|name| settled(name)).collect();
        let mut stage = stage(&known.name, &format!("{}-agent", known.name), checkpoints);
        stage.form = Form::Frontmatter;
        stage.must_change = known.name == "implementation";
        if known.name == "qa" {
            stage.review = verified_by("verifier");
        }
        stage
    });
    named("stages", stages.collect())
}

fn settled(name: &str) -> Checkpoint {
    let by = if SETTLED_BY_HOST.contains(&name) { SettledBy::Host } else { SettledBy::Agent };
    checkpoint(name, by)
}
