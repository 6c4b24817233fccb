//! Carries tasks: every act is decided by the engine on what the log holds, and appended before anybody is told.
//!
//! Reading order: [`place`], this file, `folded`, [`caller`], `settle`, [`turn`], [`handover`], [`question`], [`delegation`], [`receipt`],
//! [`decision`], [`program`], `guest`, `failure`, [`snapshot`], `backup`, [`rollback`], [`merge`], [`knowledge`], [`library`],
//! [`context`], [`tell`], [`stuck`], `look`, [`why`].

mod backup;
mod brought;
mod built;
pub mod caller;
pub(crate) mod claims;
pub mod context;
pub mod criteria;
pub mod decision;
pub mod delegation;
mod drift;
pub(crate) mod failure;
mod files;
mod folded;
pub(crate) mod guest;
mod guidance;
pub mod handover;
mod informed;
pub mod knowledge;
pub mod library;
pub(crate) mod look;
pub mod merge;
mod own_task;
mod paper;
pub mod place;
pub(crate) mod plan;
mod printed;
pub mod program;
pub mod question;
pub mod receipt;
pub(crate) mod refused;
pub mod rollback;
mod route;
mod settle;
mod skill;
pub mod snapshot;
pub mod stuck;
pub mod taken;
pub mod targets;
pub mod tell;
pub mod turn;
mod verification;
pub mod why;
pub mod workflows;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use baton_engine::command::{Act, Command, Context, Standing};
use baton_engine::decide;
use baton_engine::envelope::{Actor, ActorKind, Fresh, PROJECT_STREAM, Recorded};
use baton_engine::event::{Entry, Event};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::state::{State, Task};
use baton_engine::word::{BadWord, SessionId, TaskId};
use baton_engine::workflow::Workflow;
use baton_store::anchor::{Anchorage, Key};
use baton_store::chain::{Finding, Verified};
use baton_store::knowledge::Index;
use baton_store::log::{Append, AppendError, Blobs, Log};
use baton_store::sqlite::{Options, SqliteLog};
use baton_store::view::{View, Views, handoffs, metrics, owed, tasks};
use baton_store::{BlobId, StoreError};

use crate::config::{Agent, Budgets, Check, Files, RunRules};
use crate::git::{GitError, Spare};
use crate::workspace::{Rule, Workspace, WorkspaceError, Workspaces};
use caller::{Caller, Visitor};
use folded::Folded;

pub use backup::{Copied, restore};
pub use baton_engine::event::Entry as LogEntry;
pub use baton_engine::fact::{BlockReason, CheckResult, GateChoice, Resolution, Waivable};
pub use baton_engine::state::Task as TaskState;
pub use baton_engine::word::{
    AgentName, CheckpointName, CriterionId, SessionId as Session, TaskId as Id, WorkflowName,
};
pub use baton_store::view::metrics::{By, Count};
pub use baton_store::view::tasks::Line;

/// The log and the saved workspaces, in the folder of the project.
pub(crate) const LOG_FILE: &str = "log.sqlite";
const SNAPSHOTS: &str = "snapshots";
/// How often a lost race is run again before it is called busy.
const RACES_MAX: usize = 16;

/// The place where tasks are carried: one project, its log, and whoever asks.
#[derive(Debug)]
pub struct Desk {
    log: SqliteLog,
    folded: Folded,
    /// Holds the log, its key and anchor, and the snapshots.
    folder: PathBuf,
    workspace: Workspace,
    /// Those of the tasks, once they are needed.
    workspaces: OnceLock<Workspaces>,
    /// The git processes that read snapshots, from one question to the next.
    spare: Arc<Spare>,
    /// What is known, from when it was asked first.
    index: Mutex<Option<Index>>,
    visitor: Visitor,
    key: Key,
    /// Milliseconds since 1970.
    now: i64,
    /// The checks that a person trusts.
    checks: Vec<Check>,
    /// The project's own workflows.
    workflows: Vec<Workflow>,
    files: Files,
    /// The files that people read are written when somebody says so, not with every act.
    files_wait: bool,
    budgets: Budgets,
    run: RunRules,
    /// Whom `baton.toml` names, whether or not a person trusts it: only told, never started from here.
    agents: Vec<Agent>,
    /// Where a program whose sandbox keeps the log from it leaves what it was refused.
    refused_beside: Option<PathBuf>,
}

