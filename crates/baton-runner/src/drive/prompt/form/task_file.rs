//! The task file: what changed, what is claimed, what was learned, what comes next.

use super::Ask;

/// The form where no task is known. `this-task` and `AC-1` stand for the ids.
pub const FORM: &str = r#"```yaml
outcome: completed  # completed | partial | failed | blocked
understood: ""  # the goal and its limits, one sentence
summary: ""  # what changed, why, and what is left
files_created: []  # {path: src/new.rs, purpose: what it is for, lines: all}
files_modified: []  # {path: src/old.rs, lines: 10-18, change_type: modify | add | delete | refactor, description: what and why}
criteria: []  # {id: AC-1, claim: met | not_met, evidence: test or file:line}
commands: []  # checks you ran: {run: cargo test, exit_code: 0}
decisions: []  # {decision: what you chose, rationale: why}
patterns_discovered: []  # {pattern: the rule, location: src/old.rs, applies_to: [lowercase-tag]}
gotchas: []  # {issue: the trap, discovered_in: where, mitigation: how to avoid it, severity: low | medium | high}
dependencies_for_next: []  # to read next: {file: src/new.rs, reason: why}
open_questions: []  # {question: what is unclear, context: why it matters, options: [one, two], recommendation: one, confidence: low | medium | high, blocking: false | true}
suggested_next_steps: []  # {step: what comes next, priority: low | medium | high, depends_on: []}
blockers: []  # unless completed: {blocker: what is missing, impact: what can't be done, suggested_resolution: what would help, blocking_tasks: [this-task], reason: needs_human_input | external_dependency | scope_change}
```
"#;

/// What each outcome means, in two lines.
const OUTCOMES: &str = "Say what is true: an honest `partial` is better than a false `completed`, which comes back. `partial`: \
                        work is left (add suggested_next_steps and blockers). `blocked`: you need an answer, or something \
                        outside the project must change. `failed`: it can't be done this way. Omit empty keys.";

pub(super) fn text(ask: &Ask<'_>) -> String {
    let criteria = ask.task.criteria_in_force();
    let mut form = String::new();
    for line in FORM.lines() {
        if line == "```" {
            form.push_str(&ask.checkpoint_lines("", 0));
        }
        if line.starts_with("criteria:") && criteria.is_empty() {
            continue;
        }
        form.push_str(line);
        form.push('\n');
    }
    let form = form.replace("this-task", ask.task.id.as_str());
    let form = match criteria.iter().next() {
        Some(first) => form.replace("AC-1", first.as_str()),
        None => form,
    };
    format!("{}. {OUTCOMES}\n{form}", ask.hand_in.of("one YAML block"))
}
