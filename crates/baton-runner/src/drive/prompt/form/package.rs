//! The package that one agent hands to the next, after an acknowledgment of the one it got.

use super::Ask;

/// The checkpoint that the form itself claims.
const BY_FORM: &str = "artifacts_listed";

pub(super) fn text(ask: &Ask<'_>) -> String {
    let stage = ask.stage();
    let agent = ask.turn().map(|turn| &turn.agent).or(stage.map(|stage| &stage.agent));
    let agent = agent.map_or("", |agent| agent.as_str());
    let to = ask.next().unwrap_or_else(|| agent.to_owned());
    let (acknowledgment, blocks) = acknowledgment(ask);
    let checkpoints = ask.checkpoint_lines(BY_FORM, 2);
    format!(
        "{}. Name every file that you created in `artifacts`. To ask your reviewer, write `to: {{agent: human, reason: …}}` with an \
         open question of priority high.\n\
         {acknowledgment}\
         ```yaml\n\
         handoff:\n  \
           id: {}\n  \
           timestamp: \"{}\"\n  \
           from: {{agent: {agent}, step: \"{}\"}}\n  \
           to: {{agent: {to}, reason: \"\"}}  # who continues, and why\n  \
           context:\n    \
             summary: \"\"  # what you did, with figures and names, in 2 or 3 sentences\n    \
             decisions: []  # {{id: D-1, decision: what, rationale: why}}\n    \
             artifacts: []  # {{path: docs/new.md, type: doc | spec | code | config, description: what it is}}\n    \
             open_questions: []  # {{question: what is unclear, priority: low | medium | high, context: why it matters}}\n  \
           expectations:\n    \
             deliverable: \"\"  # what {to} must deliver\n    \
             constraints: []  # a limit for {to}: \"Only files in src/\"\n    \
             success_criteria: []  # a result that someone can measure: \"All 12 tests pass\"\n\
         {checkpoints}```\n",
        ask.hand_in.of(blocks),
        ask.id("handoff"),
        ask.began(),
        ask.task.stage_index + 1,
    )
}

/// Asks for an acknowledgment where there is something to acknowledge.
fn acknowledgment(ask: &Ask<'_>) -> (String, &'static str) {
    let sender = ask.task.stage_index.checked_sub(1).and_then(|before| ask.task.workflow.stage(before));
    let Some(sender) = sender.filter(|_| ask.task.run.inbound.is_some()) else {
        return (String::new(), "one YAML block");
    };
    let text = format!(
        "```yaml\n\
         acknowledgment:\n  \
           received: true\n  \
           from: {}\n  \
           understood: {{task: \"\", constraints: \"\"}}  # the task and its limits in your words\n  \
           questions: []  # {{question: what is missing, priority: high | medium | low}}\n  \
           starting: true  # false if you can't start\n\
         ```\n",
        sender.agent
    );
    (text, "two YAML blocks, the acknowledgment of what you got and your own package")
}
