//! Work given to a specialist while the caller waits, and its return.

use super::{Decided, holder, lease_end, unused};
use crate::command::{Act, Command, Context};
use crate::event::Event;
use crate::fact::Document;
use crate::rejection::{Refusal, Rejection};
use crate::state::Task;
use crate::word::DelegationId;
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
    if task.lineage.len() >= DELEGATION_DEPTH_MAX {
        return Err(Rejection::new(Refusal::DelegationTooDeep, format!("{} levels", task.lineage.len())));
    }
    if task.delegations.len() >= DELEGATION_FANOUT_MAX {
        return Err(Rejection::new(Refusal::DelegationTooWide, format!("{} so far", task.delegations.len())));
    }
    if *to == turn.agent || task.lineage.iter().any(|ancestor| ancestor.agent == *to) {
        return Err(Rejection::new(Refusal::DelegationCycle, format!("@{to}")));
    }
    let known = task.delegations.contains_key(delegation) || context.standings.contains_key(child);
    if known || *child == task.id || task.delegations.values().any(|open| open.child == *child) {
        return Err(Rejection::new(Refusal::TaskExists, child.as_str()));
    }
    let Some(found) = context.project.workflow(workflow) else {
        return Err(Rejection::new(Refusal::UnknownWorkflow, workflow.as_str()));
    };
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
