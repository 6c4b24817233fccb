//! Carries tasks: every act is decided by the engine on what the log holds, and appended before anybody is told.
//!
//! Reading order: [`place`], this file, [`turn`], [`handover`], [`receipt`], [`decision`], [`tell`].

pub mod decision;
mod files;
pub mod handover;
mod paper;
pub mod place;
pub mod receipt;
pub mod tell;
mod tree;
pub mod turn;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_engine::command::{Act, Command, Context, Standing};
use baton_engine::envelope::{Actor, ActorKind, PROJECT_STREAM, Recorded};
use baton_engine::event::{Entry, Event};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::state::{State, Task};
use baton_engine::word::{BadWord, TaskId};
use baton_engine::{decide, fold};
use baton_store::anchor::{Anchorage, Key};
use baton_store::chain::{Finding, Verified};
use baton_store::log::{Append, AppendError, Blobs, Log};
use baton_store::sqlite::{Options, SqliteLog};
use baton_store::view::{View, Views, tasks};
use baton_store::{BlobId, StoreError};

use crate::config::Check;

pub use baton_engine::event::Entry as LogEntry;
pub use baton_engine::fact::{BlockReason, GateChoice, Resolution, Waivable};
pub use baton_engine::state::Task as TaskState;
pub use baton_engine::word::{CheckpointName, CriterionId, TaskId as Id, WorkflowName};

/// How often a lost race is run again before it is called busy.
const RACES_MAX: usize = 16;

/// The place where tasks are carried: one project, its log, and the person who asks.
#[derive(Debug)]
pub struct Desk {
    log: SqliteLog,
    root: PathBuf,
    /// Who asks.
    person: String,
    /// Milliseconds since 1970.
    now: i64,
    /// The checks that a person trusts.
    checks: Vec<Check>,
}

/// Who asks at the desk, when, and with what.
#[derive(Clone, Debug)]
pub struct Visit {
    pub root: PathBuf,
    /// The log, where it does not lie in the state folder of the user.
    pub store: Option<PathBuf>,
    pub person: String,
    pub now: i64,
    pub checks: Vec<Check>,
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
            Self::Busy => out.write_str("others changed the same task again and again; nothing was stored"),
        }
    }
}

impl From<StoreError> for DeskError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
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

/// Who does something: the person at the desk, or the desk itself on behalf of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum As {
    Person,
    Orchestrator,
    Host,
}

