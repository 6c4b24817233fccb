//! What the desk records of agents that somebody started themselves. No act here is a person's: tasks of sessions are
//! opened by the orchestrator, and a guest brings its handoff under its own name.

use std::collections::BTreeSet;

use baton_engine::command::Act;
use baton_engine::context;
use baton_engine::envelope::PROJECT_STREAM;
use baton_engine::event::{Entry, Event};
use baton_engine::fact::{Performer, Reason};
use baton_engine::fold;
use baton_engine::pending::Effect;
use baton_engine::rejection::Refusal;
use baton_engine::state::{State, Status, Task, Turn};
use baton_engine::word::{AgentName, SessionId, TaskId, TreeHash, WorkflowName};
use baton_engine::workflow::{Role, SESSION, Workflow};
use baton_store::log::Log;
use baton_store::view::{handoffs, tasks};
use serde_json::json;

use super::context::{ContextRequest, Given, Scope};
use super::paper::Paper;
use super::{As, Desk, DeskError};

/// How many of the last handoffs are looked at for somebody who comes next.
const HANDOFFS_LATEST_MAX: usize = 24;
/// Most tasks whose handoffs go into the packet of a session.
const TASKS_BEFORE_MAX: usize = 6;
/// Most open tasks that are told.
const OPEN_TOLD_MAX: usize = 12;
/// Most steps that one handoff leads to before somebody else is needed.
const STEPS_MAX: usize = 16;

/// How long it is told that a hook could not judge.
const LET_THROUGH_TOLD_MS: i64 = 7 * 24 * 3600 * 1000;
/// Under which name the log has what hooks could not do.
const HOOK: &str = "hook";
/// Agents that do not say over MCP which session they are: any of theirs counts.
const NAMELESS: &[&str] = &["gemini", "opencode"];

/// A session of an agent, as the log knows it.
#[derive(Clone, Debug)]
pub(crate) struct Guest {
    pub(crate) agent: AgentName,
    pub(crate) session: SessionId,
    /// What the session is about, in the words of whoever started it.
    pub(crate) title: String,
}

/// How far a handed-over task went by itself.
#[derive(Debug)]
pub(crate) enum Carried {
    Decided(super::decision::Decided),
    /// Somebody else has to act first.
    Waits,
}

impl Desk {
    /// Opens the task of a session.
    pub(crate) fn open_session(&mut self, id: &TaskId, guest: &Guest) -> Result<(), DeskError> {
        let workflow = WorkflowName::new(SESSION)?;
        self.define_workflow(&workflow)?;
        let order = Paper::artifact(
            "task-order",
            &format!("order-{id}"),
            (id, "orchestrator", self.now),
            &[format!("workflow/{workflow}"), format!("session/{}", guest.session)],
            json!({
                "title": guest.title,
                "workflow": workflow.as_str(),
                "session": guest.session.as_str(),
                "agent": guest.agent.as_str(),
            }),
        )?;
        let act = Act::AddTask {
            task: id.clone(),
            title: guest.title.clone(),
            document: order.document.clone(),
            workflow,
            criteria: BTreeSet::new(),
            depends_on: BTreeSet::new(),
            lineage: Vec::new(),
            assignee: Some(guest.agent.clone()),
            budget_tokens: None,
        };
        self.act(id.as_str(), &self.actor(As::Orchestrator), &act, &[&order.bytes]).map(|_| ())
    }

    /// Returns what became of the last work that a session has handed over by itself since a moment, with the tools that it has
    /// for that.
    pub(crate) fn handed_over_itself(
        &self,
        agent: &str,
        session: &SessionId,
        since: i64,
    ) -> Result<Option<Itself>, DeskError> {
        let is_same = |known: &SessionId| {
            known == session || NAMELESS.contains(&agent) && known.as_str().starts_with(agent)
        };
        let since = |handed: &&handoffs::Handed| handed.at >= since;
        let latest = handoffs::latest(&self.log, HANDOFFS_LATEST_MAX)?;
        let mut last: Option<(i64, Task)> = None;
        for handed in latest.iter().filter(since) {
            let task = self.task(&TaskId::new(handed.task.as_str())?)?;
            let is_theirs = task.writers.iter().any(|writer| is_same(&writer.session));
            if is_theirs && last.as_ref().is_none_or(|(at, _)| *at <= handed.at) {
                last = Some((handed.at, task));
            }
        }
        let Some((_, task)) = last else { return Ok(None) };
        let came_back = matches!(task.status(), Status::Ready | Status::Working)
            && task.run.feedback.as_ref().is_some_and(|feedback| feedback.reason != Reason::WorkIncomplete);
        let tree = task.run.submission.as_ref().map(|submission| submission.tree.clone());
        Ok(Some(match tree {
            Some(tree) if is_accepted(&task) => Itself::Accepted(tree),
            _ if came_back => Itself::CameBack,
            tree => Itself::Waits(tree),
        }))
    }

