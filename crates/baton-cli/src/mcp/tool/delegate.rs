//! `delegate` and `return`: work goes to somebody else, and comes back.

use baton_runner::desk::delegation::Order;
use baton_runner::desk::{AgentName, DeskError, WorkflowName};

use super::{Call, Changes, Outcome, Tool, failure, needed, optional, shown};
use crate::failure::Failure;

/// The workflow of delegated work when none is named.
const WORKFLOW: &str = "single";

pub(super) const DELEGATE: Tool = Tool {
    name: "delegate",
    about: "Give part of your task to an agent in `routes` of its stage, and wait for it.",
    parameters: &[
        needed("task", ""),
        needed("to", "@name"),
        needed("deliverable", ""),
        optional("workflow", ""),
    ],
    changes: Changes::Record,
    run: delegate,
};

pub(super) const RETURN: Tool = Tool {
    name: "return",
    about: "Hand delegated work back to whoever waits for it.",
    parameters: &[needed("task", ""), optional("document", ""), optional("file", "")],
    changes: Changes::Record,
    run: hand_back,
};

fn delegate(call: &Call<'_>) -> Result<Outcome, Failure> {
    let (mut desk, id) = (call.desk()?, call.task()?);
    let word = |error| failure(DeskError::Word(error));
    let order = Order {
        to: AgentName::new(call.arguments.text("to").trim_start_matches('@')).map_err(word)?,
        deliverable: call.arguments.text("deliverable").to_owned(),
        workflow: WorkflowName::new(call.arguments.optional("workflow").unwrap_or(WORKFLOW)).map_err(word)?,
        child: None,
        budget_tokens: None,
    };
    let child = desk.delegate(&id, order).map_err(failure)?;
    Ok(Outcome::Told(format!(
        "{id} waits for {child}; whoever does it calls `receive`, then `return`, with task {child}"
    )))
}

fn hand_back(call: &Call<'_>) -> Result<Outcome, Failure> {
    let (mut desk, id) = (call.desk()?, call.task()?);
    let Some(document) = call.arguments.document(desk.root())? else {
        return Err(Failure::usage(
            "there is no document",
            "give its text as `document`, or its path as `file`",
        ));
    };
    let back = desk.hand_back(&id, &document, &call.service.project).map_err(failure)?;
    let mut text = format!("{}{}", shown::checks(&back.checks), shown::decision(&back.decided));
    let caller = &back.caller;
    match &back.result {
        Some(result) => text.push_str(&format!("{caller} has it as {result}")),
        None => {
            let task = desk.task(&id).map_err(failure)?;
            text.push_str(&format!("{caller} still waits: {id} is {}", task.status().kind().name()));
        }
    }
    Ok(Outcome::Told(text))
}
