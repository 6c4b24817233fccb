//! The commands with which work goes to somebody else, and comes back.

use std::path::PathBuf;

use baton_runner::Service;
use baton_runner::desk::delegation::Order;
use baton_runner::desk::{AgentName, Id, WorkflowName, tell};

use super::act::check_lines;
use super::{Who, document, failure, task_id, told};
use crate::command::Done;

command! {
    /// Give part of your work to somebody else, and wait for it
    ///
    /// A task is added for it, which is carried as any other. Your turn stays yours and waits. When the new task has ended,
    /// however it ended, the result comes back to you: `baton show TASK result-d1`. Chains of delegations are bounded in
    /// depth and number, and never go in a circle.
    Delegate {
        /// Who gets it, as `@name`
        to: String,
        /// What you want to have
        deliverable: String,
        /// The workflow it goes through, as `baton workflow list` names them
        #[arg(long, default_value = "single")]
        workflow: String,
        /// The id of the new task; made from this one's when not given
        #[arg(long, value_name = "TASK", value_parser = task_id)]
        child: Option<Id>,
        /// Tokens set aside for it; half of what is left when not given
        #[arg(long, value_name = "TOKENS")]
        budget: Option<u64>,
    } |desk, args, _service| {
        let order = Order {
            to: AgentName::new(args.to.trim_start_matches('@')).map_err(|error| failure(error.into()))?,
            deliverable: args.deliverable.clone(),
            workflow: WorkflowName::new(args.workflow.as_str()).map_err(|error| failure(error.into()))?,
            child: args.child.clone(),
            budget_tokens: args.budget,
        };
        let child = desk.delegate(&args.id, order).map_err(failure)?;
        Ok(told(&format!(
            "{} waits for {child}; next: `baton receive {child}`, then `baton return {child} FILE`",
            args.id
        )))
    }
}

command! {
    /// Hand delegated work back to whoever waits for it
    ///
    /// Hands the document over, runs the host's checks and takes the decision that is due, in one go. When that ends the
    /// task, the caller has the result at once; when it does not, you are told what is missing.
    Return {
        /// The document; `-` is standard input
        file: PathBuf,
    } |desk, args, service| {
        let back = desk.hand_back(&args.id, &document(&args.file)?, &service.project).map_err(failure)?;
        let mut text = String::new();
        if !back.checks.is_empty() {
            text.push_str(&format!("{}\n", check_lines(&back.checks)));
        }
        let decided = &back.decided;
        text.push_str(&format!("{} because of {}\n", decided.disposition.name(), decided.reason.name()));
        if let Some(feedback) = &decided.feedback {
            text.push_str(&format!("\n{feedback}\n"));
        }
        let (id, caller) = (&args.id, &back.caller);
        match &back.result {
            Some(result) => text.push_str(&format!(
                "{caller} has the result; next: whoever holds its turn reads `baton show {caller} {result}` and goes on"
            )),
            None => {
                let now = tell::status(&desk.task(id).map_err(failure)?);
                text.push_str(&format!("{caller} still waits, for {id} is {now}; next: `baton why {id}`"));
            }
        }
        Ok(told(&text))
    }
}