    /// Returns the files of work that ended well, by whomever it was accepted.
    pub(crate) fn accepted_tree(&self, id: &TaskId) -> Result<Option<TreeHash>, DeskError> {
        let Some(task) = self.state(id.as_str())?.task.clone().filter(is_accepted) else { return Ok(None) };
        Ok(task.run.submission.map(|submission| submission.tree))
    }

    /// Gives the turn that is due to a guest, or finds the one that it has. Before its work the files looked so, or as they look
    /// now where nothing is said.
    pub(crate) fn seat(
        &mut self,
        id: &TaskId,
        session: &SessionId,
        before: Option<&TreeHash>,
    ) -> Result<Turn, DeskError> {
        self.settle_task(id)?;
        let task = self.task(id)?;
        if let Some(turn) = &task.turn {
            return match turn.performer == Performer::Guest && turn.session == *session {
                true => self.begin(id, turn.clone(), before),
                false => Err(Refusal::NotNow.into()),
            };
        }
        self.adopt_covenant()?;
        let (role, agent) = self.due(&task)?;
        self.start_turn(&task, (role, agent), (session.clone(), Performer::Guest), Given::Whole)?;
        let (_, turn, _) = self.live(id)?;
        self.begin(id, turn, before)
    }

    fn begin(&mut self, id: &TaskId, turn: Turn, before: Option<&TreeHash>) -> Result<Turn, DeskError> {
        if turn.launched {
            return Ok(turn);
        }
        if turn.snapshot.is_none() {
            let tree = before.map_or_else(|| self.keep(id), |before| Ok(before.clone()))?;
            self.record_snapshot(id, turn.id.clone(), tree)?;
        }
        self.claim_launch(id, &turn, None)?;
        self.acknowledge_for(id, &turn)?;
        let (_, turn, _) = self.live(id)?;
        Ok(turn)
    }

    /// Runs the checks that are owed and takes the decision that follows, until somebody else is needed.
    pub(crate) fn carry_on(&mut self, id: &TaskId) -> Result<Carried, DeskError> {
        let is_check = |effect: &Effect| matches!(effect, Effect::RunChecks { .. });
        for _ in 0..STEPS_MAX {
            let Some((_, owed)) = self.owed(id)? else { return Ok(Carried::Waits) };
            let tree = self.task(id)?.run.submission.map(|submission| submission.tree);
            if let (Some(tree), true) = (&tree, owed.iter().any(is_check)) {
                // What was handed over is judged, whatever becomes of the files meanwhile.
                self.check_tree(id, tree.clone())?;
            } else if owed.iter().any(|effect| matches!(effect, Effect::Decide(_))) {
                return Ok(Carried::Decided(self.decide_on(id, tree)?));
            } else {
                return Ok(Carried::Waits);
            }
        }
        Err(DeskError::Busy)
    }

    /// Hands the work of a session to a person, since nobody could judge it. Says no where there is nothing that a person could
    /// be asked about.
    pub(crate) fn not_judged(
        &mut self,
        id: &TaskId,
        (session, before): (&SessionId, &TreeHash),
        why: &str,
    ) -> Result<bool, DeskError> {
        let task = self.task(id)?;
        let is_handed_over = matches!(task.status(), Status::Checking) && task.turn.is_none();
        if is_handed_over {
            if !self.could_not_check(id, why)? {
                return Ok(false);
            }
        } else {
            let turn = self.seat(id, session, Some(before))?;
            self.escalate_for(id, &turn, why)?;
        }
        Ok(matches!(self.carry_on(id)?, Carried::Decided(_)))
    }

