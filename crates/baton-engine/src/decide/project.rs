//! Guidance, workflows, the completion graph, the pause, and what people say of lessons.

use super::Decided;
use crate::command::{Act, Command, Context};
use crate::event::Event;
use crate::knowledge::lesson::{Decreed, is_id_of};
use crate::rejection::{Refusal, Rejection};
use crate::state::State;
use crate::word::{LessonId, TaskId};

/// Most tasks that one task can wait for.
pub(crate) const DEPENDENCIES_MAX: usize = 2000;
/// Longest reason that a person gives for a lesson, in bytes.
const WORDS_BYTES_MAX: usize = 4000;

pub(super) fn decide(state: &State, command: &Command, context: &Context) -> Decided {
    let project = &state.project;
    match &command.act {
        Act::AdoptCovenant { version, policy_hash } => {
            let same = project.covenant.as_ref().is_some_and(|known| known.policy_hash == *policy_hash);
            match same {
                true => Err(Refusal::AlreadySo.into()),
                false => {
                    Ok(vec![Event::CovenantAdopted { version: *version, policy_hash: policy_hash.clone() }])
                }
            }
        }
        Act::DefineWorkflow { workflow } => match workflow.problems() {
            wrong if wrong.is_empty() => Ok(vec![Event::WorkflowDefined { workflow: workflow.clone() }]),
            wrong => Err(Rejection::new(Refusal::BadWorkflow, wrong.join("; "))),
        },
        Act::DeclareDependency { task, on } => declare(state, (task, on), context),
        Act::Pause { reason } if project.paused.is_none() => {
            Ok(vec![Event::Paused { reason: reason.clone() }])
        }
        Act::Resume {} if project.paused.is_some() => Ok(vec![Event::Resumed {}]),
        Act::Pause { .. } | Act::Resume {} => Err(Refusal::AlreadySo.into()),
        Act::ApproveLesson { lesson, text, detail, words } => approve(state, lesson, (text, detail), words),
        Act::RetireLesson { lesson, words } => retire(state, lesson, words),
        _ => Err(Refusal::NotNow.into()),
    }
}

/// A person stands for the words, not for an id: the id must be that of the words.
fn approve(state: &State, lesson: &LessonId, said: (&String, &Option<String>), words: &str) -> Decided {
    let (text, detail) = (said.0.clone(), said.1.clone());
    if words.len() > WORDS_BYTES_MAX || !is_id_of(lesson, &text) {
        return Err(Rejection::new(Refusal::UnknownLesson, lesson.as_str()));
    }
    let approved = Decreed::Approved { text: text.clone(), detail: detail.clone() };
    match state.project.lessons.get(lesson).is_some_and(|known| known.standing == approved) {
        true => Err(Refusal::AlreadySo.into()),
        false => {
            let (lesson, words) = (lesson.clone(), words.to_owned());
            Ok(vec![Event::LessonApproved { lesson, text, detail, words }])
        }
    }
}

fn retire(state: &State, lesson: &LessonId, words: &str) -> Decided {
    if words.trim().is_empty() || words.len() > WORDS_BYTES_MAX {
        return Err(Refusal::ReasonMissing.into());
    }
    match state.project.lessons.get(lesson).is_some_and(|known| known.standing == Decreed::Retired) {
        true => Err(Refusal::AlreadySo.into()),
        false => Ok(vec![Event::LessonRetired { lesson: lesson.clone(), words: words.to_owned() }]),
    }
}

/// The graph lives in one stream, so that two edges drawn at once cannot close a circle between them.
fn declare(state: &State, (task, on): (&TaskId, &TaskId), context: &Context) -> Decided {
    let project = &state.project;
    if project.has_edge(task, on) {
        return Err(Refusal::AlreadySo.into());
    }
    if let Some(path) = project.path(on, task) {
        let names: Vec<&str> = std::iter::once(task).chain(&path).map(TaskId::as_str).collect();
        return Err(Rejection::new(Refusal::Cycle, names.join(" → ")));
    }
    if !context.standings.contains_key(on) {
        return Err(Rejection::new(Refusal::UnknownDependency, on.as_str()));
    }
    if project.edges.get(task).is_some_and(|needed| needed.len() >= DEPENDENCIES_MAX) {
        let details = format!("{task} already waits for {DEPENDENCIES_MAX} tasks");
        return Err(Rejection::new(Refusal::NotNow, details));
    }
    Ok(vec![Event::DependencyDeclared { task: task.clone(), on: on.clone() }])
}
