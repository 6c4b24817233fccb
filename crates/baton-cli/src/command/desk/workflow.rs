//! `baton workflow`: the workflows that tasks can go through.

use baton_runner::Service;
use baton_runner::desk::tell::dollars;
use baton_runner::desk::workflows::{self, Limits, Stage, WorkflowState};
use serde_json::{Value, json};

use super::{json, told};
use crate::command::Done;
use crate::failure::Failure;
use crate::output::printable;

/// List and show the workflows that tasks can go through
///
/// Five come with Baton. `[workflows.NAME]` in `baton.toml` defines others, or puts one in the place of a built-in one.
#[derive(clap::Args, Debug)]
pub(crate) struct Workflow {
    #[command(subcommand)]
    what: WorkflowCommand,
}

#[derive(clap::Subcommand, Debug)]
enum WorkflowCommand {
    /// List all workflows
    List {
        /// One JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show the stages of one workflow
    Show {
        /// The workflow, as the list names it
        name: String,
        /// One JSON document
        #[arg(long)]
        json: bool,
    },
}

impl Workflow {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let all = workflows::all(&service.workflows);
        match &self.what {
            WorkflowCommand::List { json: true } => {
                let all: Vec<Value> = all.iter().map(row).collect();
                json(&json!({ "version": 1, "workflows": all }))
            }
            WorkflowCommand::List { json: false } => {
                let lines: Vec<String> = all
                    .iter()
                    .map(|known| {
                        let stages: Vec<&str> =
                            known.workflow.stages.iter().map(|stage| stage.name.as_str()).collect();
                        format!(
                            "{:<16} {:<12} {}",
                            known.workflow.name.as_str(),
                            origin(known),
                            stages.join(" → ")
                        )
                    })
                    .collect();
                Ok(told(&lines.join("\n")))
            }
            WorkflowCommand::Show { name, json: as_json } => {
                let Some(known) = all.iter().find(|known| known.workflow.name.as_str() == name) else {
                    let what = format!("there is no workflow `{}`", printable(name));
                    return Err(Failure::usage(&what, "`baton workflow list` names them all"));
                };
                match as_json {
                    true => {
                        json(&json!({ "version": 1, "origin": origin(known), "workflow": known.workflow }))
                    }
                    false => Ok(told(&shown(known))),
                }
            }
        }
    }
}

fn origin(known: &WorkflowState) -> &'static str {
    if known.is_own { "baton.toml" } else { "built in" }
}

fn row(known: &WorkflowState) -> Value {
    let stages: Vec<&str> = known.workflow.stages.iter().map(|stage| stage.name.as_str()).collect();
    json!({ "name": known.workflow.name.as_str(), "origin": origin(known), "stages": stages })
}

fn shown(known: &WorkflowState) -> String {
    let workflow = &known.workflow;
    let mut text = format!("{} ({})\n", workflow.name, origin(known));
    for (number, stage) in workflow.stages.iter().enumerate() {
        text.push_str(&format!(
            "\n{}. {}: @{} as {}\n",
            number + 1,
            stage.name,
            stage.agent,
            stage.role.name()
        ));
        text.push_str(&stage_lines(stage));
    }
    let more = [
        workflow.budget_microdollars.map(dollars),
        workflow.budget_ms.map(|ms| format!("{} minutes of work", minutes(ms))),
    ];
    let more: String = more.into_iter().flatten().map(|bound| format!(", {bound}")).collect();
    text.push_str(&format!(
        "\nafterwards: {}\nat most {} rounds of questions and {} tokens{more} for a task",
        workflows::integration_words(workflow),
        workflow.clarification_rounds_max,
        workflow.budget_tokens
    ));
    text
}

fn stage_lines(stage: &Stage) -> String {
    let mut text = String::new();
    let mut line = |words: String| text.push_str(&format!("   {words}\n"));
    for (words, names) in workflows::conditions(stage) {
        if !names.is_empty() {
            line(format!("{words}: {}", names.join(", ")));
        }
    }
    for gate in &stage.gates {
        line(format!("gate {} ({}): {}", gate.name, workflows::weight_name(gate), gate.items.join("; ")));
    }
    line(format!("retries: at most {}; for a turn {}", stage.limits.retries_max, of_turn(&stage.limits)));
    for role in stage.role_limits.keys() {
        line(format!("as {}: for a turn {}", role.name(), of_turn(&stage.limits_for(*role))));
    }
    if !stage.routes.is_empty() {
        let names: Vec<String> = stage.routes.iter().map(|agent| format!("@{agent}")).collect();
        line(format!("a handoff can name {}", names.join(", ")));
    }
    let failure = &stage.on_failure;
    if let Some(agent) = &failure.route_to {
        line(format!("failures go to @{agent}"));
    }
    if let Some(agent) = &failure.notify {
        line(format!("@{agent} is told of failures"));
    }
    if let Some(count) = failure.escalate_after {
        line(format!("after {count} failures a person decides"));
    }
    text
}

/// Returns what a turn may take, in words.
fn of_turn(limits: &Limits) -> String {
    let more = [
        limits.turn_microdollars.map(dollars),
        limits.turn_output_mib.map(|mib| format!("{mib} MiB of output")),
        limits.turn_commands.map(|count| format!("{count} commands")),
    ];
    let more: String = more.into_iter().flatten().map(|bound| format!(", {bound}")).collect();
    format!("{} minutes and {} tokens{more}", minutes(limits.turn_ms), limits.turn_tokens)
}

fn minutes(ms: i64) -> f64 {
    ms as f64 / 60_000.0
}
