//! Work given to somebody else while the caller waits, and its way back.

use baton_engine::command::{Act, ActKind};
use baton_engine::envelope::Actor;
use baton_engine::fact::{CheckResult, LeaseToken};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::word::{AgentName, DelegationId, TaskId, WorkflowName};
use baton_handoff::project::Project;
use serde_json::json;

use super::decision::Decided;
use super::paper::{Paper, sources_of_turn};
use super::{Desk, DeskError};

/// What is delegated, to whom.
#[derive(Clone, Debug)]
pub struct Order {
    pub to: AgentName,
    pub deliverable: String,
    pub workflow: WorkflowName,
    /// The id of the new task; made from the caller's when not given.
    pub child: Option<TaskId>,
    /// Tokens set aside for it; half of what is left when not given.
    pub budget_tokens: Option<u64>,
}

/// What came of handing back.
#[derive(Clone, Debug)]
pub struct HandedBack {
    pub checks: Vec<CheckResult>,
    pub decided: Decided,
    /// The task that waits for it.
    pub caller: TaskId,
    /// The document with the result, at the caller, when it is there.
    pub result: Option<String>,
}

impl Desk {
    /// Gives part of the work to somebody else; the turn waits until it comes back. Returns the new task.
    pub fn delegate(&mut self, id: &TaskId, order: Order) -> Result<TaskId, DeskError> {
        let (_, turn, lease) = self.live(id)?;
        self.only_for_holder(id, &turn, ActKind::Delegate)?;
        let holder = self.visitor.holder(id, &turn);
        let child = self.order_part(id, (&holder, lease), order, None)?;
        self.settle(id)?;
        Ok(child)
    }

    /// Records that part of the work goes to somebody else, with the package that says so, where one does.
    pub(super) fn order_part(
        &mut self,
        id: &TaskId,
        (holder, lease): (&Actor, LeaseToken),
        order: Order,
        package: Option<&[u8]>,
    ) -> Result<TaskId, DeskError> {
        let (task, turn, _) = self.live(id)?;
        self.define_workflow(&order.workflow)?;
        let number = task.delegations.len() + 1;
        let child = match order.child {
            Some(child) => child,
            None => TaskId::new(format!("{id}.{number}"))?,
        };
        let left = task.budget.cap_tokens.saturating_sub(task.budget.committed_tokens());
        let budget_tokens = order.budget_tokens.unwrap_or(left / 2);
        let name = format!("delegation-{number}");
        let paper = match package {
            Some(bytes) => Paper::of(&name, bytes.to_vec())?,
            None => Paper::artifact(
                "delegation-request",
                &name,
                (id, turn.role.name(), self.now),
                &sources_of_turn(&task, &turn),
                json!({
                    "to": order.to.as_str(),
                    "child": child.as_str(),
                    "deliverable": order.deliverable,
                    "workflow": order.workflow.as_str(),
                    "budget_tokens": budget_tokens,
                }),
            )?,
        };
        let act = Act::Delegate {
            lease,
            delegation: DelegationId::new(format!("d{number}"))?,
            to: order.to,
            child: child.clone(),
            workflow: order.workflow,
            deliverable: order.deliverable,
            document: paper.document.clone(),
            budget_tokens,
        };
        self.act(id.as_str(), holder, &act, &[&paper.bytes])?;
        Ok(child)
    }

    /// Hands delegated work back in one go: hands over, checks and decides. When that ends the task, the caller has the result.
    pub fn hand_back(
        &mut self,
        id: &TaskId,
        bytes: &[u8],
        project: &Project,
    ) -> Result<HandedBack, DeskError> {
        self.only_for_people(id.as_str(), ActKind::Return)?;
        let task = self.task(id)?;
        let Some(above) = task.lineage.last().cloned() else {
            let details = format!("{id} was not delegated; `baton submit {id} FILE` hands it over");
            return Err(Rejection::new(Refusal::NotNow, details).into());
        };
        self.submit(id, bytes, project)?;
        let checks = self.check_if_due(id)?;
        let decided = self.decide(id)?;
        let caller = self.task(&above.task)?;
        let has_returned = caller.delegations.get(&above.delegation).is_some_and(|open| open.end.is_some());
        let result = has_returned.then(|| format!("result-{}", above.delegation));
        Ok(HandedBack { checks, decided, caller: above.task, result })
    }
}
