//! Guidance, workflows, the completion graph, the pause.

use super::Decided;
use crate::command::{Act, Command, Context};
use crate::event::Event;
use crate::rejection::{Refusal, Rejection};
use crate::state::State;
use crate::word::TaskId;

/// Most tasks that one task can wait for.
pub(crate) const DEPENDENCIES_MAX: usize = 2000;

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
        _ => Err(Refusal::NotNow.into()),
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
