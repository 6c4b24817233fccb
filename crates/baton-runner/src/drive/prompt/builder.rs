//! The prompt of whoever works: builder, repair agent or specialist.

use std::fmt::Write as _;

use baton_engine::workflow::Role;

use super::form::{IN_LAST_MESSAGE, handoff_form};
use super::{Brief, plan};
use crate::desk::turn::Received;

pub(super) fn write(text: &mut String, brief: &Brief<'_>) {
    let received = brief.received;
    let task = &received.task;
    let stage = task.stage().map_or("", |stage| stage.name.as_str());
    let _ = writeln!(
        text,
        "You are the {} (@{}) for task {}, stage {stage}. You work alone: no one can answer while you work. Your last message \
         is your handoff.",
        role(received.turn.role),
        received.turn.agent,
        task.id
    );
    let _ = writeln!(text, "{}", received.context.trim_end());
    targets(text, &received.targets);
    if let Some(before) = &received.before {
        let _ = writeln!(text, "# What you build on\n{before}");
    }
    plan::taken(text, brief);
    checks_and_form(text, received);
}

/// Says what Baton runs and compares, and how the work is handed over.
pub(super) fn checks_and_form(text: &mut String, received: &Received) {
    checks(text, received);
    let form = handoff_form(&received.task, received.turn.role, IN_LAST_MESSAGE);
    let _ = writeln!(text, "# Handoff\n{}", form.trim_end());
}

pub(super) fn role(role: Role) -> &'static str {
    match role {
        Role::Repair => "repair agent",
        Role::Builder | Role::Verifier | Role::Specialist => role.name(),
    }
}

/// Continues the rules of the packet.
fn targets(text: &mut String, targets: &[String]) {
    if targets.is_empty() {
        return;
    }
    let named: Vec<String> = targets.iter().map(|target| format!("`{target}`")).collect();
    let _ = writeln!(
        text,
        "- Change only {}. If you need another file, stop: hand over as blocked, reason scope_change.",
        named.join(", ")
    );
}

/// Says what Baton runs, and what it compares.
fn checks(text: &mut String, received: &Received) {
    let _ = writeln!(text, "# Checks");
    if received.checks.is_empty() {
        let _ = writeln!(text, "Baton runs no command in this stage.");
    } else {
        let _ = writeln!(
            text,
            "Baton runs these on your files when you stop. Only these results count. Run them yourself first."
        );
    }
    for (checkpoint, run) in &received.checks {
        let _ = match run {
            Some(run) => writeln!(text, "- {checkpoint}: `{run}`"),
            None => writeln!(text, "- {checkpoint}: no command is set, so your reviewer has to settle it"),
        };
    }
    let results = if received.checks.is_empty() { "git" } else { "git and these results" };
    let changed = match received.task.stage().is_some_and(|stage| stage.must_change) {
        true => " Completed work that changed no file comes back.",
        false => "",
    };
    let _ = writeln!(
        text,
        "Baton compares what your handoff claims (files, lines, tests, exit codes, commits, criteria) with \
         {results}.{changed}"
    );
}