/// Who asks at the desk, when, and with what.
#[derive(Clone, Debug)]
pub struct Visit {
    pub root: PathBuf,
    /// The log, where it does not lie in the state folder of the user.
    pub store: Option<PathBuf>,
    pub caller: Caller,
    pub now: i64,
    pub checks: Vec<Check>,
    pub workflows: Vec<Workflow>,
    pub files: Files,
    pub budgets: Budgets,
}

/// Why something could not be done.
#[derive(Debug)]
pub enum DeskError {
    /// The engine refuses; its words say why and what to do.
    Refused(Rejection),
    Store(StoreError),
    /// A name that is none.
    Word(BadWord),
    /// A document that cannot be used as what it was given for.
    Document {
        what: String,
        next: String,
    },
    Io(PathBuf, std::io::Error),
    Git(GitError),
    /// What was asked is recorded, but not all that follows from it could be written.
    Recorded(String),
    /// Others were faster, again and again.
    Busy,
}

impl fmt::Display for DeskError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(rejection) => rejection.fmt(out),
            Self::Store(error) => error.fmt(out),
            Self::Word(word) => word.fmt(out),
            Self::Document { what, .. } => out.write_str(what),
            Self::Io(path, error) => write!(out, "{}: {error}", path.display()),
            Self::Git(error) => error.fmt(out),
            Self::Recorded(why) => write!(out, "it is recorded, but not all that follows from it: {why}"),
            Self::Busy => out.write_str("others changed the same task again and again; nothing was stored"),
        }
    }
}

impl From<StoreError> for DeskError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<GitError> for DeskError {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

impl From<WorkspaceError> for DeskError {
    fn from(error: WorkspaceError) -> Self {
        match error {
            WorkspaceError::Io(path, error) => Self::Io(path, error),
            WorkspaceError::Git(error) => Self::Git(error),
            WorkspaceError::Refused { what, next } => Self::Document { what, next },
        }
    }
}

impl From<Rejection> for DeskError {
    fn from(rejection: Rejection) -> Self {
        Self::Refused(rejection)
    }
}

impl From<Refusal> for DeskError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.into())
    }
}

impl From<BadWord> for DeskError {
    fn from(word: BadWord) -> Self {
        Self::Word(word)
    }
}

/// Who does something: whoever stands at the desk, or the desk itself on behalf of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum As {
    Visitor,
    /// Whoever puts in force what the repository says: the person at the desk, or the orchestrator where an agent stands there.
    Clerk,
    Orchestrator,
    Host,
}

impl Desk {
    /// Opens the desk of a project, and its log with it.
    pub fn open(visit: Visit) -> Result<Self, DeskError> {
        let folder = place::state_folder(&visit.root, visit.store.as_deref())?;
        let key = Key::load_or_create(&folder.join(place::KEY_FILE))?;
        let options = Options {
            views: views(),
            anchorage: Some(Anchorage::new(folder.join("anchor.json"), key.clone())),
            ..Options::default()
        };
        let log = SqliteLog::open(&folder.join(LOG_FILE), options)?;
        let Visit { root, caller, now, checks, workflows, files, budgets, .. } = visit;
        let visitor = Visitor::admit(&caller, &key);
        let left_out = files.state.iter().chain(&files.archive).cloned().collect();
        let workspace = Workspace::new(root, left_out, Rule::Checkout);
        let (workspaces, run) = (OnceLock::new(), RunRules::default());
        Ok(Self {
            log,
            folded: Folded::default(),
            folder,
            workspace,
            spare: Arc::default(),
            workspaces,
            index: Mutex::default(),
            visitor,
            key,
            now,
            checks,
            workflows,
            files,
            files_wait: false,
            budgets,
            run,
            agents: Vec::new(),
            refused_beside: None,
        })
    }

    /// The same desk, for a program that leaves what it was refused in this folder where it can't write the log.
    pub(crate) fn refused_beside(self, folder: Option<PathBuf>) -> Self {
        Self { refused_beside: folder, ..self }
    }

    /// The same desk, where these rules hold for programs.
    pub(crate) fn under(self, run: RunRules) -> Self {
        Self { run, ..self }
    }

