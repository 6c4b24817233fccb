//! The prompt that asks for a build plan, and the one that begins the work after it.

use std::fmt::Write as _;

use baton_engine::state::Task;
use serde_json::{Map, Value, json};

use super::form::question;
use super::{Brief, builder, retry};
use crate::desk::plan::PLAN;
use crate::desk::turn::Received;

const MS_PER_MINUTE: i64 = 60_000;

/// Returns the prompt of a step that isn't the usual work: the plan that is owed, or the work after it in the same session.
pub(super) fn step(brief: &Brief<'_>) -> Option<String> {
    let Received { task, turn, .. } = brief.received;
    if task.owes_plan() {
        return Some(ask(brief));
    }
    let is_own = task.run.plan.as_ref().is_some_and(|taken| taken.turn == turn.id);
    (is_own && brief.is_resumed).then(|| {
        let mut text = format!(
            "Baton took your plan for task {}. Now do the work as you planned it. A change outside the plan's file targets \
             goes to your reviewer.\n",
            task.id
        );
        builder::checks_and_form(&mut text, brief.received);
        text
    })
}

/// Adds the plan that binds the work, for an agent that doesn't remember it.
pub(super) fn taken(text: &mut String, brief: &Brief<'_>) {
    let Some(plan) = brief.received.plan.as_ref().filter(|_| !is_remembered(brief)) else { return };
    let _ = writeln!(
        text,
        "# Plan\nBaton took this plan before the work. Follow it: a change outside its `file_targets` goes to your reviewer. If \
         you can't do the work within it, stop and end your last message with another plan and nothing else.\n\
         ```json\n{}\n```",
        plan.trim()
    );
}

/// Says whether the plan is in the session that is resumed: it was made there, by a program.
fn is_remembered(brief: &Brief<'_>) -> bool {
    let Received { task, turn, .. } = brief.received;
    let made_in = task.run.plan.as_ref().map(|taken| &taken.turn);
    let maker = task.history.iter().find(|attempt| Some(&attempt.turn) == made_in);
    let is_own = maker.is_some_and(|maker| maker.agent == turn.agent && maker.performer == turn.performer);
    brief.is_resumed && is_own
}

/// Asks for the plan.
fn ask(brief: &Brief<'_>) -> String {
    let received = brief.received;
    let Received { task, turn, .. } = received;
    let stage = task.stage().map_or("", |stage| stage.name.as_str());
    let mut text = format!(
        "# Plan task {}\nYou are the {} (@{}) for stage {stage}. This stage needs a build plan before the first change. Read what you \
         need, change no file, and end your last message with the plan. When Baton takes it, you get the order to do the \
         work.\n",
        task.id,
        builder::role(turn.role),
        turn.agent,
    );
    if !brief.is_resumed {
        let _ = writeln!(text, "{}", received.context.trim_end());
    }
    retry::reviewers(&mut text, task);
    if let Some(feedback) = &received.news {
        let _ = writeln!(text, "\n{}\n", feedback.trim());
    }
    let _ = writeln!(
        text,
        "# Plan\n{}",
        form(received, "End your last message with one block of this form").trim_end()
    );
    let _ = writeln!(
        text,
        "If you can't plan without an answer from your reviewer, end with this block instead:\n{}",
        question(&task.id)
    );
    text
}

/// Returns how a build plan is handed in, after words that say where.
pub fn form(received: &Received, opening: &str) -> String {
    let task = &received.task;
    let criteria: Vec<String> = received.criteria.iter().map(|criterion| criterion.id.to_string()).collect();
    let coverage: Map<String, Value> =
        criteria.iter().map(|id| (id.clone(), json!("which change and which validation cover it"))).collect();
    let example = json!({
        "artifact_type": PLAN,
        "waypoint_id": task.id.as_str(),
        "file_targets": ["path/to/file"],
        "validation_plan": ["a command to run, and what it must show"],
        "criterion_coverage": coverage,
        "budget": { "tokens": 20_000, "minutes": 10 },
    });
    let mut text = format!("{opening}:\n\n```json\n{example:#}\n```\n\n");
    let within = match received.targets.as_slice() {
        [] => String::new(),
        targets => format!(" All must be within the task's targets: `{}`.", targets.join("`, `")),
    };
    let _ = writeln!(
        text,
        "- `file_targets`: every file, folder or pattern that you will change, from the root of the project.{within}"
    );
    let host: Vec<String> =
        received.checks.iter().filter_map(|(_, run)| Some(format!("`{}`", run.as_ref()?))).collect();
    let host = match host.as_slice() {
        [] => String::new(),
        runs => format!(" Baton itself will run {}.", runs.join(", ")),
    };
    let _ = writeln!(text, "- `validation_plan`: how you will show that the work is right.{host}");
    let _ = writeln!(text, "- `criterion_coverage`: {}", coverage_rule(&criteria));
    let _ =
        writeln!(text, "- `budget`: what the work may use, as one amount or more.{}", limits(task, received));
    text
}

fn coverage_rule(criteria: &[String]) -> String {
    match criteria {
        [] => "empty, because the task has no criteria.".to_owned(),
        criteria => {
            format!("one entry for each criterion of the task, and no other: {}.", criteria.join(", "))
        }
    }
}

fn limits(task: &Task, received: &Received) -> String {
    let Some(limits) = task.limits_for(received.turn.role) else { return String::new() };
    let minutes = limits.turn_ms / MS_PER_MINUTE;
    format!(" Plan and work together have {} tokens and {minutes} minutes.", limits.turn_tokens)
}