impl Desk {
    /// Opens the desk of a project, and its log with it.
    pub fn open(visit: Visit) -> Result<Self, DeskError> {
        let folder = place::state_folder(&visit.root, visit.store.as_deref())?;
        let key = Key::load_or_create(&folder.join("key"))?;
        let options = Options {
            views: Views::with([Arc::new(tasks::Tasks) as Arc<dyn View>]),
            anchorage: Some(Anchorage::new(folder.join("anchor.json"), key)),
            ..Options::default()
        };
        let log = SqliteLog::open(&folder.join("log.sqlite"), options)?;
        let Visit { root, person, now, checks, .. } = visit;
        Ok(Self { log, root, person, now, checks })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn log(&self) -> &SqliteLog {
        &self.log
    }

    fn actor(&self, who: As) -> Actor {
        match who {
            As::Person => Actor::new(ActorKind::Person, self.person.as_str()),
            As::Orchestrator => Actor::new(ActorKind::Orchestrator, "baton"),
            As::Host => Actor::new(ActorKind::Host, "baton"),
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
            let context = self.context(stream, act)?;
            let command = Command { at: self.now, actor: actor.clone(), key: None, act: act.clone() };
            let events = match decide(&state, &command, &context) {
                Ok(events) => events,
                Err(rejection) => {
                    self.remember_refusal(stream, &state, &command, &rejection)?;
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

    /// Somebody who reached for what is not theirs is remembered, if there is a task to remember it at.
    fn remember_refusal(
        &mut self,
        stream: &str,
        state: &State,
        command: &Command,
        rejection: &Rejection,
    ) -> Result<(), DeskError> {
        if !rejection.is_recorded() || state.task.is_none() {
            return Ok(());
        }
        let event = Event::refused(command.act.kind().name(), rejection.refusal.name(), &rejection.details);
        match self.log.append(stream, state.version, &Event::seal(&[event], command)) {
            // Whoever was faster does not matter: the refusal stands, only its record is lost.
            Ok(_) | Err(AppendError::Conflict { .. } | AppendError::Duplicate { .. }) => Ok(()),
            Err(AppendError::Storage(error)) => Err(error.into()),
        }
    }

    /// Returns what is so now, folded from the events of a stream. Nothing is decided from a view: only events have hashes.
    pub fn state(&self, stream: &str) -> Result<State, DeskError> {
        let entries: Vec<Entry> = self.log.read(stream, 0)?.iter().map(Entry::read).collect();
        Ok(fold(State::default(), &entries))
    }

    /// Returns a task that must be there.
    pub fn task(&self, id: &TaskId) -> Result<Task, DeskError> {
        self.state(id.as_str())?.task.ok_or_else(|| Rejection::new(Refusal::NoTask, id.as_str()).into())
    }

    /// Returns a line for every task, by their ids.
    pub fn board(&self) -> Result<Vec<tasks::Line>, DeskError> {
        Ok(tasks::board(&self.log)?)
    }

    /// Returns all tasks, by their ids.
    pub fn tasks(&self) -> Result<Vec<Task>, DeskError> {
        let mut tasks = Vec::new();
        for line in self.board()? {
            tasks.extend(self.state(&line.task)?.task);
        }
        Ok(tasks)
    }

    /// Returns what a decision about a stream must know of the rest: the project, and the tasks that are named in it.
    fn context(&self, stream: &str, act: &Act) -> Result<Context, DeskError> {
        let project = self.state(PROJECT_STREAM)?;
        let task = self.state(stream)?.task;
        let mut named: BTreeSet<TaskId> = BTreeSet::new();
        if let Some(task) = &task {
            named.extend(task.dependencies.keys().cloned());
            named.extend(task.delegations.values().map(|delegation| delegation.child.clone()));
        }
        match act {
            Act::DeclareDependency { on, .. } | Act::Depend { on } | Act::ReleaseDependency { on } => {
                named.insert(on.clone());
            }
            _ => {}
        }
        let mut standings = BTreeMap::new();
        for id in named {
            if let Some(task) = self.state(id.as_str())?.task {
                let result = task.run.submission.as_ref().map(|submission| submission.document.clone());
                let standing = Standing { end: task.end, spent_tokens: task.budget.spent_tokens, result };
                standings.insert(id, standing);
            }
        }
        let project_is_newer = !project.unknown.is_empty();
        Ok(Context { project: project.project, project_is_newer, standings })
    }

    /// Returns the events of a task, or of the whole log.
    pub fn entries(&self, task: Option<&TaskId>) -> Result<Vec<(Recorded, Entry)>, DeskError> {
        let recorded = match task {
            Some(task) => self.log.read(task.as_str(), 0)?,
            None => self.log.read_all(0, usize::MAX)?,
        };
        Ok(recorded
            .into_iter()
            .map(|recorded| {
                let entry = Entry::read(&recorded);
                (recorded, entry)
            })
            .collect())
    }

    /// Checks the whole log: the file, its chain of hashes, and the anchor outside of it.
    pub fn verify(&self) -> Result<Result<Verified, Finding>, DeskError> {
        Ok(self.log.check()?)
    }

    /// Copies the log to a new file, and verifies the copy.
    pub fn backup(&self, to: &Path) -> Result<Verified, DeskError> {
        Ok(baton_store::backup::backup(&self.log, to)?)
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

/// Brings a backup back into a folder that holds no log, and returns how many events it has.
pub fn restore(from: &Path, into: &Path) -> Result<u64, DeskError> {
    place::make(into).map_err(|error| DeskError::Io(into.to_owned(), error))?;
    Ok(baton_store::backup::restore(from, &into.join("log.sqlite"), None)?.head.sequence)
}
