//! Work given to a specialist while the caller waits, and its return.

use super::{Decided, graph, holder, lease_end, unused};
use crate::command::{Act, Command, Context};
use crate::envelope::ActorKind;
use crate::event::Event;
use crate::fact::Document;
use crate::rejection::{Refusal, Rejection};
use crate::state::{Task, Turn};
use crate::word::{AgentName, DelegationId};
use crate::workflow::{DELEGATION_DEPTH_MAX, DELEGATION_FANOUT_MAX, Role};

pub(super) fn delegate(task: &Task, command: &Command, context: &Context) -> Decided {
    let Act::Delegate { lease, delegation, to, child, workflow, deliverable, document, budget_tokens } =
        &command.act
    else {
        return Err(Refusal::NotNow.into());
    };
    let turn = holder(task, command, lease)?;
    if turn.role == Role::Verifier {
        return Err(Rejection::new(Refusal::NotAllowed, "a verifier judges by itself"));
    }
    if !turn.launched || task.owes_acknowledgment() {
        return Err(Refusal::AcknowledgmentMissing.into());
    }
    let waits = task.open_delegation().is_some() || task.open_gate().is_some();
    if waits || task.open_clarifications().next().is_some() || task.cancel_requested_at.is_some() {
        return Err(Rejection::new(Refusal::NotNow, "the turn waits for something else"));
    }
    within_bounds(task, turn, to)?;
    let is_listed = task.stage().is_some_and(|stage| stage.allows_route(to));
    if command.actor.kind == ActorKind::Agent && !is_listed {
        return Err(Rejection::new(Refusal::RouteNotListed, format!("@{to}")));
    }
    let known = task.delegations.contains_key(delegation) || context.standings.contains_key(child);
    if known || *child == task.id || task.delegations.values().any(|open| open.child == *child) {
        return Err(Rejection::new(Refusal::TaskExists, child.as_str()));
    }
    let Some(found) = context.project.workflow(workflow) else {
        return Err(Rejection::new(Refusal::UnknownWorkflow, workflow.as_str()));
    };
    // A child that could never be added would leave its caller waiting for ever.
    graph::assigned(found.clone(), Some(to))?;
    if !task.budget.can_afford(*budget_tokens) {
        return Err(Refusal::BudgetExhausted.into());
    }
    unused(task, document)?;
    Ok(vec![Event::Delegated {
        turn: turn.id.clone(),
        delegation: delegation.clone(),
        to: to.clone(),
        child: child.clone(),
        workflow: found,
        deliverable: deliverable.clone(),
        document: document.clone(),
        budget_tokens: *budget_tokens,
    }])
}

/// Refuses a chain that is too long, goes in a circle, or spreads too far, and names the way that led there.
fn within_bounds(task: &Task, turn: &Turn, to: &AgentName) -> Result<(), Rejection> {
    if task.lineage.len() >= DELEGATION_DEPTH_MAX {
        let above = task.lineage.iter().map(|ancestor| ancestor.task.as_str());
        let path: Vec<&str> = above.chain([task.id.as_str()]).collect();
        return Err(Rejection::new(Refusal::DelegationTooDeep, path.join(" → ")));
    }
    if task.delegations.len() >= DELEGATION_FANOUT_MAX {
        let details = format!("{} has delegated {} times", task.id, task.delegations.len());
        return Err(Rejection::new(Refusal::DelegationTooWide, details));
    }
    let waiting: Vec<&AgentName> =
        task.lineage.iter().map(|ancestor| &ancestor.agent).chain([&turn.agent]).collect();
    match waiting.iter().position(|agent| *agent == to) {
        Some(first) => {
            let path: Vec<String> =
                waiting[first..].iter().chain([&to]).map(|agent| format!("@{agent}")).collect();
            Err(Rejection::new(Refusal::DelegationCycle, path.join(" → ")))
        }
        None => Ok(()),
    }
}

/// The result comes back when the child has ended, however it ended; the caller goes on with what it learns.
pub(super) fn give_back(
    task: &Task,
    command: &Command,
    (delegation, document): (&DelegationId, &Document),
    context: &Context,
) -> Decided {
    let open = task.delegations.get(delegation).filter(|open| open.end.is_none());
    let Some(open) = open else {
        return Err(Rejection::new(Refusal::UnknownDelegation, delegation.as_str()));
    };
    let standing = context.standings.get(&open.child);
    let Some((end, spent_tokens)) =
        standing.and_then(|standing| Some((standing.end?, standing.spent_tokens)))
    else {
        return Err(Rejection::new(Refusal::DependencyOpen, open.child.as_str()));
    };
    unused(task, document)?;
    Ok(vec![Event::DelegationReturned {
        delegation: delegation.clone(),
        document: document.clone(),
        end,
        spent_tokens,
        expires_at: lease_end(task, command.at),
    }])
}
