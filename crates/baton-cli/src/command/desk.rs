//! The commands that carry a task from hand to hand. Each opens the desk, does one thing, and says what came of it.

/// A command about one task: its words, its arguments, and what it does at the desk.
macro_rules! command {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* } |$desk:ident, $args:ident, $service:ident| $body:block) => {
        $(#[$doc])*
        #[derive(clap::Args, Debug)]
        pub(crate) struct $name {
            #[arg(value_name = "TASK", value_parser = task_id)]
            id: Id,
            $($(#[$field_doc])* $field: $type,)*
            #[command(flatten)]
            who: Who,
        }

        impl $name {
            pub(crate) fn run(&self, $service: &Service) -> Done {
                let $desk = &mut self.who.desk($service)?;
                let $args = self;
                $body
            }
        }
    };
}

mod act;
mod back;
mod context;
mod delegate;
mod diff;
mod log;
mod metrics;
mod record;
mod waive;
pub(crate) mod warning;
mod workflow;

use std::io::Read;
use std::path::{Path, PathBuf};

use baton_runner::Service;
use baton_runner::desk::{Desk, DeskError, Id};
use baton_runner::hook::project_of;
use baton_runner::supervise::within;

pub(crate) use act::{
    Ack, Answer, Clarify, Decide, Escalate, Gate, Pause, Plan, Receive, Resolve, Submit, Task,
};
pub(crate) use back::{Merge, Recover, Rollback};
pub(crate) use context::Context;
pub(crate) use delegate::{Delegate, Return};
pub(crate) use log::{AuditLog, Backup, Rebuild, Replay, Restore};
pub(crate) use metrics::Metrics;
pub(crate) use record::{Inbox, Log, Show, Status, Why};
pub(crate) use waive::Waive;
pub(crate) use workflow::Workflow;

use super::Done;
use super::audit::now;
use crate::exit;
use crate::failure::Failure;
use crate::output;

/// Who asks, and where the log lies.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Who {
    /// Act under this name; the name of the user when not given
    #[arg(long = "as", value_name = "NAME", global = true)]
    name: Option<String>,
    /// The folder with the log, instead of the one in the state folder of the user
    #[arg(long, value_name = "FOLDER", global = true)]
    store: Option<PathBuf>,
}

impl Who {
    /// The same person, as somebody who speaks through a client.
    pub(crate) fn through(&self, client: &str) -> Self {
        Self { name: Some(format!("{} via {client}", self.name())), ..self.clone() }
    }

    fn name(&self) -> String {
        let user = || ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
        self.name.clone().or_else(user).unwrap_or_else(|| "person".to_owned())
    }

    pub(crate) fn desk(&self, service: &Service) -> Result<Desk, Failure> {
        // An agent works in a workspace, and asks at the desk of the project that it belongs to.
        let chosen = self.store.as_deref().map(absolute).transpose()?;
        let (root, store) = match (chosen, within::assigned()) {
            (None, Some((project, store))) => (project, Some(store)),
            (chosen, Some(_) | None) => (root(service)?, chosen),
        };
        service.desk(&root, store.as_deref(), self.name(), now().saturating_mul(1000)).map_err(failure)
    }
}

/// Returns the whole path of a folder that somebody named: git is asked from elsewhere.
fn absolute(folder: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(folder).map_err(|error| Failure::io(folder, "entered", &error))
}

/// Returns the folder of the project that is meant here, the same as hooks find.
pub(crate) fn root(service: &Service) -> Result<PathBuf, Failure> {
    let root = match service.config.as_deref().and_then(Path::parent) {
        Some(root) => root.to_owned(),
        None => {
            let here = std::env::current_dir();
            let here = here.map_err(|error| Failure::io(Path::new("."), "entered", &error))?;
            project_of(&here).map_err(|trouble| Failure::usage(&trouble.words, "go to the project"))?
        }
    };
    root.canonicalize().map_err(|error| Failure::io(&root, "entered", &error))
}

/// Turns away programs that Baton runs from a command that changes something at `place` without a log.
pub(crate) fn only_people(service: &Service, command: &str, place: &Path) -> Result<(), Failure> {
    if !within::is_kept_at(place) {
        return Ok(());
    }
    let who = Who { name: None, store: None };
    let turned_away = who.desk(service).and_then(|mut desk| desk.only_people(command).map_err(failure));
    match turned_away {
        Err(failure) => Err(failure),
        Ok(()) => Err(Failure::refused(
            exit::Code::Refused,
            &format!("`baton {command}` is not for programs that Baton runs [not_allowed]"),
            "hand over what you have; a person will act",
        )),
    }
}

/// Reads a document from a file, or from standard input for `-`.
fn document(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let read = std::io::stdin()
            .lock()
            .take(baton_handoff::limit::DOCUMENT_BYTES_MAX as u64 + 1)
            .read_to_end(&mut bytes);
        read.map_err(|error| Failure::io(Path::new("standard input"), "read", &error))?;
    } else {
        baton_runner::file::read_bounded(path, &mut bytes)
            .map_err(|error| Failure::io(path, "read", &error))?;
    }
    Ok(bytes)
}

