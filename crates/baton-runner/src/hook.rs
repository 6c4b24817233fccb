//! Beside an agent that somebody started themselves: its program calls Baton at certain moments, hands it one JSON, and
//! obeys the answer. Each agent has its dialect; what is judged, and when, is the same for all.
//!
//! Reading order: [`call`], the dialects (`claude`, `codex`, `gemini`, `opencode`), `session`, `manifest`, `start`,
//! `stop`, `feedback`, `not_judged`, [`teach`].

pub mod call;
mod claude;
mod codex;
mod feedback;
mod gemini;
mod manifest;
mod not_judged;
mod opencode;
mod read;
mod session;
mod start;
mod stop;
pub mod teach;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use baton_engine::word::{SessionId, TaskId};

use crate::config::{Budgets, Files};
use crate::desk::caller::Caller;
use crate::desk::{Desk, DeskError, LOG_FILE, Visit, place};
use crate::service::Service;
use crate::supervise::within;
use call::{Answer, Call, Moment, Reply, Trouble};
use session::Session;

pub use opencode::PLUGIN;
pub use session::session_id;

/// Most bytes that are read of what an agent's program hands over.
pub const PAYLOAD_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How often work is sent back before a person has to look. Claude Code overrides a hook at the ninth time.
pub const SENT_BACK_MAX: u32 = baton_engine::workflow::RETRIES_MAX;
const _: () = assert!(SENT_BACK_MAX < 8, "Claude Code would end the agent before a person is asked");
/// Most characters that are quoted to an agent in one go.
const TOLD_CHARS_MAX: usize = 16 * 1024;
/// How many folders above the one of the session are searched for the project.
const PARENTS_MAX: usize = 64;

/// The way of one agent to call and to be answered.
#[derive(Debug)]
pub struct Dialect {
    /// The word for the agent on the command line and in the log.
    pub name: &'static str,
    read: fn(&serde_json::Value) -> Result<Call, Trouble>,
    write: fn(&Call, &Answer) -> Reply,
}

/// All dialects.
pub const ALL: &[&Dialect] = &[&claude::DIALECT, &codex::DIALECT, &gemini::DIALECT, &opencode::DIALECT];

impl Dialect {
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|dialect| dialect.name == name)
    }
}

/// What surrounds a call.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Where the hook was started.
    pub folder: PathBuf,
    pub store: Option<PathBuf>,
    /// The task that whoever started the agent wants it to work on.
    pub task: Option<String>,
    /// Milliseconds since 1970.
    pub now: i64,
}

/// Answers one call. Whatever happens, there is an answer that the agent's program understands. What cannot be judged is not
/// accepted, and everybody hears of it.
pub fn answer(dialect: &Dialect, payload: &[u8], around: &Surroundings) -> Reply {
    let call = match parsed(payload).and_then(|value| (dialect.read)(&value)) {
        Ok(call) => call,
        Err(trouble) => return unreadable(dialect, payload, around, &trouble),
    };
    match respond(dialect, &call, around) {
        Ok(answer) => (dialect.write)(&call, &answer),
        Err(trouble) => {
            note(dialect, &call.folder(&around.folder), around, &trouble);
            trouble.reply()
        }
    }
}

fn parsed(payload: &[u8]) -> Result<serde_json::Value, Trouble> {
    if payload.len() > PAYLOAD_BYTES_MAX {
        return Err(Trouble::new(format!("the payload has more than {PAYLOAD_BYTES_MAX} bytes")));
    }
    let value: serde_json::Value =
        serde_json::from_slice(payload).map_err(|error| Trouble::new(format!("no JSON: {error}")))?;
    match value.is_object() {
        true => Ok(value),
        false => Err(Trouble::new("the payload is no JSON object")),
    }
}

fn respond(dialect: &Dialect, call: &Call, around: &Surroundings) -> Result<Answer, Trouble> {
    if call.moment == Moment::Other {
        return Ok(Answer::Silent);
    }
    let root = project_of(&call.folder(&around.folder))?;
    let place = Place::new(dialect, root, around);
    // Whoever runs an agent judges it, once.
    if within::is_kept_at(&place.folder()?) {
        return Ok(Answer::Silent);
    }
    let mut session = Session::open(&place, call)?;
    match call.moment {
        Moment::Start => start::answer(&place, &mut session),
        Moment::Prompt => start::prompt(call, &mut session),
        Moment::Stop | Moment::SubagentStop => stop::answer(&place, call, &mut session).or_else(|trouble| {
            let words = not_judged::words(&place, &mut session, &trouble);
            note(dialect, &place.root, around, &trouble);
            Ok(Answer::NotJudged(words))
        }),
        Moment::Other => Ok(Answer::Silent),
    }
}

