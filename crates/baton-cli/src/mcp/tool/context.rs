//! `context`: what whoever takes a turn is told.

use baton_runner::desk::context::{ContextRequest, Kind, Performer, Scope};

use super::{Call, Changes, Outcome, Tool, failure, one_of, optional};
use crate::failure::Failure;

pub(super) const TOOL: Tool = Tool {
    name: "context",
    about: "What is known that matters to a task: guidance, criteria, files, patterns, warnings.",
    parameters: &[optional("task", ""), optional("kind", "all of one kind, e.g. warnings")],
    changes: Changes::Nothing,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Failure> {
    let desk = call.desk()?;
    let id = call.task_or_next(&desk)?;
    let scope = match call.arguments.optional("kind") {
        Some(kind) => Scope::All(one_of(kind, Kind::ALL, Kind::name)?),
        None => Scope::Turn,
    };
    let request = ContextRequest { role: None, budget_tokens: None, scope, performer: Performer::Guest };
    let packet = desk.context_for(&id, request).map_err(failure)?;
    Ok(Outcome::Told(packet.text.trim_end().to_owned()))
}