fn title(text: &str) -> Result<String, String> {
    match text.trim().is_empty() {
        true => Err("it does not say what is to be done".to_owned()),
        false => Ok(text.to_owned()),
    }
}

pub(crate) fn task_id(text: &str) -> Result<Id, String> {
    Id::new(text).map_err(|error| error.to_string())
}

/// What an agent does whose fence keeps it from the log.
const IN_A_TURN: &str = "nothing was stored, for the log is not yours to write from here; say it in your handoff instead: a question \
                         with `outcome: blocked`, work in your last message";

pub(crate) fn failure(error: DeskError) -> Failure {
    match error {
        DeskError::Io(path, error) => Failure::io(&path, "used", &error),
        DeskError::Document { what, next } => Failure::refused(exit::Code::Refused, &what, &next),
        DeskError::Refused(rejection) => {
            let what = format!("{}: {}", rejection.refusal.happened(), rejection.details);
            let what = what.trim_end_matches([':', ' ']);
            let next = format!("{}. {}", rejection.refusal.why(), rejection.refusal.next());
            Failure::refused(exit::Code::Refused, &format!("{what} [{}]", rejection.refusal.name()), &next)
        }
        DeskError::Store(error) => {
            let what = format!("could not {}: {}", error.what, error.why);
            // An agent is told what it can do, and not to make the log writable for itself.
            let next = within::assigned().map_or(error.next, |_| IN_A_TURN.to_owned());
            Failure::refused(exit::Code::Io, &what, &next)
        }
        DeskError::Word(word) => {
            Failure::usage(&word.to_string(), "`baton help COMMAND` shows what is expected")
        }
        DeskError::Git(error) => Failure::refused(exit::Code::Io, &error.message, &error.hint),
        DeskError::Recorded(_) => {
            let next = "do not repeat the command; mend the place; the next command goes on, and `baton rebuild` writes the files";
            Failure::refused(exit::Code::Io, &error.to_string(), next)
        }
        DeskError::Busy => Failure::refused(exit::Code::Io, &error.to_string(), "try again"),
    }
}

/// Writes one JSON document.
pub(super) fn json(value: &serde_json::Value) -> Done {
    let mut out = Vec::new();
    let written = output::write_json(&mut out, value);
    written.map_err(|error| Failure::io(Path::new("standard output"), "written", &error))?;
    out.push(b'\n');
    Ok(output::print(&out))
}

/// Says what was done.
pub(crate) fn told(text: &str) -> exit::Code {
    output::print(format!("{}\n", output::printable(text)).as_bytes())
}

/// Says what was done, and which command comes next.
fn told_with_next(desk: &Desk, id: &Id, done: &str) -> Done {
    // What was done is kept, whether or not more can be said about it.
    let next = desk.next(id).ok().flatten().map(|next| format!("; {next}")).unwrap_or_default();
    Ok(told(&format!("{done}{next}")))
}
