//! Tasks come and go, and turns are given to whoever takes them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use baton_engine::command::{Act, ActKind};
use baton_engine::envelope::PROJECT_STREAM;
use baton_engine::fact::{Guidance, LeaseToken, Performer, Resolution, Waivable};
use baton_engine::feedback::Feedback;
use baton_engine::pending::{Effect, pending};
use baton_engine::policy::{NotYet, consider};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::state::{Attempt, Task, Turn};
use baton_engine::word::{
    AgentName, ArtifactId, CheckpointName, CriterionId, SessionId, TaskId, WorkflowName,
};
use baton_engine::workflow::{Role, Stage};
use serde_json::{Value, json};

use super::context::{self, ContextRequest, Given, Scope};
use super::criteria::{self, Criterion};
use super::paper::Paper;
use super::targets;
use super::tell::one_line;
use super::{As, Desk, DeskError};
use crate::drive;

/// How long leave for what was seen holds where nobody says; any change of the files ends it sooner.
const LEAVE_MS: i64 = 365 * 24 * 3_600_000;

/// A task to be added.
#[derive(Clone, Debug)]
pub struct NewTask {
    pub id: TaskId,
    pub title: String,
    pub workflow: WorkflowName,
    /// What it must meet, each in words where somebody wrote some.
    pub criteria: BTreeMap<CriterionId, Option<String>>,
    pub depends_on: BTreeSet<TaskId>,
    /// Files, folders and patterns that it may change; empty when it may change all.
    pub targets: Vec<String>,
}

/// What somebody gets who takes a turn.
#[derive(Clone, Debug)]
pub struct Received {
    pub task: Task,
    pub turn: Turn,
    /// What a verifier is asked.
    pub request: Option<ArtifactId>,
    /// What the last attempt failed at; for a verifier, why the verification before it came to nothing. With what the turn
    /// rests on: `before`.
    pub feedback: Option<String>,
    /// The same without what the turn rests on.
    pub(crate) news: Option<String>,
    /// What the turn rests on, quoted: the stage document before it, or the package that ordered the task.
    pub(crate) before: Option<String>,
    /// Which retry the turn is, where one failed before.
    pub(crate) retry: Option<u32>,
    /// The guidance in force.
    pub guidance: Vec<u8>,
    /// The build plan that binds the work, as it is kept.
    pub plan: Option<String>,
    /// What whoever takes the turn is told.
    pub context: String,
    /// What of it the project and the role demand, a line each.
    pub demands: Vec<String>,
    pub criteria: Vec<Criterion>,
    /// What may be changed; all, where nothing is named.
    pub targets: Vec<String>,
    /// Where the task has its files, if that is not the checkout.
    pub place: Option<PathBuf>,
    /// What the host will settle itself of what is handed over, each with the command where one is trusted.
    pub checks: Vec<(CheckpointName, Option<String>)>,
}

/// What is done in a turn of a role.
pub(super) fn deed(role: Role) -> &'static str {
    match role {
        Role::Verifier => "judge",
        Role::Builder | Role::Repair | Role::Specialist => "work",
    }
}

impl Received {
    /// What is done in the turn.
    pub fn deed(&self) -> &'static str {
        deed(self.turn.role)
    }

    /// Returns what the plan that binds the work lets it change.
    fn planned_targets(&self) -> Vec<String> {
        let plan: Value =
            self.plan.as_deref().and_then(|plan| serde_json::from_str(plan).ok()).unwrap_or_default();
        let targets = plan["file_targets"].as_array().into_iter().flatten().filter_map(Value::as_str);
        targets.map(str::to_owned).collect()
    }

    /// Says where to work, and what will judge it.
    pub fn ground(&self) -> Vec<String> {
        let place = self.place.iter().map(|place| match self.turn.role {
            Role::Verifier => format!("judge what lies in {}, and change nothing there", place.display()),
            Role::Builder | Role::Repair | Role::Specialist => format!("work in {}", place.display()),
        });
        let run = |(name, run): &(CheckpointName, Option<String>)| {
            run.as_ref().map(|run| format!("{name} will be checked by `{run}`"))
        };
        let plan = self.task.run.plan.iter().filter(|_| self.plan.is_some());
        let plan = plan.map(|taken| {
            format!("change only what {} names: {}", taken.document.id, self.planned_targets().join(", "))
        });
        place.chain(plan).chain(self.checks.iter().filter_map(run)).collect()
    }
}

