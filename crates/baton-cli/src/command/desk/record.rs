//! The commands that tell what happened.

use std::io::Write;
use std::path::PathBuf;

use baton_runner::Service;
use baton_runner::desk::{Desk, Id, TaskState, tell};
use serde_json::json;

use super::{Who, failure, task_id, told};
use crate::command::Done;
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, printable};

/// Show how all tasks stand
#[derive(clap::Args, Debug)]
pub(crate) struct Status {
    /// One JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Status {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        if !self.json {
            return list(&desk, |_| true);
        }
        let tasks: Vec<_> = desk
            .tasks()
            .map_err(failure)?
            .iter()
            .map(|task| {
                json!({
                    "task": task.id.as_str(),
                    "title": task.title,
                    "workflow": task.workflow.name.as_str(),
                    "stage": task.stage().map(|stage| stage.name.as_str()),
                    "status": task.status().kind().name(),
                    "details": tell::status(task),
                })
            })
            .collect();
        let mut out = Vec::new();
        let written = output::write_json(&mut out, &json!({ "version": 1, "tasks": tasks }));
        written.map_err(|error| Failure::io(&PathBuf::from("standard output"), "written", &error))?;
        out.push(b'\n');
        Ok(output::print(&out))
    }
}

/// Show what waits for a person
#[derive(clap::Args, Debug)]
pub(crate) struct Inbox {
    #[command(flatten)]
    who: Who,
}

impl Inbox {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        list(&desk, |task| task.status().waits_for_person())
    }
}

pub(super) fn list(desk: &Desk, wanted: fn(&TaskState) -> bool) -> Done {
    let tasks = desk.tasks().map_err(failure)?;
    let lines: Vec<String> = tasks
        .iter()
        .filter(|task| wanted(task))
        .map(|task| {
            let stage = task.stage().filter(|_| task.end.is_none()).map_or("", |stage| stage.name.as_str());
            format!("{:<12} {:<16} {}  {}", task.id.as_str(), stage, tell::status(task), task.title)
        })
        .collect();
    if lines.is_empty() {
        output::talk("nothing is here\n");
        return Ok(exit::Code::Fine);
    }
    Ok(told(&lines.join("\n")))
}

pub(super) fn show_task(desk: &Desk, id: &Id) -> Done {
    let task = desk.task(id).map_err(failure)?;
    let mut text = format!("{id}: {}\n{} in {}\n", task.title, tell::status(&task), task.workflow.name);
    if let Some(stage) = task.stage().filter(|_| task.end.is_none()) {
        text.push_str(&format!("stage {} by @{}, attempt {}\n", stage.name, stage.agent, task.attempt()));
    }
    for (name, artifact) in &task.artifacts {
        text.push_str(&format!("  {:<24} {}\n", name.as_str(), artifact.kind.name()));
    }
    Ok(told(text.trim_end()))
}

/// Tell what happened, in order
#[derive(clap::Args, Debug)]
pub(crate) struct Log {
    /// One task; everything when not given
    #[arg(value_name = "TASK", value_parser = task_id)]
    id: Option<Id>,
    #[command(flatten)]
    who: Who,
}

impl Log {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        let entries = desk.entries(self.id.as_ref()).map_err(failure)?;
        let lines: Vec<String> = entries
            .iter()
            .map(|(recorded, entry)| match &self.id {
                Some(_) => tell::line(entry),
                None => format!("{:<12} {}", recorded.stream, tell::line(entry)),
            })
            .collect();
        Ok(told(&lines.join("\n")))
    }
}

/// Print a document that a task keeps, byte for byte
#[derive(clap::Args, Debug)]
pub(crate) struct Show {
    #[arg(value_name = "TASK", value_parser = task_id)]
    id: Id,
    /// The document, as `baton task show TASK` names it
    document: String,
    #[command(flatten)]
    who: Who,
}