/// Where a call belongs.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    pub(crate) dialect: &'a Dialect,
    pub(crate) root: PathBuf,
    pub(crate) around: &'a Surroundings,
    service: OnceCell<Result<Service, Trouble>>,
}

impl<'a> Place<'a> {
    fn new(dialect: &'a Dialect, root: PathBuf, around: &'a Surroundings) -> Self {
        Self { dialect, root, around, service: OnceCell::new() }
    }

    /// Returns the service of the project; its configuration is read once.
    pub(crate) fn service(&self) -> Result<&Service, Trouble> {
        let open = || {
            Service::open(&self.root, None).map_err(|error| {
                Trouble::new(format!("{} cannot be used: {}", error.path.display(), error.message))
            })
        };
        self.service.get_or_init(open).as_ref().map_err(Trouble::clone)
    }

    /// The name under which the desk is opened. It acts as orchestrator and host only, never as a person.
    fn visitor(&self) -> String {
        format!("hook-{}", self.dialect.name)
    }

    pub(crate) fn desk(&self) -> Result<Desk, Trouble> {
        let service = self.service()?;
        // Programs that Baton runs were let go before.
        let desk = service.desk_of_person(&self.root, self.folder()?, self.visitor(), self.around.now)?;
        Ok(desk.for_guest(SessionId::new(self.visitor()).map_err(DeskError::from)?))
    }

    /// A desk for which nothing of the configuration is needed.
    pub(crate) fn bare_desk(&self) -> Result<Desk, Trouble> {
        let visit = Visit {
            root: self.root.clone(),
            store: self.around.store.clone(),
            caller: Caller::Person(self.visitor()),
            now: self.around.now,
            checks: Vec::new(),
            workflows: Vec::new(),
            files: Files { state: None, archive: None },
            budgets: Budgets::default(),
        };
        Ok(Desk::open(visit)?.for_guest(SessionId::new(self.visitor()).map_err(DeskError::from)?))
    }

    /// Returns the task that a person put the agent on.
    pub(crate) fn task(&self) -> Result<Option<TaskId>, Trouble> {
        let named = self.around.task.as_deref().map(TaskId::new).transpose();
        named.map_err(|error| Trouble::new(format!("BATON_TASK: {error}")))
    }

    /// Returns the folder with the log, whether it is there or not.
    pub(crate) fn folder(&self) -> Result<PathBuf, Trouble> {
        Ok(place::folder(&self.root, self.around.store.as_deref())?)
    }

    pub(crate) fn has_log(&self) -> Result<bool, Trouble> {
        Ok(self.folder()?.join(LOG_FILE).is_file())
    }
}

/// Returns the project that a folder belongs to: where the nearest `baton.toml` is, or else the repository, or else itself.
pub fn project_of(folder: &Path) -> Result<PathBuf, Trouble> {
    let folder = folder
        .canonicalize()
        .map_err(|error| Trouble::new(format!("{} cannot be entered: {error}", folder.display())))?;
    let above = |name: &str| {
        folder.ancestors().take(PARENTS_MAX).find(|above| above.join(name).exists()).map(Path::to_owned)
    };
    let config = crate::config::find(&folder).and_then(|path| path.parent().map(Path::to_owned));
    Ok(config.or_else(|| above(".git")).unwrap_or(folder))
}

/// Keeps what could not be read, so that nothing is lost, and lets the agent go.
fn unreadable(dialect: &Dialect, payload: &[u8], around: &Surroundings, trouble: &Trouble) -> Reply {
    let kept = read::keep_unread(&around.folder, around, payload);
    let trouble = match kept {
        Some(path) => Trouble::new(format!("{}; what came is kept as {}", trouble.words, path.display())),
        None => trouble.clone(),
    };
    note(dialect, &around.folder, around, &trouble);
    trouble.reply()
}

/// Writes into the log, where there is one, that something was let through. Nobody can be told when that fails.
fn note(dialect: &Dialect, folder: &Path, around: &Surroundings, trouble: &Trouble) {
    let Ok(root) = project_of(folder) else { return };
    let place = Place::new(dialect, root, around);
    if !place.has_log().unwrap_or(false) {
        return;
    }
    if let Ok(mut desk) = place.bare_desk() {
        let _ = desk.note_let_through(&format!("{}: {}", dialect.name, trouble.words));
    }
}

impl From<DeskError> for Trouble {
    fn from(error: DeskError) -> Self {
        Self::new(error.to_string())
    }
}