    /// The same desk, where these agents take turns.
    pub(crate) fn among(self, agents: Vec<Agent>) -> Self {
        Self { agents, ..self }
    }

    /// Lets an agent stand at the desk in place of the person who started it. From then on all that is a person's to do is
    /// refused, and remembered. A program that Baton runs stays what it is.
    #[must_use]
    pub fn for_guest(self, session: SessionId) -> Self {
        Self { visitor: self.visitor.with_guest(session), ..self }
    }

    pub fn root(&self) -> &Path {
        &self.workspace.root
    }

    pub fn log(&self) -> &SqliteLog {
        &self.log
    }

    fn actor(&self, who: As) -> Actor {
        match who {
            As::Visitor => self.visitor.actor(),
            As::Clerk if self.visitor.is_person() => self.visitor.actor(),
            As::Clerk => self.actor(As::Orchestrator),
            As::Orchestrator => Actor::new(ActorKind::Orchestrator, "baton"),
            As::Host => Actor::new(ActorKind::Host, "baton"),
        }
    }

    /// Acts so that something is so, whoever saw to it in the end.
    fn see_to(&mut self, stream: &str, actor: &Actor, act: &Act, papers: &[&[u8]]) -> Result<(), DeskError> {
        match self.act(stream, actor, act, papers) {
            Err(DeskError::Refused(rejection)) if rejection.refusal == Refusal::AlreadySo => Ok(()),
            acted => acted.map(|_| ()),
        }
    }

    /// Decides about an act and appends what follows from it; documents that it names are stored with it.
    fn act(
        &mut self,
        stream: &str,
        actor: &Actor,
        act: &Act,
        papers: &[&[u8]],
    ) -> Result<Vec<Entry>, DeskError> {
        for _ in 0..RACES_MAX {
            let state = self.state(stream)?;
            let context = self.context(state.task.as_ref(), Some(act))?;
            let command = Command { at: self.now, actor: actor.clone(), key: None, act: act.clone() };
            let events = match decide(&state, &command, &context) {
                Ok(events) => events,
                Err(rejection) => {
                    self.remember_refusal(stream, (&command.actor, act.kind().name()), &rejection)?;
                    return Err(rejection.into());
                }
            };
            let fresh = Event::seal(&events, &command);
            let append = Append { stream, expected: state.version, events: &fresh, documents: papers };
            match self.log.append_with(&append) {
                Ok(recorded) => return Ok(recorded.iter().map(Entry::read).collect()),
                Err(AppendError::Conflict { .. }) => {}
                Err(AppendError::Duplicate { recorded, .. }) => {
                    return Ok(recorded.iter().map(Entry::read).collect());
                }
                Err(AppendError::Storage(error)) => return Err(error.into()),
            }
        }
        Err(DeskError::Busy)
    }

    /// Appends what needs no decision, after whatever others append at the same time.
    fn remember(&mut self, stream: &str, fresh: &[Fresh]) -> Result<(), DeskError> {
        for _ in 0..RACES_MAX {
            let version = self.state(stream)?.version;
            match self.log.append(stream, version, fresh) {
                Ok(_) | Err(AppendError::Duplicate { .. }) => return Ok(()),
                Err(AppendError::Conflict { .. }) => {}
                Err(AppendError::Storage(error)) => return Err(error.into()),
            }
        }
        Err(DeskError::Busy)
    }

    /// Returns what is so now, folded from the events of a stream. Nothing is decided from a view: only events have hashes.
    pub fn state(&self, stream: &str) -> Result<Arc<State>, DeskError> {
        Ok(self.folded.state(&self.log, stream)?)
    }

    /// Returns a task that must be there.
    pub fn task(&self, id: &TaskId) -> Result<Task, DeskError> {
        let task = self.state(id.as_str())?.task.clone();
        task.ok_or_else(|| Rejection::new(Refusal::NoTask, id.as_str()).into())
    }

    /// Returns a line for every task, by their ids.
    pub fn board(&self) -> Result<Vec<Line>, DeskError> {
        Ok(tasks::board(&self.log)?)
    }

    /// Returns the task of a line, to be shown.
    pub fn shown(&self, line: &Line) -> Result<Option<Task>, DeskError> {
        Ok(self.state(&line.task)?.task.clone())
    }

