//! Does what is owed and needs nobody's judgement. It is read off the record, so that a command that ended between two of
//! its appends is finished by the next one, whoever gives it.

use std::collections::BTreeSet;

use baton_engine::command::Act;
use baton_engine::fact::{Ancestor, LeaseToken, Performer};
use baton_engine::pending::{Effect, pending};
use baton_engine::state::Task;
use baton_engine::word::{DelegationId, GateName, TaskId};
use baton_store::view::owed;
use serde_json::json;

use super::criteria::order_of;
use super::paper::{Paper, sources_of_work};
use super::{As, Desk, DeskError};

/// How often tasks are looked at again because another one moved.
const ROUNDS_MAX: usize = 64;
/// Most effects of one task that are done in one go.
const EFFECTS_MAX: usize = 4096;

impl Desk {
    /// Settles what is owed for a task, and for every other that the log says may have something owed; then brings the files up
    /// to date that people read.
    pub(super) fn settle(&mut self, id: &TaskId) -> Result<(), DeskError> {
        self.settle_task(id)?;
        self.settle_others().map_err(|error| match error {
            DeskError::Store(error) => DeskError::Recorded(format!("{}: {}", error.what, error.why)),
            error => error,
        })?;
        self.count_refusals()?;
        self.write_files()
    }

    /// Settles what is owed for all tasks of which the log says that there may be something.
    pub(super) fn settle_others(&mut self) -> Result<(), DeskError> {
        for _ in 0..ROUNDS_MAX {
            let mut moved = false;
            for name in owed::tasks(&self.log)? {
                match self.settle_task(&TaskId::new(name)?) {
                    Ok(did) => moved |= did,
                    // A disk that fails is everybody's business.
                    Err(error @ DeskError::Store(_)) => return Err(error),
                    // What stops another task is told to whoever asks for that one.
                    Err(_) => {}
                }
            }
            if !moved {
                break;
            }
        }
        Ok(())
    }

