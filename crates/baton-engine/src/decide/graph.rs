//! Tasks come, wait for others and are cancelled.

use super::Decided;
use crate::command::{Act, Command, Context};
use crate::event::Event;
use crate::fact::{End, Ending};
use crate::rejection::{Refusal, Rejection};
use crate::state::{Dependency, Task};
use crate::word::{AgentName, TaskId};
use crate::workflow::{DELEGATION_DEPTH_MAX, Workflow};

pub(super) fn add(command: &Command, context: &Context) -> Decided {
    let Act::AddTask {
        task,
        title,
        document,
        workflow,
        criteria,
        depends_on,
        lineage,
        assignee,
        budget_tokens,
    } = &command.act
    else {
        return Err(Refusal::NoTask.into());
    };
    let Some(found) = context.project.workflow(workflow) else {
        return Err(Rejection::new(Refusal::UnknownWorkflow, workflow.as_str()));
    };
    let found = assigned(found, assignee.as_ref())?;
    if lineage.len() > DELEGATION_DEPTH_MAX {
        return Err(Refusal::DelegationTooDeep.into());
    }
    if let Some(on) = depends_on.iter().find(|on| !context.project.has_edge(task, on)) {
        return Err(Rejection::new(Refusal::UndeclaredDependency, on.as_str()));
    }
    Ok(vec![Event::TaskAdded {
        task: task.clone(),
        title: title.clone(),
        document: document.clone(),
        criteria: criteria.clone(),
        depends_on: depends_on.clone(),
        lineage: lineage.clone(),
        budget_tokens: budget_tokens.unwrap_or(found.budget_tokens).min(found.budget_tokens),
        workflow: found,
    }])
}

/// Returns the workflow with somebody else at its first stage, if it can be used like that.
pub(super) fn assigned(mut workflow: Workflow, assignee: Option<&AgentName>) -> Result<Workflow, Rejection> {
    if let (Some(assignee), Some(first)) = (assignee, workflow.stages.first_mut()) {
        first.agent = assignee.clone();
    }
    match workflow.problems().first() {
        Some(wrong) => Err(Rejection::new(Refusal::BadWorkflow, wrong.as_str())),
        None => Ok(workflow),
    }
}

pub(super) fn depend(task: &Task, on: &TaskId, context: &Context) -> Decided {
    if task.dependencies.contains_key(on) {
        return Err(Refusal::AlreadySo.into());
    }
    if !context.project.has_edge(&task.id, on) {
        return Err(Rejection::new(Refusal::UndeclaredDependency, on.as_str()));
    }
    if task.turn.is_some() || task.run.submission.is_some() {
        return Err(Rejection::new(Refusal::NotNow, "work on it has begun"));
    }
    Ok(vec![Event::DependencyAdded { on: on.clone() }])
}

pub(super) fn release(task: &Task, on: &TaskId, context: &Context) -> Decided {
    if task.dependencies.get(on) != Some(&Dependency::Waiting) {
        return Err(Rejection::new(Refusal::AlreadySo, on.as_str()));
    }
    match context.standings.get(on).and_then(|standing| standing.end) {
        None => Err(Rejection::new(Refusal::DependencyOpen, on.as_str())),
        Some(end) if end.releases() => Ok(vec![Event::DependencyReleased { on: on.clone(), end }]),
        Some(end) => Ok(vec![Event::DependencyFailed { on: on.clone(), end }]),
    }
}

/// A task whose turn is still running is not cancelled yet: first the turn has to be stopped.
pub(super) fn cancel(task: &Task, reason: &str) -> Decided {
    if task.cancel_requested_at.is_some() {
        return Err(Refusal::AlreadySo.into());
    }
    if let Some((_, open)) = task.open_delegation() {
        let details = format!("first cancel {}, which was delegated", open.child);
        return Err(Rejection::new(Refusal::NotNow, details));
    }
    let mut events = vec![Event::CancelRequested { reason: reason.to_owned() }];
    match &task.turn {
        Some(turn) if turn.launched => return Ok(events),
        Some(turn) => {
            let (turn, ending) = (turn.id.clone(), Ending::Stopped);
            events.push(Event::TurnEnded {
                turn,
                ending,
                spent_tokens: 0,
                document: None,
                how: None,
                account: None,
                why: None,
            });
        }
        None => {}
    }
    events.extend(ended(task, End::Cancelled));
    Ok(events)
}

/// Ends a task; whatever was set aside and never settled counts as spent.
pub(super) fn ended(task: &Task, end: End) -> Vec<Event> {
    let live = task.turn.as_ref().map(|turn| turn.id.as_str());
    let turns = task.history.iter().map(|attempt| &attempt.turn).filter(|turn| Some(turn.as_str()) != live);
    let unsettled = turns.filter(|turn| task.budget.reserved_for(turn.as_str()) > 0);
    let settle = unsettled.map(|turn| Event::Spent {
        turn: turn.clone(),
        tokens: task.unknown_cost(turn),
        account: None,
    });
    settle.chain([Event::TaskEnded { end }]).collect()
}