impl Desk {
    pub fn add_task(&mut self, new: NewTask) -> Result<(), DeskError> {
        self.only_for_people(new.id.as_str(), ActKind::AddTask)?;
        for on in &new.depends_on {
            self.declare(&new.id, on)?;
        }
        let NewTask { id, title, workflow, criteria, depends_on, targets } = new;
        targets::judged(&targets)?;
        self.define_workflow(&workflow)?;
        let stream = id.as_str().to_owned();
        let order = Paper::artifact(
            "task-order",
            &criteria::order_of(&id),
            (&id, "human", self.now),
            &[format!("workflow/{workflow}")],
            json!({
                "title": title,
                "workflow": workflow.as_str(),
                "criteria": criteria::written(&criteria)?,
                "targets": targets,
            }),
        )?;
        let act = Act::AddTask {
            task: id.clone(),
            title,
            workflow,
            criteria: criteria.into_keys().collect(),
            depends_on,
            lineage: Vec::new(),
            assignee: None,
            budget_tokens: None,
            document: order.document.clone(),
        };
        self.act(&stream, &self.actor(As::Visitor), &act, &[&order.bytes])?;
        self.settle(&id)
    }

    fn declare(&mut self, task: &TaskId, on: &TaskId) -> Result<(), DeskError> {
        let act = Act::DeclareDependency { task: task.clone(), on: on.clone() };
        self.see_to(PROJECT_STREAM, &self.actor(As::Visitor), &act, &[])
    }

    /// Lets a task wait for another.
    pub fn depend(&mut self, task: &TaskId, on: &TaskId) -> Result<(), DeskError> {
        self.task(task)?;
        self.declare(task, on)?;
        let act = Act::Depend { on: on.clone() };
        self.act(task.as_str(), &self.actor(As::Visitor), &act, &[])?;
        self.settle(task)
    }

    pub fn cancel(&mut self, task: &TaskId, reason: &str) -> Result<(), DeskError> {
        let act = Act::Cancel { reason: reason.to_owned() };
        self.act(task.as_str(), &self.actor(As::Visitor), &act, &[])?;
        self.settle(task)
    }

    /// Gives the turn that is due to whoever stands at the desk.
    pub fn receive(&mut self, id: &TaskId) -> Result<Received, DeskError> {
        self.only_for_people(id.as_str(), ActKind::StartTurn)?;
        self.settle_task(id)?;
        self.settle_others()?;
        self.take_over(id)?;
        let task = self.task(id)?;
        // Whoever asks again is told again.
        if task.turn.as_ref().is_some_and(|turn| self.visitor.holds(id, turn)) {
            return self.received(id);
        }
        // Without guidance in force nobody's turn is due.
        self.adopt_covenant()?;
        let (role, agent) = self.due(&task)?;
        if self.has_to_be_renewed(id) {
            // A run that goes on does it itself, or has just begun to.
            let _alone = drive::alone(self)?;
            self.finish_renewal(id)?;
        }
        // Nobody gets a turn on files that cannot be saved.
        self.keep(id)?;
        let session = SessionId::new(self.visitor.name())?;
        self.start_turn(&task, (role, agent), (session, self.visitor.performer()), Given::Whole)?;
        // Saves the workspace and claims the launch: the turn begins when it is taken.
        self.settle(id)?;
        self.received(id)
    }

    /// Makes the workspace of a task anew where a run was ended before it had, and says whether it did. Whoever got a turn before
    /// that would lose what they do in it.
    pub(crate) fn finish_renewal(&self, id: &TaskId) -> Result<bool, DeskError> {
        match self.has_to_be_renewed(id) {
            true => Ok(self.workspaces()?.finish_renewal(id)?),
            false => Ok(false),
        }
    }

