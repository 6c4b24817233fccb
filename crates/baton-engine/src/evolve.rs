//! How an event changes the state. Total: every recorded event applies, in any order, and none of them can fail.

mod judged;
mod lifecycle;
mod talk;

use crate::event::{Entry, Event};
use crate::knowledge::lesson::{Decree, Decreed};
use crate::state::{Covenant, Refused, State};

/// Folds one event in.
#[must_use]
pub fn evolve(mut state: State, entry: &Entry) -> State {
    state.version = entry.version;
    match &entry.event {
        Event::Unknown { kind, .. } => {
            state.unknown.insert(kind.clone());
        }
        Event::TaskAdded { .. } => lifecycle::task_added(&mut state, entry),
        Event::CommandRefused { command, refusal, .. } => {
            state.refused.insert(Refused::new(&entry.actor, command, refusal));
        }
        _ if project(&mut state, entry) => {}
        _ => {
            if let Some(task) = state.task.as_mut() {
                task.changed_at = entry.at;
                let _known =
                    lifecycle::apply(task, entry) || talk::apply(task, entry) || judged::apply(task, entry);
            }
        }
    }
    state
}

/// Folds many events into what was there before.
#[must_use]
pub fn fold<'a>(state: State, entries: impl IntoIterator<Item = &'a Entry>) -> State {
    entries.into_iter().fold(state, evolve)
}

fn project(state: &mut State, entry: &Entry) -> bool {
    let project = &mut state.project;
    let decree = |standing, words: &String| Decree {
        standing,
        person: entry.actor.name.clone(),
        words: words.clone(),
        at: entry.at,
    };
    match &entry.event {
        Event::CovenantAdopted { version, policy_hash } => {
            project.covenant = Some(Covenant { version: *version, policy_hash: policy_hash.clone() });
        }
        Event::WorkflowDefined { workflow } => {
            project.workflows.insert(workflow.name.clone(), workflow.clone());
        }
        Event::DependencyDeclared { task, on } => {
            project.edges.entry(task.clone()).or_default().insert(on.clone());
        }
        Event::Paused { reason } => project.paused = Some(reason.clone()),
        Event::Resumed {} => project.paused = None,
        Event::LessonApproved { lesson, text, detail, words } => {
            let approved = Decreed::Approved { text: text.clone(), detail: detail.clone() };
            project.lessons.insert(lesson.clone(), decree(approved, words));
        }
        Event::LessonRetired { lesson, words } => {
            project.lessons.insert(lesson.clone(), decree(Decreed::Retired, words));
        }
        _ => return false,
    }
    true
}

#[cfg(test)]
pub(crate) mod tests;
