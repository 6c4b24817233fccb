//! The `handoff:` block of a completion summary.

use super::Ask;

/// The checkpoint that the form itself claims.
const BY_FORM: &str = "summary_complete";

pub(super) fn text(ask: &Ask<'_>) -> String {
    let stage = ask.stage();
    let next = ask.task.workflow.stage(ask.task.stage_index + 1);
    let to = next.map_or("None".to_owned(), |next| format!("@{}", next.agent));
    let agent = ask.turn().map(|turn| &turn.agent).or(stage.map(|stage| &stage.agent));
    let routes: Vec<String> =
        stage.into_iter().flat_map(|stage| &stage.routes).map(|agent| format!("@{agent}")).collect();
    let routes = match routes.is_empty() {
        true => String::new(),
        false => format!("; if it failed, who must fix it: {}", routes.join(", ")),
    };
    let checkpoints = ask.checkpoint_lines(BY_FORM, 2);
    format!(
        "{}. Write what you did and found above it, in a few sentences. `complete` claims that the phase is done.\n\
         ```yaml\n\
         handoff:\n  \
           phase: {}\n  \
           from: \"@{}\"\n  \
           to: \"{to}\"  # who continues{routes}\n  \
           status: complete  # complete | in_progress | failed | blocked\n  \
           retry_count: {}\n  \
           metrics: {{}}  # figures you measured: {{tests_passed: 12, files_modified: 2}}\n  \
           dependencies: []  # ids of tasks that this one depends on\n  \
           on_failure: {{}}  # only if it failed: {{context: what must be fixed}}\n  \
           context: {{}}  # what the next agent must know: {{summary: what changed and why, decisions: what was chosen and why}}\n\
         {checkpoints}```\n",
        ask.hand_in.of("one YAML block"),
        stage.map_or("", |stage| stage.name.as_str()),
        agent.map_or("", |agent| agent.as_str()),
        ask.retries(),
    )
}