    /// Settles what is owed for one task, and says whether anything was.
    pub(super) fn settle_task(&mut self, id: &TaskId) -> Result<bool, DeskError> {
        let mut tried = BTreeSet::new();
        let mut moved = false;
        while tried.len() < EFFECTS_MAX {
            let state = self.state(id.as_str())?;
            let Some(task) = &state.task else { break };
            let context = self.context(Some(task), None)?;
            let owed = pending(&state, &context, self.now);
            let next = owed
                .into_iter()
                .find(|effect| is_for_desk(effect, task) && !tried.contains(&format!("{effect:?}")));
            let Some(effect) = next else { break };
            tried.insert(format!("{effect:?}"));
            match self.perform(task, effect) {
                Ok(()) => moved = true,
                // Somebody else was faster; what is still owed then is looked up again.
                Err(DeskError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(moved)
    }

    fn perform(&mut self, task: &Task, effect: Effect) -> Result<(), DeskError> {
        let own = task.id.as_str();
        let (orchestrator, host) = (self.actor(As::Orchestrator), self.actor(As::Host));
        let (actor, act) = match effect {
            Effect::Release { on } => (orchestrator, Act::ReleaseDependency { on }),
            Effect::RecordDependency { on } => (orchestrator, Act::Depend { on }),
            Effect::Notify { notice, .. } => (host, Act::RecordNotice { notice }),
            Effect::StopAgent { .. } => return self.stop(task),
            Effect::TakeSnapshot { turn } => {
                let tree = self.keep(&task.id)?;
                (host, Act::RecordSnapshot { turn, reference: format!("snapshot {tree}"), tree })
            }
            Effect::StartAgent { turn, epoch, .. } => {
                (host, Act::Launch { lease: LeaseToken { turn, epoch }, program: None })
            }
            Effect::AskGate { gate, .. } => return self.ask_gate(task, gate),
            Effect::AddChild { delegation, .. } => return self.add_child(task, delegation),
            Effect::ReturnChild { delegation } => return self.return_child(task, delegation),
            Effect::GiveTurn { .. }
            | Effect::Expire { .. }
            | Effect::RunChecks { .. }
            | Effect::SettleCost { .. }
            | Effect::Decide(_)
            | Effect::AskPerson { .. }
            | Effect::RollBack
            | Effect::Merge { .. } => return Ok(()),
        };
        self.act(own, &actor, &act, &[]).map(|_| ())
    }

    /// A turn that a person or a guest takes has no process that is ours to stop.
    fn stop(&mut self, task: &Task) -> Result<(), DeskError> {
        let Some(turn) = &task.turn else { return Ok(()) };
        let lease = LeaseToken { turn: turn.id.clone(), epoch: turn.epoch };
        let ending = baton_engine::fact::Ending::Stopped;
        let act = Act::EndTurn {
            lease,
            ending,
            spent_tokens: Some(0),
            document: None,
            how: None,
            account: None,
            why: None,
        };
        self.act(task.id.as_str(), &self.actor(As::Host), &act, &[]).map(|_| ())
    }

    /// Puts the gate that is due before a person.
    fn ask_gate(&mut self, task: &Task, gate: GateName) -> Result<(), DeskError> {
        let Some(shown) = task.shown() else { return Ok(()) };
        let Some(rule) = task.gate_rules().into_iter().find(|rule| rule.name == gate) else { return Ok(()) };
        let paper = Paper::artifact(
            "gate-request",
            &format!("gate-{}", task.artifacts.len()),
            (&task.id, "orchestrator", self.now),
            &sources_of_work(task),
            json!({ "gate": gate.as_str(), "items": rule.items }),
        )?;
        let act = Act::AskGate {
            gate,
            weight: rule.weight,
            items: rule.items,
            shown,
            document: paper.document.clone(),
            lease: None,
        };
        self.act(task.id.as_str(), &self.actor(As::Orchestrator), &act, &[&paper.bytes]).map(|_| ())
    }

    /// Adds the task that a delegation is about.
    fn add_child(&mut self, task: &Task, delegation: DelegationId) -> Result<(), DeskError> {
        let Some(open) = task.delegations.get(&delegation) else { return Ok(()) };
        let order = Paper::artifact(
            "task-order",
            &order_of(&open.child),
            (&open.child, "orchestrator", open.since),
            &[task.id.to_string(), order_of(&task.id), delegation.to_string()],
            json!({
                "title": open.deliverable,
                "workflow": open.workflow.name.as_str(),
                "delegated_by": { "task": task.id.as_str(), "agent": open.from.as_str() },
            }),
        )?;
        let mut lineage = task.lineage.clone();
        lineage.push(Ancestor { task: task.id.clone(), agent: open.from.clone(), delegation });
        let act = Act::AddTask {
            task: open.child.clone(),
            title: open.deliverable.clone(),
            document: order.document.clone(),
            workflow: open.workflow.name.clone(),
            criteria: BTreeSet::new(),
            depends_on: BTreeSet::new(),
            lineage,
            assignee: Some(open.to.clone()),
            budget_tokens: Some(open.budget_tokens),
        };
        self.act(open.child.as_str(), &self.actor(As::Orchestrator), &act, &[&order.bytes]).map(|_| ())
    }

    /// Brings the result of delegated work back to the caller, however it ended.
    fn return_child(&mut self, task: &Task, delegation: DelegationId) -> Result<(), DeskError> {
        let Some(open) = task.delegations.get(&delegation) else { return Ok(()) };
        let child = self.task(&open.child)?;
        let handoff = child.run.submission.as_ref().map(|submission| &submission.document);
        let text = match handoff {
            Some(document) => self.document(&document.blob)?,
            None => None,
        };
        let from_child = handoff.map(|document| format!("{}/{}", open.child, document.id));
        let sources: Vec<String> =
            [delegation.to_string(), order_of(&open.child)].into_iter().chain(from_child).collect();
        let paper = Paper::artifact(
            "delegation-result",
            &format!("result-{delegation}"),
            (&task.id, "orchestrator", self.now),
            &sources,
            json!({
                "delegation": delegation.as_str(),
                "child": open.child.as_str(),
                "from": open.to.as_str(),
                "deliverable": open.deliverable,
                "end": child.end.map(|end| end.name()),
                "handoff": handoff.map(|document| document.id.as_str()),
                "result": text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            }),
        )?;
        let act = Act::Return { delegation, document: paper.document.clone() };
        self.act(task.id.as_str(), &self.actor(As::Orchestrator), &act, &[&paper.bytes]).map(|_| ())
    }
}

/// Says whether the desk does this by itself. A turn of a person or a guest begins when they take it; one of a
/// program is not ours.
fn is_for_desk(effect: &Effect, task: &Task) -> bool {
    let is_ours = task.turn.as_ref().is_some_and(|turn| turn.performer != Performer::Program);
    match effect {
        Effect::Release { .. }
        | Effect::RecordDependency { .. }
        | Effect::Notify { .. }
        | Effect::AskGate { .. }
        | Effect::AddChild { .. }
        | Effect::ReturnChild { .. } => true,
        Effect::StopAgent { .. } | Effect::TakeSnapshot { .. } | Effect::StartAgent { .. } => is_ours,
        Effect::GiveTurn { .. }
        | Effect::Expire { .. }
        | Effect::RunChecks { .. }
        | Effect::SettleCost { .. }
        | Effect::Decide(_)
        | Effect::AskPerson { .. }
        | Effect::RollBack
        | Effect::Merge { .. } => false,
    }
}

#[cfg(test)]
mod tests;