impl Show {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        let task = desk.task(&self.id).map_err(failure)?;
        let found = task.artifacts.iter().find(|(name, _)| name.as_str() == self.document);
        let bytes = match found {
            Some((_, artifact)) => desk.document(&artifact.blob).map_err(failure)?,
            None => None,
        };
        match bytes {
            Some(bytes) => Ok(output::print(&bytes)),
            None => {
                let what = format!("{} has no document `{}`", self.id, printable(&self.document));
                Err(Failure::usage(&what, &format!("`baton task show {}` lists them", self.id)))
            }
        }
    }
}

/// Say why a task stands as it does, down to the evidence
#[derive(clap::Args, Debug)]
pub(crate) struct Why {
    #[arg(value_name = "TASK", value_parser = task_id)]
    id: Id,
    #[command(flatten)]
    who: Who,
}

impl Why {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        let why = desk.why(&self.id).map_err(failure)?;
        Ok(told(&format!("{} is {}\n{}", self.id, why.status, why.lines.join("\n"))))
    }
}

/// Fold the whole log anew and hold the invariants against it
#[derive(clap::Args, Debug)]
pub(crate) struct Replay {
    #[command(flatten)]
    who: Who,
}

impl Replay {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        let replayed = desk.replay().map_err(failure)?;
        let mut text = format!("{} events of {} tasks replayed", replayed.events, replayed.tasks);
        for violation in &replayed.violations {
            text.push_str(&format!("\nbroken: {violation}"));
        }
        let code = told(&text);
        Ok(if replayed.violations.is_empty() { code } else { exit::Code::Findings })
    }
}

/// Verify or export the log
#[derive(clap::Args, Debug)]
pub(crate) struct AuditLog {
    #[command(subcommand)]
    what: AuditLogCommand,
    #[command(flatten)]
    who: Who,
}

#[derive(clap::Subcommand, Debug)]
enum AuditLogCommand {
    /// Check every event against its hash, the chain, and the anchor outside of the log
    Verify,
    /// Write the log as lines of JSON
    Export,
}

impl AuditLog {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        match &self.what {
            AuditLogCommand::Verify => match desk.verify().map_err(failure)? {
                Ok(verified) => Ok(told(&format!(
                    "{} events hold together; {} are anchored, {} came since",
                    verified.head.sequence, verified.anchored, verified.unanchored
                ))),
                Err(finding) => {
                    told(&finding.to_string());
                    Ok(exit::Code::Findings)
                }
            },
            AuditLogCommand::Export => {
                let mut out = output::data();
                desk.export(&mut out).map_err(failure)?;
                Ok(output::written(out.flush()).err().unwrap_or(exit::Code::Fine))
            }
        }
    }
}

/// Write the files anew that people read
///
/// `.baton/state/current.json` says how everything stands, `.baton/handoffs` has every handoff as it was written. Both come from
/// the log, and can be thrown away.
#[derive(clap::Args, Debug)]
pub(crate) struct Rebuild {
    #[command(flatten)]
    who: Who,
}

impl Rebuild {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let count = self.who.desk(service)?.rebuild().map_err(failure)?;
        Ok(told(&format!(
            "{count} handoffs are in .baton/handoffs, and .baton/state/current.json is written"
        )))
    }
}

/// Copy the log to a new file, and verify the copy
#[derive(clap::Args, Debug)]
pub(crate) struct Backup {
    file: PathBuf,
    #[command(flatten)]
    who: Who,
}

impl Backup {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        let verified = desk.backup(&self.file).map_err(failure)?;
        Ok(told(&format!("{} events copied and verified", verified.head.sequence)))
    }
}

/// Bring a backup back, to a folder where no log is
#[derive(clap::Args, Debug)]
pub(crate) struct Restore {
    file: PathBuf,
    /// The folder for the log; it must not hold one
    #[arg(long, value_name = "FOLDER")]
    into: PathBuf,
}

impl Restore {
    pub(crate) fn run(&self) -> Done {
        let events = baton_runner::desk::restore(&self.file, &self.into).map_err(failure)?;
        Ok(told(&format!("{events} events restored and verified; use it with `--store`")))
    }
}