    /// Gives a turn, with the guidance in force and, to a verifier, a request.
    pub(super) fn start_turn(
        &mut self,
        task: &Task,
        (role, agent): (Role, AgentName),
        (session, performer): (SessionId, Performer),
        given: Given,
    ) -> Result<(), DeskError> {
        let covenant = self.adopt_covenant()?;
        let number = task.turns_count + 1;
        let guidance = self.guidance(task, number, (role, performer), &covenant)?;
        let request_for =
            ContextRequest { role: Some(role), budget_tokens: None, scope: Scope::Turn, performer };
        let packet = self.context_for(&task.id, request_for)?;
        let context = context::envelope(task, role, (&packet, given), self.now)?;
        let request = match role {
            Role::Verifier => Some(self.verification_request(task, number, performer)?),
            Role::Builder | Role::Repair | Role::Specialist => None,
        };
        let act = Act::StartTurn {
            role,
            agent,
            session,
            performer,
            guidance: Guidance {
                document: guidance.document.clone(),
                covenant_version: covenant.version,
                policy_hash: covenant.policy_hash,
                context: Some(context.document.clone()),
            },
            request: request.as_ref().map(|request| request.document.clone()),
            apart: performer == Performer::Person && self.own_workspace(&task.id)?.is_some(),
        };
        let mut papers: Vec<&[u8]> = vec![&guidance.bytes, &context.bytes];
        papers.extend(request.iter().map(|request| request.bytes.as_slice()));
        self.act(task.id.as_str(), &self.actor(As::Orchestrator), &act, &papers).map(|_| ())
    }

    /// Returns what whoever holds the turn has got.
    pub(crate) fn received(&self, id: &TaskId) -> Result<Received, DeskError> {
        let (task, turn, _) = self.live(id)?;
        let kept = |name: String| task.artifacts.iter().find(|(known, _)| known.as_str() == name);
        let text = |name: String| match kept(name) {
            Some((_, artifact)) => self.document(&artifact.blob),
            None => Ok(None),
        };
        let request = kept(format!("request-{}", turn.epoch)).map(|(name, _)| name.clone());
        let request = request.filter(|_| turn.role == Role::Verifier);
        let guidance = text(format!("guidance-{}", turn.epoch))?.unwrap_or_default();
        let feedback = match turn.role {
            Role::Verifier => task.lost_verification().map(came_to_nothing),
            Role::Builder | Role::Repair | Role::Specialist => task.run.feedback.as_ref().map(Feedback::text),
        };
        let together = |all: Vec<String>| (!all.is_empty()).then(|| all.join("\n\n"));
        let before = self.rests_on(&task, &turn)?;
        let news = together(feedback.into_iter().chain(self.results_for(&task, &turn)?).collect());
        let feedback = together(news.iter().chain(&before).cloned().collect());
        let retries = task.attempt().0.saturating_sub(1);
        let retry = (task.run.feedback.is_some() && retries > 0).then_some(retries);
        let context = self.context_of_turn(id, turn.id.as_str())?;
        let demands = context.iter().flat_map(context::demands).collect();
        let context = context.and_then(|kept| kept["text"].as_str().map(str::to_owned)).unwrap_or_default();
        let criteria = self.criteria(&task)?;
        let targets = self.targets(&task)?;
        let place = self.own_workspace(id)?.map(|own| own.root().to_owned());
        let checks = self.checks_ahead(&task, turn.role);
        let plan = self.plan_text(&task)?.filter(|_| turn.role != Role::Verifier);
        Ok(Received {
            task,
            turn,
            request,
            feedback,
            news,
            before,
            retry,
            guidance,
            plan,
            context,
            demands,
            criteria,
            targets,
            place,
            checks,
        })
    }

    /// Returns what the host will settle of what is handed over in a turn; a report is not checked.
    pub(super) fn checks_ahead(&self, task: &Task, role: Role) -> Vec<(CheckpointName, Option<String>)> {
        let stage = task.stage().filter(|_| role != Role::Verifier);
        let named = stage.into_iter().flat_map(Stage::host_checkpoints);
        let run = |name: &CheckpointName| {
            let check = self.checks.iter().find(|check| check.checkpoint == name.as_str());
            (name.clone(), check.map(|check| check.run.join(" ")))
        };
        named.map(run).collect()
    }

    /// Says who is to take which role now, or why nobody is.
    pub(super) fn due(&self, task: &Task) -> Result<(Role, AgentName), DeskError> {
        let state = self.state(task.id.as_str())?;
        let owed = pending(&state, &self.context(state.task.as_ref(), None)?, self.now);
        let give = owed.into_iter().find_map(|effect| match effect {
            Effect::GiveTurn { role, agent, .. } => Some((role, agent)),
            _ => None,
        });
        let paused = self.state(PROJECT_STREAM)?.project.paused.clone();
        give.ok_or_else(|| {
            if let Some(reason) = paused.filter(|_| task.end.is_none()) {
                return Rejection::new(Refusal::Paused, reason).into();
            }
            let details = match (consider(task, self.now), &task.turn) {
                (Err(NotYet::Turn), Some(turn)) => format!("{} is being taken", turn.id),
                (Err(missing), _) => missing.words(),
                (Ok(ruling), _) => {
                    format!("first decide: {} ({})", ruling.disposition.name(), ruling.reason.name())
                }
            };
            Rejection::new(Refusal::NotNow, details).into()
        })
    }

