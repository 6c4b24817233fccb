//! Files that people read and commit, written from the log: how everything stands, and every handoff as it was written.
//! They can be thrown away: `rebuild` writes them again.

use std::fs;
use std::io::Write;
use std::path::Path;

use baton_engine::event::Event;
use baton_engine::fact::Disposition;
use baton_engine::state::Task;
use baton_store::log::Log;
use serde_json::{Value, json};

use super::{Desk, DeskError, tell};

/// Where the files lie, from the root of the project.
const STATE_FILE: &str = ".baton/state/current.json";
const ARCHIVE_FOLDER: &str = ".baton/handoffs";

impl Desk {
    /// Writes the files anew and returns how many handoffs are in the archive.
    pub fn rebuild(&self) -> Result<usize, DeskError> {
        let mut handoffs = Vec::new();
        let tasks = self.tasks()?;
        for task in &tasks {
            self.archive(task, &mut handoffs)?;
        }
        let standing: Vec<Value> = tasks
            .iter()
            .map(|task| {
                json!({
                    "task": task.id.as_str(),
                    "title": task.title,
                    "status": task.status().kind().name(),
                    "stage": task.stage().map(|stage| stage.name.as_str()),
                })
            })
            .collect();
        let head = self.log.head()?;
        let current = json!({ "sequence": head.sequence, "tasks": standing, "handoffs": handoffs });
        self.write(STATE_FILE, format!("{current:#}\n").as_bytes())?;
        Ok(handoffs.len())
    }

    /// Writes the handoffs of a task, and notes what became of each.
    fn archive(&self, task: &Task, handoffs: &mut Vec<Value>) -> Result<(), DeskError> {
        let mut agent = None;
        for (_, entry) in self.entries(Some(&task.id))? {
            match &entry.event {
                Event::TurnStarted { agent: taken_by, .. } => agent = Some(taken_by.clone()),
                Event::HandoffReceived { submission, .. } => {
                    let id = &submission.document.id;
                    if let Some(bytes) = self.document(&submission.document.blob)? {
                        self.write(&format!("{ARCHIVE_FOLDER}/{}/{id}", task.id), &bytes)?;
                    }
                    handoffs.push(json!({
                        "id": id.as_str(),
                        "task": task.id.as_str(),
                        "timestamp": tell::time(entry.at),
                        "from": agent.as_ref().map(|agent| agent.as_str()),
                        "to": null,
                        "status": "received",
                    }));
                }
                Event::DecisionMade { disposition, next, .. } => {
                    if let Some(last) = handoffs.last_mut().filter(|last| last["task"] == task.id.as_str()) {
                        last["status"] = json!(match disposition {
                            Disposition::Accept => "completed",
                            Disposition::Rework => "returned",
                            Disposition::Rollback => "rolled back",
                            Disposition::Escalate => "escalated",
                        });
                        last["to"] = json!(next.as_ref().map(|next| next.agent.as_str()));
                    }
                }
                Event::StageAdvanced { to, .. } => {
                    let stage = task.workflow.stages.iter().find(|stage| stage.name == *to);
                    if let (Some(last), Some(stage)) = (handoffs.last_mut(), stage) {
                        last["to"] = json!(stage.agent.as_str());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Replaces a file so that readers see the old or the new, never half.
    fn write(&self, relative: &str, bytes: &[u8]) -> Result<(), DeskError> {
        let path = self.root.join(relative);
        let failed = |error| DeskError::Io(path.clone(), error);
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(failed)?;
        if fs::read(&path).is_ok_and(|known| known == bytes) {
            return Ok(());
        }
        let mut temporary = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        temporary.write_all(bytes).and_then(|()| temporary.as_file().sync_all()).map_err(failed)?;
        temporary.persist(&path).map_err(|error| failed(error.error))?;
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
    }
}