    /// Returns what somebody is told who starts an agent: what was handed over last, and what is open. Nothing when there
    /// is nothing to tell.
    pub(crate) fn context_of_session(&self, guest: &Guest) -> Result<Option<Told>, DeskError> {
        let (before, open, open_beyond) = self.log.at_one_moment(|| self.lately())??;
        if before.is_empty() && open.is_empty() {
            return Ok(None);
        }
        let task = self.imagined(guest)?;
        // Not of that moment: the index may know more by now.
        let journal = self.journal_after(&before, (&task.id, &task.title))?;
        let request = ContextRequest {
            role: Some(Role::Builder),
            budget_tokens: None,
            scope: Scope::Turn,
            performer: Performer::Guest,
        };
        let order = self.log.at_one_moment(|| self.order(&task, Role::Builder, (request, journal)))??;
        Ok(Some(Told { packet: context::text(&order), open, open_beyond }))
    }

    /// Returns the tasks that handed over last, a line for each of the first that are open, and how many more are.
    fn lately(&self) -> Result<(BTreeSet<TaskId>, Vec<String>, usize), DeskError> {
        let mut before = BTreeSet::new();
        for handed in handoffs::latest(&self.log, HANDOFFS_LATEST_MAX)?.iter().rev() {
            if before.len() < TASKS_BEFORE_MAX {
                before.insert(TaskId::new(handed.task.as_str())?);
            }
        }
        let mut open = Vec::new();
        let (lines, open_beyond) = tasks::open(&self.log, OPEN_TOLD_MAX)?;
        for line in lines {
            open.push(format!("{} ({}): {}", line.task, self.standing(&line)?, line.title));
        }
        Ok((before, open, open_beyond))
    }

    /// Returns the task that a session would be. Nothing of it is recorded: most sessions ask something and change nothing.
    fn imagined(&self, guest: &Guest) -> Result<Task, DeskError> {
        let id = TaskId::new(format!("{}-session", guest.agent))?;
        let workflow = self.workflows.iter().find(|known| known.name.as_str() == SESSION).cloned();
        let Some(workflow) = workflow.or_else(|| Workflow::built_in(SESSION)) else {
            return Err(Refusal::UnknownWorkflow.into());
        };
        let event = Event::TaskAdded {
            task: id,
            title: guest.title.clone(),
            document: Paper::of("order", Vec::new())?.document,
            budget_tokens: workflow.budget_tokens,
            workflow,
            criteria: BTreeSet::new(),
            depends_on: BTreeSet::new(),
            lineage: Vec::new(),
        };
        let entry = Entry { version: 1, at: self.now, actor: self.actor(As::Orchestrator), event };
        fold(State::default(), &[entry]).task.ok_or_else(|| Refusal::NoTask.into())
    }

    /// Returns what hooks let through without judging it, in the last days.
    pub fn let_through(&self) -> Result<Vec<(i64, String)>, DeskError> {
        let mut found = Vec::new();
        for recorded in self.log.read(PROJECT_STREAM, 0)? {
            let is_new = recorded.at > self.now.saturating_sub(LET_THROUGH_TOLD_MS);
            if let Event::CommandRefused { command, details, .. } = Entry::read(&recorded).event
                && command == HOOK
                && is_new
            {
                found.push((recorded.at, details));
            }
        }
        Ok(found)
    }

    /// Notes that a hook let something through because it could not judge it.
    pub(crate) fn note_let_through(&mut self, details: &str) -> Result<(), DeskError> {
        let event = Event::refused(HOOK, "not_judged", details);
        self.remember(PROJECT_STREAM, &[event.sealed(self.now, &self.actor(As::Host))])
    }
}

/// What became of work that a session handed over by itself.
#[derive(Clone, Debug)]
pub(crate) enum Itself {
    /// With the files that were accepted.
    Accepted(TreeHash),
    /// It has to be repaired.
    CameBack,
    /// It is open, and the session owes nothing for these files.
    Waits(Option<TreeHash>),
}

fn is_accepted(task: &Task) -> bool {
    matches!(task.status(), Status::Done | Status::DoneUnverified)
}

/// What the next agent is told.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) packet: String,
    /// A line for each of the first tasks that have not ended.
    pub(crate) open: Vec<String>,
    /// How many more there are.
    pub(crate) open_beyond: usize,
}
