//! Tasks come and go, and turns are given to whoever takes them.

use std::collections::BTreeSet;
use std::fs;

use baton_engine::command::Act;
use baton_engine::envelope::PROJECT_STREAM;
use baton_engine::event::{Entry, Event};
use baton_engine::fact::{Guidance, LeaseToken, Performer, Resolution, Waivable};
use baton_engine::pending::{Effect, pending};
use baton_engine::policy::{NotYet, consider};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::state::{StatusKind, Task, Turn};
use baton_engine::word::{AgentName, CriterionId, SessionId, TaskId, WorkflowName};
use baton_engine::workflow::Role;
use serde_json::json;

use super::paper::Paper;
use super::{As, Desk, DeskError, tree};

/// Files in which projects keep their guidance for agents.
const COVENANT_FILES: &[&str] = &["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
/// Largest file of guidance that is read.
const COVENANT_BYTES_MAX: u64 = 1024 * 1024;

/// A task to be added.
#[derive(Clone, Debug)]
pub struct NewTask {
    pub id: TaskId,
    pub title: String,
    pub workflow: WorkflowName,
    pub criteria: BTreeSet<CriterionId>,
    pub depends_on: BTreeSet<TaskId>,
}

/// What somebody gets who takes a turn.
#[derive(Clone, Debug)]
pub struct Received {
    pub task: Task,
    pub turn: Turn,
    /// The handoff that opened the stage, as it was written.
    pub handoff: Option<Vec<u8>>,
    /// What the last attempt failed at.
    pub feedback: Option<String>,
    /// The guidance in force.
    pub guidance: Vec<u8>,
}

impl Desk {
    pub fn add_task(&mut self, new: NewTask) -> Result<(), DeskError> {
        for on in &new.depends_on {
            self.declare(&new.id, on)?;
        }
        let NewTask { id, title, workflow, criteria, depends_on } = new;
        let stream = id.as_str().to_owned();
        let order = Paper::artifact(
            "task-order",
            &format!("order-{id}"),
            (&id, "human", self.now),
            json!({ "title": title, "workflow": workflow.as_str() }),
        )?;
        let act = Act::AddTask {
            task: id,
            title,
            workflow,
            criteria,
            depends_on,
            lineage: Vec::new(),
            assignee: None,
            budget_tokens: None,
            document: order.document.clone(),
        };
        self.act(&stream, &self.actor(As::Person), &act, &[&order.bytes])?;
        self.release_dependents()
    }

    fn declare(&mut self, task: &TaskId, on: &TaskId) -> Result<(), DeskError> {
        let act = Act::DeclareDependency { task: task.clone(), on: on.clone() };
        match self.act(PROJECT_STREAM, &self.actor(As::Person), &act, &[]) {
            Ok(_) => Ok(()),
            Err(DeskError::Refused(rejection)) if rejection.refusal == Refusal::AlreadySo => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Lets a task wait for another.
    pub fn depend(&mut self, task: &TaskId, on: &TaskId) -> Result<(), DeskError> {
        self.task(task)?;
        self.declare(task, on)?;
        let act = Act::Depend { on: on.clone() };
        self.act(task.as_str(), &self.actor(As::Person), &act, &[])?;
        self.release_dependents()
    }

    pub fn cancel(&mut self, task: &TaskId, reason: &str) -> Result<(), DeskError> {
        let act = Act::Cancel { reason: reason.to_owned() };
        self.act(task.as_str(), &self.actor(As::Person), &act, &[])?;
        // A turn that a person takes has no process to stop.
        let task_now = self.task(task)?;
        if let Some(turn) = task_now.turn.filter(|turn| turn.performer == Performer::Person) {
            let lease = LeaseToken { turn: turn.id, epoch: turn.epoch };
            let ending = baton_engine::fact::Ending::Stopped;
            let act = Act::EndTurn { lease, ending, spent_tokens: Some(0) };
            self.act(task.as_str(), &self.actor(As::Host), &act, &[])?;
        }
        self.release_dependents()
    }

    /// Gives the turn that is due to the person at the desk.
    pub fn receive(&mut self, id: &TaskId) -> Result<Received, DeskError> {
        self.release_dependents()?;
        let task = self.task(id)?;
        let covenant = self.adopt_covenant()?;
        let (role, agent) = self.due(&task)?;
        let number = task.turns_count + 1;
        let guidance = self.guidance(id, number, role, &covenant)?;
        let request = match role {
            Role::Verifier => Some(self.verification_request(&task, number)?),
            Role::Builder | Role::Repair | Role::Specialist => None,
        };
        let act = Act::StartTurn {
            role,
            agent,
            session: SessionId::new(self.person.as_str())?,
            performer: Performer::Person,
            guidance: Guidance {
                document: guidance.document.clone(),
                covenant_version: covenant.version,
                policy_hash: covenant.policy_hash,
            },
            request: request.as_ref().map(|request| request.document.clone()),
        };
        let mut papers: Vec<&[u8]> = vec![&guidance.bytes];
        papers.extend(request.iter().map(|request| request.bytes.as_slice()));
        let orchestrator = self.actor(As::Orchestrator);
        let started = self.act(id.as_str(), &orchestrator, &act, &papers)?;
        self.launch(id, &started)?;
        let task = self.task(id)?;
        let Some(turn) = task.turn.clone() else { return Err(Refusal::NotNow.into()) };
        // A verifier gets the request and not the builder's story.
        let handoff = match (&task.run.inbound, &request) {
            (_, Some(request)) => Some(request.bytes.clone()),
            (Some(inbound), None) => self.document(&inbound.blob)?,
            (None, None) => None,
        };
        let feedback = task.run.feedback.as_ref().map(baton_engine::feedback::Feedback::text);
        Ok(Received { task, turn, handoff, feedback, guidance: guidance.bytes })
    }

    /// Says who is to take which role now, or why nobody is.
    fn due(&self, task: &Task) -> Result<(Role, AgentName), DeskError> {
        let state = self.state(task.id.as_str())?;
        let owed = pending(&state, &self.context(task.id.as_str(), &Act::Expire {})?, self.now);
        let give = owed.into_iter().find_map(|effect| match effect {
            Effect::GiveTurn { role, agent, .. } => Some((role, agent)),
            _ => None,
        });
        give.ok_or_else(|| {
            let details = match consider(task, self.now) {
                Err(NotYet::Turn) => format!("{} is being taken", task.next_turn_id()),
                Err(missing) => missing.words(),
                Ok(ruling) => {
                    format!("first decide: {} ({})", ruling.disposition.name(), ruling.reason.name())
                }
            };
            Rejection::new(Refusal::NotNow, details).into()
        })
    }

    /// Measures the workspace and claims the launch: a person's turn begins when they take it.
    fn launch(&mut self, id: &TaskId, started: &[Entry]) -> Result<(), DeskError> {
        let begun = started.iter().find_map(|entry| match &entry.event {
            Event::TurnStarted { turn, epoch, .. } => Some((turn.clone(), *epoch)),
            _ => None,
        });
        let Some((turn, epoch)) = begun else { return Err(Refusal::NotNow.into()) };
        let host = self.actor(As::Host);
        let tree = tree::measure(&self.root)?;
        let reference = format!("tree {tree}");
        let act = Act::RecordSnapshot { turn: turn.clone(), reference, tree };
        self.act(id.as_str(), &host, &act, &[])?;
        let act = Act::Launch { lease: LeaseToken { turn, epoch } };
        self.act(id.as_str(), &host, &act, &[]).map(|_| ())
    }

    fn guidance(
        &self,
        id: &TaskId,
        number: u64,
        role: Role,
        covenant: &Covenant,
    ) -> Result<Paper, DeskError> {
        Paper::artifact(
            "guidance-packet",
            &format!("guidance-{number}"),
            (id, "orchestrator", self.now),
            json!({
                "covenant_version": covenant.version.to_string(),
                "policy_hash": covenant.policy_hash.as_str(),
                "role_constraints": [format!("You act as {} and hand over with `baton submit {id} FILE`", role.name())],
                "stop_conditions": ["Stop and ask with `baton clarify` where a person must decide"],
            }),
        )
    }

    fn verification_request(&self, task: &Task, number: u64) -> Result<Paper, DeskError> {
        let criteria: Vec<_> = task
            .criteria_in_force()
            .iter()
            .map(|criterion| json!({ "id": criterion.as_str(), "criterion": criterion.as_str() }))
            .collect();
        Paper::artifact(
            "verification-request",
            &format!("request-{number}"),
            (&task.id, "orchestrator", self.now),
            json!({
                "criteria": criteria,
                "expected_evidence": ["a reference for every verdict"],
                "policy_constraints": ["The verifier changes nothing"],
            }),
        )
    }

    /// Puts the guidance of the repository in force, if it is another than before.
    fn adopt_covenant(&mut self) -> Result<Covenant, DeskError> {
        let text = self.covenant_text()?;
        let paper = Paper::of("covenant", text)?;
        let known = self.state(PROJECT_STREAM)?.project.covenant;
        let version = match &known {
            Some(known) if known.policy_hash == paper.document.blob => known.version,
            Some(known) => known.version.saturating_add(1),
            None => 1,
        };
        let policy_hash = paper.document.blob.clone();
        if known.is_none_or(|known| known.policy_hash != policy_hash) {
            let act = Act::AdoptCovenant { version, policy_hash: policy_hash.clone() };
            self.act(PROJECT_STREAM, &self.actor(As::Person), &act, &[&paper.bytes])?;
        }
        Ok(Covenant { version, policy_hash })
    }

    fn covenant_text(&self) -> Result<Vec<u8>, DeskError> {
        let mut text = Vec::new();
        for name in COVENANT_FILES {
            let path = self.root.join(name);
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            if found.is_file() && found.len() <= COVENANT_BYTES_MAX {
                text.extend(fs::read(&path).map_err(|error| DeskError::Io(path.clone(), error))?);
            }
        }
        Ok(text)
    }

    /// Releases every task whose dependencies have ended.
    pub(super) fn release_dependents(&mut self) -> Result<(), DeskError> {
        for line in self.board()?.into_iter().filter(|line| line.status == StatusKind::Pending.name()) {
            let state = self.state(&line.task)?;
            let context = self.context(&line.task, &Act::Expire {})?;
            for effect in pending(&state, &context, self.now) {
                if let Effect::Release { on } = effect {
                    let act = Act::ReleaseDependency { on };
                    self.act(&line.task, &self.actor(As::Orchestrator), &act, &[])?;
                }
            }
        }
        Ok(())
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
        self.act(task.as_str(), &self.actor(As::Person), &act, &[]).map(|_| ())
    }

    /// Says what becomes of an escalated task.
    pub fn resolve(&mut self, task: &TaskId, resolution: Resolution, words: &str) -> Result<(), DeskError> {
        let act = Act::Resolve { resolution, words: words.to_owned() };
        self.act(task.as_str(), &self.actor(As::Person), &act, &[])?;
        self.release_dependents()
    }

    /// Starts nothing more, or goes on.
    pub fn pause(&mut self, reason: Option<&str>) -> Result<(), DeskError> {
        let act = match reason {
            Some(reason) => Act::Pause { reason: reason.to_owned() },
            None => Act::Resume {},
        };
        self.act(PROJECT_STREAM, &self.actor(As::Person), &act, &[]).map(|_| ())
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

/// The guidance in force.
struct Covenant {
    version: u32,
    policy_hash: baton_engine::word::BlobId,
}