    /// Returns every handoff in the log, by its task.
    pub(crate) fn handed_over(&self) -> Result<Vec<handoffs::Handed>, DeskError> {
        let mut all = Vec::new();
        for line in self.board()? {
            all.extend(handoffs::of_task(&self.log, &line.task)?);
        }
        Ok(all)
    }

    /// Returns what was counted, by agent, by stage or by task.
    pub fn metrics(&self, by: By) -> Result<Vec<(String, Count)>, DeskError> {
        Ok(metrics::counts(&self.log, by)?)
    }

    /// Returns all tasks, by their ids.
    pub fn tasks(&self) -> Result<Vec<Task>, DeskError> {
        let mut tasks = Vec::new();
        for line in self.board()? {
            tasks.extend(self.state(&line.task)?.task.clone());
        }
        Ok(tasks)
    }

    /// Returns what a decision about a stream must know of the rest: the project, and the tasks that are named in it.
    fn context(&self, task: Option<&Task>, act: Option<&Act>) -> Result<Context, DeskError> {
        let project = self.state(PROJECT_STREAM)?;
        let mut named: BTreeSet<TaskId> = BTreeSet::new();
        if let Some(task) = task {
            named.extend(task.dependencies.keys().cloned());
            named.extend(task.delegations.values().map(|delegation| delegation.child.clone()));
        }
        match act {
            Some(Act::DeclareDependency { on, .. } | Act::Depend { on } | Act::ReleaseDependency { on }) => {
                named.insert(on.clone());
            }
            Some(Act::Delegate { child, .. }) => {
                named.insert(child.clone());
            }
            _ => {}
        }
        let mut standings = BTreeMap::new();
        for id in named {
            if let Some(task) = &self.state(id.as_str())?.task {
                let result = task.run.submission.as_ref().map(|submission| submission.document.clone());
                let standing = Standing { end: task.end, spent_tokens: task.budget.spent_tokens, result };
                standings.insert(id, standing);
            }
        }
        let project_is_newer = !project.unknown.is_empty();
        Ok(Context { project: project.project.clone(), project_is_newer, standings })
    }

    /// Returns the events of a task, or of the whole log.
    pub fn entries(&self, task: Option<&TaskId>) -> Result<Vec<(Recorded, Entry)>, DeskError> {
        let recorded = match task {
            Some(task) => self.log.read(task.as_str(), 0)?,
            None => self.whole_log()?,
        };
        Ok(recorded
            .into_iter()
            .map(|recorded| {
                let entry = Entry::read(&recorded);
                (recorded, entry)
            })
            .collect())
    }

    /// The log gives its events in pages.
    fn whole_log(&self) -> Result<Vec<Recorded>, DeskError> {
        let mut events: Vec<Recorded> = Vec::new();
        loop {
            let after = events.last().map_or(0, |event| event.sequence);
            let page = self.log.read_all(after, usize::MAX)?;
            if page.is_empty() {
                return Ok(events);
            }
            events.extend(page);
        }
    }

    /// Checks the whole log: the file, its chain of hashes, and the anchor outside of it.
    pub fn verify(&self) -> Result<Result<Verified, Finding>, DeskError> {
        Ok(self.log.check()?)
    }

    /// Writes the whole log as lines of JSON.
    pub fn export(&self, out: &mut dyn Write) -> Result<u64, DeskError> {
        Ok(baton_store::export::export(&self.log, None, out)?.sequence)
    }

    /// Returns the bytes of a document that the log keeps.
    pub fn document(&self, blob: &baton_engine::word::BlobId) -> Result<Option<Vec<u8>>, DeskError> {
        match BlobId::parse(blob.as_str()) {
            Some(id) => Ok(self.log.get(&id)?),
            None => Ok(None),
        }
    }
}

/// The views that the desk reads.
fn views() -> Views {
    Views::with([
        Arc::new(tasks::Tasks) as Arc<dyn View>,
        Arc::new(tasks::Open),
        Arc::new(owed::Owed),
        Arc::new(handoffs::Handoffs),
        Arc::new(metrics::Metrics),
    ])
}

#[cfg(test)]
mod tests;