    /// Ends the turn of somebody else whose time is up. They may hand over late, but not once another one wants the turn.
    fn take_over(&mut self, id: &TaskId) -> Result<(), DeskError> {
        let task = self.task(id)?;
        let is_gone = |turn: &Turn| {
            turn.performer != Performer::Program
                && !self.visitor.holds(id, turn)
                && self.now >= turn.expires_at
        };
        if !task.turn.as_ref().is_some_and(is_gone) {
            return Ok(());
        }
        self.act(id.as_str(), &self.actor(As::Orchestrator), &Act::Expire {}, &[])?;
        self.decide(id).map(|_| ())
    }

    /// Lets something pass that does not, until a moment, for a reason, in a person's name.
    pub fn waive(
        &mut self,
        task: &TaskId,
        what: Waivable,
        reason: &str,
        until: i64,
    ) -> Result<(), DeskError> {
        let act = Act::Waive { what, reason: reason.to_owned(), until };
        self.act(task.as_str(), &self.actor(As::Visitor), &act, &[])?;
        self.settle(task)
    }

    /// Lets exactly that pass which the host saw in the files of a task as they are now, in a person's name.
    pub fn let_pass(&mut self, task: &TaskId, words: &str, until: Option<i64>) -> Result<(), DeskError> {
        let refused = |details: String| Rejection::new(Refusal::UnknownSubject, details);
        let receipt = self.task(task)?.run.receipt;
        let Some((receipt, what)) =
            receipt.and_then(|receipt| Some((receipt.tree_before.clone(), receipt.waivable()?)))
        else {
            return Err(refused("nothing was seen that has to be let pass".to_owned()).into());
        };
        if self.measure(task)? != receipt {
            let next = format!("`baton resolve {task} again WORDS` gives the task another round");
            return Err(refused(format!("the files are not those in which it was seen; {next}")).into());
        }
        self.waive(task, what, words, until.unwrap_or(self.now.saturating_add(LEAVE_MS)))
    }

    /// Says what becomes of an escalated task.
    pub fn resolve(&mut self, task: &TaskId, resolution: Resolution, words: &str) -> Result<(), DeskError> {
        let act = Act::Resolve { resolution, words: words.to_owned() };
        self.act(task.as_str(), &self.actor(As::Visitor), &act, &[])?;
        self.settle(task)
    }

    /// Starts nothing more, or goes on.
    pub fn pause(&mut self, reason: Option<&str>) -> Result<(), DeskError> {
        let act = match reason {
            Some(reason) => Act::Pause { reason: reason.to_owned() },
            None => Act::Resume {},
        };
        self.act(PROJECT_STREAM, &self.actor(As::Visitor), &act, &[])?;
        self.write_files()
    }

    /// Returns the live turn of a task with its lease.
    pub(super) fn live(&self, id: &TaskId) -> Result<(Task, Turn, LeaseToken), DeskError> {
        let task = self.task(id)?;
        let Some(turn) = task.turn.clone() else {
            return Err(Rejection::new(
                Refusal::NotNow,
                format!("nobody has taken a turn; `baton receive {id}`"),
            )
            .into());
        };
        let lease = LeaseToken { turn: turn.id.clone(), epoch: turn.epoch };
        Ok((task, turn, lease))
    }
}

/// Tells a verifier why the verification before this one came to nothing.
fn came_to_nothing(lost: &Attempt) -> String {
    let seen = match (lost.ending, lost.why.as_deref()) {
        (Some(ending), Some(why)) => format!("{}: {why}", ending.name()),
        (Some(ending), None) => ending.name().to_owned(),
        (None, why) => why.unwrap_or_default().to_owned(),
    };
    format!(
        "Your last report ({}) didn't count: {}\nFix that, and end with a new report.",
        lost.turn,
        one_line(&seen)
    )
}
