//! What an agent is told: its role, the goal, the context, the rules, the checks, and the form of its handoff. Each fact once.
//!
//! The packet of the turn has the goal, the context and the rules; other doors show the same packet. This file puts the rest
//! around it.

mod builder;
mod form;
mod plan;
mod retry;
mod verifier;

use baton_engine::state::{Attempt, Task};
use baton_engine::workflow::Role;

use crate::desk::turn::Received;

pub(super) use verifier::diff_file;

pub use form::{HandIn, IN_FILE, IN_LAST_MESSAGE, TASK_FILE, WITH_TOOL, handoff_form};
pub use plan::form as plan_form;

/// Everything that a prompt is made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brief<'a> {
    pub(super) received: &'a Received,
    /// The agent remembers the task: only what is new is said.
    pub(super) is_resumed: bool,
    /// Where the whole diff is, for a verifier.
    pub(super) diff_file: Option<&'a str>,
}

/// Writes the prompt of a turn.
pub(super) fn brief(brief: &Brief<'_>) -> String {
    if let Some(text) = plan::step(brief) {
        return text;
    }
    let received = brief.received;
    let mut text = String::new();
    if received.turn.role == Role::Verifier {
        verifier::write(&mut text, brief);
        return text;
    }
    let news = retry::News::of(received);
    if !(brief.is_resumed && knows_stage(received) && !news.is_empty()) {
        builder::write(&mut text, brief);
    }
    if !news.is_empty() {
        retry::write(&mut text, brief, &news);
    }
    text
}

/// Says whether the session that is resumed was told of this stage: its last turn was one of it.
fn knows_stage(received: &Received) -> bool {
    let task = &received.task;
    let stage = task.stage().map(|stage| &stage.name);
    last_attempt(task, received).is_some_and(|last| Some(&last.stage) == stage)
}

/// Returns the turn before this one.
fn last_attempt<'t>(task: &'t Task, received: &Received) -> Option<&'t Attempt> {
    task.history.iter().rev().find(|attempt| attempt.turn != received.turn.id)
}
