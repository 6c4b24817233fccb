//! The commands that check the log, copy it and bring it back.

use std::io::Write;
use std::path::PathBuf;

use baton_runner::Service;
use baton_runner::desk::Copied;
use baton_runner::desk::tell::{Replayed, ReplayedRule};
use serde_json::{Value, json};

use super::{Who, failure, json, only_people, told};
use crate::command::Done;
use crate::exit;
use crate::output;

/// Replay the log and check the invariants in every state
///
/// Folds the events of each task again. After each event, Baton checks all invariants. The report names the nine invariants of
/// the handoff protocol, with the number of states that each was checked in.
#[derive(clap::Args, Debug)]
pub(crate) struct Replay {
    /// One JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Replay {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        let replayed = desk.replay().map_err(failure)?;
        let code = if self.json { json(&replay_json(&replayed))? } else { told(&replay_text(&replayed)) };
        Ok(if replayed.violations.is_empty() { code } else { exit::Code::Findings })
    }
}

fn replay_json(replayed: &Replayed) -> Value {
    let rule = |rule: &ReplayedRule| {
        json!({
            "name": rule.name,
            "holds": rule.holds,
            "is_of_protocol": rule.is_of_protocol,
            "states": rule.states,
            "broken": rule.broken,
        })
    };
    json!({
        "version": 1,
        "events": replayed.events,
        "tasks": replayed.tasks,
        "invariants": replayed.rules.iter().map(rule).collect::<Vec<_>>(),
        "violations": replayed.violations,
    })
}

fn replay_text(replayed: &Replayed) -> String {
    let (of_protocol, others): (Vec<_>, Vec<_>) = replayed.rules.iter().partition(|rule| rule.is_of_protocol);
    let width = of_protocol.iter().map(|rule| rule.name.len()).max().unwrap_or_default();
    let mut lines = vec![
        format!("{} events of {} tasks replayed", replayed.events, replayed.tasks),
        format!("{:<width$}  {:>8}", "invariant", "states"),
    ];
    lines.extend(of_protocol.iter().map(|rule| format!("{:<width$}  {:>8}", rule.name, rule.states)));
    let states: usize = others.iter().map(|rule| rule.states).sum();
    lines.push(format!("{} more invariants: {states} checks; `--json` lists them", others.len()));
    lines.extend(replayed.violations.iter().map(|violation| format!("broken: {violation}")));
    lines.join("\n")
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
                let mut out = output::Heard::new(output::json_data());
                match desk.export(&mut out) {
                    // The reader closed the pipe.
                    Err(_) if out.is_alone() => Ok(exit::Code::Fine),
                    exported => {
                        exported.map_err(failure)?;
                        Ok(output::written(out.flush()).err().unwrap_or(exit::Code::Fine))
                    }
                }
            }
        }
    }
}

/// Regenerate the readable files and the views from the log
///
/// One file lists the status of every task. A folder holds every handoff as it was written. `[files]` in `baton.toml` sets
/// where they are, or turns them off. You can delete them at any time: the log has everything.
#[derive(clap::Args, Debug)]
pub(crate) struct Rebuild {
    #[command(flatten)]
    who: Who,
}

impl Rebuild {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let mut desk = self.who.desk(service)?;
        let count = desk.rebuild().map_err(failure)?;
        let mut lines = vec!["the views of the log are regenerated".to_owned()];
        let files = desk.files();
        lines.extend(files.state.as_ref().map(|path| format!("{} is written", path.display())));
        lines.extend(files.archive.as_ref().map(|path| format!("{} has {count} tasks", path.display())));
        Ok(told(&lines.join("\n")))
    }
}

/// Copy the log to a new file, and verify the copy
///
/// The saved workspaces are copied to a second file beside it, `FILE.snapshots`. Keep the two together.
#[derive(clap::Args, Debug)]
pub(crate) struct Backup {
    file: PathBuf,
    #[command(flatten)]
    who: Who,
}

impl Backup {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        let Copied { events, snapshots } = desk.backup(&self.file).map_err(failure)?;
        Ok(told(&format!("{events} events and {snapshots} saved workspaces copied and verified")))
    }
}

/// Bring a backup back, to a folder where no log is
///
/// The saved workspaces come back too, from the file `FILE.snapshots` beside it, each held against the hash it was saved under.
#[derive(clap::Args, Debug)]
pub(crate) struct Restore {
    file: PathBuf,
    /// The folder for the log; it must not hold one
    #[arg(long, value_name = "FOLDER")]
    into: PathBuf,
}

impl Restore {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let into = super::absolute(&self.into)?;
        only_people(service, "restore", &into)?;
        let root = super::root(service)?;
        let Copied { events, snapshots } =
            baton_runner::desk::restore(&self.file, &into, &root).map_err(failure)?;
        let text = format!(
            "{events} events and {snapshots} saved workspaces restored and verified; use it with `--store`"
        );
        Ok(told(&text))
    }
}
